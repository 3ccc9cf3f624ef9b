//! Soundness of cutting spinloops: on random programs, every kind of cutting finds the same final states and the same
//! errors as none does.
//!
//! Both explore loops up to the same bound. An execution with cut loops is one without; and one without has, when the
//! rounds that change nothing are left out, no more rounds. So the two sets are equal whatever the bound.

mod program;
mod shapes;

use ::program::FaultKind;
use base::{Access, ThreadId, Value};
use explore::{Control, Ending, Equivalence, Executions, Observer, Outcome, Verdict, View};
use model::Model;
use program::{Dice, NUMBERS, Statement, Test, Thread, module};
use std::collections::BTreeSet;
use vm::bytecode::{CmpOp, GlobalId};
use vm::{Machine, Options, Spin, ThreadState};

/// How many programs.
const PROGRAMS: u64 = 20_000;
/// How many rounds of a loop may start.
const BOUND: u32 = 3;
/// How many programs with threads that undo what they did.
const UNDOING: u64 = 6_000;
/// One of these with more executions is left out.
const MOST_UNDOING: usize = 1000;
/// A program with more executions is left out.
const MOST: usize = 3000;

/// What a run found.
#[derive(Debug)]
struct Found {
    /// What the threads returned, and what is in the numbers in the end.
    states: BTreeSet<Vec<Value>>,
    /// What went wrong, and in which threads.
    errors: BTreeSet<(FaultKind, BTreeSet<ThreadId>)>,
    executions: Executions,
}

struct Keeper<'a> {
    machine: &'a Machine,
    threads: u32,
    control: &'a Control,
    states: BTreeSet<Vec<Value>>,
    seen: usize,
    most: usize,
}

impl Observer<ThreadState> for Keeper<'_> {
    fn start(&mut self) {
        self.states.clear();
        self.seen = 0;
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        self.seen += 1;
        if self.seen > self.most {
            self.control.stop();
        }
        if ending != Ending::Complete {
            return;
        }
        let returned = (1..=self.threads).flat_map(|thread| {
            let state = execution.state(ThreadId(thread)).expect("every thread was created");
            self.machine.returned(state).expect("every thread finished")
        });
        let mut states = vec![returned.collect::<Vec<Value>>()];
        // Under a model without co there is one state for each value that may be the last.
        for global in 0..NUMBERS {
            let address = self.machine.global_address(GlobalId(global)).expect("it has one");
            let mut values = execution.last_values(Access { address, size: 4 });
            // Nobody has accessed it.
            values.extend(values.is_empty().then_some(0));
            let with = |state: &Vec<Value>, value| state.iter().copied().chain([value]).collect();
            states =
                { states.iter() }.flat_map(|state| values.iter().map(move |&v| with(state, v))).collect();
        }
        self.states.extend(states);
    }
}

/// Explore; `None` if there is too much to explore.
fn run(threads: &[Thread], model: Model, spin: Spin) -> Option<Found> {
    run_up_to(threads, model, spin, Equivalence::Co, MOST)
}

fn run_up_to(
    threads: &[Thread],
    model: Model,
    spin: Spin,
    equivalence: Equivalence,
    most: usize,
) -> Option<Found> {
    let options = Options { unroll: Some(BOUND), spin, ..Options::default() };
    let machine = Machine::new(module(threads), options).expect("the module is well-formed");
    let control = Control::new();
    let threads = threads.len() as u32;
    let mut keeper =
        Keeper { machine: &machine, threads, control: &control, states: BTreeSet::new(), seen: 0, most };
    let how = explore::Options {
        keep_going: true,
        count_duplicates: true,
        equivalence,
        ..explore::Options::default()
    };
    let outcome = explore::explore_with(&mut machine.clone(), model, &how, &control, &mut keeper);
    if outcome.stopped.is_some() {
        return None;
    }
    assert!(!matches!(outcome.verdict, Verdict::Inconclusive(_)));
    Some(Found { states: keeper.states, errors: errors(&outcome), executions: outcome.executions })
}

/// Of a race only that there is one: an access is reported to race with one other, and which one that is depends on the
/// order of the exploration.
fn errors(outcome: &Outcome) -> BTreeSet<(FaultKind, BTreeSet<ThreadId>)> {
    let threads = |it: &explore::Violation| match it.kind {
        FaultKind::DataRace => BTreeSet::new(),
        _ => it.places.iter().map(|place| place.thread).collect(),
    };
    outcome.violations.iter().map(|violation| (violation.kind, threads(violation))).collect()
}

/// Two threads that push a node each: a push that fails leaves nothing behind.
#[test]
fn a_node_that_nobody_can_reach_is_no_effect() {
    let push = Thread::new(&[Statement::DoWhile(
        vec![Statement::LoadPointer(0), Statement::StoreNode(0), Statement::Push { success: 1, top: 0 }],
        Test { register: 1, op: CmpOp::Eq, value: 0 },
    )]);
    let counts = [Spin::None, Spin::Static, Spin::Dynamic, Spin::All].map(|spin| {
        let found = run(&[push.clone(), push.clone()], Model::Rc11, spin).expect("it is small");
        assert_eq!(found.errors, BTreeSet::new());
        found.executions.complete
    });
    assert_eq!(counts, [4, 4, 2, 2]);
}

/// `while (x == 0) r = plain; y = 1`, all relaxed, beside `x = 1; if (y == 1) plain = 1`: the read races with the write, and
/// the write comes only after the loop.
#[test]
fn a_plain_read_of_a_round_races_with_what_comes_after_the_loop() {
    let threads = [
        Thread::new(&[
            Statement::Load(0, 0),
            Statement::While(
                Test { register: 0, op: CmpOp::Eq, value: 0 },
                vec![Statement::LoadPlain(1), Statement::Load(0, 0)],
            ),
            Statement::Set(2, 1),
            Statement::StoreRegister(1, 2),
        ]),
        Thread::new(&[
            Statement::Store(0, 1),
            Statement::Load(0, 1),
            Statement::If(Test { register: 0, op: CmpOp::Eq, value: 1 }, vec![Statement::StorePlain(1)]),
        ]),
    ];
    let race = (FaultKind::DataRace, BTreeSet::new());
    for spin in [Spin::None, Spin::Static, Spin::Dynamic, Spin::All] {
        let found = run(&threads, Model::Rc11, spin).expect("it is small");
        assert_eq!(found.errors, BTreeSet::from([race.clone()]), "{spin:?}");
    }
}

#[test]
fn cutting_spinloops_loses_no_state_and_no_error() {
    let (mut checked, mut fewer) = (0, [0, 0, 0]);
    let (mut all, mut cut) = (0, [0, 0, 0]);
    for seed in 0..PROGRAMS {
        let threads = Dice::new(seed).program();
        let model = Model::ALL[seed as usize % Model::ALL.len()];
        let Some(expected) = run(&threads, model, Spin::None) else { continue };
        checked += 1;
        all += expected.executions.complete;
        for (kind, spin) in [Spin::Static, Spin::Dynamic, Spin::All].into_iter().enumerate() {
            let found = run(&threads, model, spin).expect("there is less to explore");
            let context = || format!("seed {seed}, {model:?}, {spin:?}: {threads:#?}");
            assert_eq!(found.states, expected.states, "{}", context());
            assert_eq!(found.errors, expected.errors, "{}", context());
            let (complete, before) = (found.executions.complete, expected.executions.complete);
            assert!(complete <= before, "{}", context());
            fewer[kind] += u64::from(complete < before);
            cut[kind] += complete;
        }
    }
    // The test is about something: most programs are small enough, and many have loops that are cut.
    assert!(checked * 10 > PROGRAMS * 8, "{checked} programs checked");
    assert!(fewer[0] * 25 > checked && fewer[0] < fewer[2], "{fewer:?} of {checked}: {cut:?} of {all}");
}

/// The same for threads that wait with undoing what they did.
#[test]
fn waiting_with_undoing_loses_no_state_and_no_error() {
    let (mut checked, mut fewer, mut all, mut left) = (0, 0, 0, 0);
    for seed in 0..UNDOING {
        let threads = Dice::new(seed).undoing_program();
        let model = Model::ALL[seed as usize % Model::ALL.len()];
        let equivalence = if seed / 16 % 2 == 0 { Equivalence::Co } else { Equivalence::Rf };
        let Some(expected) = run_up_to(&threads, model, Spin::None, equivalence, MOST_UNDOING) else {
            continue;
        };
        let context = || format!("seed {seed}, {model:?}, {equivalence:?}: {threads:#?}");
        let found = run_up_to(&threads, model, Spin::All, equivalence, 10 * MOST_UNDOING);
        let found = found.unwrap_or_else(|| panic!("there is less to explore: {}", context()));
        assert_eq!(found.states, expected.states, "{}", context());
        assert_eq!(found.errors, expected.errors, "{}", context());
        let (complete, before) = (found.executions.complete, expected.executions.complete);
        assert!(complete <= before && found.executions.duplicate == 0, "{}", context());
        (checked, fewer) = (checked + 1, fewer + u64::from(complete < before));
        (all, left) = (all + before, left + complete);
    }
    assert!(checked * 10 > UNDOING * 4 && fewer * 20 > checked, "{fewer} of {checked}: {left} of {all}");
}
