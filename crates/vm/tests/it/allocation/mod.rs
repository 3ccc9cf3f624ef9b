//! Addresses that come back and allocations that fail, against a reference: on random programs the exploration under SC
//! finds something wrong if and only if all interleavings do, and otherwise the same final states. Under RC11, which allows
//! more, it finds the same up to `co` and up to `rf`.

mod program;
mod twin;

use crate::dice::Dice;
use crate::shrink::shrink;
use base::{ThreadId, Value};
use engine::{Control, Ending, Equivalence, Job, Observer, Verdict, View};
use model::Model;
use program::{Program, lower};
use std::collections::BTreeSet;
use testkit::effort;
use twin::Ends;
use vm::{Alloc, Machine, Options, ThreadState};

/// How many programs, in a full run.
const PROGRAMS: u64 = 4000;
/// A program with more states or executions is left out.
const MOST: usize = 20_000;

struct Keeper<'a> {
    machine: &'a Machine,
    threads: u32,
    control: &'a Control,
    states: BTreeSet<Vec<Value>>,
    seen: usize,
}

impl Observer<ThreadState> for Keeper<'_> {
    fn start(&mut self) {
        self.states.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        self.seen += 1;
        if self.seen > MOST {
            self.control.stop(engine::Cut::Time);
        }
        if ending == Ending::Complete {
            let returned = |thread| {
                let state = execution.state(ThreadId(thread)).expect("every thread was created");
                self.machine.returned(state).expect("every thread finished")[0]
            };
            self.states.insert((1..=self.threads).map(returned).collect());
        }
    }
}

/// Explore; `None` if there is too much to explore.
fn explore(program: &Program, model: Model, equivalence: Equivalence) -> Option<Ends> {
    let alloc = Alloc { reuse: true, fail: program.fail };
    let options = Options { alloc, ..Options::default() };
    let machine = Machine::new(lower(program), options).expect("the module is well-formed");
    let (control, threads) = (Control::new(), program.threads.len() as u32);
    let mut keeper =
        Keeper { machine: &machine, threads, control: &control, states: BTreeSet::new(), seen: 0 };
    let how = engine::Options { equivalence, ..engine::Options::default() };
    let outcome = engine::explore(
        &mut machine.clone(),
        &Job { options: how, ..Job::new(model) },
        &control,
        &mut keeper,
    );
    let is_wrong = outcome.verdict() == Verdict::Violated;
    if outcome.stopped().is_some() && !is_wrong {
        assert_eq!(outcome.stopped(), Some(&engine::StopReason::Timeout));
        return None;
    }
    Some(Ends { states: keeper.states, is_wrong })
}

fn difference(program: &Program) -> Option<String> {
    let expected = twin::run(program, true, MOST)?;
    let found = explore(program, Model::Sc, Equivalence::Co)?;
    let same = found.is_wrong == expected.is_wrong && (found.is_wrong || found.states == expected.states);
    (!same).then(|| format!("found {found:?}, expected {expected:?}"))
}

#[test]
fn addresses_come_back_as_in_all_interleavings() {
    let (mut checked, mut right, mut new_states, mut new_errors) = (0, 0, 0, 0);
    // In a short run, too: few programs have an error that only such an address shows.
    for seed in 0..PROGRAMS {
        let program = Dice::new(seed).allocating_program();
        if difference(&program).is_some() {
            let small = shrink(&program, |it| &mut it.threads, |it| difference(it).is_some());
            panic!("seed {seed}: {small:#?}\n{}", difference(&small).unwrap_or_default());
        }
        let (Some(again), Some(fresh)) = (twin::run(&program, true, MOST), twin::run(&program, false, MOST))
        else {
            continue;
        };
        checked += 1;
        right += u64::from(!again.is_wrong);
        new_states += u64::from(!again.is_wrong && again.states != fresh.states);
        new_errors += u64::from(again.is_wrong && !fresh.is_wrong);
    }
    let counts =
        format!("{checked} checked, {right} right, {new_states} with more states, {new_errors} wrong");
    // The test is about something.
    assert!(checked * 4 > PROGRAMS * 3 && right * 4 > PROGRAMS * 3, "{counts}");
    assert!(new_states * 40 > PROGRAMS && new_errors > 0, "{counts}");
}

#[test]
fn up_to_rf_the_same_is_found_as_up_to_co() {
    let (programs, mut checked, mut right) = (effort::of(PROGRAMS), 0, 0);
    for seed in effort::seeds(PROGRAMS) {
        let program = Dice::new(seed).allocating_program();
        let found = [Equivalence::Co, Equivalence::Rf].map(|it| explore(&program, Model::Rc11, it));
        let ([Some(co), Some(rf)], Some(sc)) = (found, twin::run(&program, true, MOST)) else { continue };
        assert!(
            co.is_wrong == rf.is_wrong && (co.is_wrong || co.states == rf.states),
            "seed {seed}: {program:?}"
        );
        assert!(co.is_wrong || !sc.is_wrong && co.states.is_superset(&sc.states), "seed {seed}: {program:?}");
        checked += 1;
        right += u64::from(!co.is_wrong);
    }
    assert!(checked * 4 > programs * 3 && right * 4 > programs * 3, "{checked} checked, {right} right");
}
