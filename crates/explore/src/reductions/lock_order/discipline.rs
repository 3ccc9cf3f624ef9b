//! The discipline in which the order of sections can be left open. Whatever breaks it refutes `Assumption::Disciplined`.
//!
//! 1. No thread waits or ends while it holds a mutex, in any graph (`core/transactional.rs`).
//! 2. The *lock order*, from a mutex that is held to one that is locked, has no cycle, over all graphs together. So no
//!    deadlock is lost: take all open transactions but one out of a deadlock; what is left is an execution in which that
//!    thread takes its next mutex, so each edge of the circle is seen.
//! 3. Nothing leaves a transaction before something enters it: it has no write `w` and no later read `r` such that another
//!    thread may read what `w` writes, and another one write what `r` reads, in the meantime. In the meantime: with none of the
//!    mutexes that are held all the time from `w` to `r`, not before the transaction begins, and not after it has ended. The two may
//!    be found in different executions. For an execution is out of reach only if its transactions are on a cycle of `po ∪ rf`,
//!    which leaves one of them at a write and enters it at a later read.
//! 4. The word of a mutex is accessed otherwise only if that is ordered with all its sections by hb without them
//!    (`core/transactional.rs`).

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::ledger::Assumption;
use crate::reductions::lock_order::transactions::Mutexes;
use base::{Access, ThreadId};
use live::{EventRef, LocationId};
use program::Hint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What was seen in all executions together. It only grows, and two of them can be merged.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Discipline {
    /// The second mutex was locked while the first one was held.
    nested: BTreeSet<(Access, Access)>,
    leaves: BTreeSet<Passage>,
    enters: BTreeSet<Passage>,
}

/// A thread writes to a location and then reads another one in one transaction, holding these mutexes all the time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
struct Passage {
    thread: ThreadId,
    written: Access,
    read: Access,
    held: Vec<Access>,
}

impl Discipline {
    /// Add what was seen elsewhere.
    pub(crate) fn merge(&mut self, other: &Discipline) {
        self.nested.extend(&other.nested);
        self.leaves.extend(other.leaves.iter().cloned());
        self.enters.extend(other.enters.iter().cloned());
    }

    /// Whether what was seen is against the discipline.
    pub(crate) fn is_broken(&self) -> bool {
        self.leaves.intersection(&self.enters).next().is_some()
            || self.nested.iter().any(|&(a, b)| self.leads(b, a, &mut BTreeSet::new()))
    }

    /// Whether the lock order leads from `a` to `b`.
    fn leads(&self, a: Access, b: Access, seen: &mut BTreeSet<Access>) -> bool {
        a == b || seen.insert(a) && self.nested.iter().any(|&(from, to)| from == a && self.leads(to, b, seen))
    }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Note that a mutex is locked while these are held.
    pub(crate) fn note_nested(&mut self, held: Mutexes, mutex: LocationId) {
        let inner = self.access_in_ledger(mutex);
        let outer: Vec<Access> =
            self.transactions.of(held).map(|outer| self.access_in_ledger(outer)).collect();
        let known = self.transactions.discipline.nested.len();
        self.transactions.discipline.nested.extend(outer.into_iter().map(|outer| (outer, inner)));
        if self.transactions.discipline.nested.len() > known {
            self.check_discipline();
        }
    }

    /// Note what leaves and what enters transactions of the graph.
    pub(crate) fn note_passages(&mut self) {
        let mut discipline = std::mem::take(&mut self.transactions.discipline);
        let known = discipline.leaves.len() + discipline.enters.len();
        for thread in self.graph.thread_ids() {
            for &w in self.graph.po(thread) {
                if self.graph.event(w).kind.writes() && self.is_inside(w) {
                    self.note_passages_from(w, &mut discipline);
                }
            }
        }
        let is_more = discipline.leaves.len() + discipline.enters.len() > known;
        self.transactions.discipline = discipline;
        if is_more {
            self.check_discipline();
        }
    }

    pub(crate) fn check_discipline(&self) {
        if self.transactions.discipline.is_broken() {
            self.notes.refute(Assumption::Disciplined);
        }
    }

    fn note_passages_from(&self, w: EventRef, discipline: &mut Discipline) {
        let event = self.graph.event(w);
        let mut held = self.transactions.span(w).at;
        let events = self.graph.po(event.thread);
        for (i, &r) in events.iter().enumerate().skip(event.index as usize + 1) {
            let after = self.transactions.span(events[i - 1]).after;
            if after == 0 {
                break;
            }
            held &= after;
            if !self.graph.event(r).kind.reads() {
                continue;
            }
            let passage = || Passage {
                thread: event.thread,
                written: self.access_in_ledger(event.location),
                read: self.access_in_ledger(self.graph.event(r).location),
                held: self.transactions.of(held).map(|mutex| self.access_in_ledger(mutex)).collect(),
            };
            if self.may_leave(w, held) {
                discipline.leaves.insert(passage());
            }
            if self.may_enter(w, r, held) {
                discipline.enters.insert(passage());
            }
        }
    }

    /// Whether another thread may read what `w` writes while these mutexes are held.
    fn may_leave(&self, w: EventRef, held: Mutexes) -> bool {
        let event = self.graph.event(w);
        let end = self.end_of(w);
        let is_after = |r: EventRef| {
            let count = self.graph.counts(self.graph.prefix_of(r), event.thread).1;
            end.is_some_and(|end| count > self.graph.event(end).index)
        };
        let may_read = |r: EventRef| self.transactions.span(r).at & held == 0 && !is_after(r);
        let reads =
            |thread| self.graph.reads_since(event.location, thread, self.before_transaction(w, thread));
        self.others(event.thread).any(|thread| reads(thread).any(may_read))
    }

    /// Whether another thread may write what `r` reads, in the transaction of `w`, while these mutexes are held.
    fn may_enter(&self, w: EventRef, r: EventRef, held: Mutexes) -> bool {
        let location = self.graph.event(r).location;
        let may_write = |w: EventRef| self.transactions.span(w).at & held == 0;
        let writes = |thread| self.graph.writes_since(location, thread, self.before_transaction(w, thread));
        self.others(self.graph.event(w).thread).any(|thread| writes(thread).any(may_write))
    }

    fn others(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> {
        self.graph.thread_ids().filter(move |&other| other != thread)
    }

    /// How many events of another thread are (po ∪ rf)-before the transaction of `e` begins.
    fn before_transaction(&self, e: EventRef, thread: ThreadId) -> u32 {
        let start = self.transactions.span(e).start as usize;
        self.graph.porf_count(self.graph.po(self.graph.event(e).thread)[start], thread)
    }
}
