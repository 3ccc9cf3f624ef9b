// Types at run time: the objects behind `typeid` for the types of the language, the search for base classes, `dynamic_cast`, and
// whether a handler takes an exception.
//
// The objects are those of the Itanium C++ ABI, 2.9. A type's kind is that of its virtual table, which nothing else is known of:
// no program calls anything in it.

extern "C" {

struct type {
	const void *const *table;
	const char *name;
};

struct pointer_type {
	const void *const *table;
	const char *name;
	unsigned flags;
	const type *pointee;
};

// A class with one base, which is public, not virtual, and at its start.
struct single_type {
	const void *const *table;
	const char *name;
	const type *base;
};

struct base_class {
	const type *base;
	long flags;
};

struct class_type {
	const void *const *table;
	const char *name;
	unsigned flags, count;
	base_class bases[];
};

enum { CONST = 1, VOLATILE = 2, RESTRICT = 4 };
enum { VIRTUAL_BASE = 1, PUBLIC_BASE = 2, OFFSET_SHIFT = 8 };

#define TABLE(name) extern "C" const void *const name[8] = {}
TABLE(_ZTVN10__cxxabiv116__enum_type_infoE);
TABLE(_ZTVN10__cxxabiv117__array_type_infoE);
TABLE(_ZTVN10__cxxabiv117__class_type_infoE);
TABLE(_ZTVN10__cxxabiv117__pbase_type_infoE);
TABLE(_ZTVN10__cxxabiv119__pointer_type_infoE);
TABLE(_ZTVN10__cxxabiv120__function_type_infoE);
TABLE(_ZTVN10__cxxabiv120__si_class_type_infoE);
TABLE(_ZTVN10__cxxabiv121__vmi_class_type_infoE);
TABLE(_ZTVN10__cxxabiv123__fundamental_type_infoE);
TABLE(_ZTVN10__cxxabiv129__pointer_to_member_type_infoE);

// A type of the language, the pointer to it, and that to a constant.
#define FUNDAMENTAL(code) \
	extern "C" const char _ZTS##code[] = #code; \
	extern "C" const char _ZTSP##code[] = "P" #code; \
	extern "C" const char _ZTSPK##code[] = "PK" #code; \
	extern "C" const type _ZTI##code = {_ZTVN10__cxxabiv123__fundamental_type_infoE + 2, _ZTS##code}; \
	extern "C" const pointer_type _ZTIP##code = {_ZTVN10__cxxabiv119__pointer_type_infoE + 2, _ZTSP##code, 0, \
						     &_ZTI##code}; \
	extern "C" const pointer_type _ZTIPK##code = {_ZTVN10__cxxabiv119__pointer_type_infoE + 2, _ZTSPK##code, CONST, \
						      &_ZTI##code};
FUNDAMENTAL(v)
FUNDAMENTAL(Dn)
FUNDAMENTAL(b)
FUNDAMENTAL(w)
FUNDAMENTAL(c)
FUNDAMENTAL(a)
FUNDAMENTAL(h)
FUNDAMENTAL(s)
FUNDAMENTAL(t)
FUNDAMENTAL(i)
FUNDAMENTAL(j)
FUNDAMENTAL(l)
FUNDAMENTAL(m)
FUNDAMENTAL(x)
FUNDAMENTAL(y)
FUNDAMENTAL(n)
FUNDAMENTAL(o)
FUNDAMENTAL(f)
FUNDAMENTAL(d)
FUNDAMENTAL(e)
FUNDAMENTAL(g)
FUNDAMENTAL(Du)
FUNDAMENTAL(Ds)
FUNDAMENTAL(Di)

// What the library's headers catch, and nobody throws: the end of a thread by cancellation, exceptions of other languages.
#define CLASS(mangled) \
	extern "C" const char _ZTS##mangled[] = #mangled; \
	extern "C" const type _ZTI##mangled = {_ZTVN10__cxxabiv117__class_type_infoE + 2, _ZTS##mangled};
CLASS(N10__cxxabiv115__forced_unwindE)
CLASS(N10__cxxabiv119__foreign_exceptionE)

static bool is(const type *it, const void *const *table) { return it->table == table + 2; }

static bool is_pointer(const type *it) { return is(it, _ZTVN10__cxxabiv119__pointer_type_infoE); }

static bool is_class(const type *it)
{
	return is(it, _ZTVN10__cxxabiv117__class_type_infoE) || is(it, _ZTVN10__cxxabiv120__si_class_type_infoE) ||
	       is(it, _ZTVN10__cxxabiv121__vmi_class_type_infoE);
}

// Each file has its own copy of some objects; a name with an asterisk is that of one file alone.
static bool is_same(const type *a, const type *b)
{
	if (a == b || a->name == b->name)
		return true;
	if (a->name[0] == '*')
		return false;
	const char *x = a->name, *y = b->name;
	while (*x && *x == *y)
		x++, y++;
	return *x == *y;
}

// Subobjects of one class: how many there are, the first one, and whether a public way leads there.
struct found {
	const char *object;
	int count;
	bool is_public;
};

static void note(found *found, const char *object, bool is_public)
{
	if (found->count && found->object == object) {
		found->is_public |= is_public;
		return;
	}
	found->count++;
	found->object = object;
	found->is_public = is_public;
}

// A search in all subobjects of an object.
struct search {
	// The class that is searched for.
	const type *wanted;
	// A subobject: where it is, and of which class.
	const char *from;
	const type *from_type;
	// All objects of the class; those that the subobject is a base of.
	found all, around;
	// Whether a public way leads to the subobject.
	bool is_from_public;
};

// Where a base class is in its object.
static const char *base_at(const base_class *base, const char *object)
{
	long offset = base->flags >> OFFSET_SHIFT;
	if (base->flags & VIRTUAL_BASE)
		offset = *(const long *)(*(const char *const *)object + offset);
	return object + offset;
}

// `around` is the object of the class that is searched for and that this one is part of, if there is one: `is_base_public` says
// whether a public way leads here from there, `is_public` whether one does from the whole.
static void visit(search *it, const type *here, const char *object, bool is_public, const char *around, bool is_base_public)
{
	if (is_same(here, it->wanted)) {
		note(&it->all, object, is_public);
		around = object;
		is_base_public = true;
	}
	if (object == it->from && is_same(here, it->from_type)) {
		it->is_from_public |= is_public;
		if (around)
			note(&it->around, around, is_base_public);
	}
	if (is(here, _ZTVN10__cxxabiv120__si_class_type_infoE)) {
		visit(it, ((const single_type *)here)->base, object, is_public, around, is_base_public);
	} else if (is(here, _ZTVN10__cxxabiv121__vmi_class_type_infoE)) {
		const class_type *whole = (const class_type *)here;
		for (unsigned i = 0; i < whole->count; i++) {
			const base_class *base = &whole->bases[i];
			bool is_open = base->flags & PUBLIC_BASE;
			visit(it, base->base, base_at(base, object), is_public && is_open, around, is_base_public && is_open);
		}
	}
}

// Whether a handler for class `wanted` takes an object of class `is`: moves the pointer to the base. There may be no object, but
// only a null pointer.
static bool converts(const type *wanted, const type *is, void **object)
{
	if (!*object) {
		// Where the bases of no object are cannot be looked up; that they are there is enough.
		if (::is(is, _ZTVN10__cxxabiv121__vmi_class_type_infoE))
			__threadbare_unmodelled("an exception that is a null pointer to a class with several bases is not modelled");
		while (!is_same(is, wanted)) {
			if (!::is(is, _ZTVN10__cxxabiv120__si_class_type_infoE))
				return false;
			is = ((const single_type *)is)->base;
		}
		return true;
	}
	search it = {wanted, nullptr, wanted, {}, {}, false};
	visit(&it, is, (const char *)*object, true, nullptr, false);
	if (it.all.count != 1 || !it.all.is_public)
		return false;
	*object = (void *)it.all.object;
	return true;
}

// Whether a handler for one pointer takes another: the same but for `const` and `volatile`, and at the first level also a base or
// `void`. Where pointers to pointers differ, all pointers above must point to constants ([conv.qual]).
static bool converts_pointer(const pointer_type *wanted, const pointer_type *is, void **object, int level, bool all_const)
{
	if (is_same((const type *)wanted, (const type *)is))
		return true;
	if (level > 0 && !all_const)
		return false;
	if (is->flags & ~wanted->flags & (CONST | VOLATILE | RESTRICT))
		return false;
	const type *to = wanted->pointee, *from = is->pointee;
	if (is_same(to, from))
		return true;
	if (level == 0 && is_same(to, &_ZTIv))
		return !::is(from, _ZTVN10__cxxabiv120__function_type_infoE);
	if (level == 0 && is_class(to) && is_class(from))
		return converts(to, from, object);
	all_const = (level == 0 || all_const) && (wanted->flags & CONST);
	return is_pointer(to) && is_pointer(from) &&
	       converts_pointer((const pointer_type *)to, (const pointer_type *)from, object, level + 1, all_const);
}

// Whether a handler for one type takes an exception of another. `object` is the exception and becomes what the handler gets: the
// object of the handler's class, or the value of a pointer.
bool __threadbare_catches(const type *wanted, const type *thrown, void **object)
{
	if (is_pointer(thrown))
		*object = *(void **)*object;
	if (is_same(wanted, thrown))
		return true;
	if (is_class(wanted) && is_class(thrown))
		return converts(wanted, thrown, object);
	if (is_same(thrown, &_ZTIDn)) {
		if (is(wanted, _ZTVN10__cxxabiv129__pointer_to_member_type_infoE))
			__threadbare_unmodelled("a handler for a pointer to a member, and a `nullptr` for it, is not modelled");
		*object = nullptr;
		return is_pointer(wanted);
	}
	return is_pointer(wanted) && is_pointer(thrown) &&
	       converts_pointer((const pointer_type *)wanted, (const pointer_type *)thrown, object, 0, true);
}

// [expr.dynamic.cast]: the object of class `to` that this one of class `from` is the base of; or else the one that the whole
// object has. Both ways are public, or there are none.
void *__dynamic_cast(const void *object, const type *from, const type *to, long)
{
	const long *table = *(const long *const *)object;
	const char *whole = (const char *)object + table[-2];
	search it = {to, (const char *)object, from, {}, {}, false};
	visit(&it, (const type *)table[-1], whole, true, nullptr, false);
	if (it.around.count == 1 && it.around.is_public)
		return (void *)it.around.object;
	if (it.is_from_public && it.all.count == 1 && it.all.is_public)
		return (void *)it.all.object;
	return nullptr;
}

}
