//! The ledger: the assumptions that explorations of a program have refuted.
//!
//! A reduction relies on properties of the program that are not known before all of it is explored. Each is an
//! [`Assumption`]. An exploration goes in *passes*: a pass notes the assumptions that it relies on and the facts
//! against them (`notes.rs`); once an assumption is relied on and wrong, it is *refuted*, the pass ends, and the next
//! one starts with the refuted assumptions in its ledger. Nothing else sends an exploration back to its start.
//!
//! The ledger is a monotone value: it only grows, two ledgers of one program can be merged, and it can be printed. The
//! decisions of a pass are a function of the program, the options, its ledger and the path of earlier decisions, not of
//! its notes: so the executions below a graph do not depend on those that were explored before
//! (`tests/programs/subtrees.rs`), nor on the order in which threads are created. As a program has finitely many
//! assumptions of each kind, there are finitely many passes.

use crate::bounds::Loop;
use crate::core::threads::ThreadName;
use base::{Access, ThreadId, Value};
use program::{Block, Conflict, Refinements, SectionName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// A property that a reduction may assume of one location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Use {
    /// It is a mutex: all writes there are locks, unlocks and initialisations (`waiting.rs`).
    Mutex,
    /// It is a word that threads await: all writes there are read-modify-writes (`waiting.rs`).
    Word,
    /// Its writes are one chain, so that a thread can wait until a compare-exchange or exchange succeeds
    /// (`waiting.rs`).
    Chain,
    /// A thread can wait, before it makes up for its addition, until another one has observed it (`undoing.rs`).
    Unnoticed,
    /// Additions that would be made up for at once need not be made: their location is only added to and loaded
    /// (`attempts.rs`).
    Unmade,
    /// No thread observes additions that would be made up for at once (`attempts.rs`).
    Unobserved,
    /// Up to `rf`: its writes alone order all of them (`awaits.rs`, `symmetry.rs`).
    Ordered,
    /// A read-modify-write that changes nothing is a mere read (`waiting.rs`).
    Idle,
    /// A load and the compare-exchange after it are one event (`pairs.rs`).
    Paired,
    /// No value is written there twice (`confirming.rs`).
    NewValues,
    /// It is neither freed nor written plainly while there are other threads (`confirming.rs`).
    Safe,
}

impl Use {
    /// All of them.
    pub(crate) const ALL: [Use; 11] = [
        Use::Mutex,
        Use::Word,
        Use::Chain,
        Use::Unnoticed,
        Use::Unmade,
        Use::Unobserved,
        Use::Ordered,
        Use::Idle,
        Use::Paired,
        Use::NewValues,
        Use::Safe,
    ];

    fn describe(self) -> &'static str {
        match self {
            Use::Mutex => "is used as a mutex only",
            Use::Word => "is a word that threads await only",
            Use::Chain => "has its writes in one chain",
            Use::Unnoticed => "has additions that are undone unobserved",
            Use::Unmade => "is only added to and loaded",
            Use::Unobserved => "has failing attempts that no thread observes",
            Use::Ordered => "has its writes ordered by writes alone",
            Use::Idle => "is not read plainly",
            Use::Paired => "is not written plainly",
            Use::NewValues => "never has a value written twice",
            Use::Safe => "is neither freed nor written plainly beside other threads",
        }
    }
}

/// A property of a program that an exploration relies on until it is refuted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Assumption {
    /// The location is used like that.
    Use(Access, Use),
    /// The location is written less often than that in every execution (`confirming.rs`).
    FewerWrites(Access, u32),
    /// No round relies on its confirmation being certain to fail, so that writes need not be watched (`confirming.rs`).
    NothingConfirmed,
    /// The program does not have both symmetric threads and rounds that are left out because their confirmation is
    /// certain to fail (`confirming.rs`).
    ConfirmedAsymmetrically,
    /// The thread makes no attempt there that adds this (`attempts.rs`).
    NoAttempt(Access, ThreadId, Value),
    /// No round that is left out races at this memory, from the first byte to the one after the last (`left_out.rs`).
    NoRoundRaces(u64, u64),
    /// There is nothing that a global axiom could forbid (`awaits.rs`, `symmetry.rs`).
    Local,
    /// Threads that were created alike are not told apart (`symmetry.rs`).
    Symmetric,
    /// These two accesses to the same bytes do not occur.
    Apart(Conflict),
    /// These atomic sections do not conflict (`sections.rs`).
    Unrelated(SectionName, SectionName),
    /// Memory that is accessed in atomic sections is not accessed outside of them by other threads (`sections.rs`).
    Unmixed,
    /// It makes no difference whether the freed block is allocated again.
    Fresh(Block),
    /// The loop ends within the step limit (`bounds.rs`).
    Ends(Loop),
    /// Critical sections of one mutex that come after each other conflict, so that nothing is gained if their order is left
    /// open (`lock_order/conflicts.rs`).
    Conflicting,
    /// Critical sections commute so often that it pays to leave their order open (`lock_order/gain.rs`).
    Commuting,
    /// Threads use mutexes in such a way that the order of critical sections can be left open (`lock_order`).
    Disciplined,
    /// The last of these threads is not created, so that its number does not matter (`core/threads.rs`).
    Threads(Vec<ThreadName>),
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |at: Access| format!("{:#x}/{}", at.address, at.size);
        match self {
            Assumption::Use(at, property) => write!(f, "{} {}", place(*at), property.describe()),
            Assumption::FewerWrites(at, count) => {
                write!(f, "{} is written less than {count} times", place(*at))
            }
            Assumption::NothingConfirmed => write!(f, "no round finds a value again"),
            Assumption::ConfirmedAsymmetrically => {
                write!(f, "no symmetric threads beside rounds that find a value again")
            }
            Assumption::NoAttempt(at, thread, addend) => {
                write!(f, "thread {thread} makes no attempt that adds {addend:#x} to {}", place(*at))
            }
            Assumption::NoRoundRaces(start, end) => {
                write!(f, "no round that is left out races in {start:#x}..{end:#x}")
            }
            Assumption::Local => write!(f, "no events that a global axiom orders"),
            Assumption::Symmetric => write!(f, "threads that were created alike are not told apart"),
            Assumption::Apart(conflict) => {
                write!(f, "{} and {} do not overlap", place(conflict.old.0), place(conflict.new.0))
            }
            Assumption::Unrelated(a, b) => {
                write!(f, "atomic sections of threads {} and {} do not conflict", a.0, b.0)
            }
            Assumption::Unmixed => write!(f, "memory of atomic sections is not accessed outside of them"),
            Assumption::Fresh(block) => {
                write!(f, "no comparison tells whether {:#x} is allocated again", block.address)
            }
            Assumption::Ends(_) => write!(f, "a loop ends within the step limit"),
            Assumption::Conflicting => write!(f, "critical sections of one mutex conflict"),
            Assumption::Commuting => write!(f, "critical sections of one mutex commute often"),
            Assumption::Disciplined => write!(f, "critical sections can be explored without their order"),
            Assumption::Threads(names) => {
                let (parent, number) = names.last().copied().unwrap_or_default();
                write!(f, "thread {parent} creates no more than {number} threads")
            }
        }
    }
}

/// The assumptions that were refuted.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Ledger {
    refuted: BTreeSet<Assumption>,
}

impl Ledger {
    /// Whether the assumption was refuted.
    pub(crate) fn has_refuted(&self, assumption: &Assumption) -> bool {
        self.refuted.contains(assumption)
    }

    /// Refute an assumption; whether that is new.
    pub(crate) fn refute(&mut self, assumption: Assumption) -> bool {
        self.refuted.insert(assumption)
    }

    /// Add the refuted assumptions of the other ledger; whether that is more.
    pub(crate) fn merge(&mut self, other: &Ledger) -> bool {
        let known = self.refuted.len();
        self.refuted.extend(other.refuted.iter().cloned());
        self.refuted.len() > known
    }

    /// Whether nothing was refuted.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.refuted.is_empty()
    }

    /// The refuted assumptions, in order.
    pub(crate) fn refuted(&self) -> impl Iterator<Item = &Assumption> {
        self.refuted.iter()
    }

    /// Whether a pass leaves the order of critical sections open.
    pub(crate) fn opens_locks(&self) -> bool {
        // Memory that is allocated again was never compared with brute force there.
        let closes = |it: &Assumption| {
            matches!(it, Assumption::Commuting | Assumption::Disciplined | Assumption::Fresh(_))
        };
        self.has_refuted(&Assumption::Conflicting) && !self.refuted.iter().any(closes)
    }

    /// The names of threads, in order, if the order in which they are met does not say it.
    pub(crate) fn thread_names(&self) -> &[ThreadName] {
        let names = self.refuted.iter().map(|assumption| match assumption {
            Assumption::Threads(names) => &names[..],
            _ => &[],
        });
        names.max_by_key(|names| names.len()).unwrap_or_default()
    }

    /// The refuted assumptions that the program has to know, as refinements.
    pub(crate) fn refinements(&self) -> Refinements {
        let mut refinements = Refinements::default();
        let mut sections = Vec::new();
        for assumption in &self.refuted {
            match assumption {
                Assumption::Apart(conflict) => {
                    refinements.conflicts.insert(*conflict);
                }
                Assumption::Unrelated(a, b) => sections.push((*a, *b)),
                Assumption::Fresh(block) => {
                    refinements.reused.insert(*block);
                }
                Assumption::NoRoundRaces(start, end) => refinements.kept.push(*start..*end),
                Assumption::Ends(it) => refinements.endless.extend(it.silent),
                Assumption::Use(..)
                | Assumption::FewerWrites(..)
                | Assumption::NothingConfirmed
                | Assumption::ConfirmedAsymmetrically
                | Assumption::NoAttempt(..)
                | Assumption::Local
                | Assumption::Symmetric
                | Assumption::Unmixed
                | Assumption::Conflicting
                | Assumption::Commuting
                | Assumption::Disciplined
                | Assumption::Threads(_) => {}
            }
        }
        refinements.sections.extend(sections);
        refinements
    }
}

/// The refuted assumptions, each printed as the property that was assumed.
impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, assumption) in self.refuted.iter().enumerate() {
            write!(f, "{}{assumption}", if number > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Access = Access { address: 64, size: 4 };

    #[test]
    fn sections_are_left_open_until_something_speaks_against_it() {
        let mut ledger = Ledger::default();
        assert!(!ledger.opens_locks());
        ledger.refute(Assumption::Conflicting);
        ledger.refute(Assumption::Symmetric);
        assert!(ledger.opens_locks());
        let block = Block { address: 64, size: 4 };
        for closing in [Assumption::Commuting, Assumption::Disciplined, Assumption::Fresh(block)] {
            let mut closed = ledger.clone();
            closed.refute(closing);
            assert!(!closed.opens_locks());
        }
    }

    #[test]
    fn a_ledger_is_monotone_and_merges() {
        let mut one = Ledger::default();
        assert!(one.refute(Assumption::Symmetric));
        assert!(!one.refute(Assumption::Symmetric), "once is enough");
        let mut other = Ledger::default();
        other.refute(Assumption::Use(AT, Use::Chain));
        let mut both = one.clone();
        both.merge(&other);
        other.merge(&one);
        assert_eq!(both, other, "in whichever order");
        assert!(
            both.has_refuted(&Assumption::Symmetric) && both.has_refuted(&Assumption::Use(AT, Use::Chain))
        );
        assert!(!both.has_refuted(&Assumption::Use(AT, Use::Mutex)));
    }

    #[test]
    fn a_ledger_is_printed() {
        let mut ledger = Ledger::default();
        ledger.refute(Assumption::Use(AT, Use::NewValues));
        ledger.refute(Assumption::FewerWrites(AT, 3));
        let text = "0x40/4 never has a value written twice; 0x40/4 is written less than 3 times";
        assert_eq!(ledger.to_string(), text);
    }

    #[test]
    fn refinements_are_those_that_were_refuted() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.refinements(), Refinements::default());
        ledger.refute(Assumption::NoRoundRaces(16, 24));
        ledger.refute(Assumption::Fresh(Block { address: 160, size: 16 }));
        let refinements = ledger.refinements();
        assert_eq!(refinements.kept, vec![16..24]);
        assert_eq!(refinements.reused.len(), 1);
        assert!(refinements.conflicts.is_empty() && refinements.sections.is_empty());
    }
}
