//! Soundness of cutting spinloops: on random programs, every kind of cutting finds the same final states and the same
//! errors as none does.
//!
//! Both explore loops up to the same bound. An execution with cut loops is one without; and one without has, when the
//! rounds that change nothing are left out, no more rounds. So the two sets are equal whatever the bound.

mod conditions;
mod parts;
mod program;
mod random;
mod shapes;

use crate::dice::Dice;
use ::program::FaultKind;
use base::{Access, ReadOrder, ThreadId, Value, WriteOrder};
use engine::{
    Control, Ending, Equivalence, Executions, Job, Observer, Outcome, Reduction, ReductionSet, StopReason,
    Verdict, View,
};
use model::Model;
use program::{NUMBERS, Orders, Rounds, Statement, Test, Thread, module, module_with};
use std::collections::BTreeSet;
use testkit::effort;
use vm::bytecode::{CmpOp, GlobalId, Module, Op, RmwKind};
use vm::{Machine, Options, Spin, ThreadState};

/// How many programs, in a full run as all of these numbers.
const PROGRAMS: u64 = 20_000;
/// How many programs with loops that carry a value or a mutex.
const HANDING: u64 = 10_000;
/// How many programs with rounds that are decided before they end; and how many more of these in which that is dangerous.
const FUTILE: u64 = 10_000;
const ENDANGERED: u64 = 20_000;
/// How many programs in which a thread that has left a loop lets others write plainly, or free, what its rounds have read.
const LEAVING: u64 = 20_000;
/// How many programs whose rounds read plainly.
const PLAIN: u64 = 20_000;
/// How many programs whose rounds go on with what the last one has read, and how many whose rounds are counted.
const CARRIED: u64 = 20_000;
const COUNTING: u64 = 20_000;
/// How many rounds of a loop may start.
const BOUND: u32 = 3;

/// Rounds that no other thread decides about go on for half of so many instructions.
const STEPS: u64 = 2000;
/// How many programs with threads that undo what they did.
const UNDOING: u64 = 6_000;
/// How many programs with a load and a compare-exchange that may be one event.
const PAIRING: u64 = 20_000;
/// One of these with more executions is left out.
const MOST_UNDOING: usize = 1000;
/// A program with more executions is left out.
const MOST: usize = 3000;

/// The model and the equivalence for a program, all of them in turn.
fn setting(seed: u64) -> (Model, Equivalence) {
    let equivalence = if (seed / 16).is_multiple_of(4) { Equivalence::Rf } else { Equivalence::Co };
    (Model::ALL[seed as usize % Model::ALL.len()], equivalence)
}

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
    /// Executions in which every thread has finished.
    finished: u64,
    most: usize,
}

impl Observer<ThreadState> for Keeper<'_> {
    fn start(&mut self) {
        self.states.clear();
        (self.seen, self.finished) = (0, 0);
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        self.seen += 1;
        if self.seen > self.most {
            self.control.stop(engine::Cut::Time);
        }
        if ending != Ending::Complete {
            return;
        }
        self.finished += 1;
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

/// Explore; or why that was not completed: there is too much to explore, or a round is not kept.
fn run(threads: &[Thread], model: Model, spin: Spin) -> Result<Found, StopReason> {
    run_up_to(threads, model, spin, Equivalence::Co, MOST)
}

fn run_up_to(
    threads: &[Thread],
    model: Model,
    spin: Spin,
    equivalence: Equivalence,
    most: usize,
) -> Result<Found, StopReason> {
    let how = engine::Options { equivalence, ..engine::Options::default() };
    run_module(module(threads), model, spin, how, most)
}

fn run_module(
    module: Module,
    model: Model,
    spin: Spin,
    how: engine::Options,
    most: usize,
) -> Result<Found, StopReason> {
    let options = Options {
        unroll: Some(BOUND),
        step_limit: STEPS,
        spin,
        has_co: model.rules().has_co(),
        ..Options::default()
    };
    run_with(module, model, options, how, most)
}

fn run_with(
    module: Module,
    model: Model,
    options: Options,
    how: engine::Options,
    most: usize,
) -> Result<Found, StopReason> {
    let threads = module.functions.len() as u32 - 1;
    let machine = Machine::new(module, options).expect("the module is well-formed");
    let control = Control::new();
    let states = BTreeSet::new();
    let mut keeper =
        Keeper { machine: &machine, threads, control: &control, states, seen: 0, finished: 0, most };
    let how = engine::Options { keep_going: true, count_duplicates: true, ..how };
    let outcome = engine::explore(
        &mut machine.clone(),
        &Job { options: how, ..Job::new(model) },
        &control,
        &mut keeper,
    );
    // Also if nothing ran to its end within the bound: then there are no states to compare.
    if let Verdict::Inconclusive(reason) = outcome.verdict() {
        return Err(reason);
    }
    if let Some(reason) = outcome.stopped() {
        return Err(reason.clone());
    }
    // `main` joins nobody: an execution whose threads spin for ever is complete, and of no interest here.
    let Executions { complete, blocked, duplicate } = outcome.executions;
    let executions =
        Executions { complete: keeper.finished, blocked: blocked + complete - keeper.finished, duplicate };
    Ok(Found { states: keeper.states, errors: errors(&outcome), executions })
}

/// Of a race only that there is one: an access is reported to race with one other, and which one that is depends on the
/// order of the exploration.
fn errors(outcome: &Outcome) -> BTreeSet<(FaultKind, BTreeSet<ThreadId>)> {
    let threads = |it: &engine::Violation| match it.kind {
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

/// `while (x == 0) r = plain y; x = 2`, all relaxed, beside `x = 1; if (x == 2) y = 1`: the write of `y` is atomic, the read
/// is not, and the write comes only after the loop.
#[test]
fn a_plain_read_of_a_round_races_with_an_atomic_write_after_the_loop() {
    let orders = Orders { load: ReadOrder::Relaxed, store: WriteOrder::Relaxed, ..Orders::default() };
    let with = |statements: &[Statement]| Thread { orders, ..Thread::new(statements) };
    let threads = [
        with(&[
            Statement::Load(0, 0),
            Statement::While(
                Test { register: 0, op: CmpOp::Eq, value: 0 },
                vec![Statement::LoadNumberPlain(1, 1), Statement::Load(0, 0)],
            ),
            Statement::Store(0, 2),
        ]),
        with(&[
            Statement::Store(0, 1),
            Statement::Load(0, 0),
            Statement::If(Test { register: 0, op: CmpOp::Eq, value: 2 }, vec![Statement::Store(1, 1)]),
        ]),
    ];
    let race = (FaultKind::DataRace, BTreeSet::new());
    for spin in [Spin::None, Spin::Static, Spin::Dynamic, Spin::All] {
        let found = run(&threads, Model::Rc11, spin).expect("it is small");
        assert_eq!(found.errors, BTreeSet::from([race.clone()]), "{spin:?}");
    }
}

/// `while (y == 0) fetch_or(x, 0);` beside `y = 1` and `x = 1; x = 2; r = x`: without co, 1 can be read again
/// after 2 if the read-modify-write came between, although it has changed nothing.
#[test]
fn a_write_of_the_same_value_is_noticed_without_co() {
    let looks = vec![Statement::Rmw(1, 0, RmwKind::Or, 0), Statement::Load(0, 1)];
    let unset = Test { register: 0, op: CmpOp::Eq, value: 0 };
    let writer = vec![Statement::Store(0, 1), Statement::Store(0, 2), Statement::Load(0, 0)];
    let threads = [
        Thread::new(&[Statement::Load(0, 1), Statement::While(unset, looks)]),
        Thread::new(&[Statement::Store(1, 1)]),
        Thread { returns: vec![0], ..Thread::new(&writer) },
    ];
    for (model, values) in [(Model::Wra, vec![0, 1, 2]), (Model::Wrc11, vec![0, 1, 2]), (Model::Ra, vec![2])]
    {
        for spin in [Spin::None, Spin::Static, Spin::Dynamic, Spin::All] {
            let found = run(&threads, model, spin).expect("it is small");
            let returned: BTreeSet<Value> = found.states.iter().map(|state| state[0]).collect();
            assert_eq!(returned, values.iter().copied().collect(), "{model:?} {spin:?}");
        }
    }
}

/// One waits under a mutex until another has written: it looks in vain once at most, and then is blocked.
#[test]
fn a_round_that_gives_back_its_mutex_is_no_effect() {
    let locked = |inner| Statement::Locked { inner: vec![inner], turned: false };
    let unset = Test { register: 0, op: CmpOp::Eq, value: 0 };
    let threads = [
        Thread::new(&[Statement::DoWhile(vec![locked(Statement::LoadGuarded(0))], unset)]),
        Thread::new(&[locked(Statement::StoreGuarded(1))]),
    ];
    for (spin, complete, blocked) in [(Spin::None, 3, 1), (Spin::Dynamic, 1, 1), (Spin::All, 1, 1)] {
        let found = run(&threads, Model::Rc11, spin).expect("it is small");
        assert_eq!(found.errors, BTreeSet::new());
        let Executions { complete: c, blocked: b, .. } = found.executions;
        assert_eq!((c, b), (complete, blocked), "{spin:?}");
    }
}

/// `do if (x == 0) { lock; r = guarded; unlock } while (x == 0); y = 1` beside `x = 1; if (y == 1) guarded = 1`, all of it
/// relaxed: a load under a mutex is an effect if the last round may do without it.
#[test]
fn a_load_under_a_mutex_races_with_what_comes_after_the_loop() {
    let zero = |register| Test { register, op: CmpOp::Eq, value: 0 };
    let look = Statement::Locked { inner: vec![Statement::LoadGuarded(2)], turned: false };
    let rounds = vec![Statement::Load(0, 0), Statement::If(zero(0), vec![look])];
    let orders = Orders { load: ReadOrder::Relaxed, store: WriteOrder::Relaxed, ..Orders::default() };
    let with = |statements: &[Statement]| Thread { orders, ..Thread::new(statements) };
    let threads = [
        with(&[Statement::DoWhile(rounds, zero(0)), Statement::Store(1, 1)]),
        with(&[
            Statement::Store(0, 1),
            Statement::Load(0, 1),
            Statement::If(Test { register: 0, op: CmpOp::Eq, value: 1 }, vec![Statement::StoreGuarded(1)]),
        ]),
    ];
    for spin in [Spin::None, Spin::Static, Spin::Dynamic, Spin::All] {
        let found = run(&threads, Model::Rc11, spin).expect("it is small");
        assert_eq!(found.errors, BTreeSet::from([(FaultKind::DataRace, BTreeSet::new())]), "{spin:?}");
    }
}

#[test]
fn cutting_spinloops_loses_no_state_and_no_error() {
    check(PROGRAMS, Dice::program);
}

#[test]
fn handing_over_loses_no_state_and_no_error() {
    check(HANDING, Dice::handing_program);
}

#[test]
fn futile_rounds_lose_no_state_and_no_error() {
    check(FUTILE, |dice| dice.futile_program(false));
}

/// `for (;;) { r = y; if (cas(x, 0, 1)) for (;;) r = y; }` beside `if (x == 1) y = 2`, plainly: the load of `y` before the
/// compare-exchange comes before the write, by release and acquire; those after it race with it.
#[test]
fn a_compare_exchange_between_two_loads_releases_the_first() {
    let succeeded = Test { register: 1, op: CmpOp::Ne, value: 0 };
    let stays = Statement::Forever(vec![Statement::Load(2, 1)]);
    let rounds = vec![Statement::Load(0, 1), Statement::TryLock(1, 0), Statement::If(succeeded, vec![stays])];
    let threads = [
        Thread::new(&[Statement::Forever(rounds)]),
        Thread::new(&[
            Statement::Load(0, 0),
            Statement::If(Test { register: 0, op: CmpOp::Eq, value: 1 }, vec![Statement::Clobber(1, 2)]),
        ]),
    ];
    for spin in [Spin::None, Spin::Static, Spin::Dynamic, Spin::All] {
        let found = run(&threads, Model::Rc11, spin).expect("it is small");
        assert_eq!(found.errors, BTreeSet::from([(FaultKind::DataRace, BTreeSet::new())]), "{spin:?}");
    }
}

/// `for (;;) { lock; r = y; unlock; if (r == 1) break; r = y; }` beside `lock; y = 2; unlock`, plainly: the first load is made
/// with the mutex, the second one is not, and races.
#[test]
fn a_mutex_between_two_loads_protects_the_first() {
    let look = Statement::Load(0, 1);
    let locked = |inner: Statement| Statement::Locked { inner: vec![inner], turned: false };
    let found = Statement::If(Test { register: 0, op: CmpOp::Eq, value: 1 }, vec![Statement::Break]);
    let threads = [
        Thread::new(&[Statement::Forever(vec![locked(look.clone()), found, look])]),
        Thread::new(&[locked(Statement::Clobber(1, 2))]),
    ];
    for spin in [Spin::None, Spin::Static, Spin::Dynamic, Spin::All] {
        let found = run(&threads, Model::Rc11, spin).expect("it is small");
        assert_eq!(found.errors, BTreeSet::from([(FaultKind::DataRace, BTreeSet::new())]), "{spin:?}");
    }
}

/// What was found, unless there is no verdict because a round that is cut early would have to be kept. There is never too much to
/// explore.
fn unless_refused(found: Result<Found, StopReason>, context: &impl Fn() -> String) -> Option<Found> {
    match found {
        Ok(found) => Some(found),
        Err(StopReason::Unmodelled { reached, .. })
            if reached.iter().all(|it| it.message.starts_with("a round of this loop")) =>
        {
            None
        }
        Err(reason) => panic!("there is less to explore, but {reason:?}: {}", context()),
    }
}

/// The same was found. What comes after a use of freed memory is not explored, and a use that is skipped is still a race of one
/// before it: then it is enough that something is wrong.
fn assert_same_but_after_free(
    threads: &[Thread],
    found: &Found,
    expected: &Found,
    context: &impl Fn() -> String,
) {
    if expected.errors.is_empty() || !threads.iter().any(Thread::frees) {
        assert_eq!(found.states, expected.states, "{}", context());
        assert_eq!(found.errors, expected.errors, "{}", context());
    }
    assert_eq!(found.errors.is_empty(), expected.errors.is_empty(), "{}", context());
}

/// Rounds that are left out take no error with them: where their races matter, one is kept.
#[test]
fn rounds_that_are_left_out_lose_no_error() {
    check_left_out(LEAVING, &[Spin::Static, Spin::Dynamic, Spin::All], 4, Dice::leaving_program);
}

/// The same for rounds that read plainly, under a mutex or not, in some rounds only.
#[test]
fn rounds_that_read_plainly_lose_no_error() {
    check_left_out(PLAIN, &[Spin::Dynamic, Spin::All], 4, Dice::plain_program);
}

/// More than one program in `one_in` should be wrong.
#[expect(clippy::print_stdout, reason = "how much the test is about, for who asks with --nocapture")]
fn check_left_out(programs: u64, spins: &[Spin], one_in: u64, program: fn(&mut Dice) -> Vec<Thread>) {
    let (mut checked, mut wrong, mut fewer, mut open) = (0, 0, 0, 0);
    for seed in effort::seeds(programs) {
        let threads = program(&mut Dice::new(seed));
        let (model, equivalence) = setting(seed);
        let Ok(expected) = run_up_to(&threads, model, Spin::None, equivalence, MOST) else { continue };
        let spin = spins[seed as usize / 64 % spins.len()];
        let context = || format!("seed {seed}, {model:?}, {equivalence:?}, {spin:?}: {threads:#?}");
        let found = run_up_to(&threads, model, spin, equivalence, 10 * MOST);
        let Some(found) = unless_refused(found, &context) else {
            open += 1;
            continue;
        };
        assert_same_but_after_free(&threads, &found, &expected, &context);
        assert_eq!(found.executions.duplicate, 0, "{}", context());
        checked += 1;
        wrong += u64::from(!expected.errors.is_empty());
        fewer += u64::from(found.executions.complete < expected.executions.complete);
    }
    let counts = format!("{checked}: {wrong} wrong, {fewer} with fewer executions; {open} without a verdict");
    assert!(
        checked * 10 > effort::of(programs) * 8 && wrong * one_in > checked && fewer * 10 > checked,
        "{counts}"
    );
    assert!(open * 50 < checked, "{counts}");
    println!("{counts}");
}

/// The code of the threads.
fn code(threads: &[Thread], options: Options) -> Vec<Vec<Op>> {
    let machine = Machine::new(module(threads), options).expect("the module is well-formed");
    machine.module().functions.iter().map(|function| function.code.clone()).collect()
}

/// To cut rounds where they are futile finds what it finds to cut them where they end, plain writes and frees of what they
/// read or not.
#[test]
#[expect(clippy::print_stdout, reason = "how much the test is about, for who asks with --nocapture")]
fn cutting_futile_rounds_at_once_changes_nothing() {
    let (mut checked, mut hoisted, mut wrong, mut fewer, mut open) = (0, 0, 0, 0, 0);
    let mut blocked = [0, 0];
    // In a short run, too: how many are without a verdict is known of many programs only.
    for seed in 0..ENDANGERED {
        let threads = Dice::new(seed).futile_program(seed % 4 != 0);
        let (model, equivalence) = setting(seed);
        let spin = [Spin::Static, Spin::Dynamic, Spin::All][seed as usize / 64 % 3];
        let whole = Options {
            unroll: Some(BOUND),
            step_limit: STEPS,
            spin,
            whole_rounds: true,
            has_co: model.rules().has_co(),
            ..Options::default()
        };
        let at_once = Options { whole_rounds: false, ..whole.clone() };
        checked += 1;
        if code(&threads, whole.clone()) == code(&threads, at_once.clone()) {
            continue;
        }
        let run = |options: Options, most: usize| {
            let how = engine::Options { equivalence, ..engine::Options::default() };
            run_with(module(&threads), model, options, how, most)
        };
        let Ok(expected) = run(whole, MOST) else { continue };
        let context = || format!("seed {seed}, {model:?}, {equivalence:?}, {spin:?}: {threads:#?}");
        let Some(found) = unless_refused(run(at_once, 10 * MOST), &context) else {
            open += 1;
            continue;
        };
        assert_same_but_after_free(&threads, &found, &expected, &context);
        if expected.errors.is_empty() {
            let (complete, before) = (found.executions.complete, expected.executions.complete);
            assert_eq!((complete, found.executions.duplicate), (before, 0), "{}", context());
        }
        hoisted += 1;
        wrong += u64::from(!expected.errors.is_empty());
        fewer += u64::from(found.executions.blocked < expected.executions.blocked);
        blocked = [blocked[0] + expected.executions.blocked, blocked[1] + found.executions.blocked];
    }
    let counts = format!("{checked}: {hoisted} hoisted, {wrong} wrong, {fewer} fewer, {blocked:?} blocked");
    // The test is about something.
    assert!(hoisted * 10 > checked && wrong * 20 > hoisted && fewer * 50 > hoisted, "{counts}");
    // 2.1 % with C20 among the models, of which more rounds may race.
    assert!(open * 40 < hoisted, "{open} without a verdict; {counts}");
    println!("{counts}");
}

/// Rounds that go on with what the last one has read lose nothing.
#[test]
fn carried_values_lose_no_state_and_no_error() {
    check_left_out(CARRIED, &[Spin::All], 50, Dice::carried_program);
}

/// Neither do rounds that are counted.
#[test]
fn counters_lose_no_state_and_no_error() {
    check_left_out(COUNTING, &[Spin::All], 50, Dice::counting_program);
}

/// Every kind of cutting finds what none does, on so many programs in a full run.
fn check(programs: u64, program: fn(&mut Dice) -> Vec<Thread>) {
    let (mut checked, mut fewer) = (0, [0, 0, 0]);
    let (mut all, mut cut) = (0, [0, 0, 0]);
    for seed in effort::seeds(programs) {
        let threads = program(&mut Dice::new(seed));
        let (model, equivalence) = setting(seed);
        // There are fewer complete executions if loops are cut, but there may be more blocked ones.
        let run = |spin, most| run_up_to(&threads, model, spin, equivalence, most);
        let Ok(expected) = run(Spin::None, MOST) else { continue };
        checked += 1;
        all += expected.executions.complete;
        for (kind, spin) in [Spin::Static, Spin::Dynamic, Spin::All].into_iter().enumerate() {
            let found = run(spin, 2 * MOST).expect("there is not much more to explore");
            let context = || format!("seed {seed}, {model:?}, {equivalence:?}, {spin:?}: {threads:#?}");
            assert_eq!(found.states, expected.states, "{}", context());
            assert_eq!(found.errors, expected.errors, "{}", context());
            let (complete, before) = (found.executions.complete, expected.executions.complete);
            assert!(complete <= before, "{}", context());
            fewer[kind] += u64::from(complete < before);
            cut[kind] += complete;
        }
    }
    // The test is about something: most programs are small enough, and many have loops that are cut.
    assert!(checked * 10 > effort::of(programs) * 8, "{checked} programs checked");
    assert!(fewer[0] * 25 > checked && fewer[0] < fewer[2], "{fewer:?} of {checked}: {cut:?} of {all}");
}

/// A load and the compare-exchange after it as one event find what two of them do, and what no cutting does.
#[test]
fn pairs_lose_no_state_and_no_error() {
    let (mut checked, mut fewer, mut unblocked, mut all, mut left) = (0, 0, 0, 0, 0);
    for seed in effort::seeds(PAIRING) {
        let threads = Dice::new(seed).pairing_program();
        let (model, equivalence) = setting(seed);
        let Ok(expected) = run_up_to(&threads, model, Spin::None, equivalence, MOST) else { continue };
        let spin = [Spin::Static, Spin::Dynamic, Spin::All][seed as usize / 64 % 3];
        // What is not cut would have no end.
        let run = |keep_failing| {
            let usual = engine::Options::default();
            let failing =
                [Reduction::Confirming, Reduction::Exchanges, Reduction::Pairs, Reduction::Attempts];
            let kept = failing.into_iter().fold(usual.reductions, ReductionSet::without);
            let reductions = if keep_failing { kept } else { usual.reductions };
            let how = engine::Options { equivalence, reductions, max_events: 100, ..usual };
            run_module(module_with(&threads, Rounds::Uncounted), model, spin, how, MOST)
        };
        let context = || format!("seed {seed}, {model:?}, {equivalence:?}, {spin:?}: {threads:#?}");
        let [pairs, apart] = [false, true]
            .map(|it| run(it).unwrap_or_else(|reason| panic!("not cut, {reason:?}: {}", context())));
        for found in [&pairs, &apart] {
            assert_eq!(found.states, expected.states, "{}", context());
            assert_eq!(found.errors, expected.errors, "{}", context());
            assert_eq!(found.executions.duplicate, 0, "{}", context());
        }
        let (complete, before) = (pairs.executions.complete, apart.executions.complete);
        assert!(complete <= before, "{}", context());
        (checked, fewer) = (checked + 1, fewer + u64::from(complete < before));
        unblocked += u64::from(pairs.executions.blocked < apart.executions.blocked);
        (all, left) = (all + before, left + complete);
    }
    let text = format!("{fewer} and {unblocked} of {checked}: {left} of {all}");
    assert!(
        checked * 10 > effort::of(PAIRING) * 8 && fewer * 20 > checked && unblocked * 5 > checked,
        "{text}"
    );
}

/// The same for threads that wait with undoing what they did.
#[test]
fn waiting_with_undoing_loses_no_state_and_no_error() {
    let (mut checked, mut fewer, mut all, mut left) = (0, 0, 0, 0);
    for seed in effort::seeds(UNDOING) {
        let threads = Dice::new(seed).undoing_program();
        let model = Model::ALL[seed as usize % Model::ALL.len()];
        let equivalence = if seed / 16 % 2 == 0 { Equivalence::Co } else { Equivalence::Rf };
        let Ok(expected) = run_up_to(&threads, model, Spin::None, equivalence, MOST_UNDOING) else {
            continue;
        };
        let context = || format!("seed {seed}, {model:?}, {equivalence:?}: {threads:#?}");
        let found = run_up_to(&threads, model, Spin::All, equivalence, 10 * MOST_UNDOING);
        let found =
            found.unwrap_or_else(|reason| panic!("there is less to explore, but {reason:?}: {}", context()));
        assert_eq!(found.states, expected.states, "{}", context());
        assert_eq!(found.errors, expected.errors, "{}", context());
        let (complete, before) = (found.executions.complete, expected.executions.complete);
        assert!(complete <= before && found.executions.duplicate == 0, "{}", context());
        (checked, fewer) = (checked + 1, fewer + u64::from(complete < before));
        (all, left) = (all + before, left + complete);
    }
    assert!(
        checked * 10 > effort::of(UNDOING) * 4 && fewer * 20 > checked,
        "{fewer} of {checked}: {left} of {all}"
    );
}
