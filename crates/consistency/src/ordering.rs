//! The orderings of lemma 3.2, and where they come from.
//!
//! Implements: \[RF\] lemma 3.2, on chains. Say access `a` happens before access `e` to the same location.
//! Then the write that `a` is or reads is not after the one that `e` is or reads. In the same chain that is a
//! matter of positions; else the whole chain of the first is before the whole chain of the second in every
//! `co`, since nothing comes between the events of a chain. (For a read-modify-write `e` the lemma speaks of
//! what it reads, one place earlier in its chain. That is the same: who has the place of `e` itself reads it,
//! and does not happen before it.)

use crate::chains::{Chains, Place};
use crate::execution::{Event, PartialExecution};
use crate::slots::Slots;
use std::ops::ControlFlow;

/// One such pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordering {
    /// `a`
    pub(crate) access: Event,
    /// `e`
    pub(crate) by: Event,
    /// The write that `a` is or reads.
    pub(crate) first: Place,
    /// The write that `e` is or reads.
    pub(crate) second: Place,
}

/// What all algorithms need: an execution in which sources arrive before readers, its slots and chains.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub(crate) execution: &'a PartialExecution,
    pub(crate) slots: Slots,
    pub(crate) chains: Chains,
}

impl Prepared<'_> {
    /// The ordering by an access with its place, because of another one.
    #[inline(always)]
    pub(crate) fn ordering(&self, access: Event, by: Event, second: Place) -> Ordering {
        Ordering { access, by, first: self.chains.place(access), second }
    }
}

/// An algorithm that finds enough of them: with these, all others follow.
pub(crate) trait Orderings {
    /// Each of them, until `found` breaks. Always the same ones in the same order.
    fn each(
        &self,
        prepared: &Prepared,
        found: &mut impl FnMut(Ordering) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Whether `co` must agree with `hb` across locations (strong-write-coherence). `po` and the `rf` of atomic
    /// accesses are `hb` then.
    const STRONG: bool = false;
}
