//! The C library's ways to wait against a reference: on random programs the exploration under SC finds the same final
//! states and the same deadlocks as all interleavings.
//!
//! Not compared exactly: deadlocks in programs with notifications outside of the mutex, of which the exploration may find
//! more (`explore/reductions/sleeping.rs` says why).

mod program;
mod twin;

use crate::dice::Dice;
use crate::shrink::shrink;
use ::program::FaultKind;
use base::{Access, ThreadId, Value};
use engine::{Control, Ending, Job, Observer, Verdict, View};
use model::Model;
use program::{NUMBERS, Program, Statement, lower};
use std::collections::BTreeSet;
use testkit::effort;
use twin::Ends;
use vm::bytecode::GlobalId;
use vm::{Machine, Options, Spin, ThreadState};

/// How many programs.
const PROGRAMS: u64 = 2000;
/// A program with more states or executions is left out.
const MOST: usize = 20_000;

/// How many programs of futexes alone.
const FUTEX_PROGRAMS: u64 = 2000;

/// How many programs of barriers alone.
const BARRIER_PROGRAMS: u64 = 300;

struct Keeper<'a> {
    machine: &'a Machine,
    threads: u32,
    control: &'a Control,
    ends: Ends,
    seen: usize,
}

impl Observer<ThreadState> for Keeper<'_> {
    fn start(&mut self) {
        self.ends = Ends::default();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        self.seen += 1;
        if self.seen > MOST {
            self.control.stop(engine::Cut::Time);
        }
        let returned = |thread| {
            let state = execution.state(ThreadId(thread)).expect("every thread was created");
            self.machine.returned(state).map(|values| values[0])
        };
        let values: Vec<Option<Value>> = (1..=self.threads).map(returned).collect();
        match ending {
            Ending::Complete => {
                let numbers = (0..NUMBERS).map(|global| {
                    let address = self.machine.global_address(GlobalId(global)).expect("it has one");
                    execution.last_values(Access { address, size: 4 }).first().copied().unwrap_or(0)
                });
                let returned = values.into_iter().map(|value| value.expect("every thread finished"));
                self.ends.states.insert(returned.chain(numbers).collect());
            }
            Ending::Deadlock => {
                let waits = |(thread, value): (usize, &Option<Value>)| value.is_none().then_some(thread);
                self.ends.deadlocks.insert(values.iter().enumerate().filter_map(waits).collect());
            }
            Ending::Blocked | Ending::Spinning => {}
        }
    }
}

/// Explore; `None` if there is too much to explore.
fn explore(program: &Program) -> Option<Ends> {
    explored(program, Model::Sc).map(|(ends, _)| ends)
}

/// The same under a model, with how many executions there are.
fn explored(program: &Program, model: Model) -> Option<(Ends, usize)> {
    let options = Options { spin: Spin::All, ..Options::default() };
    let machine = Machine::new(lower(program), options).expect("the module is well-formed");
    let control = Control::new();
    let threads = program.threads.len() as u32;
    let mut keeper = Keeper { machine: &machine, threads, control: &control, ends: Ends::default(), seen: 0 };
    let how = engine::Options { keep_going: true, ..engine::Options::default() };
    let outcome = engine::explore(
        &mut machine.clone(),
        &Job { options: how, ..Job::new(model) },
        &control,
        &mut keeper,
    );
    if outcome.stopped().is_some() {
        assert_eq!(outcome.stopped(), Some(&engine::StopReason::Timeout));
        return None;
    }
    assert!(!matches!(outcome.verdict(), Verdict::Inconclusive(_)));
    assert!(outcome.violations.iter().all(|it| it.kind == FaultKind::Deadlock), "{:?}", outcome.violations);
    Some((keeper.ends, keeper.seen))
}

/// Is there a notification by a thread that does not own the mutex?
fn notifies_outside(program: &Program) -> bool {
    program.threads.iter().any(|code| {
        let mut owns = false;
        code.iter().any(|statement| {
            owns = (owns || *statement == Statement::Lock) && *statement != Statement::Unlock;
            matches!(statement, Statement::Signal(_) | Statement::Broadcast(_)) && !owns
        })
    })
}

fn difference(program: &Program) -> Option<String> {
    let expected = twin::run(program, MOST)?;
    let found = explore(program)?;
    let more_may_be_found = notifies_outside(program);
    let same_deadlocks = match more_may_be_found {
        true => found.deadlocks.is_superset(&expected.deadlocks),
        false => found.deadlocks == expected.deadlocks,
    };
    let same = found.states == expected.states && same_deadlocks;
    (!same).then(|| format!("found {found:?}, expected {expected:?}"))
}

/// Locks and unlocks are in pairs, waits inside; the barrier has as many users as it waits for.
fn is_well_formed(program: &Program) -> bool {
    let is_fine = |code: &Vec<Statement>| {
        let (mut owns, mut shares) = (false, false);
        let fine = code.iter().all(|statement| match statement {
            Statement::Lock => !std::mem::replace(&mut owns, true),
            Statement::Unlock => std::mem::replace(&mut owns, false),
            Statement::Wait(_) | Statement::WaitWhile(..) | Statement::TimedWait(_) => owns,
            Statement::Poll(..) => !owns,
            Statement::ReadLock | Statement::WriteLock => !std::mem::replace(&mut shares, true),
            Statement::UnlockShared => std::mem::replace(&mut shares, false),
            _ => true,
        });
        fine && !owns && !shares
    };
    let users = program.threads.iter().filter(|code| code.iter().any(Statement::is_barrier)).count() as u64;
    program.threads.iter().all(is_fine) && users.max(1) == program.barrier
}

#[test]
fn the_exploration_finds_what_all_interleavings_do() {
    let (mut checked, mut deadlocks, mut states) = (0, 0, 0);
    for seed in effort::seeds(PROGRAMS) {
        let program = Dice::new(seed).waiting_program();
        assert!(is_well_formed(&program), "{program:?}");
        if difference(&program).is_some() {
            let small =
                shrink(&program, |it| &mut it.threads, |it| is_well_formed(it) && difference(it).is_some());
            panic!("seed {seed}: {small:#?}\n{}", difference(&small).unwrap_or_default());
        }
        let Some(expected) = twin::run(&program, MOST) else { continue };
        checked += 1;
        states += expected.states.len();
        deadlocks += usize::from(!expected.deadlocks.is_empty());
    }
    // The test is about something.
    let count = format!("{checked} programs, {states} states, {deadlocks} programs with a deadlock");
    let programs = effort::of(PROGRAMS);
    assert!(checked * 10 > programs * 9 && states as u64 > 2 * programs, "{count}");
    assert!(deadlocks as u64 * 10 > programs, "{count}");
}

/// Waits and wakes of futexes, some with a time limit or for particular bits, some requeued, with their results.
#[test]
fn futexes_find_what_all_interleavings_do() {
    let (mut checked, mut deadlocks, mut states) = (0, 0, 0);
    for seed in effort::seeds(FUTEX_PROGRAMS) {
        let program = Dice::new(seed).futex_program();
        if difference(&program).is_some() {
            let small = shrink(&program, |it| &mut it.threads, |it| difference(it).is_some());
            panic!("seed {seed}: {small:#?}\n{}", difference(&small).unwrap_or_default());
        }
        let Some(expected) = twin::run(&program, MOST) else { continue };
        checked += 1;
        states += expected.states.len();
        deadlocks += usize::from(!expected.deadlocks.is_empty());
    }
    let count = format!("{checked} programs, {states} states, {deadlocks} programs with a deadlock");
    let programs = effort::of(FUTEX_PROGRAMS);
    assert!(checked * 10 > programs * 9 && states as u64 > programs, "{count}");
    assert!(deadlocks as u64 * 4 > programs, "{count}");
}

/// A thread that only makes sure that the result is no error does not distinguish which one it is: there are as many
/// executions, and the same ones, as if it did not look at all. Threads in any order, under several models.
#[test]
fn a_result_that_is_only_checked_makes_no_difference() {
    let (mut checked, mut looked) = (0, 0);
    for seed in effort::seeds(BARRIER_PROGRAMS) {
        let mut dice = Dice::new(seed);
        let mut program = dice.barrier_program();
        let first = dice.below(program.threads.len() as u64) as usize;
        program.threads.rotate_left(first);
        let mut unlooked = program.clone();
        for statement in unlooked.threads.iter_mut().flatten() {
            if *statement == Statement::BarrierChecked {
                *statement = Statement::Barrier;
            }
        }
        for model in [Model::Sc, Model::Rc11, Model::Ra, Model::Relaxed] {
            let (found, expected) = (explored(&program, model), explored(&unlooked, model));
            assert_eq!(found, expected, "seed {seed} under {model:?}: {program:#?}");
            checked += usize::from(found.is_some());
        }
        looked += usize::from(program != unlooked);
    }
    assert!(checked as u64 > 3 * effort::of(BARRIER_PROGRAMS) && looked > 0, "{checked}, {looked}");
}

#[test]
fn what_waits_in_a_loop_is_explored_to_the_end() {
    let waiter = vec![Statement::Lock, Statement::WaitWhile(0, 0, 0), Statement::Load(1), Statement::Unlock];
    let setter = vec![Statement::Lock, Statement::Store(0, 1), Statement::Broadcast(0), Statement::Unlock];
    let program = Program { threads: vec![waiter.clone(), waiter, setter], semaphore: 0, barrier: 1 };
    let ends = explore(&program).expect("it is small");
    assert_eq!(ends.deadlocks, BTreeSet::new());
    assert_eq!(ends.states.len(), 1);
}

/// Who meets whom would be a choice.
#[test]
fn a_barrier_with_too_many_users_is_refused() {
    let threads = vec![vec![Statement::Barrier]; 3];
    let program = Program { threads, semaphore: 0, barrier: 2 };
    let mut machine = Machine::new(lower(&program), Options::default()).expect("the module is well-formed");
    let outcome = engine::explore(&mut machine, &Job::new(Model::Rc11), &Control::new(), &mut ());
    let Verdict::Inconclusive(engine::StopReason::Unmodelled { reached, .. }) = outcome.verdict() else {
        panic!("{:?}", outcome.verdict())
    };
    assert!(reached.iter().all(|it| it.message.contains("barrier")), "{reached:?}");
}

/// Two threads wait for different things on one condition variable: both signals may wake up the first one, which looks, waits
/// again and goes on, and the second sleeps to the end.
#[test]
fn a_signal_that_wakes_up_the_wrong_thread_is_lost() {
    let waiter = |number| vec![Statement::Lock, Statement::WaitWhile(0, number, 0), Statement::Unlock];
    let change =
        |number| [Statement::Lock, Statement::Store(number, 1), Statement::Signal(0), Statement::Unlock];
    let setter = [change(1), change(0)].concat();
    let program = Program { threads: vec![waiter(0), waiter(1), setter], semaphore: 0, barrier: 1 };
    assert_eq!(difference(&program), None);
    let ends = explore(&program).expect("it is small");
    assert!(ends.deadlocks.contains(&vec![1]), "{ends:?}");
}
