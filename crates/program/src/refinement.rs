//! Refinements: changes of a program's behaviour that explorations of it have found necessary.

use crate::section::SectionOrder;
use base::{Access, Site};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// Changes of a program's behaviour. A value: a refined program depends on these refinements alone, not on earlier
/// ones.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Refinements {
    /// Accesses that overlap without being equal: accesses are split so that they no longer do.
    pub conflicts: BTreeSet<Conflict>,
    /// Atomic sections exclude each other, by the mutexes that they take, as this says.
    pub sections: SectionOrder,
    /// Freed blocks that allocations may get again.
    pub reused: BTreeSet<Block>,
    /// Memory: each thread goes on after the first round that has accessed some of it and would be left out.
    pub kept: Vec<Range<u64>>,
    /// Instructions at which a thread ran for too long without a request: such a thread goes no further.
    pub endless: BTreeSet<Site>,
}

/// Two different accesses to the same bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Conflict {
    /// The access that came first, and whether any access to it is atomic.
    pub old: (Access, bool),
    /// The new access, and whether it is atomic.
    pub new: (Access, bool),
    /// Where the new access is.
    pub site: Site,
}

/// A block of the heap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Its first byte.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// A program's note on its own executions, for the question whether a freed block is to be allocated again. Notes are never
/// taken back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Remark {
    /// The block was freed.
    Freed(Block),
    /// The address was compared.
    Compared(u64),
    /// A block of this size was allocated.
    Allocated(u64),
}
