//! The address space: the high bits of an address say which kind of memory it belongs to.
//!
//! Addresses have 47 bits (programs pack tags into the top 16 and count on that) and fall into regions of 2 GiB:
//! one for the null page and for code, one for constants, one for globals, and two for each thread: its stack and
//! its heap. An address inside a thread's regions depends on that thread's own allocations only, so it is the same
//! in every execution in which the thread does the same.

use base::ThreadId;

/// The size of a region, as a power of two.
pub(crate) const REGION_BITS: u32 = 31;
/// The bits of a pointer that are an address; a tag may be in the others.
pub(crate) const ADDRESS_MASK: u64 = (1 << 47) - 1;
/// The region of the constant globals.
pub(crate) const CONSTANTS: u64 = 1;
/// The region of the other globals.
pub(crate) const GLOBALS: u64 = 2;
/// The stack of thread 0; its heap follows, then the stack of thread 1.
const FIRST_STACK: u64 = 4;
/// How many threads have room.
pub(crate) const MAX_THREADS: u64 = ((1 << (47 - REGION_BITS)) - FIRST_STACK) / 2;
/// How many bytes one thread, or the globals together, may take, red zones included. A quarter of the addresses that
/// there are: allocated memory is also kept and copied.
pub const MAX_BYTES: u64 = 1 << 29;

/// The least alignment of an object of a thread: that of `malloc`, so that pointers inside are aligned whatever the
/// type says.
pub(crate) const OBJECT_ALIGN: u64 = 16;
/// Below this, an address is a null pointer with an offset.
const NULL_END: u64 = 1 << 16;
/// The first function that has no body.
const EXTERNAL_START: u64 = 1 << 30;
/// The distance between the addresses of two functions.
const FUNCTION_STRIDE: u64 = 16;

/// The kind of memory that an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    /// Null, or null plus something small.
    Null,
    /// Functions.
    Code,
    /// Constant globals.
    Constants,
    /// The other globals.
    Globals,
    /// Local variables of a thread.
    Stack(ThreadId),
    /// Heap objects of a thread.
    Heap(ThreadId),
    /// Nothing.
    Nowhere,
}

impl Region {
    /// The region that `address` is in.
    pub(crate) fn of(address: u64) -> Region {
        if address > ADDRESS_MASK {
            return Region::Nowhere;
        }
        let number = address >> REGION_BITS;
        match number {
            0 if address < NULL_END => Region::Null,
            0 => Region::Code,
            CONSTANTS => Region::Constants,
            GLOBALS => Region::Globals,
            FIRST_STACK.. => {
                let thread = ThreadId(((number - FIRST_STACK) / 2) as u32);
                if (number - FIRST_STACK).is_multiple_of(2) {
                    Region::Stack(thread)
                } else {
                    Region::Heap(thread)
                }
            }
            _ => Region::Nowhere,
        }
    }
}

/// The number of the region of a thread's stack.
#[inline(always)]
pub(crate) fn stack_region(thread: ThreadId) -> u64 {
    FIRST_STACK + 2 * u64::from(thread.0)
}

/// The number of the region of a thread's heap.
#[inline(always)]
pub(crate) fn heap_region(thread: ThreadId) -> u64 {
    stack_region(thread) + 1
}

/// Whether it is the number of the region of a thread's heap.
#[inline(always)]
pub(crate) fn is_heap_region(region: u64) -> bool {
    region > FIRST_STACK && !(region - FIRST_STACK).is_multiple_of(2)
}

/// Whether it is the number of a region of another thread.
#[inline(always)]
pub(crate) fn is_region_of_other(thread: ThreadId, region: u64) -> bool {
    region >= FIRST_STACK && region != stack_region(thread) && region != heap_region(thread)
}

/// The free bytes after an object of `size` bytes: as many as it has, so that an index that is too large by less
/// than the size of the array does not land in a neighbour.
pub(crate) fn red_zone(size: u64) -> u64 {
    size.next_multiple_of(64).clamp(64, 4096)
}

/// An object of a thread and its red zone, rounded so that the next object follows without a gap.
pub(crate) fn footprint(size: u64) -> u64 {
    size.next_multiple_of(OBJECT_ALIGN) + red_zone(size)
}

/// A function, as an address names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// One of `Module::functions`.
    Function(u32),
    /// One without a body, by its number in the machine's table of external names.
    External(u32),
}

impl Code {
    /// Its address.
    pub(crate) fn address(self) -> u64 {
        match self {
            Code::Function(index) => NULL_END + u64::from(index) * FUNCTION_STRIDE,
            Code::External(index) => EXTERNAL_START + u64::from(index) * FUNCTION_STRIDE,
        }
    }

    /// The function at this address, of `functions` with and `externals` without a body.
    pub(crate) fn at(address: u64, functions: usize, externals: usize) -> Option<Code> {
        let index = |start: u64, count: usize| {
            let offset = address.checked_sub(start)?;
            let index = offset / FUNCTION_STRIDE;
            (offset % FUNCTION_STRIDE == 0 && index < count as u64).then_some(index as u32)
        };
        let function = index(NULL_END, functions).map(Code::Function);
        function.or_else(|| index(EXTERNAL_START, externals).map(Code::External))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_come_from_the_high_bits() {
        assert_eq!(Region::of(8), Region::Null);
        assert_eq!(Region::of(Code::Function(3).address()), Region::Code);
        assert_eq!(Region::of(GLOBALS << REGION_BITS), Region::Globals);
        assert_eq!(Region::of(3 << REGION_BITS), Region::Nowhere);
        for thread in [0, 1, MAX_THREADS as u32 - 1].map(ThreadId) {
            assert_eq!(Region::of((stack_region(thread) << REGION_BITS) + 5), Region::Stack(thread));
            assert_eq!(Region::of((heap_region(thread) << REGION_BITS) + 5), Region::Heap(thread));
        }
        assert_eq!(Region::of(1 << 47), Region::Nowhere);
    }

    #[test]
    fn functions_are_found_at_their_address_only() {
        for code in [Code::Function(0), Code::Function(2), Code::External(1)] {
            assert_eq!(Code::at(code.address(), 3, 2), Some(code));
            assert_eq!(Code::at(code.address() + 1, 3, 2), None);
        }
        assert_eq!(Code::at(Code::Function(3).address(), 3, 2), None);
        assert_eq!(Code::at(0, 3, 2), None);
    }
}
