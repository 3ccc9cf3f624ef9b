//! Critical sections explored without their order, against brute force with every order: the same classes (`po` and `rf` of
//! ordinary locations), none twice, races and deadlocks found if and only if they are there; and what is shown of a class is a
//! consistent execution with the mutexes in it.

#![allow(clippy::print_stdout, reason = "a long test says how far it is")]

use crate::campaign::{POLICIES, Subject};
use explore::{
    Control, Ending, Equivalence, LockOrders, Model, Observer, Options, Outcome, Policy, Reduction,
    ReductionSet, View, explore_in_parts, explore_with,
};
use graph::ExecutionGraph;
use model::Relations;
use program::FaultKind;
use std::collections::BTreeSet;
use testkit::critical::{data_locations, random_critical};
use testkit::program::{Expr, Instr};
use testkit::sections::ordinary;
use testkit::{TestProgram, effort, oracle, show, shrink};

const REDUCTIONS: ReductionSet = ReductionSet::ALL.without(Reduction::Symmetry);

/// Keeps the class of every complete execution.
struct Classes {
    subject: Subject,
    data: u8,
    complete: Vec<ExecutionGraph>,
    /// Whether threads wait for each other in some execution.
    is_deadlocked: bool,
}

impl<S> Observer<S> for Classes {
    fn start(&mut self) {
        self.complete.clear();
        self.is_deadlocked = false;
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        self.is_deadlocked |= ending == Ending::Deadlock;
        if ending == Ending::Complete {
            let graph = execution.graph();
            assert_eq!(graph.check(), Ok(()), "{graph}");
            let model = self.subject.declarative();
            assert!(model.accepts(&Relations::of(&graph)), "{}: inconsistent\n{graph}", model.name);
            self.complete.push(class(&graph, self.data));
        }
    }
}

fn class(graph: &ExecutionGraph, data: u8) -> ExecutionGraph {
    ordinary(&graph.clone().without_co(), data)
}

/// What an exploration has done with mutexes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Done {
    /// Mutexes were chains.
    Nothing,
    /// The order of sections was left open.
    Open,
    /// It was left open at first; then mutexes were chains.
    Closed,
}

fn done(outcome: &Outcome) -> Done {
    let has = |text: &str| outcome.restarts.iter().any(|restart| restart.contains(text));
    match (has("sections of one mutex conflict"), has("without their order")) {
        (false, _) => Done::Nothing,
        (true, false) => Done::Open,
        (true, true) => Done::Closed,
    }
}

/// Compares one program; what was done, the number of classes and that of executions by brute force. `None` if it is too big, or
/// unlocks a mutex that it does not own.
fn check(
    program: &TestProgram,
    subject: Subject,
    policy: Policy,
) -> Option<Result<(Done, usize, usize), String>> {
    let right = subject.oracle(program, oracle::Options::default())?;
    let data = data_locations(program);
    let options = Options {
        keep_going: true,
        reductions: REDUCTIONS,
        locks: LockOrders::All,
        policy,
        equivalence: Equivalence::Rf,
        ..Options::default()
    };
    let mut found = Classes { subject, data, complete: Vec::new(), is_deadlocked: false };
    let outcome = explore_with(&mut program.clone(), subject.model, &options, &Control::new(), &mut found);
    // Brute force does not know the owner of a mutex that is initialised again in a section.
    if outcome.violations.iter().any(|violation| violation.kind == FaultKind::UnlockNotOwned) {
        return None;
    }
    let done = done(&outcome);
    let expected: BTreeSet<ExecutionGraph> = right.complete.iter().map(|graph| class(graph, data)).collect();
    let classes: BTreeSet<ExecutionGraph> = found.complete.iter().cloned().collect();
    let has_race = outcome.violations.iter().any(|violation| violation.kind == FaultKind::DataRace);
    let is_racy = right.is_racy(&subject.declarative());
    let is_deadlocked = !right.deadlocks.is_empty();
    Some(if let Some(missing) = expected.difference(&classes).next() {
        Err(format!("{policy:?}, {done:?}: a class is missing\n{missing}"))
    } else if let Some(extra) = classes.difference(&expected).next() {
        Err(format!("{policy:?}, {done:?}: there is no such class\n{extra}"))
    } else if done == Done::Open && found.complete.len() != classes.len() {
        Err(format!("{policy:?}: {} executions of {} classes", found.complete.len(), classes.len()))
    } else if has_race != is_racy {
        Err(format!("{policy:?}, {done:?}: racy is {}", !is_racy))
    } else if found.is_deadlocked != is_deadlocked {
        Err(format!("{policy:?}, {done:?}: deadlocked is {}", !is_deadlocked))
    } else {
        Ok((done, classes.len(), right.complete.len()))
    })
}

/// Random programs, with all policies in turn, on two threads.
fn campaign(model: Model, full: u64) {
    let subject = Subject { model, equivalence: Equivalence::Rf };
    let (count, seed) = (effort::of(full), effort::first_seed());
    let half = move |half: u64| {
        let (mut checked, mut open, mut classes, mut executions) = (0, 0, 0, 0);
        for seed in (seed + half..).step_by(2) {
            let (program, policy) = (random_critical(seed), POLICIES[(seed / 2) as usize % POLICIES.len()]);
            match check(&program, subject, policy) {
                None => continue,
                Some(Ok((done, found, all))) => {
                    checked += 1;
                    if done == Done::Open {
                        (open, classes, executions) = (open + 1, classes + found, executions + all);
                    }
                }
                Some(Err(difference)) => {
                    let small = shrink(&program, &mut |p| matches!(check(p, subject, policy), Some(Err(_))));
                    let why = check(&small, subject, policy).and_then(Result::err).unwrap_or(difference);
                    panic!("{subject:?}, seed {seed}:\n{}\n{why}", show(&small));
                }
            }
            if checked >= count.div_ceil(2) {
                break;
            }
        }
        (checked, open, classes, executions)
    };
    let halves: Vec<_> = (0..2).map(|n| std::thread::spawn(move || half(n))).collect();
    let totals = halves.into_iter().map(|half| half.join().expect("no difference"));
    let (checked, open, classes, executions) =
        totals.fold((0, 0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2, a.3 + b.3));
    println!("{model:?}: {checked} programs, {open} left open: {classes} classes of {executions} executions");
    assert!(open * 4 > checked, "{open} of {checked} left open");
    assert!(classes < executions, "nothing was left out");
}

#[test]
fn rc11() {
    campaign(Model::Rc11, 10_000);
}

#[test]
fn c20() {
    campaign(Model::C20, 10_000);
}

#[test]
fn ra() {
    campaign(Model::Ra, 5_000);
}

#[test]
fn rc20() {
    campaign(Model::Rc20, 5_000);
}

/// Threads that look something up under one lock, and others that change it there.
fn look_ups(readers: u8, writers: u8) -> TestProgram {
    let load = Instr::Load { dst: 1, loc: 0, order: base::ReadOrder::NotAtomic };
    let store = Instr::Store { loc: 0, value: Expr::Plus(1, 1), order: base::WriteOrder::NotAtomic };
    let code = |n: u8| {
        let accesses = if n < readers { vec![load] } else { vec![load, store] };
        let number = Instr::Set { dst: 0, value: Expr::Const(n.into()) };
        [vec![Instr::Lock(1)], accesses, vec![Instr::Unlock(1), number]].concat()
    };
    TestProgram::parallel(2, (0..readers + writers).map(code).collect()).joined()
}

fn classes(program: TestProgram) -> u64 {
    let outcome = explore_locks(&program, LockOrders::Commuting, REDUCTIONS);
    assert_eq!(done(&outcome), Done::Open, "{:?}", outcome.restarts);
    assert_eq!(outcome.executions.blocked, 0);
    outcome.executions.complete
}

#[test]
fn look_ups_have_one_class() {
    for n in 2..=8 {
        assert_eq!(classes(look_ups(n, 0)), 1, "{n} look-ups");
    }
}

/// Updates are in one order, and each look-up is somewhere among them.
#[test]
fn look_ups_beside_updates_have_a_class_for_what_they_read() {
    for (readers, writers) in [(2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (2, 3)] {
        let orders: u64 = (1..=u64::from(writers)).product();
        let expected = orders * u64::from(writers + 1).pow(readers.into());
        assert_eq!(classes(look_ups(readers, writers)), expected, "{readers} look-ups, {writers} updates");
    }
}

/// Where all sections conflict, each execution is a class: mutexes stay chains, and nothing starts again.
#[test]
fn sections_that_conflict_are_not_left_open() {
    let options = Options { reductions: REDUCTIONS, equivalence: Equivalence::Rf, ..Options::default() };
    for (readers, writers) in [(0, 3), (1, 2)] {
        let outcome = explore::explore(&mut look_ups(readers, writers), Model::Rc11, &options);
        assert_eq!((done(&outcome), outcome.executions.complete), (Done::Nothing, 6));
    }
}

/// Two threads each of whose sections reads what the other one writes, so many times, and a third one that looks once at this location.
fn crossing(rounds: usize, looks_at: u8) -> TestProgram {
    let section = |loads: u8, stores: Option<u8>| {
        let load = Instr::Load { dst: 1, loc: loads, order: base::ReadOrder::NotAtomic };
        let value = Expr::Plus(1, 1);
        let store = stores.map(|loc| Instr::Store { loc, value, order: base::WriteOrder::NotAtomic });
        [vec![Instr::Lock(3), load], Vec::from_iter(store), vec![Instr::Unlock(3)]].concat()
    };
    let codes =
        vec![section(0, Some(1)).repeat(rounds), section(1, Some(0)).repeat(rounds), section(looks_at, None)];
    TestProgram::parallel(4, codes).joined()
}

fn explore_locks(program: &TestProgram, locks: LockOrders, reductions: ReductionSet) -> Outcome {
    let options = Options {
        reductions,
        locks,
        equivalence: Equivalence::Rf,
        count_duplicates: true,
        ..Options::default()
    };
    let outcome = explore::explore(&mut program.clone(), Model::Rc11, &options);
    assert_eq!(outcome.executions.duplicate, 0);
    outcome
}

fn is_measured_as_seldom(outcome: &Outcome) -> bool {
    outcome.restarts.iter().any(|restart| restart.contains("commute often"))
}

/// Where a class stands for few executions, the measure goes back to chains; where it stands for many, or there are few classes, it
/// does not.
#[test]
fn sections_that_commute_seldom_are_not_left_open() {
    let count = |rounds, looks_at, locks| {
        let outcome = explore_locks(&crossing(rounds, looks_at), locks, REDUCTIONS);
        (outcome.executions.complete, is_measured_as_seldom(&outcome))
    };
    // The 20 orders of the first two threads, and the third one anywhere, or between two writes that it looks at.
    assert_eq!(count(3, 0, LockOrders::Paying), (20 * 7, true));
    assert_eq!(count(3, 0, LockOrders::Commuting), (20 * 4, false));
    assert_eq!(count(2, 0, LockOrders::Paying), (6 * 3, false), "few classes");
    assert_eq!(count(4, 2, LockOrders::Paying), (70, false), "the third one commutes with all");
}

/// With symmetric threads, chains may have fewer executions than there are classes.
#[test]
fn symmetric_threads_are_left_open_where_that_is_less() {
    let count = |codes: Vec<Vec<Instr>>| {
        let program = TestProgram::parallel(2, codes).joined();
        explore_locks(&program, LockOrders::Paying, ReductionSet::ALL).executions.complete
    };
    let [reader, writer] =
        [(1, 0), (0, 1)].map(|(readers, writers)| look_ups(readers, writers).codes[0].clone());
    let twice = [&reader[..reader.len() - 1], &reader[..]].concat();
    assert_eq!(count(vec![twice; 4]), 1, "one class, of 105 orbits");
    assert_eq!(count(vec![reader.clone(); 5]), 1, "one class, and one orbit");
    let both = [vec![reader; 2], vec![writer; 3]].concat();
    assert_eq!(count(both), 10, "96 classes, and 10 orbits");
}

/// Whether it pays is decided before an exploration is cut into parts.
#[test]
fn the_measure_is_the_same_in_parts() {
    for (program, is_seldom) in [(crossing(3, 0), true), (crossing(4, 2), false)] {
        let whole = explore_locks(&program, LockOrders::Paying, REDUCTIONS);
        assert_eq!(is_measured_as_seldom(&whole), is_seldom);
        let options = Options { reductions: REDUCTIONS, equivalence: Equivalence::Rf, ..Options::default() };
        for seed in 0..20 {
            let (mut part, how) = (program.clone(), (seed, 1 + seed % 7));
            let (outcome, _) = explore_in_parts(&mut part, Model::Rc11, &options, how, &mut ());
            assert_eq!((outcome.restarts, outcome.executions), (whole.restarts.clone(), whole.executions));
        }
    }
}

/// The smallest programs that refuted simpler ideas, with their threads in every order.
#[test]
fn programs_that_refuted_simpler_ideas() {
    let [x, y, z, v]: [u8; 4] = [0, 1, 2, 3];
    let read = |loc: u8| Instr::Load { dst: 1, loc, order: base::ReadOrder::Relaxed };
    let store =
        |loc: u8, value| Instr::Store { loc, value: Expr::Const(value), order: base::WriteOrder::Relaxed };
    let section = |mutex: u8, inside: &[Instr]| {
        [&[Instr::Lock(4 + mutex)][..], inside, &[Instr::Unlock(4 + mutex)]].concat()
    };
    let around =
        |before: &[Instr], middle: Vec<Instr>, after: &[Instr]| [before, &middle[..], after].concat();
    let programs = [
        // Sections as ordinary events; an open section that must be last.
        vec![section(0, &[store(x, 1)]), section(0, &[read(x)])],
        // Sections that a relaxed read orders already do not synchronise.
        vec![
            around(&[read(z)], section(0, &[read(y)]), &[]),
            around(&[], section(0, &[store(y, 2)]), &[store(z, 1)]),
        ],
        // Writes of an open section count.
        vec![section(0, &[read(x), store(y, 2)]), section(0, &[store(x, 2), read(y)])],
        vec![
            section(0, &[store(y, 2), read(x), read(z)]),
            section(0, &[read(y), store(x, 1)]),
            vec![store(z, 1)],
        ],
        // A greedy read whose section need not be last.
        vec![section(0, &[store(x, 2), read(x)]), vec![store(x, 1)], section(0, &[store(x, 2)])],
        // A section that cannot end is dropped.
        vec![
            section(0, &[store(y, 2), read(x)]),
            vec![store(y, 1)],
            section(0, &[read(y), store(x, 2), read(y)]),
        ],
        // The end of a section whose writes are read is peeled.
        vec![section(0, &[store(y, 1), read(x)]), section(0, &[read(y)]), vec![store(x, 2)]],
        // No discipline; one with common mutexes instead of those that are held all the time.
        vec![section(0, &[store(x, 1), read(x)]), vec![read(x), store(x, 1)]],
        vec![
            around(&[read(z)], section(1, &[store(v, 2)]), &[]),
            section(0, &around(&[store(z, 1)], section(1, &[read(v)]), &[])),
        ],
    ];
    for codes in programs {
        for order in orders(codes.len()) {
            let codes = order.iter().map(|&thread| codes[thread].clone()).collect();
            let program = TestProgram::parallel(6, codes).joined();
            for (policy, model) in POLICIES.into_iter().flat_map(|it| [(it, Model::Rc11), (it, Model::Ra)]) {
                let subject = Subject { model, equivalence: Equivalence::Rf };
                let checked = check(&program, subject, policy).expect("it is small");
                assert!(checked.is_ok(), "{subject:?}, {}: {checked:?}", show(&program));
            }
        }
    }
}

/// All orders of so many threads.
fn orders(count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![Vec::new()], |all, last| {
        let with_last = |order: &Vec<usize>, at: usize| {
            let mut order = order.clone();
            order.insert(at, last);
            order
        };
        all.iter().flat_map(|order| (0..=last).map(move |at| with_last(order, at))).collect()
    })
}
