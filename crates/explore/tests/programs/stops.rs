//! Threads that stop at something that is not modelled, against brute force: assumptions that do not hold are taken for such
//! stops, so that the oracle's blocked executions are those with a stopped thread.

use crate::any_model::{self, reductions};
use crate::campaign::{Keeper, Subject, check_random};
use base::{Rng, Site, ThreadId, Value};
use explore::{Control, Equivalence, Model, Options, Outcome, Policy, StopReason};
use program::{Blocker, Facts, FaultKind, Hint, Program, Refinements, Refusal, Request};
use testkit::program::{Condition, Instr, State};
use testkit::{Blocked, Explored, Mix, TestProgram, compare, effort, oracle, random_program};

/// A program whose threads stop where an assumption does not hold.
#[derive(Clone)]
struct Stopping {
    inner: TestProgram,
    /// Whether the threads are blocked there instead: its twin.
    is_twin: bool,
}

impl Program for Stopping {
    type State = State;

    fn main(&self) -> State {
        self.inner.main()
    }

    fn start(&self, thread: ThreadId, function: Value, argument: Value) -> State {
        self.inner.start(thread, function, argument)
    }

    fn resume(&self, state: &mut State, answer: Value) -> Request {
        match self.inner.resume(state, answer) {
            // An assumption about the value that was just read counts as a round that changes nothing.
            Request::Block(Blocker::Assume | Blocker::Spin { .. }) => match self.is_twin {
                true => Request::Block(Blocker::Exit),
                false => Request::Refuse(Box::new(Refusal::new("unknown", None))),
            },
            request => request,
        }
    }

    fn site(&self, state: &State) -> Site {
        self.inner.site(state)
    }

    fn is_private(&self, state: &State, address: u64) -> bool {
        self.inner.is_private(state, address)
    }

    fn facts(&self) -> Facts {
        self.inner.facts()
    }

    fn refine(&mut self, refinements: &Refinements) -> Result<(), Refusal> {
        self.inner.refine(refinements)
    }
}

/// The hints of the program itself would be about assumptions.
impl Hint for Stopping {}

/// The violations that are found wherever threads stop, by kind and place.
fn found(outcome: &Outcome) -> Vec<(FaultKind, Vec<Site>)> {
    let of_threads = outcome.violations.iter().filter(|violation| violation.kind != FaultKind::Deadlock);
    let sites = |violation: &explore::Violation| {
        let mut sites: Vec<Site> = violation.places.iter().map(|place| place.site).collect();
        sites.sort();
        sites
    };
    let mut found: Vec<_> = of_threads.map(|violation| (violation.kind, sites(violation))).collect();
    found.sort();
    found
}

/// One program, with reductions and without, alone and with several explorers. Returns whether a thread stops.
fn check(program: &TestProgram, subject: Subject, policy: Policy) -> Option<Result<bool, String>> {
    let oracle = subject.oracle(program, oracle::Options::default())?;
    Some(differences(program, subject, &oracle, policy))
}

fn differences(
    program: &TestProgram,
    subject: Subject,
    oracle: &testkit::Oracle,
    policy: Policy,
) -> Result<bool, String> {
    let mut reasons = Vec::new();
    let usual = Policy::default();
    for (all, symmetry, policy, jobs) in [
        (false, false, policy, 1),
        (true, false, policy, 1),
        (true, false, usual, 1),
        (true, false, usual, 3),
        (true, true, policy, 1),
    ] {
        let explore = |is_twin: bool, keeper: &mut Keeper| {
            let options = Options {
                keep_going: true,
                reductions: reductions(all, symmetry),
                policy,
                equivalence: subject.equivalence,
                jobs,
                ..Options::default()
            };
            let mut stopping = Stopping { inner: program.clone(), is_twin };
            match jobs {
                1 => any_model::explore_with(&mut stopping, subject.model, &options, &Control::new(), keeper),
                _ => any_model::explore(&mut stopping, subject.model, &options),
            }
        };
        let keeper = || Keeper { explored: Explored::default(), checked: !all, subject };
        let about = format!("{policy:?}, reductions {all}, symmetry {symmetry}, jobs {jobs}");
        let (mut kept, mut of_twin) = (keeper(), keeper());
        let (outcome, twin) = (explore(false, &mut kept), explore(true, &mut of_twin));
        if found(&outcome) != found(&twin) {
            return Err(format!("{about}: {:?}, and its twin {:?}", found(&outcome), found(&twin)));
        }
        let racy = outcome.violations.iter().any(|violation| violation.kind == FaultKind::DataRace);
        if racy != oracle.is_racy(&subject.declarative()) {
            return Err(format!("{about}: racy is {racy}"));
        }
        // Besides stops, only locks that are taken block threads.
        if outcome.verdict().is_verified() && !program.has_locks() && !oracle.blocked.is_empty() {
            return Err(format!("{about}: verified"));
        }
        if jobs == 1 && !symmetry {
            let blocked = if all { Blocked::Subset } else { Blocked::Exact };
            kept.explored.spinning = None;
            if subject.lacks_co() {
                kept.explored.deadlocks = None;
            }
            compare(oracle, &kept.explored, blocked)
                .map_err(|difference| format!("{about}: {difference}"))?;
        }
        if !symmetry {
            reasons.push((about, outcome.stopped().cloned()));
        }
    }
    let (first, [.., alone, together]) = (reached(&reasons[0].1), &reasons[..]) else {
        unreachable!("four of them")
    };
    if alone.1 != together.1 {
        return Err(format!("{}: {:?}, and alone {:?}", together.0, together.1, alone.1));
    }
    if let Some((about, reason)) = reasons.iter().find(|(_, reason)| reached(reason) != first) {
        return Err(format!("{about}: {reason:?}, and without reductions {first:?}"));
    }
    Ok(!first.is_empty())
}

/// Where threads have stopped. (How threads are numbered that threads create is up to the policy.)
fn reached(reason: &Option<StopReason>) -> Vec<Site> {
    match reason {
        Some(StopReason::Unmodelled { reached, also: None }) => {
            let mut sites: Vec<Site> = reached.iter().map(|it| it.site).collect();
            sites.dedup();
            sites
        }
        Some(reason) => panic!("it was stopped for another reason: {reason:?}"),
        None => Vec::new(),
    }
}

const MIXES: [Mix; 8] =
    [Mix::Blocky, Mix::General, Mix::Spawn, Mix::NotAtomic, Mix::Locks, Mix::Pure, Mix::Ties, Mix::SpawnSc];

/// A random program; in three of four some instruction is replaced by a stop.
fn random(seed: u64) -> TestProgram {
    let mut program = random_program(MIXES[seed as usize % MIXES.len()], seed);
    let mut rng = Rng::new(seed);
    let list = rng.index(program.codes.len());
    let code = &mut program.codes[list];
    if !seed.is_multiple_of(4) && !code.is_empty() {
        let at = rng.index(code.len());
        code[at] = Instr::Assume(Condition { reg: 0, equal: true, value: Value::MAX });
    }
    program
}

fn campaign(model: Model, equivalence: Equivalence, full: u64) {
    let count = effort::of(full) as usize;
    let stops = check_random(Subject { model, equivalence }, count, random, check);
    let stopping = stops.iter().filter(|&&stops| stops).count();
    assert!(stopping * 2 > count, "{stopping} of {count} programs have a thread that stops");
}

#[test]
fn threads_that_stop_change_nothing_for_the_others() {
    campaign(Model::Rc11, Equivalence::Co, 2_000);
    campaign(Model::Sc, Equivalence::Co, 500);
}

#[test]
fn threads_that_stop_change_nothing_for_the_others_up_to_rf() {
    campaign(Model::Rc11, Equivalence::Rf, 1_000);
    campaign(Model::Wrc11, Equivalence::Rf, 500);
}
