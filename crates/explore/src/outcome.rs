//! The outcome of an exploration: plain values, for other crates to print.

use crate::estimate::Estimate;
use base::{EventId, Site, ThreadId};
use graph::ExecutionGraph;
pub use program::Unmodelled;
use program::{FaultKind, Object, Storage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The end of an exploration.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How many executions there were.
    pub executions: Executions,
    /// The violations, in the order in which they were found.
    pub violations: Vec<Violation>,
    /// Why the exploration started again, each time that it did, in order: the assumptions that were refuted.
    pub restarts: Vec<String>,
    /// The first complete execution, or the first violation's.
    pub example: Option<Execution>,
    reach: Reach,
}

/// How much was explored.
#[derive(Clone, Debug)]
enum Reach {
    /// All executions, or all up to the first violation.
    All {
        /// All that there is, up to these.
        limits: Limits,
        /// Whether `main` ended in no execution.
        is_vacuous: bool,
    },
    /// Not all of them.
    Part(StopReason),
}

impl Outcome {
    /// Not everything was explored: so many executions, with these violations. This is the only outcome that other
    /// crates can make.
    pub fn cut_short(reason: StopReason, executions: Executions, violations: Vec<Violation>) -> Outcome {
        Outcome::new(Reach::Part(reason), executions, violations)
    }

    /// Everything was explored, up to these limits.
    pub(crate) fn explored(
        executions: Executions,
        violations: Vec<Violation>,
        limits: Limits,
        is_vacuous: bool,
    ) -> Outcome {
        Outcome::new(Reach::All { limits, is_vacuous }, executions, violations)
    }

    fn new(reach: Reach, executions: Executions, violations: Vec<Violation>) -> Outcome {
        Outcome { executions, violations, restarts: Vec::new(), example: None, reach }
    }

    /// With an execution to show.
    pub fn with_example(mut self, example: Option<Execution>) -> Outcome {
        self.example = example;
        self
    }

    /// The answer. This is the only place that says `Verified`.
    pub fn verdict(&self) -> Verdict {
        match &self.reach {
            _ if !self.violations.is_empty() => Verdict::Violated,
            Reach::Part(reason) => Verdict::Inconclusive(reason.clone()),
            Reach::All { limits, is_vacuous: true } => {
                Verdict::Inconclusive(StopReason::NothingEnded { cut: limits.cut.clone() })
            }
            Reach::All { limits, .. } if *limits != Limits::default() => Verdict::Bounded(limits.clone()),
            Reach::All { .. } => Verdict::Verified,
        }
    }

    /// The answer to which final states there are: if not everything was explored there may be more, also if there are
    /// violations.
    pub fn verdict_on_states(&self) -> Verdict {
        self.stopped().map_or_else(|| self.verdict(), |reason| Verdict::Inconclusive(reason.clone()))
    }

    /// Whether the exploration was cut short. It was not if threads have only stopped at something that is not modelled.
    pub fn is_cut_short(&self) -> bool {
        match &self.reach {
            Reach::Part(StopReason::Unmodelled { also, .. }) => also.is_some(),
            Reach::Part(_) => true,
            Reach::All { .. } => false,
        }
    }

    /// Why not everything was explored, if so; also if there are violations. (A stop at the first violation is no
    /// reason.)
    pub fn stopped(&self) -> Option<&StopReason> {
        match &self.reach {
            Reach::Part(reason) => Some(reason),
            Reach::All { .. } => None,
        }
    }

    /// Not everything was explored, after all. The first reason stays; what is not modelled is told all together.
    pub fn stop(&mut self, reason: StopReason) {
        match (&mut self.reach, reason) {
            (reach @ Reach::All { .. }, reason) => *reach = Reach::Part(reason),
            (
                Reach::Part(StopReason::Unmodelled { reached, also }),
                StopReason::Unmodelled { reached: more, also: another },
            ) => {
                reached.extend(more);
                reached.sort();
                reached.dedup();
                *also = also.take().or(another);
            }
            (Reach::Part(StopReason::Unmodelled { also, .. }), reason) => {
                also.get_or_insert(Box::new(reason));
            }
            (Reach::Part(_), _) => {}
        }
    }

    /// A search that adds executions to these relies on another exploration: if that one left executions out, so does
    /// this one.
    pub fn rely_on(&mut self, other: &Outcome) {
        match (&mut self.reach, &other.reach) {
            (_, Reach::Part(reason)) => self.stop(reason.clone()),
            (Reach::All { limits, .. }, Reach::All { limits: more, .. }) => limits.add(more),
            (Reach::Part(_), Reach::All { .. }) => {}
        }
    }

    /// A search has found one execution more, in which `main` has ended or not.
    pub fn add_execution(&mut self, is_complete: bool, main_has_ended: bool) {
        match is_complete {
            true => self.executions.complete += 1,
            false => self.executions.blocked += 1,
        }
        if let Reach::All { is_vacuous, .. } = &mut self.reach {
            *is_vacuous &= !main_has_ended;
        }
    }
}

/// The limits up to which everything was explored.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// The loops that the unroll bound cut: the instructions at which a thread was stopped, sorted.
    pub cut: Vec<Site>,
    /// The instructions at which time was taken to stand still, sorted.
    pub clocks: Vec<Site>,
}

impl Limits {
    fn add(&mut self, more: &Limits) {
        for (sites, more) in [(&mut self.cut, &more.cut), (&mut self.clocks, &more.clocks)] {
            sites.extend(more);
            sites.sort_unstable();
            sites.dedup();
        }
    }
}

/// The answer of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every execution was explored and none is wrong. Only [`Outcome::verdict`] makes it.
    #[non_exhaustive]
    Verified,
    /// Every execution was explored up to these limits, and none is wrong.
    Bounded(Limits),
    /// Some execution is wrong.
    Violated,
    /// The exploration ended early without finding anything wrong.
    Inconclusive(StopReason),
}

impl Verdict {
    /// Whether every execution was explored, and none is wrong.
    pub fn is_verified(&self) -> bool {
        matches!(self, Verdict::Verified)
    }
}

/// Why an exploration ended early.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StopReason {
    /// It was told to stop: the time is up.
    Timeout,
    /// It was told to stop: the memory that it may have is used up.
    Memory,
    /// It was told to stop: the run was interrupted.
    Interrupted,
    /// It was told to pause: subtrees are left.
    Paused,
    /// A thread made more than `limit` events, or more than `limit` steps without an event.
    StepLimit {
        /// Where it was.
        site: Site,
        /// Which thread.
        thread: ThreadId,
        /// The limit.
        limit: u64,
    },
    /// Everything was explored, and `main` ended in no execution: there is nothing behind a verdict.
    NothingEnded {
        /// The loops that the unroll bound cut, sorted.
        cut: Vec<Site>,
    },
    /// Only one execution was looked at, and it is not wrong.
    Replayed,
    /// Only random executions were looked at, and none is wrong.
    Sampled,
    /// Executions were only estimated, and nothing was wrong on the way.
    Estimated(Estimate),
    /// Threads reached something that is not modelled, and stopped there; everything else was explored.
    Unmodelled {
        /// All of it, sorted.
        reached: Vec<Unmodelled>,
        /// Why not everything else was explored, if so.
        also: Option<Box<StopReason>>,
    },
    /// Something about the whole program is not modelled.
    Unsupported {
        /// The construct, and a way around it.
        message: String,
        /// Where.
        site: Option<Site>,
        /// Which thread.
        thread: ThreadId,
    },
}

impl StopReason {
    /// The instructions that it names.
    pub fn sites(&self) -> Vec<Site> {
        match self {
            StopReason::StepLimit { site, .. } => vec![*site],
            StopReason::Unsupported { site, .. } => Vec::from_iter(*site),
            StopReason::Unmodelled { reached, also } => {
                let also = also.iter().flat_map(|reason| reason.sites());
                reached.iter().map(|it| it.site).chain(also).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Numbers of executions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Executions {
    /// Every thread finished, or `main` did and all others wait for ever: the process has ended.
    pub complete: u64,
    /// Some thread is blocked: an assumption, the unroll bound, something that is not modelled, a lock that was free later, a
    /// deadlock.
    pub blocked: u64,
    /// Complete or blocked executions that were explored before. 0; counted only when it is asked for.
    pub duplicate: u64,
}

impl Executions {
    /// How many were explored.
    pub fn total(self) -> u64 {
        self.complete + self.blocked
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Executions) -> Executions {
        Executions {
            complete: self.complete + others.complete,
            blocked: self.blocked + others.blocked,
            duplicate: self.duplicate + others.duplicate,
        }
    }
}

/// One wrong execution and the error in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// The kind of error.
    pub kind: FaultKind,
    /// In words, without places.
    pub message: String,
    /// The places to look at, the most important one first (for a race: both accesses).
    pub places: Vec<ViolationPlace>,
    /// The execution up to the violation.
    pub execution: Execution,
    /// Which execution it is, in the order of exploration, from 1.
    pub number: u64,
    /// Replays exactly this execution (`--replay`).
    pub replay: String,
}

/// The role of an allocation in a race: its place is that of the call, its event the publication of the object.
pub const ALLOCATION: &str = "allocation";

/// A thread that takes part in a violation, and its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ViolationPlace {
    /// The thread.
    pub thread: ThreadId,
    /// Its event, if it made one (a failed assertion is no event).
    pub event: Option<EventId>,
    /// The instruction.
    pub site: Site,
    /// Its role in words: "this write", "freed here", "waits for this lock".
    pub role: String,
}

/// An execution with the facts that reports need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Execution {
    /// The graph.
    pub graph: ExecutionGraph,
    /// Per thread and event, the instruction that made it. Same shape as `graph.threads`.
    pub sites: Vec<Vec<Site>>,
    /// Per thread, how far it got or why it goes no further.
    pub ends: Vec<ThreadEnd>,
    /// The calls that led to these instructions.
    pub calls: Calls,
    /// The objects that threads have allocated and other threads can reach, by address.
    pub objects: Vec<Allocated>,
    /// Why a cycle in `po ∪ rf` is not out of thin air; `None` if there is none.
    pub justification: Option<Arc<Justification>>,
}

/// Calls that led to instructions, the innermost one first. A program that knows none has empty lists.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Calls {
    /// Per thread and event, to the instruction that made it.
    pub events: Vec<Vec<Vec<Site>>>,
    /// Per thread, to the instruction at which it stands.
    pub ends: Vec<Vec<Site>>,
}

/// An object that a thread has allocated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Allocated {
    /// Its first byte.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
    /// The instruction that has allocated it.
    pub site: Site,
    /// Whether it lives until it is freed: it is no local variable.
    pub is_heap: bool,
}

impl Allocated {
    /// Those among objects that threads publish.
    pub fn among<'a>(objects: impl IntoIterator<Item = &'a Object>) -> Vec<Allocated> {
        let allocated = |object: &Object| {
            let Object { address, storage, .. } = *object;
            let (size, is_heap) = (object.bytes.len() as u64, storage == Storage::Heap);
            Some(Allocated { address, size, site: object.allocated?.site, is_heap })
        };
        let mut objects: Vec<Allocated> = objects.into_iter().filter_map(allocated).collect();
        objects.sort_unstable();
        objects
    }
}

/// The last re-execution on the way to an execution with a cycle in `po ∪ rf` (\[XMM\], chapter 5).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Justification {
    /// A cycle: reads and writes in turn. Each read is followed by a later write of its thread, each write by its
    /// reader.
    pub cycle: Vec<EventId>,
    /// The committed events, each with the event that it is in the source.
    #[serde(with = "pairs")]
    pub committed: BTreeMap<EventId, EventId>,
    /// The execution that has the committed events already.
    pub source: ExecutionGraph,
    /// Why the source is not out of thin air, if it has a cycle itself.
    pub earlier: Option<Arc<Justification>>,
}

/// How far a thread got.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ThreadEnd {
    /// It finished.
    Finished,
    /// It could go on.
    Running(Site),
    /// It is blocked by an assumption or the unroll bound, or has stopped at something that is not modelled.
    Blocked(Site),
    /// It spins.
    Spins(Site),
    /// It waits for a mutex.
    WaitsForLock(Site),
    /// It waits for a thread.
    WaitsForThread(Site, ThreadId),
    /// It waits in another way.
    Waits(Site, Wait),
    /// It did something wrong there.
    Faulted(Site),
}

/// The reason for which a thread waits, if that is neither a mutex nor a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Wait {
    /// It sleeps on a condition variable, until it is woken up.
    Notification,
    /// It waits for the others, at a barrier.
    Others,
    /// It waits until a semaphore, a read-write lock or a call that is made once lets it pass.
    Turn,
}

/// Events by events, written down as pairs.
mod pairs {
    use super::{BTreeMap, EventId};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        events: &BTreeMap<EventId, EventId>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(events)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<EventId, EventId>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}
