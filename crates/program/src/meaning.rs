//! The meaning of requests: the values that they read and write, the orders, and the answers to their threads.
//!
//! Everything that runs a program asks here: the execution under construction, replays, the epilogue, snapshots, guided
//! re-execution and random runs. (The oracle of the test kit has its own text, on purpose.) Errors of requests are in
//! `fault`.

use crate::Program;
use crate::awaiting::{AwaitOp, Passage, Patience};
use crate::request::Request;
use base::{Access, Order, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};

/// More threads than this are taken for a loop that does not end.
pub const MAX_THREADS: usize = 1000;

/// The word of a mutex that the thread owns.
#[inline(always)]
pub fn mutex_owner(thread: ThreadId) -> Value {
    Value::from(thread.0) + 1
}

/// The thread that owns a mutex with this word; `None` if the mutex is free.
pub fn owner_of_mutex(word: Value) -> Option<ThreadId> {
    u32::try_from(word.checked_sub(1)?).ok().map(ThreadId)
}

/// Let a thread run to its next request that is no question for the size of an object: those are answered at once. The
/// size of an object is that of its publication, which is in the thread's prefix; a `free` that is not ordered with the
/// question is an error wherever it comes.
#[inline(always)]
pub fn resume<P: Program>(
    program: &P,
    state: &mut P::State,
    answer: Value,
    size_of: impl Fn(u64) -> u64,
) -> Request {
    let mut request = program.resume(state, answer);
    while let Request::SizeOf { address } = request {
        request = program.resume(state, size_of(address));
    }
    request
}

/// The effect of a read or read-modify-write, once its source is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The order of the read.
    pub order: ReadOrder,
    /// Written value and order, if it writes.
    pub written: Option<(Value, WriteOrder)>,
    /// The answer to the thread; `None`: it waits.
    pub answer: Option<Value>,
}

impl Reading {
    /// A read whose thread goes on.
    #[inline(always)]
    pub fn read(order: ReadOrder, answer: Value) -> Reading {
        Reading { order, written: None, answer: Some(answer) }
    }

    /// A read whose thread waits for another value.
    #[inline(always)]
    pub fn waits(order: ReadOrder) -> Reading {
        Reading { order, written: None, answer: None }
    }

    /// A read-modify-write that writes.
    #[inline(always)]
    pub fn update(order: RmwOrder, new: Value, answer: Value) -> Reading {
        Reading { order: order.read(), written: Some((new, order.write())), answer: Some(answer) }
    }

    #[inline(always)]
    fn awaited(op: AwaitOp, patience: Patience, value: Value) -> Reading {
        match (op.apply(value), patience) {
            (Passage::Changes(new), _) => Reading::update(RmwOrder::Acquire, new, value),
            (Passage::Open, _) => Reading::read(ReadOrder::Acquire, value),
            (Passage::Shut, Patience::Waits) => Reading::waits(ReadOrder::Acquire),
            (Passage::Shut, Patience::GivesUp) => Reading::read(ReadOrder::Relaxed, value),
        }
    }
}

impl Request {
    /// The location that the request accesses, if the request itself names one.
    #[inline(always)]
    pub fn at(&self) -> Option<Access> {
        match *self {
            Request::Read { at, .. }
            | Request::Write { at, .. }
            | Request::Rmw { at, .. }
            | Request::Lock { at }
            | Request::Unlock { at }
            | Request::Await { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Whether the request's access is plain.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        match *self {
            Request::Read { order, .. } => Order::from(order) == Order::NotAtomic,
            Request::Write { order, .. } => Order::from(order) == Order::NotAtomic,
            _ => false,
        }
    }

    /// Whether the request makes an event.
    pub fn makes_event(&self) -> bool {
        match self {
            Request::SizeOf { .. }
            | Request::Block(_)
            | Request::Finish { .. }
            | Request::Fault(_)
            | Request::Refuse(_) => false,
            Request::Read { .. }
            | Request::Write { .. }
            | Request::Rmw { .. }
            | Request::Lock { .. }
            | Request::Unlock { .. }
            | Request::Await { .. }
            | Request::Depart(_)
            | Request::Sleep { .. }
            | Request::Notify { .. }
            | Request::Fence(_)
            | Request::Create { .. }
            | Request::Join { .. }
            | Request::Publish(_)
            | Request::Free { .. }
            | Request::Choose { .. } => true,
        }
    }

    /// Whether the answer tells the thread something that others, or chance, decide.
    pub fn tells(&self) -> bool {
        match self {
            Request::Read { .. }
            | Request::Rmw { .. }
            | Request::Await { .. }
            | Request::Depart(_)
            | Request::Sleep { .. }
            | Request::Choose { .. } => true,
            Request::Write { .. }
            | Request::Lock { .. }
            | Request::Unlock { .. }
            | Request::Notify { .. }
            | Request::Fence(_)
            | Request::Create { .. }
            | Request::Join { .. }
            | Request::Publish(_)
            | Request::Free { .. }
            | Request::SizeOf { .. }
            | Request::Block(_)
            | Request::Finish { .. }
            | Request::Fault(_)
            | Request::Refuse(_) => false,
        }
    }

    /// What the request of this thread is when it reads `value`. A fence is the read-modify-write that SC fences are under some
    /// models. The address is that of the slot that a thread reads which leaves a barrier.
    ///
    /// # Panics
    /// If the request reads nothing.
    #[inline(always)]
    pub fn reading(&self, thread: ThreadId, value: Value, address: impl FnOnce() -> u64) -> Reading {
        match *self {
            Request::Read { order, .. } => Reading::read(order, value),
            Request::Rmw { at, op, order, failure } => match op.apply(value, at.size) {
                Some(new) => Reading::update(order, new, value),
                None => Reading::read(failure, value),
            },
            Request::Lock { .. } if value == 0 => Reading::update(RmwOrder::Acquire, mutex_owner(thread), 0),
            Request::Lock { .. } => Reading::waits(ReadOrder::Acquire),
            Request::Await { op, patience, .. } => Reading::awaited(op, patience, value),
            Request::Depart(departure) => Reading {
                order: ReadOrder::Acquire,
                written: None,
                answer: departure.has_arrived(value).then(|| departure.answer(address(), value)),
            },
            Request::Fence(_) => Reading::update(RmwOrder::AcqRel, 0, 0),
            ref request => unreachable!("{request:?} is no read"),
        }
    }

    /// The value and order of a request that writes without reading.
    ///
    /// # Panics
    /// If it is no write.
    #[inline(always)]
    pub fn writing(&self) -> (Value, WriteOrder) {
        match *self {
            Request::Write { value, order, .. } => (value, order),
            Request::Unlock { .. } => (0, WriteOrder::Release),
            ref request => unreachable!("{request:?} is no write"),
        }
    }

    /// The order of a request that became a read-modify-write.
    pub fn update_order(&self) -> RmwOrder {
        match *self {
            Request::Rmw { order, .. } => order,
            Request::Lock { .. } | Request::Await { .. } => RmwOrder::Acquire,
            _ => RmwOrder::AcqRel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RmwOp;

    const AT: Access = Access { address: 8, size: 4 };

    #[test]
    fn a_mutex_word_names_its_owner() {
        for thread in [ThreadId(0), ThreadId(7)] {
            assert_eq!(owner_of_mutex(mutex_owner(thread)), Some(thread));
        }
        assert_eq!(owner_of_mutex(0), None);
    }

    #[test]
    fn what_is_read_decides_what_is_written() {
        let cas = RmwOp::CompareExchange { expected: 1, new: 2 };
        let rmw = Request::Rmw { at: AT, op: cas, order: RmwOrder::AcqRel, failure: ReadOrder::Relaxed };
        let thread = ThreadId(3);
        assert_eq!(rmw.reading(thread, 1, || 8), Reading::update(RmwOrder::AcqRel, 2, 1));
        assert_eq!(rmw.reading(thread, 5, || 8), Reading::read(ReadOrder::Relaxed, 5));
        let lock = Request::Lock { at: AT };
        assert_eq!(lock.reading(thread, 0, || 8), Reading::update(RmwOrder::Acquire, 4, 0));
        assert_eq!(lock.reading(thread, 2, || 8), Reading::waits(ReadOrder::Acquire));
        let gives_up = Request::Await { at: AT, op: AwaitOp::Decrement, patience: Patience::GivesUp };
        assert_eq!(gives_up.reading(thread, 0, || 8), Reading::read(ReadOrder::Relaxed, 0));
        assert_eq!(gives_up.reading(thread, 3, || 8).written, Some((2, WriteOrder::Relaxed)));
    }
}
