//! One exploration of one machine: its verdict, outcomes, errors and counts.

use super::compiled::{Compiled, Setting};
use base::ThreadId;
use engine::{
    Check, Checks, Control, Ending, Equivalence, Job, Observer, Options, Policy, Reduction, ReductionSet,
    StopReason, Verdict, View, Violation,
};
use program::{FaultKind, Program};
use std::collections::BTreeSet;
use std::fmt;

/// How a machine is explored.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The machine.
    pub(crate) setting: Setting,
    pub(crate) equivalence: Equivalence,
    pub(crate) symmetry: bool,
    pub(crate) keep_going: bool,
    pub(crate) check_liveness: bool,
    pub(crate) policy: Policy,
    /// More executions than these are not looked at.
    pub(crate) limit: u64,
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting { model, spin, unroll, order, .. } = &self.setting;
        write!(f, "--model {} --equivalence {}", model.rules().name, self.equivalence.name())?;
        if *spin != vm::Spin::All {
            write!(f, " --spin={}", format!("{spin:?}").to_lowercase())?;
        }
        if let Some(bound) = unroll {
            write!(f, " --unroll {bound}")?;
        }
        if !self.symmetry {
            write!(f, " --no-symmetry")?;
        }
        if self.keep_going {
            write!(f, " --keep-going")?;
        }
        if self.check_liveness {
            write!(f, " --check-liveness")?;
        }
        write!(f, " order {order} {:?}", self.policy)
    }
}

/// What is wrong with a program, as far as it does not depend on the order of exploration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Error {
    pub(crate) kind: FaultKind,
    /// The variable of a race, if it is a global; the line of an assertion.
    pub(crate) place: String,
}

/// The answer in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Verified,
    Bounded,
    /// Everything was explored, and nothing has come to its end.
    Vacuous,
    Violated,
    /// Not everything was explored.
    Inconclusive,
}

/// What an exploration has found.
#[derive(Clone, Debug)]
pub(crate) struct Explored {
    pub(crate) config: String,
    pub(crate) answer: Answer,
    /// Why not everything was explored.
    pub(crate) stopped: Option<StopReason>,
    pub(crate) outcomes: BTreeSet<u64>,
    pub(crate) errors: BTreeSet<Error>,
    pub(crate) complete: u64,
    pub(crate) duplicate: u64,
    /// Violations, to be replayed.
    pub(crate) replays: Vec<(FaultKind, String)>,
}

impl Explored {
    /// Was everything explored?
    pub(crate) fn is_whole(&self) -> bool {
        self.answer != Answer::Inconclusive
            && matches!(self.stopped, None | Some(StopReason::NothingEnded { .. }))
    }

    /// Is there a fault after which its thread stops? Whether it stops, or the other thread of the fault comes later and both
    /// go on, depends on the order of exploration; and so does what comes after it.
    pub(crate) fn stops_threads(&self) -> bool {
        self.errors.iter().any(|error| {
            !matches!(error.kind, FaultKind::DataRace | FaultKind::Deadlock | FaultKind::Assertion)
        })
    }
}

/// How many events a thread may make.
const MAX_EVENTS: u64 = 400;

/// Explore.
pub(crate) fn explore(compiled: &Compiled, config: &Config) -> Explored {
    let mut machine = compiled.machine(&config.setting);
    let options = Options {
        keep_going: config.keep_going,
        reductions: match config.symmetry {
            true => ReductionSet::ALL,
            false => ReductionSet::ALL.without(Reduction::Symmetry),
        },
        equivalence: config.equivalence,
        checks: match config.check_liveness {
            true => Checks::default().with(Check::Liveness),
            false => Checks::default(),
        },
        policy: config.policy,
        max_events: MAX_EVENTS,
        count_duplicates: true,
        ..Options::default()
    };
    let control = Control::new();
    let mut outcomes =
        Outcomes { machine: &machine.clone(), control: &control, left: config.limit, found: BTreeSet::new() };
    let job = Job { options, ..Job::new(config.setting.model) };
    let outcome = engine::explore(&mut machine, &job, &control, &mut outcomes);
    let answer = match outcome.verdict() {
        Verdict::Verified { .. } => Answer::Verified,
        Verdict::Bounded(_) => Answer::Bounded,
        Verdict::Inconclusive(StopReason::NothingEnded { ref cut }) if cut.is_empty() => Answer::Vacuous,
        Verdict::Inconclusive(StopReason::NothingEnded { .. }) => Answer::Bounded,
        Verdict::Violated => Answer::Violated,
        Verdict::Inconclusive(_) => Answer::Inconclusive,
    };
    let replays = outcome.violations.iter().map(|violation| (violation.kind, violation.replay.clone()));
    Explored {
        config: config.to_string(),
        answer,
        stopped: outcome.stopped().cloned(),
        outcomes: outcomes.found,
        errors: outcome.violations.iter().map(|violation| error(&machine, violation)).collect(),
        complete: outcome.executions.complete,
        duplicate: outcome.executions.duplicate,
        replays: replays.collect(),
    }
}

fn error(machine: &vm::Machine, violation: &Violation) -> Error {
    let place = match violation.kind {
        FaultKind::DataRace => raced_variable(machine, violation),
        FaultKind::Assertion => line(machine, violation),
        _ => None,
    };
    Error { kind: violation.kind, place: place.unwrap_or_default() }
}

/// The global variable that both accesses name. (The first one may be what published a node.)
fn raced_variable(machine: &vm::Machine, violation: &Violation) -> Option<String> {
    let mut operands =
        violation.places.iter().filter_map(|place| Some(&machine.site_info(place.site)?.operand));
    let operand = operands.next()?;
    let is_global = machine.module().globals.iter().any(|global| global.name[..] == operand[..]);
    (is_global && operands.all(|other| other == operand)).then(|| operand.to_string())
}

fn line(machine: &vm::Machine, violation: &Violation) -> Option<String> {
    let info = machine.site_info(violation.places.first()?.site)?;
    Some(info.place.as_ref()?.line.to_string())
}

/// Collects the outcomes of complete executions.
struct Outcomes<'m> {
    machine: &'m vm::Machine,
    control: &'m Control,
    left: u64,
    found: BTreeSet<u64>,
}

impl Observer<<vm::Machine as Program>::State> for Outcomes<'_> {
    fn start(&mut self) {
        self.found.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<<vm::Machine as Program>::State>) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.control.stop(engine::Cut::Time);
        }
        if ending == Ending::Complete {
            let state = execution.state(ThreadId::MAIN).expect("main was there first");
            self.found.extend(self.machine.returned(state).expect("it has finished"));
        }
    }
}
