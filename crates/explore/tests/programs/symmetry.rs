//! Identical threads: of the executions that are the same up to an exchange of them, one is explored.
//!
//! `THREADBARE_MIX` is as in `oracle.rs`.

#![allow(clippy::print_stdout, reason = "a long test says how far it is")]

use crate::any_model::{self, reductions};
use crate::campaign::{POLICIES, Subject, has_disciplined_locks, mixes};
use base::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use explore::{Control, Ending, Equivalence, Model, Observer, Options, Policy, View};
use graph::ExecutionGraph;
use program::FaultKind;
use std::collections::BTreeSet;
use testkit::program::Instr;
use testkit::twins::{exchanges, orbit, orbits, random_twins};
use testkit::{Mix, Oracle, TestProgram, effort, oracle, show, shrink};

/// The mixes without SC accesses and fences; those that have some are compared less far.
const MIXES: [Mix; 13] = [
    Mix::Rmws,
    Mix::Plain,
    Mix::Blocky,
    Mix::Wide,
    Mix::Ties,
    Mix::Locks,
    Mix::NotAtomic,
    Mix::Pure,
    Mix::Spins,
    Mix::Rounds,
    Mix::General,
    Mix::Locky,
    Mix::SpinsWild,
];

#[derive(Default)]
struct Keeper {
    complete: Vec<ExecutionGraph>,
    blocked: Vec<ExecutionGraph>,
    deadlocks: Vec<ExecutionGraph>,
    up_to_rf: bool,
}

impl<S> Observer<S> for Keeper {
    fn start(&mut self) {
        *self = Keeper { up_to_rf: self.up_to_rf, ..Keeper::default() };
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        let graph = execution.graph();
        let graph = if self.up_to_rf { graph.without_co() } else { graph };
        match ending {
            Ending::Complete => self.complete.push(graph),
            Ending::Deadlock => {
                self.deadlocks.push(graph.clone());
                self.blocked.push(graph);
            }
            Ending::Blocked | Ending::Spinning => self.blocked.push(graph),
        }
    }
}

/// What an exploration with symmetry does for one program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// One execution of each orbit.
    Orbits,
    /// Every execution, and some are the same up to an exchange: nothing was saved.
    Executions,
    /// No two executions are.
    Nothing,
    /// Some of the executions of each orbit.
    Some,
}

/// One program; `None` if it is too big for the oracle, or wrong.
fn check(
    twins: &TestProgram,
    subject: Subject,
    policy: Policy,
    drop_blocked: bool,
) -> Option<Result<Found, String>> {
    let options = Options { keep_going: true, ..Options::default() };
    let outcome = any_model::explore(&mut twins.clone(), subject.model, &options);
    let is_wrong = outcome.violations.iter().any(|v| !is_right(v.kind));
    let right = subject.oracle(twins, oracle::Options::default())?;
    (!is_wrong).then(|| differences(twins, subject, &right, policy, drop_blocked))
}

/// Is that found in the programs of the mixes, too?
fn is_right(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::DataRace | FaultKind::Deadlock)
}

/// Is there more to obey than coherence, or no coherence order? Then some orbits may be there more than once.
fn is_global(program: &TestProgram, subject: Subject) -> bool {
    let is_sc = |instr: &Instr| match *instr {
        Instr::Load { order, .. } => order == ReadOrder::SeqCst,
        Instr::Store { order, .. } => order == WriteOrder::SeqCst,
        Instr::Rmw { order, failure, .. } => order == RmwOrder::SeqCst || failure == ReadOrder::SeqCst,
        Instr::Fence(order) => order == FenceOrder::SeqCst,
        _ => false,
    };
    match subject.model {
        _ if subject.equivalence == Equivalence::Rf => true,
        Model::Rc11 | Model::C20 => program.lists().flatten().any(is_sc),
        Model::Ra | Model::Rc20 | Model::Relaxed => false,
        _ => true,
    }
}

fn differences(
    twins: &TestProgram,
    subject: Subject,
    right: &Oracle,
    policy: Policy,
    drop_blocked: bool,
) -> Result<Found, String> {
    let exchanges = exchanges(twins);
    let (equivalence, keep_going, symmetry) = (subject.equivalence, true, true);
    let options = Options {
        keep_going,
        reductions: reductions(drop_blocked, symmetry),
        policy,
        equivalence,
        ..Options::default()
    };
    let mut keeper = Keeper { up_to_rf: equivalence == Equivalence::Rf, ..Keeper::default() };
    let outcome =
        any_model::explore_with(&mut twins.clone(), subject.model, &options, &Control::new(), &mut keeper);
    let all = orbits(&right.complete, &exchanges);
    let found = match compare("complete", &keeper.complete, &right.complete, &exchanges)? {
        Ok(found) => found,
        Err(_) if is_global(twins, subject) => Found::Some,
        Err(twice) => return Err(twice),
    };
    missing("complete", &all, &orbits(&keeper.complete, &exchanges))?;
    let blocked = orbits(&keeper.blocked, &exchanges);
    let right_blocked = orbits(&right.blocked, &exchanges);
    missing("blocked that should not be there is", &blocked, &right_blocked)?;
    if !drop_blocked {
        missing("blocked", &right_blocked, &blocked)?;
    }
    // Without a coherence order nobody says which write of a word is the last one, if it is no mutex.
    if equivalence == Equivalence::Co || has_disciplined_locks(twins) {
        let deadlocks = orbits(&keeper.deadlocks, &exchanges);
        let right_deadlocks = orbits(&right.deadlocks, &exchanges);
        missing("deadlock", &right_deadlocks, &deadlocks)?;
        missing("deadlock that should not be there is", &deadlocks, &right_deadlocks)?;
    }
    let racy = outcome.violations.iter().any(|v| v.kind == FaultKind::DataRace);
    if racy != right.is_racy(&testkit::Model::of(subject.model)) {
        return Err(format!("racy is {racy}"));
    }
    Ok(found)
}

fn missing(
    what: &str,
    from: &BTreeSet<ExecutionGraph>,
    found: &BTreeSet<ExecutionGraph>,
) -> Result<(), String> {
    match from.difference(found).next() {
        Some(graph) => Err(format!("this {what} execution is missing:\n{graph}")),
        None => Ok(()),
    }
}

/// Is no orbit there twice, or else every execution once? The inner error says which is there twice.
fn compare(
    what: &str,
    explored: &[ExecutionGraph],
    right: &BTreeSet<ExecutionGraph>,
    exchanges: &[Vec<u32>],
) -> Result<Result<Found, String>, String> {
    let distinct: BTreeSet<ExecutionGraph> = explored.iter().map(ExecutionGraph::canonical).collect();
    if distinct.len() < explored.len() {
        return Err(format!("a {what} execution was explored twice"));
    }
    if let Some(graph) = distinct.difference(right).next() {
        return Err(format!("this {what} execution should not be there:\n{graph}"));
    }
    let classes = orbits(right, exchanges).len();
    if explored.len() == classes {
        return Ok(Ok(if classes == right.len() { Found::Nothing } else { Found::Orbits }));
    }
    if explored.len() == right.len() {
        return Ok(Ok(Found::Executions));
    }
    let mut seen = BTreeSet::new();
    let twice = distinct.iter().find(|graph| !seen.insert(orbit(graph, exchanges)));
    Ok(Err(match twice {
        Some(graph) => format!("the same as this {what} execution was explored before:\n{graph}"),
        None => format!("{} of {classes} {what} executions", explored.len()),
    }))
}

/// Random programs: for how many something was saved, and for how many nothing although it could have been.
fn campaign(subject: Subject, full: u64) -> (u64, u64) {
    let (count, seed, mixes) = (effort::of(full), effort::first_seed(), mixes(&MIXES));
    let (mut saved, mut unsaved, mut i, mut checked) = (0, 0, 0, 0);
    while checked < count {
        let mix = mixes[i as usize % mixes.len()];
        let policy = POLICIES[i as usize / mixes.len() % POLICIES.len()];
        let twins = random_twins(mix, seed + i);
        let drop_blocked = !i.is_multiple_of(4);
        i += 1;
        let one = |program: &TestProgram| check(program, subject, policy, drop_blocked);
        match one(&twins) {
            None => continue,
            Some(Ok(found)) => {
                saved += u64::from(found == Found::Orbits);
                unsaved += u64::from(found == Found::Executions);
            }
            Some(Err(why)) => {
                let small = shrink_twins(&twins, &mut |p| matches!(one(p), Some(Err(_))));
                let why = one(&small).and_then(Result::err).unwrap_or(why);
                let (name, seed) = (mix.name(), seed + i - 1);
                panic!(
                    "{subject:?}, mix {name}, seed {seed}, {policy:?}, drop_blocked {drop_blocked}:\n{}\n{why}",
                    show(&small)
                );
            }
        }
        checked += 1;
    }
    println!("{subject:?}: {checked} programs, {saved} were saved something, {unsaved} could have been");
    (saved, unsaved)
}

/// Smaller, but identical threads stay so.
fn shrink_twins(program: &TestProgram, fails: &mut dyn FnMut(&TestProgram) -> bool) -> TestProgram {
    let groups: Vec<usize> = program
        .codes
        .iter()
        .map(|code| program.codes.iter().position(|other| other == code).expect("itself"))
        .collect();
    let together = |small: &TestProgram| {
        let mut all = small.clone();
        for (i, &group) in groups.iter().enumerate() {
            if i < all.codes.len() && group < small.codes.len() {
                all.codes[i] = small.codes[group].clone();
            }
        }
        all
    };
    let small = shrink(program, &mut |p| p.codes.len() == groups.len() && fails(&together(p)));
    together(&small)
}

fn co(model: Model) -> Subject {
    Subject { model, equivalence: Equivalence::Co }
}

/// Words that are chains of read-modify-writes have an order, others have not.
#[test]
fn up_to_rf() {
    for model in [Model::Rc11, Model::C20, Model::Ra, Model::Rc20, Model::Relaxed] {
        let (saved, _) = campaign(Subject { model, equivalence: Equivalence::Rf }, 500);
        assert!(saved * 10 > effort::of(500), "{saved} programs were saved something");
    }
}

#[test]
fn rc11() {
    let (saved, unsaved) = campaign(co(Model::Rc11), 2_000);
    assert!(saved > 10 * unsaved, "{saved} programs were saved something, {unsaved} were not");
}

#[test]
fn c20() {
    let (saved, unsaved) = campaign(co(Model::C20), 2_000);
    assert!(saved > 10 * unsaved, "{saved} programs were saved something, {unsaved} were not");
}

#[test]
fn ra() {
    campaign(co(Model::Ra), 500);
}

#[test]
fn relaxed() {
    campaign(co(Model::Relaxed), 500);
}

#[test]
fn rc20() {
    campaign(co(Model::Rc20), 500);
}

/// With a global axiom less is saved, and nothing is lost.
#[test]
fn global_axioms() {
    for model in [Model::Sc, Model::Tso, Model::Sra] {
        campaign(co(model), 100);
        campaign(Subject { model, equivalence: Equivalence::Rf }, 100);
    }
}
