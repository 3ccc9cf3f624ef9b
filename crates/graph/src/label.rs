//! Labels: what an event does.

use base::{Access, FenceOrder, Order, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};
use std::fmt;

/// What an event does (\[RCMC\] definition 3.1, with one event for a read-modify-write).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Label {
    /// A load, or a compare-exchange that failed, or an attempt to take a mutex that somebody owns.
    Read {
        /// The location.
        at: Access,
        /// The order.
        order: ReadOrder,
        /// The value read.
        value: Value,
    },
    /// A store, or the release of a mutex.
    Write {
        /// The location.
        at: Access,
        /// The order.
        order: WriteOrder,
        /// The value written.
        value: Value,
    },
    /// A read-modify-write that succeeded, or a mutex that was taken.
    Rmw {
        /// The location.
        at: Access,
        /// The order.
        order: RmwOrder,
        /// The value read.
        read: Value,
        /// The value written.
        written: Value,
    },
    /// A fence.
    Fence(FenceOrder),
    /// The creation of a thread.
    Create(ThreadId),
    /// The wait for the end of a thread.
    Join(ThreadId),
    /// Memory that other threads can reach from now on: address and size of each object.
    Publish(Vec<(u64, u64)>),
    /// The end of the life of the object at this address.
    Free(u64),
    /// A number that the program left open.
    Choose(Value),
    /// A wait on the condition variable at this address: 0 if the thread wakes up, 1 if it does not, or its time is over.
    Sleep(u64, Value),
    /// A notification of the condition variable at this address.
    Notify(u64),
}

impl Label {
    /// The location, for accesses.
    pub fn at(&self) -> Option<Access> {
        match *self {
            Label::Read { at, .. } | Label::Write { at, .. } | Label::Rmw { at, .. } => Some(at),
            Label::Fence(_)
            | Label::Create(_)
            | Label::Join(_)
            | Label::Publish(_)
            | Label::Free(_)
            | Label::Choose(_)
            | Label::Sleep(..)
            | Label::Notify(_) => None,
        }
    }

    /// Whether it reads a value.
    pub fn is_read(&self) -> bool {
        matches!(self, Label::Read { .. } | Label::Rmw { .. })
    }

    /// Whether it writes a value.
    pub fn is_write(&self) -> bool {
        matches!(self, Label::Write { .. } | Label::Rmw { .. })
    }

    /// The value written, for writes.
    pub fn written(&self) -> Option<Value> {
        match *self {
            Label::Write { value, .. } => Some(value),
            Label::Rmw { written, .. } => Some(written),
            _ => None,
        }
    }

    /// The value read, for reads.
    pub fn value_read(&self) -> Option<Value> {
        match *self {
            Label::Read { value, .. } => Some(value),
            Label::Rmw { read, .. } => Some(read),
            _ => None,
        }
    }

    /// The order, for accesses and fences.
    pub fn order(&self) -> Option<Order> {
        match *self {
            Label::Read { order, .. } => Some(order.into()),
            Label::Write { order, .. } => Some(order.into()),
            Label::Rmw { order, .. } => Some(order.into()),
            Label::Fence(order) => Some(order.into()),
            Label::Create(_) | Label::Join(_) | Label::Publish(_) | Label::Free(_) => None,
            Label::Choose(_) | Label::Sleep(..) | Label::Notify(_) => None,
        }
    }
}

/// One line of the text form, without `rf`.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Read { at, order, value } => write!(f, "R {} {at} = {value}", Order::from(*order)),
            Label::Write { at, order, value } => write!(f, "W {} {at} = {value}", Order::from(*order)),
            Label::Rmw { at, order, read, written } => {
                write!(f, "RMW {} {at} = {read} -> {written}", Order::from(*order))
            }
            Label::Fence(order) => write!(f, "F {}", Order::from(*order)),
            Label::Create(thread) => write!(f, "create {thread}"),
            Label::Join(thread) => write!(f, "join {thread}"),
            Label::Publish(objects) => {
                f.write_str("publish")?;
                objects.iter().try_for_each(|(address, size)| write!(f, " {address:#x}+{size}"))
            }
            Label::Free(address) => write!(f, "free {address:#x}"),
            Label::Choose(value) => write!(f, "choose {value}"),
            Label::Sleep(on, value) => write!(f, "sleep {on:#x} {value}"),
            Label::Notify(on) => write!(f, "notify {on:#x}"),
        }
    }
}
