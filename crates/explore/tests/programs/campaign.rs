//! Random programs, explored and enumerated by brute force: the same executions, each once.

#![allow(clippy::print_stdout, reason = "a long test says how far it is")]

use crate::any_model::{self, reductions};
use explore::{Checks, Control, Ending, Equivalence, Model, Observer, Options, PartObserver, Policy, View};
use model::Relations;
use program::FaultKind;
use std::any::Any;
use testkit::program::{Instr, Modify};
use testkit::{
    Blocked, Explored, Mix, Oracle, TestProgram, compare, effort, oracle, random_program, show, shrink,
};

pub(crate) const POLICIES: [Policy; 7] = [
    Policy::LeftToRight,
    Policy::RightToLeft,
    Policy::WritesFirst,
    Policy::ReadsFirst,
    Policy::RoundRobin,
    Policy::Newest,
    Policy::Random(0x5eed),
];

/// A model and what executions are counted up to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) model: Model,
    pub(crate) equivalence: Equivalence,
}

impl Subject {
    pub(crate) fn declarative(self) -> testkit::Model {
        testkit::Model::of(self.model)
    }

    /// Is an execution shown with a coherence order that is one of several?
    fn has_open_co(self) -> bool {
        self.equivalence == Equivalence::Rf && self.model.rules().has_co()
    }

    /// Are there executions in which nothing orders two writes?
    pub(crate) fn lacks_co(self) -> bool {
        self.equivalence == Equivalence::Rf || !self.model.rules().has_co()
    }

    /// The right executions; `None` if the program is too big for the oracle.
    pub(crate) fn oracle(self, program: &TestProgram, options: oracle::Options) -> Option<Oracle> {
        let oracle = oracle::enumerate(program, &self.declarative(), options)?;
        Some(if self.equivalence == Equivalence::Rf { oracle.up_to_rf() } else { oracle })
    }
}

/// Keeps every execution.
pub(crate) struct Keeper {
    pub(crate) explored: Explored,
    pub(crate) checked: bool,
    pub(crate) subject: Subject,
}

impl<S> Observer<S> for Keeper {
    fn start(&mut self) {
        let (deadlocks, spinning) = (Some(Vec::new()), Some(Vec::new()));
        self.explored = Explored { deadlocks, spinning, ..Explored::default() };
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        let mut graph = execution.graph();
        if self.checked {
            let has_co = self.subject.model.rules().has_co();
            let check = if has_co { graph.check() } else { graph.check_without_co() };
            assert_eq!(check, Ok(()), "{graph}");
        }
        if self.subject.has_open_co() {
            // What is shown is a consistent execution.
            let model = self.subject.declarative();
            assert!(model.accepts(&Relations::of(&graph)), "{}: inconsistent\n{graph}", model.name);
            graph = graph.without_co();
        }
        match ending {
            Ending::Complete => self.explored.complete.push(graph),
            Ending::Blocked => self.explored.blocked.push(graph),
            Ending::Deadlock => {
                self.explored.blocked.push(graph.clone());
                self.explored.deadlocks.get_or_insert_default().push(graph);
            }
            Ending::Spinning => {
                self.explored.blocked.push(graph.clone());
                self.explored.spinning.get_or_insert_default().push(graph);
            }
        }
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        Some(Box::new(Keeper { explored: Explored::default(), checked: self.checked, subject: self.subject }))
    }

    fn append(&mut self, part: Box<dyn Any>) {
        let Explored { complete, blocked, deadlocks, spinning } =
            part.downcast::<Keeper>().expect("it was made here").explored;
        self.explored.complete.extend(complete);
        self.explored.blocked.extend(blocked);
        self.explored.deadlocks.get_or_insert_default().extend(deadlocks.unwrap_or_default());
        self.explored.spinning.get_or_insert_default().extend(spinning.unwrap_or_default());
    }
}

/// Everything that is wrong with the exploration of one program.
pub(crate) fn differences(
    program: &TestProgram,
    subject: Subject,
    oracle: &Oracle,
    policy: Policy,
) -> Result<usize, String> {
    for (drop_blocked, check_liveness) in [(false, false), (true, true), (true, false)] {
        let equivalence = subject.equivalence;
        // Slow, and right more often than not: for some programs only.
        let audit = !drop_blocked && oracle.states.is_multiple_of(8);
        let options = Options {
            keep_going: true,
            reductions: reductions(drop_blocked, false),
            checks: if check_liveness {
                Checks::default().with(explore::Check::Liveness)
            } else {
                Checks::default()
            },
            audit,
            policy,
            equivalence,
            ..Options::default()
        };
        let mut keeper = Keeper { explored: Explored::default(), checked: !drop_blocked, subject };
        let outcome = any_model::explore_with(
            &mut program.clone(),
            subject.model,
            &options,
            &Control::new(),
            &mut keeper,
        );
        let blocked = if drop_blocked { Blocked::Subset } else { Blocked::Exact };
        if subject.lacks_co() && !has_disciplined_locks(program) {
            // Which write of the word is the last one, if nothing orders them? No program has such mutexes.
            keeper.explored.deadlocks = None;
        }
        if drop_blocked && !check_liveness || subject.lacks_co() {
            // Nobody asked; or the oracle does not say which write is the last one without a coherence order.
            keeper.explored.spinning = None;
        }
        compare(oracle, &keeper.explored, blocked)
            .map_err(|difference| format!("{policy:?}, drop_blocked {drop_blocked}: {difference}"))?;
        if drop_blocked && has_disciplined_locks(program) && !has_assumptions(program) {
            let (blocked, deadlocks) = (keeper.explored.blocked.len(), oracle.deadlocks.len());
            if blocked != deadlocks {
                return Err(format!("{policy:?}: {blocked} blocked executions, {deadlocks} deadlocks"));
            }
        }
        let racy = outcome.violations.iter().any(|v| v.kind == FaultKind::DataRace);
        if racy != oracle.is_racy(&subject.declarative()) {
            return Err(format!("{policy:?}, drop_blocked {drop_blocked}: racy is {racy}"));
        }
    }
    Ok(oracle.complete.len())
}

fn has_assumptions(program: &TestProgram) -> bool {
    program.lists().flatten().any(|instr| matches!(instr, Instr::Assume(_) | Instr::AssumeSame(..)))
}

/// Are mutexes used as they should be? Then only deadlocks and assumptions make blocked executions.
pub(crate) fn has_disciplined_locks(program: &TestProgram) -> bool {
    let instructions = || program.lists().flatten();
    let is_mutex = |loc: u8| instructions().any(|&instr| instr == Instr::Lock(loc));
    let is_awaited =
        |loc: u8| instructions().any(|&instr| matches!(instr, Instr::Await { loc: l, .. } if l == loc));
    let writes = |instr: &Instr| match *instr {
        Instr::Store { loc, .. } if is_awaited(loc) => true,
        Instr::Store { loc, .. } | Instr::Rmw { loc, op: Modify::Add(_) | Modify::Exchange(_), .. } => {
            is_mutex(loc)
        }
        _ => false,
    };
    !instructions().any(writes)
}

/// One program; `None` if it is too big for the oracle.
pub(crate) fn check(
    program: &TestProgram,
    subject: Subject,
    policy: Policy,
) -> Option<Result<usize, String>> {
    let oracle = subject.oracle(program, oracle::Options::default())?;
    Some(differences(program, subject, &oracle, policy))
}

/// What a check finds out about one program; `None` if it is too big for the oracle.
pub(crate) type Check<T> = fn(&TestProgram, Subject, Policy) -> Option<Result<T, String>>;

/// Checks `count` random programs of a kind, with all policies in turn. The first that is wrong is made small and shown.
pub(crate) fn check_random<T>(
    subject: Subject,
    count: usize,
    random: fn(u64) -> TestProgram,
    check: Check<T>,
) -> Vec<T> {
    let one = |seed: u64| {
        let (program, policy) = (random(seed), POLICIES[seed as usize % POLICIES.len()]);
        let difference = match check(&program, subject, policy)? {
            Ok(found) => return Some(found),
            Err(difference) => difference,
        };
        let small = shrink(&program, &mut |p| matches!(check(p, subject, policy), Some(Err(_))));
        let why = check(&small, subject, policy).and_then(Result::err).unwrap_or(difference);
        panic!("{subject:?}, seed {seed}:\n{}\n{why}", show(&small));
    };
    (0..).filter_map(one).take(count).collect()
}

/// Random programs over all mixes, `full` of them in a full run, on two threads.
pub(crate) fn campaign(model: Model, equivalence: Equivalence, full: u64) {
    let subject = Subject { model, equivalence };
    let (count, seed) = (effort::of(full), effort::first_seed());
    let halves: Vec<_> =
        (0..2).map(|half| std::thread::spawn(move || run(subject, seed, half, count))).collect();
    let totals = halves.into_iter().map(|half| half.join().expect("no difference"));
    let (checked, skipped, executions) = totals.fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
    println!("{subject:?}: {checked} programs, {executions} executions, {skipped} too big for the oracle");
    assert!(checked >= count, "{checked} of {count} programs were checked");
}

/// These mixes, or the one that `THREADBARE_MIX` asks for.
pub(crate) fn mixes(usual: &[Mix]) -> Vec<Mix> {
    let Some(name) = effort::variable("THREADBARE_MIX") else { return usual.to_vec() };
    vec![Mix::ORACLE.into_iter().find(|mix| mix.name() == name).expect("THREADBARE_MIX is a mix")]
}

fn run(subject: Subject, seed: u64, half: u64, count: u64) -> (u64, u64, usize) {
    let (mut checked, mut skipped, mut executions) = (0, 0, 0);
    let mixes = mixes(&Mix::ORACLE);
    let mut i = half;
    while checked < count.div_ceil(2) {
        let mix = mixes[(i / 2) as usize % mixes.len()];
        let policy = POLICIES[(i / 2) as usize / mixes.len() % POLICIES.len()];
        let program = random_program(mix, seed + i);
        match check(&program, subject, policy) {
            None => skipped += 1,
            Some(Ok(n)) => {
                checked += 1;
                executions += n;
            }
            Some(Err(difference)) => {
                let small = shrink(&program, &mut |p| matches!(check(p, subject, policy), Some(Err(_))));
                let why = check(&small, subject, policy).and_then(Result::err).unwrap_or(difference);
                panic!("{subject:?}, mix {}, seed {}:\n{}\n{why}", mix.name(), seed + i, show(&small));
            }
        }
        i += 2;
    }
    (checked, skipped, executions)
}

/// The programs with names, whatever the schedule: they need rules that random programs hardly ever need.
pub(crate) fn named_programs(subject: Subject) {
    let with_locks = testkit::locks::waiting().into_iter().chain(testkit::locks::spinning());
    for row in testkit::separating::all_named().into_iter().chain(with_locks) {
        let options = oracle::Options { limit: 200_000, ..oracle::Options::default() };
        let right = subject.oracle(&row.program, options).expect(row.name);
        for policy in POLICIES {
            let found = differences(&row.program, subject, &right, policy);
            assert!(found.is_ok(), "{}, {subject:?}: {}", row.name, found.unwrap_err());
        }
    }
}
