//! Synchronises-with, as far as it is drawn.
//!
//! Implements \[RCMC\] section 3.2: `[E^rel] ; ([F] ; po)? ; rs ; rf ; [R^rlx] ; (po ; [F])? ; [E^acq]`, where a
//! release sequence `rs` has later writes of the same thread if the model says so, and under a uniform model every atomic write releases and
//! every atomic read acquires. Differs: where a release sequence passes through a read-modify-write that itself acquires
//! and releases, what is before it is left out, for it is implied; and of several fences the nearest stands for all.

use crate::notation::Notation;
use crate::sync::{is_acquire, is_release, read_order, write_order};
use base::{EventId, FenceOrder, Order};
use graph::{Label, Source};
use model::{Orders, ReleaseSequence, Rules};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of boxes.
pub(super) fn synchronisation(
    notation: &Notation<'_>,
    shown: &BTreeMap<EventId, usize>,
    rules: &Rules,
) -> Vec<(usize, usize)> {
    let view = View { notation, shown, rules };
    let mut pairs = Vec::new();
    for &read in shown.keys() {
        let Some(acquire) = view.acquire(read) else { continue };
        for release in view.releases(read) {
            if release.thread != acquire.thread {
                pairs.push((shown[&release], shown[&acquire]));
            }
        }
    }
    pairs
}

struct View<'a> {
    notation: &'a Notation<'a>,
    shown: &'a BTreeMap<EventId, usize>,
    rules: &'a Rules,
}

impl View<'_> {
    /// The read itself if it acquires, or the next fence that does.
    fn acquire(&self, read: EventId) -> Option<EventId> {
        let order = read_order(self.notation, read).filter(|&order| order != Order::NotAtomic)?;
        if is_acquire(Some(order), self.rules.orders) {
            return Some(read);
        }
        let later = EventId { index: read.index + 1, ..read }..=EventId { index: u32::MAX, ..read };
        let acquires = |order: FenceOrder| order != FenceOrder::Release;
        self.shown.range(later).map(|(&event, _)| event).find(|&event| self.is_fence(event, acquires))
    }

    /// What the read synchronises with if it acquires: a release for each write of the release sequence that it ends.
    fn releases(&self, read: EventId) -> Vec<EventId> {
        let graph = &self.notation.execution.graph;
        let mut releases = Vec::new();
        let mut seen = BTreeSet::new();
        let mut at = read;
        while let Some(&Source::Event(write)) = graph.rf.get(&at)
            && seen.insert(write)
        {
            releases.extend(self.release(write).filter(|release| self.shown.contains_key(release)));
            if read_order(self.notation, write).is_none() || self.stands_for_all_before(write) {
                break;
            }
            at = write;
        }
        releases
    }

    /// A read-modify-write that acquires and releases passes on what it synchronises with, if it is there to be seen.
    fn stands_for_all_before(&self, rmw: EventId) -> bool {
        let orders = self.rules.orders;
        self.shown.contains_key(&rmw)
            && is_acquire(read_order(self.notation, rmw), orders)
            && is_release(write_order(self.notation, rmw), orders)
    }

    /// The write itself if it releases, or the last write of its location or fence before it that does.
    fn release(&self, write: EventId) -> Option<EventId> {
        let order = write_order(self.notation, write).filter(|&order| order != Order::NotAtomic)?;
        if is_release(Some(order), self.rules.orders) {
            return Some(write);
        }
        let earlier = EventId { index: 0, ..write }..write;
        self.shown.range(earlier).rev().map(|(&event, _)| event).find(|&event| {
            self.is_fence(event, FenceOrder::is_release) || self.is_earlier_release(event, write)
        })
    }

    fn is_fence(&self, event: EventId, wanted: impl Fn(FenceOrder) -> bool) -> bool {
        let is_wanted = matches!(self.notation.label(event), Some(&Label::Fence(order)) if wanted(order));
        is_wanted && self.rules.orders == Orders::AsWritten
    }

    fn is_earlier_release(&self, event: EventId, write: EventId) -> bool {
        let at = |event| self.notation.label(event).and_then(Label::at);
        self.rules.release_sequence == ReleaseSequence::SameThread
            && at(event) == at(write)
            && is_release(write_order(self.notation, event), self.rules.orders)
    }
}
