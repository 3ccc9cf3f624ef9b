// `std::pmr`: the resources of the library, without pools.
#include <memory_resource>

namespace std::pmr {

memory_resource::~memory_resource() = default;

namespace {

struct heap final : memory_resource {
	void *do_allocate(size_t size, size_t align) override { return ::operator new(size, align_val_t(align)); }
	void do_deallocate(void *object, size_t size, size_t align) override
	{
		::operator delete(object, size, align_val_t(align));
	}
	bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

struct nothing final : memory_resource {
	void *do_allocate(size_t, size_t) override { __throw_bad_alloc(); }
	void do_deallocate(void *, size_t, size_t) override {}
	bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

// They are never destroyed: objects that outlive `main` may use them.
union forever {
	heap the_heap;
	nothing none;
	constexpr forever(int) : the_heap() {}
	constexpr forever(bool) : none() {}
	~forever() {}
};

constinit forever the_heap{0}, none{false};
memory_resource *chosen;

}

memory_resource *new_delete_resource() noexcept { return &the_heap.the_heap; }
memory_resource *null_memory_resource() noexcept { return &none.none; }

memory_resource *get_default_resource() noexcept
{
	memory_resource *it = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
	return it ? it : new_delete_resource();
}

memory_resource *set_default_resource(memory_resource *next) noexcept
{
	if (!next)
		next = new_delete_resource();
	memory_resource *before = __atomic_exchange_n(&chosen, next, __ATOMIC_ACQ_REL);
	return before ? before : new_delete_resource();
}

// A buffer begins with its size and alignment, and the buffer before it.
class monotonic_buffer_resource::_Chunk {
public:
	size_t size, align;
	_Chunk *before;
};

void monotonic_buffer_resource::_M_new_buffer(size_t bytes, size_t align)
{
	if (align < alignof(_Chunk))
		align = alignof(_Chunk);
	size_t start = (sizeof(_Chunk) + align - 1) / align * align;
	size_t room = bytes < _M_next_bufsiz ? _M_next_bufsiz : bytes;
	size_t size = start + (room + align - 1) / align * align;
	auto *chunk = static_cast<_Chunk *>(_M_upstream->allocate(size, align));
	chunk->size = size;
	chunk->align = align;
	chunk->before = _M_head;
	_M_head = chunk;
	_M_current_buf = reinterpret_cast<char *>(chunk) + start;
	_M_avail = size - start;
	_M_next_bufsiz += _M_next_bufsiz / 2;
}

void monotonic_buffer_resource::_M_release_buffers() noexcept
{
	while (_Chunk *chunk = _M_head) {
		_M_head = chunk->before;
		_M_upstream->deallocate(chunk, chunk->size, chunk->align);
	}
}

monotonic_buffer_resource::~monotonic_buffer_resource() { release(); }

}
