//! The notes of a pass: the assumptions that it relies on, the facts that it has seen, and the assumptions that these
//! refute.
//!
//! Reliance on the use of a location is noted when a reduction first relies on it ([`Notes::rely`]); every use of a
//! location that some assumption excludes is noted as one of [`Facts`] ([`Notes::see`]). The two come in any order, in
//! one execution or in two that have nothing to do with each other: whenever both are there, the assumption is refuted.
//! An assumption that is about no location is refuted by name ([`Notes::refute`]).
//!
//! Notes are taken under `&self`. That changes no answer: whether an assumption may be relied on is a matter of the
//! ledger that the pass has started with. A pass that has refuted an assumption ends at its next step
//! ([`Notes::are_refuting`]), or, if the errors that it may still find are real, at its end ([`Notes::refute_at_end`]).
//!
//! Cost: a comparison or two for an access.

use crate::ledger::{Assumption, Ledger, Use};
use base::Access;
use live::LocationId;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};

impl Use {
    /// The facts each of which refutes it.
    #[inline(always)]
    pub(crate) const fn refuted_by(self) -> Facts {
        match self {
            Use::Mutex => Facts::WILD,
            Use::Word => Facts::LOCKED.and(Facts::STORED),
            Use::Chain => Facts::UNCHAINED,
            Use::Unnoticed => Facts::SPOILT.and(Facts::LEFT_OUT),
            Use::Unmade => Facts::CHANGED.and(Facts::LEFT_OUT),
            Use::Unobserved => Facts::OBSERVED,
            Use::Ordered => Facts::UNORDERED,
            Use::Idle => Facts::PEEKED,
            Use::Paired => Facts::EXPOSED,
            Use::NewValues => Facts::REPEATED,
            Use::Safe => Facts::ENDANGERED,
        }
    }

    pub(crate) const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Uses of a location, in any execution of the pass.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
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
    /// It was used in a way that rules out to wait there before a subtraction (`undoing.rs`).
    pub(crate) const SPOILT: Facts = Facts(16);
    /// It was accessed in other ways than by additions and atomic loads.
    pub(crate) const CHANGED: Facts = Facts(32);
    /// Its writes alone did not order all of them.
    pub(crate) const UNORDERED: Facts = Facts(64);
    /// It was read plainly, which races with every write.
    pub(crate) const PEEKED: Facts = Facts(128);
    /// It was written plainly, or its initial value was unknown to a thread that accessed it.
    pub(crate) const EXPOSED: Facts = Facts(256);
    /// A round that was left out could race there (`left_out.rs`).
    pub(crate) const LEFT_OUT: Facts = Facts(512);
    /// A value was written there again.
    pub(crate) const REPEATED: Facts = Facts(1024);
    /// It was freed, or written plainly, while there were other threads.
    pub(crate) const ENDANGERED: Facts = Facts(2048);
    /// A thread could observe failing attempts there.
    pub(crate) const OBSERVED: Facts = Facts(4096);

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

/// The uses that the pass has relied on at one location, and the facts seen there.
#[derive(Clone, Debug, Default)]
struct Note {
    /// The uses that the ledger has refuted.
    refuted: u16,
    relied: Cell<u16>,
    seen: Cell<Facts>,
}

/// The notes of a pass.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The ledger that the pass has started with.
    ledger: Ledger,
    locations: Vec<Note>,
    /// The assumptions that the pass has refuted.
    news: RefCell<Ledger>,
    is_refuting: Cell<bool>,
}

impl Notes {
    /// The notes of a pass that starts with this ledger.
    pub(crate) fn new(ledger: Ledger) -> Notes {
        Notes { ledger, ..Notes::default() }
    }

    /// Whether there is room for the notes of the location.
    #[inline(always)]
    pub(crate) fn has_reached(&self, location: LocationId) -> bool {
        location.index() < self.locations.len()
    }

    /// The location is about to be accessed for the first time: make room for its notes.
    #[cold]
    pub(crate) fn reach(&mut self, location: LocationId, at: Access) {
        self.locations.resize_with(location.index() + 1, Note::default);
        let refuted = Use::ALL.into_iter().filter(|&it| self.ledger.has_refuted(&Assumption::Use(at, it)));
        self.locations[location.index()].refuted = refuted.fold(0, |bits, it| bits | it.bit());
    }

    /// Whether the location may be assumed to be used like that: the ledger has not refuted it.
    #[inline(always)]
    pub(crate) fn may_rely(&self, location: LocationId, property: Use) -> bool {
        self.locations[location.index()].refuted & property.bit() == 0
    }

    /// The same, before there is a location.
    #[inline(always)]
    pub(crate) fn may_rely_at(&self, at: Access, property: Use) -> bool {
        self.ledger.is_empty() || !self.ledger.has_refuted(&Assumption::Use(at, property))
    }

    /// Rely on the location being used like that, unless that was refuted. True if it may be relied on.
    #[inline(always)]
    pub(crate) fn rely(&self, location: LocationId, at: Access, property: Use) -> bool {
        if !self.may_rely(location, property) {
            return false;
        }
        let note = &self.locations[location.index()];
        note.relied.set(note.relied.get() | property.bit());
        if note.seen.get().has(property.refuted_by()) {
            self.refute(Assumption::Use(at, property));
        }
        true
    }

    /// The location was used like that.
    #[inline(always)]
    pub(crate) fn see(&self, location: LocationId, at: Access, facts: Facts) {
        let note = &self.locations[location.index()];
        let seen = note.seen.get();
        if seen.and(facts) != seen {
            note.seen.set(seen.and(facts));
            self.compare(location, at);
        }
    }

    /// The uses that were relied on at the location, a bit each, and the facts seen there.
    pub(crate) fn noted(&self, location: LocationId) -> (u16, Facts) {
        let note = self.locations.get(location.index());
        note.map_or_else(Default::default, |note| (note.relied.get(), note.seen.get()))
    }

    /// These uses were relied on there, and these facts seen, by an explorer of another part.
    pub(crate) fn recall(&self, location: LocationId, at: Access, relied: u16, seen: Facts) {
        let note = &self.locations[location.index()];
        note.relied.set(note.relied.get() | relied);
        note.seen.set(note.seen.get().and(seen));
        self.compare(location, at);
    }

    /// Refute the uses that are relied on at the location and excluded by the facts seen there.
    #[cold]
    fn compare(&self, location: LocationId, at: Access) {
        let note = &self.locations[location.index()];
        let (relied, seen) = (note.relied.get(), note.seen.get());
        let is_wrong = |it: &Use| relied & it.bit() != 0 && seen.has(it.refuted_by());
        for property in Use::ALL.into_iter().filter(is_wrong) {
            self.refute(Assumption::Use(at, property));
        }
    }

    /// An assumption that is relied on is wrong: the pass ends.
    #[cold]
    pub(crate) fn refute(&self, assumption: Assumption) {
        if self.refute_at_end(assumption) {
            self.is_refuting.set(true);
        }
    }

    /// An assumption that is relied on is wrong, but the pass goes on, for it may find an error; whether that is new.
    #[cold]
    pub(crate) fn refute_at_end(&self, assumption: Assumption) -> bool {
        !self.ledger.has_refuted(&assumption) && {
            self.news.borrow_mut().refute(assumption);
            true
        }
    }

    /// Whether the pass is to end, because it has refuted an assumption.
    #[inline(always)]
    pub(crate) fn are_refuting(&self) -> bool {
        self.is_refuting.get()
    }

    /// The assumptions that the pass has refuted.
    pub(crate) fn news(&self) -> Ledger {
        self.news.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Access = Access { address: 64, size: 4 };
    const FACTS: [Facts; 13] = [
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
        Facts::REPEATED,
        Facts::ENDANGERED,
        Facts::OBSERVED,
    ];

    fn location() -> LocationId {
        live::LiveGraph::new().add_location(AT)
    }

    fn new(ledger: Ledger) -> Notes {
        let mut notes = Notes::new(ledger);
        notes.reach(location(), AT);
        notes
    }

    #[test]
    fn every_pair_is_refuted_in_both_orders() {
        for property in Use::ALL {
            for fact in FACTS {
                let (first, second) = (new(Ledger::default()), new(Ledger::default()));
                assert!(first.rely(location(), AT, property));
                first.see(location(), AT, fact);
                second.see(location(), AT, fact);
                assert!(second.rely(location(), AT, property), "decided by the ledger alone");
                let expected = property.refuted_by().has(fact);
                assert_eq!(first.are_refuting(), expected, "{property:?}, then {fact:?}");
                assert_eq!(second.are_refuting(), expected, "{fact:?}, then {property:?}");
            }
        }
    }

    #[test]
    fn every_use_can_be_refuted_and_every_fact_refutes() {
        for property in Use::ALL {
            assert!(FACTS.into_iter().any(|fact| property.refuted_by().has(fact)), "{property:?}");
        }
        for fact in FACTS {
            assert!(Use::ALL.into_iter().any(|it| it.refuted_by().has(fact)), "{fact:?}");
        }
    }

    #[test]
    fn what_is_refuted_is_not_relied_on_again() {
        let first = new(Ledger::default());
        first.see(location(), AT, Facts::UNCHAINED);
        assert!(first.rely(location(), AT, Use::Chain));
        let second = new(first.news());
        assert!(!second.rely(location(), AT, Use::Chain));
        second.see(location(), AT, Facts::UNCHAINED);
        assert!(!second.are_refuting());
        assert!(second.rely(location(), AT, Use::Ordered), "only that one use");
    }

    #[test]
    fn an_assumption_that_is_never_relied_on_is_not_refuted() {
        let notes = new(Ledger::default());
        FACTS.into_iter().for_each(|fact| notes.see(location(), AT, fact));
        assert!(!notes.are_refuting() && notes.news().is_empty());
    }

    #[test]
    fn a_refutation_may_wait_for_the_end_of_the_pass() {
        let notes = new(Ledger::default());
        assert!(notes.refute_at_end(Assumption::Symmetric));
        assert!(!notes.are_refuting() && !notes.news().is_empty());
        let next = new(notes.news());
        assert!(!next.refute_at_end(Assumption::Symmetric), "it is known");
        assert!(next.news().is_empty());
    }
}
