//! The record of a part of a pass: what it has noted, for the explorers of other parts.
//!
//! Some assumptions are refuted by two facts that may come from executions which have nothing to do with each other: one
//! relies on a location never being written plainly, the other one writes it (`notes.rs`, `confirming.rs`, `left_out.rs`,
//! accesses of different sizes in `objects.rs`, addresses that are given again in `vm/reuse.rs`). If two explorers have
//! explored the two executions, neither of them has refuted anything. So the records of parts are merged in the order of the
//! exploration: the first part whose record contradicts those before it is explored again by an explorer that *recalls* them,
//! and that one ends where a single explorer would have ended.
//!
//! A record is a set: it only grows, and merging is taking the union. It names locations by their accesses, never by numbers.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::ledger::{Assumption, Ledger, Use};
use crate::notes::Facts;
use crate::reductions::confirming::Counts;
use crate::reductions::left_out::{self, Dangers, ThreadSet};
use crate::reductions::lock_order::discipline::Discipline;
use base::Access;
use program::{Block, Hint, LIFE_WORDS, Remark, proper_address};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What was noted in a part of a pass.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Listed", into = "Listed")]
pub(crate) struct Record {
    locations: BTreeMap<Access, Noted>,
    /// Memory that was freed while there were other threads, from its first byte to the one after its last.
    freed: BTreeSet<(u64, u64)>,
    /// The same, with the threads whose reads that may race with.
    freed_for: BTreeMap<(u64, u64), ThreadSet>,
    /// The program's own notes.
    remarks: BTreeSet<Remark>,
    /// How mutexes are used.
    discipline: Discipline,
}

/// What was noted about a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Noted {
    /// Whether some access was atomic.
    pub(crate) is_atomic: bool,
    /// The uses that were relied on, a bit each.
    pub(crate) relied: u16,
    pub(crate) seen: Facts,
    pub(crate) counts: Counts,
    pub(crate) dangers: Dangers,
}

impl Noted {
    fn merge(&mut self, other: &Noted) {
        self.is_atomic |= other.is_atomic;
        self.relied |= other.relied;
        self.seen = self.seen.and(other.seen);
        self.counts.merge(other.counts);
        self.dangers.merge(&other.dangers);
    }
}

impl Record {
    /// A part that has noted this alone.
    #[cfg(test)]
    pub(crate) fn noting(at: Access, noted: Noted) -> Record {
        Record { locations: BTreeMap::from([(at, noted)]), ..Record::default() }
    }

    /// Add the notes of another part.
    pub(crate) fn merge(&mut self, other: &Record) {
        for (&at, noted) in &other.locations {
            self.locations.entry(at).or_default().merge(noted);
        }
        self.freed.extend(&other.freed);
        for (&bytes, &threads) in &other.freed_for {
            let known = self.freed_for.entry(bytes).or_default();
            *known = known.and(threads);
        }
        self.remarks.extend(&other.remarks);
        self.discipline.merge(&other.discipline);
    }

    /// Whether the notes refute an assumption that this ledger has not refuted.
    pub(crate) fn refutes_more_than(&self, ledger: &Ledger) -> bool {
        self.has_overlap()
            || self.discipline.is_broken() && !ledger.has_refuted(&Assumption::Disciplined)
            || self.locations.iter().any(|(&at, noted)| self.is_refuting(at, noted, ledger))
            || self.gives_again().any(|block| !ledger.has_refuted(&Assumption::Fresh(block)))
    }

    fn is_refuting(&self, at: Access, noted: &Noted, ledger: &Ledger) -> bool {
        let contains = |start: u64, end: u64| (start..end).contains(&at.address);
        let mut seen = noted.seen;
        if self.freed.iter().any(|&(start, end)| contains(start, end)) {
            seen = seen.and(Facts::ENDANGERED);
        }
        let freed = || self.freed_for.iter().filter(|&(&(start, end), _)| contains(start, end));
        let threads = freed().fold(ThreadSet::default(), |all, (_, &threads)| all.and(threads));
        let is_endangered = noted.dangers.with_freed(threads).are_real();
        if is_endangered {
            seen = seen.and(Facts::LEFT_OUT);
        }
        let bytes = freed().map(|(&(start, end), _)| start..end);
        let is_wrong = |it: Use| noted.relied & it.bit() != 0 && seen.has(it.refuted_by());
        is_endangered && !ledger.has_refuted(&left_out::no_round_races(at, bytes))
            || noted.counts.are_wrong()
            || Use::ALL.into_iter().any(is_wrong)
    }

    /// Whether accesses overlap that are not the same.
    fn has_overlap(&self) -> bool {
        let mut accesses = self.locations.keys().filter(|at| at.address < LIFE_WORDS).peekable();
        std::iter::from_fn(|| Some((accesses.next()?, accesses.peek().copied())))
            .any(|(at, next)| next.is_some_and(|next| at.overlaps(*next)))
    }

    /// The freed blocks for which it could make a difference that they are allocated again.
    fn gives_again(&self) -> impl Iterator<Item = Block> {
        let freed = self.remarks.iter().filter_map(|remark| match remark {
            Remark::Freed(block) => Some(*block),
            _ => None,
        });
        freed.filter(|&Block { address, size }| {
            let compared = Remark::Compared(address)..Remark::Compared(address + size);
            self.remarks.contains(&Remark::Allocated(size)) && self.remarks.range(compared).next().is_some()
        })
    }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// What was noted so far.
    pub(crate) fn record(&self) -> Record {
        let mut record = Record::default();
        for location in self.graph.location_ids() {
            let (relied, seen) = self.notes.noted(location);
            let noted = Noted {
                is_atomic: self.objects.is_ever_atomic(location),
                relied,
                seen,
                counts: self.reductions.confirming.counted(location),
                dangers: self.reductions.left_out.noted(location),
            };
            record.locations.insert(self.graph.location(location).access, noted);
        }
        record.freed = self.reductions.confirming.freed();
        for (Range { start, end }, threads) in self.reductions.left_out.freed() {
            let known = record.freed_for.entry((start, end)).or_default();
            *known = known.and(threads);
        }
        record.remarks = self.program.remarks();
        record.discipline = self.transactions.discipline.clone();
        record
    }

    /// Note this, too, as if it had been noted before anything else.
    pub(crate) fn recall(&mut self, record: &Record) {
        for (&at, noted) in &record.locations {
            let location = self.objects.recall(&mut self.graph, at, noted.is_atomic);
            self.reach(location);
            let name = Access { address: proper_address(at.address), ..at };
            self.notes.recall(location, name, noted.relied, noted.seen);
            self.reductions.confirming.recall(location, noted.counts);
            self.reductions.left_out.recall(location, noted.dangers);
        }
        self.reductions.confirming.recall_freed(&record.freed);
        let freed = record.freed_for.iter().map(|(&(start, end), &threads)| (start..end, threads));
        self.reductions.left_out.recall_freed(freed);
        self.program.recall(&record.remarks);
        self.transactions.discipline.merge(&record.discipline);
        self.check_discipline();
    }
}

/// A record as it is written down: lists, because accesses are no keys there.
#[derive(Serialize, Deserialize)]
struct Listed {
    locations: Vec<(Access, Noted)>,
    freed: BTreeSet<(u64, u64)>,
    freed_for: Vec<((u64, u64), ThreadSet)>,
    remarks: BTreeSet<Remark>,
    discipline: Discipline,
}

impl From<Record> for Listed {
    fn from(record: Record) -> Listed {
        let Record { locations, freed, freed_for, remarks, discipline } = record;
        let (locations, freed_for) = (locations.into_iter().collect(), freed_for.into_iter().collect());
        Listed { locations, freed, freed_for, remarks, discipline }
    }
}

impl From<Listed> for Record {
    fn from(listed: Listed) -> Record {
        let Listed { locations, freed, freed_for, remarks, discipline } = listed;
        let (locations, freed_for) = (locations.into_iter().collect(), freed_for.into_iter().collect());
        Record { locations, freed, freed_for, remarks, discipline }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Access = Access { address: 64, size: 4 };

    /// Neither of them refutes anything alone, both of them do, whichever comes first.
    fn refute_together(one: &Record, other: &Record) {
        let ledger = Ledger::default();
        assert!(!one.refutes_more_than(&ledger) && !other.refutes_more_than(&ledger));
        for (first, second) in [(one, other), (other, one)] {
            let mut both = first.clone();
            both.merge(second);
            assert!(both.refutes_more_than(&ledger), "{both:?}");
        }
    }

    #[test]
    fn a_use_that_is_relied_on_here_and_excluded_there_is_refuted() {
        let relied = Noted { relied: Use::Chain.bit(), ..Noted::default() };
        let seen = Noted { seen: Facts::UNCHAINED, ..Noted::default() };
        refute_together(&Record::noting(X, relied), &Record::noting(X, seen));
        let mut elsewhere = Record::noting(X, relied);
        elsewhere.merge(&Record::noting(Access { address: 68, size: 4 }, seen));
        assert!(!elsewhere.refutes_more_than(&Ledger::default()));
    }

    #[test]
    fn memory_that_is_freed_elsewhere_is_not_safe() {
        let relied = Noted { relied: Use::Safe.bit(), ..Noted::default() };
        let freed = Record { freed: BTreeSet::from([(60, 70)]), ..Record::default() };
        refute_together(&Record::noting(X, relied), &freed);
    }

    #[test]
    fn writes_are_counted_over_all_parts() {
        let relied = Noted { counts: Counts { relied: 2, seen: 2 }, ..Noted::default() };
        let more = Noted { counts: Counts { relied: u32::MAX, seen: 3 }, ..Noted::default() };
        refute_together(&Record::noting(X, relied), &Record::noting(X, more));
    }

    #[test]
    fn accesses_of_different_sizes_overlap() {
        refute_together(
            &Record::noting(X, Noted::default()),
            &Record::noting(Access { address: 66, size: 2 }, Noted::default()),
        );
    }

    #[test]
    fn a_block_is_given_again_if_it_is_freed_compared_and_allocated() {
        let remarks = |all: &[Remark]| Record { remarks: all.iter().copied().collect(), ..Record::default() };
        let block = Block { address: 160, size: 16 };
        let freed = remarks(&[Remark::Freed(block), Remark::Allocated(16)]);
        refute_together(&freed, &remarks(&[Remark::Compared(168)]));
        let mut far = freed.clone();
        far.merge(&remarks(&[Remark::Compared(176)]));
        assert!(!far.refutes_more_than(&Ledger::default()));
        let mut known = Ledger::default();
        known.refute(Assumption::Fresh(block));
        let mut again = freed;
        again.merge(&remarks(&[Remark::Compared(160)]));
        assert!(!again.refutes_more_than(&known), "that is known");
    }

    #[test]
    fn a_round_that_is_left_out_races_with_a_free_elsewhere() {
        let reads = Noted { dangers: Dangers::reading(base::ThreadId(1)), ..Noted::default() };
        let threads = ThreadSet::of(base::ThreadId(1));
        let freed = Record { freed_for: BTreeMap::from([((64, 80), threads)]), ..Record::default() };
        refute_together(&Record::noting(X, reads), &freed);
    }
}
