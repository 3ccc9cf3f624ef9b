//! What is done with every program of a campaign.

#![allow(clippy::print_stdout, reason = "a long test says what it has done")]

use crate::compare::{self, Compare};
use base::ThreadId;
use explore::{
    Control, Ending, Equivalence, Executions, Model, Observer, Options, Policy, Reduction, ReductionSet, View,
};
use graph::ExecutionGraph;
use model::Relations;
use program::FaultKind;
use std::collections::BTreeSet;
use testkit::program::{Cuts, Instr, REGISTERS, State};
use testkit::states::Registers;
use testkit::{Oracle, TestProgram, effort, oracle, show, shrink};

const POLICIES: [Policy; 7] = [
    Policy::LeftToRight,
    Policy::RightToLeft,
    Policy::WritesFirst,
    Policy::ReadsFirst,
    Policy::RoundRobin,
    Policy::Newest,
    Policy::Random(0x5eed),
];

/// A program with more partial executions is left out.
const MOST: usize = 6_000;

/// A model and what executions are counted up to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) model: Model,
    pub(crate) equivalence: Equivalence,
}

impl Subject {
    /// Every model with every equivalence that it has.
    pub(crate) fn all() -> Vec<Subject> {
        let of = |model: Model| {
            model.equivalences().iter().map(move |&equivalence| Subject { model, equivalence })
        };
        Model::ALL.into_iter().flat_map(of).collect()
    }

    pub(crate) fn declarative(self) -> testkit::Model {
        testkit::Model::of(self.model)
    }

    /// Whether there are executions in which nothing orders two writes.
    pub(crate) fn lacks_co(self) -> bool {
        self.equivalence == Equivalence::Rf
    }

    /// The right executions, of the program with every round of its loops; `None` if it is too big.
    fn oracle(self, program: &TestProgram) -> Option<Oracle> {
        let options = oracle::Options { limit: MOST, ..oracle::Options::default() };
        let oracle = oracle::enumerate(&whole(program), &self.declarative(), options)?;
        Some(if self.lacks_co() { oracle.up_to_rf() } else { oracle })
    }
}

/// The program that leaves out no round.
pub(crate) fn whole(program: &TestProgram) -> TestProgram {
    TestProgram { cuts: Cuts::None, ..program.clone() }
}

/// What an exploration found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) complete: Vec<ExecutionGraph>,
    pub(crate) blocked: Vec<ExecutionGraph>,
    pub(crate) deadlocks: Vec<ExecutionGraph>,
    /// The registers in the end, for each complete execution.
    pub(crate) states: Vec<Registers>,
    pub(crate) executions: Executions,
    pub(crate) faults: BTreeSet<FaultKind>,
    /// An execution that the model does not allow.
    pub(crate) inconsistent: Option<ExecutionGraph>,
    /// Why it started again.
    restarts: Vec<String>,
    subject: Option<Subject>,
}

impl Observer<State> for Found {
    fn start(&mut self) {
        *self = Found { subject: self.subject, ..Found::default() };
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<State>) {
        let (mut graph, subject) = (execution.graph(), self.subject.expect("it is known"));
        if !subject.declarative().accepts(&Relations::of(&graph)) {
            self.inconsistent.get_or_insert_with(|| graph.clone());
        }
        if subject.lacks_co() {
            graph = graph.without_co();
        }
        match ending {
            Ending::Complete => {
                let threads = 0..graph.threads.len() as u32;
                self.states.push(threads.map(|it| registers(execution, ThreadId(it))).collect());
                self.complete.push(graph);
            }
            Ending::Blocked | Ending::Spinning => self.blocked.push(graph),
            Ending::Deadlock => {
                self.deadlocks.push(graph.clone());
                self.blocked.push(graph);
            }
        }
    }
}

/// Those of a thread that is created in other executions only are 0.
fn registers(execution: &dyn View<State>, thread: ThreadId) -> [u64; REGISTERS] {
    execution.state(thread).map_or([0; REGISTERS], State::registers)
}

/// All reductions whose executions have an order of critical sections. (`programs/lock_order.rs` is the campaign of the other one.)
const ALL: ReductionSet = ReductionSet::ALL.without(Reduction::LockOrder);

/// Random programs, so many in a full run, and what their explorations have in common with brute force.
pub(crate) struct Campaign<F> {
    pub(crate) programs: u64,
    pub(crate) random: F,
    pub(crate) compare: Compare,
}

/// How much there was to explore in all: with a reduction, and without.
#[derive(Clone, Copy, Default, Debug)]
struct Size {
    with: u64,
    without: u64,
}

impl<F: Fn(u64) -> TestProgram> Campaign<F> {
    /// The campaign of this reduction: with all of them, with it alone, with all but it.
    pub(crate) fn run(&self, reduction: Reduction) {
        let symmetry = reduction == Reduction::Symmetry;
        let all = if symmetry { ALL } else { ALL.without(Reduction::Symmetry) };
        let alone = closure(reduction);
        let sees = reduction != Reduction::Epilogue;
        self.check(&format!("{reduction:?}"), |program, subject, seed| {
            let right = subject.oracle(program)?;
            let check = |set| self.check_set(program, subject, &right, seed, set, sees);
            Some(check(alone).and_then(|_| {
                let (with, without) = (check(all)?, check(all.without(reduction))?);
                Ok(match sees {
                    true => Size { with, without },
                    false => steps(program, subject, all, reduction),
                })
            }))
        });
    }

    /// One program under every model and equivalence. The reduction need not do anything in its last pass.
    pub(crate) fn run_directed(&self, reduction: Reduction) {
        let (program, all) = ((self.random)(0), ALL.without(Reduction::Symmetry));
        for subject in Subject::all() {
            let right = subject.oracle(&program).expect("it is small");
            for set in [closure(reduction), all, all.without(reduction)] {
                let checked = self.check_set(&program, subject, &right, 0, set, true);
                assert!(checked.is_ok(), "{subject:?}, {}: {checked:?}", show(&program));
            }
        }
    }

    /// The campaign of rounds that are left out: compared with a program that leaves out none.
    pub(crate) fn run_cuts(&self) {
        let all = ALL.without(Reduction::Symmetry);
        self.check("LeftOut", |program, subject, seed| {
            let right = subject.oracle(program)?;
            let check =
                |program: &TestProgram, set| self.check_set(program, subject, &right, seed, set, true);
            Some(check(program, ReductionSet::NONE).and_then(|_| {
                let (with, without) = (check(program, all)?, check(&whole(program), all)?);
                Ok(Size { with, without })
            }))
        });
    }

    /// Check every program. The first that is wrong is made small and shown.
    fn check(&self, name: &str, one: impl Fn(&TestProgram, Subject, u64) -> Option<Result<Size, String>>) {
        let (subjects, programs) = (Subject::all(), effort::of(self.programs));
        let (mut checked, mut all, mut seed) = (0, Size::default(), effort::first_seed());
        while checked < programs {
            let (program, subject) =
                (self.program(seed, &subjects), subjects[seed as usize % subjects.len()]);
            match one(&program, subject, seed) {
                None => {}
                Some(Ok(size)) => {
                    checked += 1;
                    all = Size { with: all.with + size.with, without: all.without + size.without };
                }
                Some(Err(why)) => {
                    let small = shrink(&program, &mut |it| matches!(one(it, subject, seed), Some(Err(_))));
                    let why = one(&small, subject, seed).and_then(Result::err).unwrap_or(why);
                    let rounds = small.rounds;
                    panic!(
                        "{name}, seed {seed}, {subject:?}, {rounds} more rounds:\n{}\n{why}",
                        show(&small)
                    );
                }
            }
            seed += 1;
        }
        println!("{name}: {checked} of {} programs, {all:?}", seed - effort::first_seed());
        assert!(all.with < all.without, "{name} does nothing: {all:?}");
    }

    /// The program of a seed. Without an order of all writes, a write that changes nothing can be observed.
    fn program(&self, seed: u64, subjects: &[Subject]) -> TestProgram {
        let mut program = (self.random)(seed);
        let has_loops = program.lists().flatten().any(|&it| it == Instr::Again);
        if has_loops && !subjects[seed as usize % subjects.len()].model.rules().has_co() {
            program.cuts = program.cuts.min(Cuts::Unwritten);
        }
        program
    }

    /// One set of reductions: the same as brute force, for every order of threads and policy. How many executions were explored.
    fn check_set(
        &self,
        program: &TestProgram,
        subject: Subject,
        right: &Oracle,
        seed: u64,
        set: ReductionSet,
        sees: bool,
    ) -> Result<u64, String> {
        let policy = |n: u64| POLICIES[(seed + n) as usize % POLICIES.len()];
        let found = explore(program, subject, set, policy(0), sees);
        let with = |why: String, policy: Policy| format!("{policy:?}, {}: {why}", names(set));
        let size =
            self.compare.compare(program, subject, right, &found, set).map_err(|why| with(why, policy(0)))?;
        for (n, other) in (1..).zip(permuted(program, set)) {
            let policy = policy(3 * n);
            let again = explore(&other, subject, set, policy, sees);
            let same = match self.compare == Compare::States {
                true => compare::same_states(program, right, &other, &again),
                false => Ok(()),
            };
            let number =
                if sees { orbits_of(&other, &again, set) } else { again.executions.complete as usize };
            // Programs that leave out rounds rely on more or less, if `main` creates their threads in another order.
            let relies_alike = self.compare != Compare::States || again.restarts == found.restarts;
            if again.faults != found.faults || relies_alike && number != size || same.is_err() {
                let faults = (&again.faults, &found.faults);
                let why = format!("{}: {number} executions, not {size}; {faults:?}, {same:?}", show(&other));
                return Err(with(why, policy));
            }
        }
        Ok(found.executions.complete + found.executions.blocked)
    }
}

/// The number of complete executions, up to an exchange of identical threads if that is what is explored.
pub(crate) fn orbits_of(program: &TestProgram, found: &Found, set: ReductionSet) -> usize {
    match set.has(Reduction::Symmetry) {
        true => testkit::twins::orbits(&found.complete, &testkit::twins::exchanges(program)).len(),
        false => found.complete.len(),
    }
}

/// The program with other orders of its threads; none if that makes a difference. Identical threads stay next to each other where
/// symmetry compares them.
fn permuted(program: &TestProgram, set: ReductionSet) -> Vec<TestProgram> {
    if program.codes.is_empty()
        || names_threads(program)
        || tells_threads_apart(&program.main, program.codes.len())
    {
        return Vec::new();
    }
    let (mut reversed, mut rotated) = (program.clone(), program.clone());
    reversed.codes.reverse();
    rotated.codes.rotate_left(1);
    if set.has(Reduction::Symmetry) { vec![reversed] } else { vec![reversed, rotated] }
}

/// Whether a thread may read the number of another one in the word of a mutex, or write there one that is, or creates threads
/// itself.
fn names_threads(program: &TestProgram) -> bool {
    let instructions = || program.lists().flatten();
    let is_mutex = |loc: u8| instructions().any(|&it| it == Instr::Lock(loc) || it == Instr::Unlock(loc));
    let names = |instr: &Instr| match *instr {
        Instr::Load { loc, .. } | Instr::Store { loc, .. } | Instr::Rmw { loc, .. } => is_mutex(loc),
        _ => false,
    };
    instructions().any(names) || program.codes.iter().flatten().any(|it| matches!(it, Instr::Create(_)))
}

/// Whether `main` does anything between creating its threads, all in order, or between joining them, all or none.
fn tells_threads_apart(main: &[Instr], threads: usize) -> bool {
    let is_run = |one: fn(u8) -> Instr| {
        let all: Vec<Instr> = (0..threads as u8).map(one).collect();
        main.windows(threads).any(|it| it == all)
    };
    let count = |is: fn(&Instr) -> bool| main.iter().filter(|&it| is(it)).count();
    let joins = count(|it| matches!(it, Instr::Join(_)));
    !is_run(Instr::Create) || joins > 0 && !(joins == threads && is_run(Instr::Join))
}

/// The reduction and those that it stands on.
fn closure(reduction: Reduction) -> ReductionSet {
    let stands_on = std::iter::successors(Some(reduction), |it| it.needs());
    stands_on.fold(ReductionSet::NONE, ReductionSet::with)
}

fn names(set: ReductionSet) -> String {
    let names: Vec<&str> =
        Reduction::ALL.into_iter().filter(|&it| set.has(it)).map(Reduction::name).collect();
    names.join("+")
}

fn explore(program: &TestProgram, subject: Subject, set: ReductionSet, policy: Policy, sees: bool) -> Found {
    let (reductions, equivalence) = (set, subject.equivalence);
    let options = Options { keep_going: true, reductions, policy, equivalence, ..Options::default() };
    let (mut program, control) = (program.clone(), Control::new());
    let mut found = Found { subject: Some(subject), ..Found::default() };
    let observer: &mut dyn Observer<State> = if sees { &mut found } else { &mut () };
    let outcome = explore::explore_with(&mut program, subject.model, &options, &control, observer);
    assert!(outcome.stopped().is_none(), "{:?}: {}", outcome.stopped(), show(&program));
    found.executions = outcome.executions;
    found.restarts.clone_from(&outcome.restarts);
    found.faults = outcome.violations.iter().map(|it| it.kind).collect();
    found
}

/// An end that is not built makes no events: whether the exploration meets a step limit that `main` meets after its joins, with the
/// reduction and without.
fn steps(program: &TestProgram, subject: Subject, all: ReductionSet, reduction: Reduction) -> Size {
    let longest = program.codes.iter().map(Vec::len).max().unwrap_or(0);
    let max_events = longest.max(program.codes.len()) as u64 + 2;
    let meets = |reductions| {
        let equivalence = subject.equivalence;
        let options = Options { max_events, reductions, equivalence, ..Options::default() };
        let outcome = explore::explore(&mut program.clone(), subject.model, &options);
        u64::from(outcome.stopped().is_some())
    };
    Size { with: meets(all), without: meets(all.without(reduction)) }
}
