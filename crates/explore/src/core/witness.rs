//! The witness: a coherence order that the model accepts, where it is left open.
//!
//! Idea: the graph keeps a list of the writes to each location anyway. Where the model has a global axiom, these lists *are* a
//! coherence order with which it holds. A new write goes last, and so no edge leaves it; events that are taken out leave a
//! smaller graph, which is consistent if the whole was; a read-modify-write goes right after its source, where nothing enters
//! or leaves it that does not enter or leave its read, or pass it by. So only a read that gets its source may need other
//! lists (`open_coherence.rs`). It changes them, and puts them back when it loses its source.
//!
//! As long as there is nothing that the axiom can forbid, nothing is asked. If a read orders blocks against the lists then, they
//! are *stale*, and the next question makes all of them anew.
//!
//! Invariant (`Construction::audit`): at every visit the lists extend the order of blocks and the global axiom holds with them,
//! unless they are stale.
//!
//! Relies on `bind` and `unbind` being nested. A change does not belong to its read, but to a *binding* of it: a read that is
//! being revisited is bound a second time on top of the first.
//! What is explored does not depend on the lists: they are the order in which sources are tried, and nothing else.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::outcome::StopReason;
use base::ThreadId;
use live::{EventRef, LocationId};
use program::Hint;

/// The state of the witness.
#[derive(Debug)]
pub(crate) struct Witness {
    /// How many reads are bound.
    bound: u32,
    is_stale: bool,
    /// How writes were linked before reads changed that, the latest change last.
    changes: Vec<Change>,
    /// How often one search may branch.
    most_branches: u32,
    /// A search was given up, and so everything that was found since is of no meaning.
    has_given_up: bool,
}

/// A change of the witness.
#[derive(Debug)]
struct Change {
    /// How many reads were bound, its own one included.
    bound: u32,
    was_stale: bool,
    /// The former lists, without the read.
    lists: Vec<List>,
}

/// The writes to a location as they are linked.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct List {
    pub(super) location: LocationId,
    pub(super) writes: Vec<EventRef>,
}

impl Witness {
    /// Of the empty graph.
    pub(crate) fn new(most_branches: u32) -> Witness {
        Witness { bound: 0, is_stale: false, changes: Vec::new(), most_branches, has_given_up: false }
    }

    /// How often one search may branch: not at all, if one was given up.
    pub(super) fn most_branches(&self) -> u32 {
        if self.has_given_up { 0 } else { self.most_branches }
    }

    /// A search has branched too often.
    pub(super) fn give_up(&mut self) {
        self.has_given_up = true;
    }

    /// Whether one has.
    #[inline(always)]
    pub(super) fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    /// A read is about to get a source.
    #[inline(always)]
    pub(super) fn begin_binding(&mut self) {
        self.bound += 1;
    }

    /// Whether writes may not be linked in a coherence order.
    #[inline(always)]
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// The read that was bound last orders blocks against the lists.
    pub(super) fn become_stale(&mut self) {
        self.changes.push(Change { bound: self.bound, was_stale: self.is_stale, lists: Vec::new() });
        self.is_stale = true;
    }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// `new`, the read that was bound last, has changed these lists: they are a witness now.
    pub(super) fn keep_change(&mut self, new: EventRef, mut lists: Vec<List>) {
        lists.iter_mut().for_each(|list| list.writes.retain(|&w| w != new));
        let Witness { bound, is_stale, ref mut changes, .. } = self.witness;
        changes.push(Change { bound, was_stale: is_stale, lists });
        self.witness.is_stale = false;
    }

    /// The read that was bound last is about to lose its source, and has no place any more: put back the lists that it has
    /// changed.
    #[inline(always)]
    pub(super) fn end_binding(&mut self) {
        if self.witness.changes.last().is_some_and(|change| change.bound == self.witness.bound) {
            self.undo_changes();
        }
        self.witness.bound -= 1;
    }

    #[cold]
    #[inline(never)]
    fn undo_changes(&mut self) {
        let Witness { bound, .. } = self.witness;
        while let Some(change) = self.witness.changes.pop_if(|change| change.bound == bound) {
            self.relink(&change.lists);
            self.witness.is_stale = change.was_stale;
        }
    }

    /// Link writes as these lists say.
    pub(super) fn relink(&mut self, lists: &[List]) {
        for List { location, writes } in lists {
            self.graph.co_relink_all(*location, writes);
        }
    }

    /// The lists with more than one write.
    pub(super) fn lists(&self) -> Vec<List> {
        let graph = &self.graph;
        let is_long = |id: &LocationId| {
            let first = graph.location(*id).first;
            first.is_some() && graph.co_next(first).is_some()
        };
        graph.location_ids().filter(is_long).map(|id| self.list(id)).collect()
    }

    /// The list of a location.
    pub(super) fn list(&self, location: LocationId) -> List {
        let some = |w: EventRef| w.is_some().then_some(w);
        let first = some(self.graph.location(location).first);
        let writes = std::iter::successors(first, |&w| some(self.graph.co_next(w))).collect();
        List { location, writes }
    }

    /// Check the invariant.
    #[cold]
    pub(super) fn audit_witness(&mut self) {
        if !self.graph.has_global_order() || self.witness.is_stale {
            return;
        }
        assert!(self.graph.links_extend_blocks(), "writes are linked against the order of blocks");
        assert!(self.graph.allows_links(), "writes are linked against the global axiom");
    }
}

/// Why there is no verdict after a search that was given up.
pub(super) fn too_many_branches() -> StopReason {
    let message = "whether reads fit together depends on the order of too many writes that nothing orders: explore up to \
                   the coherence order (--equivalence co)";
    StopReason::Unsupported { message: message.to_owned(), site: None, thread: ThreadId::MAIN }
}
