//! The ledger of assumptions: what an exploration relies on, location by location, and what refutes it.
//!
//! A reduction relies on how a program uses a location, which nobody knows before all of it is explored. So it writes down
//! its [`Assumption`] when it first relies on it (`rely`), and every use of a location that some assumption excludes is
//! written down as one of [`Facts`] (`see`). The two come in any order, in one execution or in two that have nothing to do
//! with each other: whenever both are there, the assumption is refuted, the exploration ends, and the next one starts with
//! the refuted assumptions in its ledger.
//!
//! The ledger is a monotone value: it only grows, so there are finitely many explorations. What an exploration decides
//! depends on the ledger that it has started with and on nothing that was noted since; so what it explores below a graph
//! does not depend on what it has explored before, nor on the order in which threads are created.

use base::Access;
use live::LocationId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;

/// What a reduction may assume of a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Assumption {
    /// It is a mutex: what is written there are locks, unlocks and initialisations (`waiting.rs`).
    Mutex,
    /// It is a word that threads await: what is written there are read-modify-writes (`waiting.rs`).
    Word,
    /// Its writes are one chain, so that a thread can wait until a compare-exchange or exchange succeeds (`waiting.rs`).
    Chain,
    /// A thread can wait with undoing its addition until another one has noticed it (`zne.rs`).
    Unnoticed,
    /// Additions that would be undone at once need not be made (`attempts.rs`).
    Unmade,
    /// Up to `rf`: its writes alone order all of them (`awaits.rs`, `symmetry.rs`).
    Ordered,
    /// A read-modify-write that changes nothing is a mere read (`waiting.rs`).
    Idle,
    /// A load and the compare-exchange after it are one event (`pairs.rs`).
    Paired,
}

impl Assumption {
    /// All of them.
    pub(crate) const ALL: [Assumption; 8] = [
        Assumption::Mutex,
        Assumption::Word,
        Assumption::Chain,
        Assumption::Unnoticed,
        Assumption::Unmade,
        Assumption::Ordered,
        Assumption::Idle,
        Assumption::Paired,
    ];

    /// The facts of which one is enough to refute it.
    #[inline(always)]
    pub(crate) const fn refuted_by(self) -> Facts {
        match self {
            Assumption::Mutex => Facts::WILD,
            Assumption::Word => Facts::LOCKED.and(Facts::STORED),
            Assumption::Chain => Facts::UNCHAINED,
            Assumption::Unnoticed => Facts::SPOILT.and(Facts::LEFT_OUT),
            Assumption::Unmade => Facts::CHANGED.and(Facts::LEFT_OUT),
            Assumption::Ordered => Facts::UNORDERED,
            Assumption::Idle => Facts::PEEKED,
            Assumption::Paired => Facts::EXPOSED,
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// What was done to a location, in any execution.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Facts(u16);

impl Facts {
    /// It was written in a way in which mutexes are not.
    pub(crate) const WILD: Facts = Facts(1);
    /// It was locked as a mutex.
    pub(crate) const LOCKED: Facts = Facts(2);
    /// It was stored to, other than by plain initialisation.
    pub(crate) const STORED: Facts = Facts(4);
    /// Its writes were no chain.
    pub(crate) const UNCHAINED: Facts = Facts(8);
    /// It was used in a way that rules out to wait with undoing an addition there.
    pub(crate) const SPOILT: Facts = Facts(16);
    /// It was accessed in other ways than by additions and atomic loads.
    pub(crate) const CHANGED: Facts = Facts(32);
    /// Its writes alone did not order all of them.
    pub(crate) const UNORDERED: Facts = Facts(64);
    /// It was read plainly, which races with whatever writes.
    pub(crate) const PEEKED: Facts = Facts(128);
    /// It was written plainly, or its initial value was unknown to a thread that accessed it.
    pub(crate) const EXPOSED: Facts = Facts(256);
    /// A round that was left out could race there (`left_out.rs`).
    pub(crate) const LEFT_OUT: Facts = Facts(512);

    /// These and others.
    #[inline(always)]
    pub(crate) const fn and(self, others: Facts) -> Facts {
        Facts(self.0 | others.0)
    }

    /// Whether one of these is among them.
    #[inline(always)]
    pub(crate) const fn has(self, others: Facts) -> bool {
        self.0 & others.0 != 0
    }
}

/// The assumptions that earlier explorations have refuted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    refuted: BTreeSet<(Access, Assumption)>,
    endangered: BTreeSet<(u64, u64)>,
}

impl Ledger {
    /// Whether the assumption was refuted there.
    #[inline(always)]
    pub(crate) fn has_refuted(&self, at: Access, assumption: Assumption) -> bool {
        !self.refuted.is_empty() && self.refuted.contains(&(at, assumption))
    }

    /// The memory of which rounds that access it must not all be left out: from where to where (`left_out.rs`).
    pub(crate) fn endangered(&self) -> impl Iterator<Item = Range<u64>> {
        self.endangered.iter().map(|&(start, end)| start..end)
    }
}

/// What the exploration under way has relied on and seen at one location.
#[derive(Clone, Debug, Default)]
struct Notes {
    relied: Cell<u16>,
    seen: Cell<Facts>,
}

impl Notes {
    /// The assumptions that were relied on and that one of the facts refutes.
    #[cold]
    fn refuted(&self) -> impl Iterator<Item = Assumption> {
        let (relied, seen) = (self.relied.get(), self.seen.get());
        let is_refuted = move |it: &Assumption| relied & it.bit() != 0 && seen.has(it.refuted_by());
        Assumption::ALL.into_iter().filter(is_refuted)
    }
}

/// The ledger that an exploration has started with, and what it has noted since.
#[derive(Debug, Default)]
pub(crate) struct Assumptions {
    ledger: Ledger,
    notes: Vec<Notes>,
    /// What the next exploration must know besides.
    next: RefCell<Ledger>,
    is_refuted: Cell<bool>,
}

impl Assumptions {
    /// An exploration starts with this ledger.
    pub(crate) fn new(ledger: Ledger) -> Assumptions {
        Assumptions { ledger, ..Assumptions::default() }
    }

    /// The location is about to be accessed: there is room for what is noted there.
    #[inline(always)]
    pub(crate) fn reach(&mut self, location: LocationId) {
        if self.notes.len() <= location.index() {
            self.notes.resize_with(location.index() + 1, Notes::default);
        }
    }

    /// Whether the assumption may be relied on there: it was not refuted by an earlier exploration. If so, it is from now on.
    #[inline(always)]
    pub(crate) fn rely(&self, location: LocationId, at: Access, assumption: Assumption) -> bool {
        if self.ledger.has_refuted(at, assumption) {
            return false;
        }
        let notes = &self.notes[location.index()];
        notes.relied.set(notes.relied.get() | assumption.bit());
        if notes.seen.get().has(assumption.refuted_by()) {
            self.refute(at, assumption);
        }
        true
    }

    /// Whether the assumption may be relied on there; nothing is noted.
    #[inline(always)]
    pub(crate) fn holds(&self, at: Access, assumption: Assumption) -> bool {
        !self.ledger.has_refuted(at, assumption)
    }

    /// The location was used like that.
    #[inline(always)]
    pub(crate) fn see(&self, location: LocationId, at: Access, facts: Facts) {
        let notes = &self.notes[location.index()];
        let seen = notes.seen.get();
        if seen.and(facts) != seen {
            notes.seen.set(seen.and(facts));
            for assumption in notes.refuted() {
                self.refute(at, assumption);
            }
        }
    }

    /// An assumption that is relied on there is wrong.
    #[cold]
    pub(crate) fn refute(&self, at: Access, assumption: Assumption) {
        if self.holds(at, assumption) {
            self.next.borrow_mut().refuted.insert((at, assumption));
            self.is_refuted.set(true);
        }
    }

    /// That all rounds may be left out is wrong for those that access this memory.
    #[cold]
    pub(crate) fn endanger(&self, bytes: Range<u64>) {
        let bytes = (bytes.start, bytes.end);
        if !self.ledger.endangered.contains(&bytes) {
            self.next.borrow_mut().endangered.insert(bytes);
            self.is_refuted.set(true);
        }
    }

    /// Whether the exploration has relied on something that is wrong.
    #[inline(always)]
    pub(crate) fn are_refuted(&self) -> bool {
        self.is_refuted.get()
    }

    /// The ledger for the next exploration.
    pub(crate) fn corrected(&self) -> Ledger {
        let (next, mut ledger) = (self.next.borrow(), self.ledger.clone());
        ledger.refuted.extend(&next.refuted);
        ledger.endangered.extend(&next.endangered);
        ledger
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Access = Access { address: 64, size: 4 };
    const FACTS: [Facts; 10] = [
        Facts::WILD,
        Facts::LOCKED,
        Facts::STORED,
        Facts::UNCHAINED,
        Facts::SPOILT,
        Facts::CHANGED,
        Facts::UNORDERED,
        Facts::PEEKED,
        Facts::EXPOSED,
        Facts::LEFT_OUT,
    ];

    fn location() -> LocationId {
        live::LiveGraph::new().add_location(AT)
    }

    fn new(ledger: Ledger) -> Assumptions {
        let mut assumptions = Assumptions::new(ledger);
        assumptions.reach(location());
        assumptions
    }

    #[test]
    fn every_pair_is_refuted_in_both_orders() {
        for assumption in Assumption::ALL {
            for fact in FACTS {
                let (first, second) = (new(Ledger::default()), new(Ledger::default()));
                assert!(first.rely(location(), AT, assumption));
                first.see(location(), AT, fact);
                second.see(location(), AT, fact);
                assert!(second.rely(location(), AT, assumption), "decided by the ledger alone");
                let expected = assumption.refuted_by().has(fact);
                assert_eq!(first.are_refuted(), expected, "{assumption:?}, then {fact:?}");
                assert_eq!(second.are_refuted(), expected, "{fact:?}, then {assumption:?}");
            }
        }
    }

    #[test]
    fn every_assumption_can_be_refuted_and_every_fact_refutes() {
        for assumption in Assumption::ALL {
            assert!(FACTS.into_iter().any(|fact| assumption.refuted_by().has(fact)), "{assumption:?}");
        }
        for fact in FACTS {
            assert!(Assumption::ALL.into_iter().any(|it| it.refuted_by().has(fact)), "{fact:?}");
        }
    }

    #[test]
    fn what_is_refuted_is_not_relied_on_again() {
        let first = new(Ledger::default());
        first.see(location(), AT, Facts::UNCHAINED);
        assert!(first.rely(location(), AT, Assumption::Chain));
        let second = new(first.corrected());
        assert!(!second.rely(location(), AT, Assumption::Chain));
        second.see(location(), AT, Facts::UNCHAINED);
        assert!(!second.are_refuted());
        assert!(second.rely(location(), AT, Assumption::Ordered), "only that one assumption");
    }

    #[test]
    fn an_assumption_that_is_never_relied_on_is_not_refuted() {
        let assumptions = new(Ledger::default());
        FACTS.into_iter().for_each(|fact| assumptions.see(location(), AT, fact));
        assert!(!assumptions.are_refuted());
    }
}
