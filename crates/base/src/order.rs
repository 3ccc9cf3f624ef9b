//! Memory orders, one type per operation (C11 7.17.3); `consume` is read as `acquire` by every front end.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Any memory order, as the trace text and the reports name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Order {
    /// Not atomic: races are undefined behaviour.
    NotAtomic,
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::NotAtomic => "na",
            Order::Relaxed => "rlx",
            Order::Acquire => "acq",
            Order::Release => "rel",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "sc",
        })
    }
}

/// The order of a load.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum ReadOrder {
    /// A plain load.
    NotAtomic,
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire` (and `consume`)
    Acquire,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl ReadOrder {
    /// Whether it synchronises with the release it reads from.
    #[inline(always)]
    pub fn is_acquire(self) -> bool {
        self >= ReadOrder::Acquire
    }
}

/// The order of a store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum WriteOrder {
    /// A plain store.
    NotAtomic,
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_release`
    Release,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl WriteOrder {
    /// Whether an acquire that reads from it synchronises with it.
    #[inline(always)]
    pub fn is_release(self) -> bool {
        self >= WriteOrder::Release
    }
}

/// The order of a read-modify-write that succeeds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum RmwOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl RmwOrder {
    /// The order of its read part.
    #[inline(always)]
    pub fn read(self) -> ReadOrder {
        match self {
            RmwOrder::Relaxed | RmwOrder::Release => ReadOrder::Relaxed,
            RmwOrder::Acquire | RmwOrder::AcqRel => ReadOrder::Acquire,
            RmwOrder::SeqCst => ReadOrder::SeqCst,
        }
    }

    /// The order of its write part.
    #[inline(always)]
    pub fn write(self) -> WriteOrder {
        match self {
            RmwOrder::Relaxed | RmwOrder::Acquire => WriteOrder::Relaxed,
            RmwOrder::Release | RmwOrder::AcqRel => WriteOrder::Release,
            RmwOrder::SeqCst => WriteOrder::SeqCst,
        }
    }
}

/// The order of a fence; a relaxed fence does nothing and does not exist.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum FenceOrder {
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl FenceOrder {
    /// Whether it acquires from the writes that earlier reads of its thread have read.
    #[inline(always)]
    pub fn is_acquire(self) -> bool {
        self != FenceOrder::Release
    }

    /// Whether it releases through later writes of its thread.
    #[inline(always)]
    pub fn is_release(self) -> bool {
        self != FenceOrder::Acquire
    }
}

impl From<ReadOrder> for Order {
    fn from(order: ReadOrder) -> Order {
        match order {
            ReadOrder::NotAtomic => Order::NotAtomic,
            ReadOrder::Relaxed => Order::Relaxed,
            ReadOrder::Acquire => Order::Acquire,
            ReadOrder::SeqCst => Order::SeqCst,
        }
    }
}

impl From<WriteOrder> for Order {
    fn from(order: WriteOrder) -> Order {
        match order {
            WriteOrder::NotAtomic => Order::NotAtomic,
            WriteOrder::Relaxed => Order::Relaxed,
            WriteOrder::Release => Order::Release,
            WriteOrder::SeqCst => Order::SeqCst,
        }
    }
}

impl From<RmwOrder> for Order {
    fn from(order: RmwOrder) -> Order {
        match order {
            RmwOrder::Relaxed => Order::Relaxed,
            RmwOrder::Acquire => Order::Acquire,
            RmwOrder::Release => Order::Release,
            RmwOrder::AcqRel => Order::AcqRel,
            RmwOrder::SeqCst => Order::SeqCst,
        }
    }
}

impl From<FenceOrder> for Order {
    fn from(order: FenceOrder) -> Order {
        match order {
            FenceOrder::Acquire => Order::Acquire,
            FenceOrder::Release => Order::Release,
            FenceOrder::AcqRel => Order::AcqRel,
            FenceOrder::SeqCst => Order::SeqCst,
        }
    }
}

/// An operation of this kind does not have the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSuchOrder;

impl TryFrom<Order> for ReadOrder {
    type Error = NoSuchOrder;

    fn try_from(order: Order) -> Result<ReadOrder, NoSuchOrder> {
        match order {
            Order::NotAtomic => Ok(ReadOrder::NotAtomic),
            Order::Relaxed => Ok(ReadOrder::Relaxed),
            Order::Acquire => Ok(ReadOrder::Acquire),
            Order::SeqCst => Ok(ReadOrder::SeqCst),
            Order::Release | Order::AcqRel => Err(NoSuchOrder),
        }
    }
}

impl TryFrom<Order> for WriteOrder {
    type Error = NoSuchOrder;

    fn try_from(order: Order) -> Result<WriteOrder, NoSuchOrder> {
        match order {
            Order::NotAtomic => Ok(WriteOrder::NotAtomic),
            Order::Relaxed => Ok(WriteOrder::Relaxed),
            Order::Release => Ok(WriteOrder::Release),
            Order::SeqCst => Ok(WriteOrder::SeqCst),
            Order::Acquire | Order::AcqRel => Err(NoSuchOrder),
        }
    }
}

impl TryFrom<Order> for RmwOrder {
    type Error = NoSuchOrder;

    fn try_from(order: Order) -> Result<RmwOrder, NoSuchOrder> {
        match order {
            Order::Relaxed => Ok(RmwOrder::Relaxed),
            Order::Acquire => Ok(RmwOrder::Acquire),
            Order::Release => Ok(RmwOrder::Release),
            Order::AcqRel => Ok(RmwOrder::AcqRel),
            Order::SeqCst => Ok(RmwOrder::SeqCst),
            Order::NotAtomic => Err(NoSuchOrder),
        }
    }
}

impl TryFrom<Order> for FenceOrder {
    type Error = NoSuchOrder;

    fn try_from(order: Order) -> Result<FenceOrder, NoSuchOrder> {
        match order {
            Order::Acquire => Ok(FenceOrder::Acquire),
            Order::Release => Ok(FenceOrder::Release),
            Order::AcqRel => Ok(FenceOrder::AcqRel),
            Order::SeqCst => Ok(FenceOrder::SeqCst),
            Order::NotAtomic | Order::Relaxed => Err(NoSuchOrder),
        }
    }
}
