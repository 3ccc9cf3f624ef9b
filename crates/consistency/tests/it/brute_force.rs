//! The answers against brute force over every coherence order; every witness against the text, every cycle
//! step by step.

#![allow(clippy::print_stdout, reason = "it says how many of the random executions were consistent")]

use base::{Order, Rng};
use consistency::{Answer, Event, Location, Op, PartialExecution, Reason, Source, Step, Thread, Why, check};
use model::Model;
use testkit::effort;
use testkit::traces::brute_force::{Defined, accepts, orders_of_sc_fences, some_co};
use testkit::traces::proof::check_reason;
use testkit::traces::random::{Shape, random_execution, random_messages};

/// Is it consistent? `None` if the check does not say.
fn agreed(execution: &PartialExecution, model: Model, seed: u64) -> Option<bool> {
    if model.rules().has_co() && number_of_co(execution) > 150 {
        return None;
    }
    let answer = match check(execution, model) {
        Ok(answer) => answer,
        Err(_) => return None,
    };
    let possible = some_co(execution, model);
    match &answer {
        Answer::Consistent(witness) => {
            assert!(possible.is_some(), "{model:?} seed {seed}: not consistent\n{execution:#?}");
            assert!(accepts(execution, model, witness), "{model:?} seed {seed}: {witness:?}\n{execution:#?}");
        }
        Answer::Inconsistent(reason) => {
            assert!(
                possible.is_none(),
                "{model:?} seed {seed}: consistent with {possible:?}, not {reason:?}\n{execution:#?}"
            );
            let orders = orders_of_sc_fences(execution, model);
            let defined = Defined::new(execution, model, &orders[0]);
            let proof = check_reason(&defined, model, reason);
            assert_eq!(proof, Ok(()), "{model:?} seed {seed}: {reason:?}\n{execution:#?}");
        }
    }
    Some(possible.is_some())
}

/// How many coherence orders there are: those with few do, and keep the brute force fast.
fn number_of_co(execution: &PartialExecution) -> usize {
    let mut writes = vec![0; execution.location_count()];
    let places = execution.events().filter(|&e| execution.writes(e)).map(|e| {
        let writes = &mut writes[execution.location(e).expect("it writes").0 as usize];
        *writes += 1;
        *writes
    });
    places.product()
}

/// So many random executions for each model, in a full run.
const EXECUTIONS: u64 = 200_000;

/// Check random executions, half of them with messages; enough must be consistent, and enough not.
fn compare(model: Model, shape: &Shape) {
    let random = |seed| random_execution(shape, seed);
    let messages = |seed| random_messages(shape.updates > 0, seed);
    let kinds: [&dyn Fn(u64) -> PartialExecution; 2] = [&random, &messages];
    let executions = effort::of(EXECUTIONS) as usize;
    for kind in kinds {
        let agreed = (effort::first_seed()..).filter_map(|seed| agreed(&kind(seed), model, seed));
        let consistent = agreed.take(executions / 2).filter(|&consistent| consistent).count();
        println!("{model:?}: {consistent} of {} are consistent", executions / 2);
        assert!(
            (executions / 8..=executions / 8 * 3 + executions / 20).contains(&consistent),
            "{consistent}"
        );
    }
}

#[test]
fn wra() {
    compare(Model::Wra, &Shape::WEAK);
}

#[test]
fn sra_without_updates() {
    compare(Model::Sra, &Shape { updates: 0, ..Shape::WEAK });
}

#[test]
fn sra() {
    compare(Model::Sra, &Shape::WEAK);
}

#[test]
fn sc() {
    compare(Model::Sc, &Shape::SC);
}

#[test]
fn tso() {
    compare(Model::Tso, &Shape::SC);
}

#[test]
fn ra() {
    compare(Model::Ra, &Shape::WEAK);
}

#[test]
fn rc20() {
    compare(Model::Rc20, &Shape::WEAK);
}

#[test]
fn rc11_without_sc_events() {
    compare(Model::Rc11, &Shape::WEAK);
}

#[test]
fn c20_without_sc_events() {
    compare(Model::C20, &Shape::WEAK);
}

#[test]
fn relaxed() {
    compare(Model::Relaxed, &Shape { wild: 75, ..Shape::WEAK });
}

/// The same with SC fences, in one thread or in several.
fn compare_with_fences(model: Model, full: u64) {
    let shape = Shape { fences: 25, fence_orders: &[Order::SeqCst], updates: 0, threads: 3, ..Shape::WEAK };
    let mut exhausted = 0;
    for seed in effort::seeds(full) {
        for execution in [random_execution(&shape, seed), store_buffering(seed)] {
            agreed(&execution, model, seed);
            exhausted += u64::from(check(&execution, model) == Ok(Answer::Inconsistent(Reason::Exhausted)));
        }
    }
    println!("{model:?}: {exhausted} inconsistent with every order of the SC fences, but not without");
    assert!(exhausted > effort::of(full) / 100);
}

/// Threads that write, fence and read, mostly what was there before.
fn store_buffering(seed: u64) -> PartialExecution {
    let rng = &mut Rng::new(seed);
    let mut execution = PartialExecution::new();
    for thread in (0..2 + rng.below(2) as u32).map(Thread) {
        for op in [Op::Write, Op::Fence, Op::Read, Op::Fence, Op::Read]
            .into_iter()
            .take(3 + 2 * rng.below(2) as usize)
        {
            let other = rng.percent(if op == Op::Write { 15 } else { 75 });
            let location = Location((thread.0 + u32::from(other)) % 2);
            match op {
                Op::Fence if rng.percent(85) => _ = execution.fence(thread, Order::SeqCst),
                Op::Fence => {}
                op => _ = execution.access(thread, op, rng.pick(&[Order::Relaxed, Order::SeqCst]), location),
            }
        }
    }
    for read in execution.events().filter(|&e| execution.reads(e)).collect::<Vec<_>>() {
        let to_location =
            |&e: &Event| execution.writes(e) && execution.location(e) == execution.location(read);
        let writes: Vec<Event> = execution.events().filter(to_location).collect();
        let source = match writes.is_empty() || rng.percent(60) {
            true => Source::Init,
            false => Source::Event(rng.pick(&writes)),
        };
        execution.set_source(read, source);
    }
    execution
}

#[test]
fn sc_fences_that_are_updates() {
    for model in [Model::Ra, Model::Wra, Model::Sra, Model::Rc20] {
        compare_with_fences(model, 5_000);
    }
}

#[test]
fn rc11_with_sc_events() {
    compare_with_sc_events(Model::Rc11);
}

#[test]
fn c20_with_sc_events() {
    compare_with_sc_events(Model::C20);
}

fn compare_with_sc_events(model: Model) {
    let (seeds, mut consistent, mut by_psc) = (effort::seeds(20_000), 0, 0);
    for seed in seeds.clone() {
        let messages = random_messages(seed % 2 == 0, seed);
        for execution in [random_execution(&Shape::SC, seed), store_buffering(seed), with_sc(&messages, seed)]
        {
            consistent += u64::from(agreed(&execution, model, seed) == Some(true));
            let is_sc_step = |step: &Step| matches!(step.why, Why::Co | Why::Fr);
            match check(&execution, model) {
                Ok(Answer::Inconsistent(Reason::Cycle(steps))) if steps.iter().any(is_sc_step) => by_psc += 1,
                _ => {}
            }
        }
    }
    println!("{model:?}: {consistent} consistent, {by_psc} inconsistent because of SC");
    let programs = seeds.end - seeds.start;
    assert!(consistent > programs && by_psc > programs / 20);
}

/// All is SC. Two threads write x; who reads the second write has missed what the first writer wrote before,
/// and the other way around: both orders of the two writes are wrong, and neither is wrong for coherence
/// alone.
#[test]
fn rc11_needs_a_search() {
    let (x, y, z) = (Location(0), Location(1), Location(2));
    for (reads_second, reads_first) in [(true, true), (true, false), (false, true)] {
        let mut execution = PartialExecution::new();
        let mut access = |thread, op, location| execution.access(Thread(thread), op, Order::SeqCst, location);
        let (first, misses_y) = (access(0, Op::Write, x), access(0, Op::Read, y));
        let (second, misses_z) = (access(1, Op::Write, x), access(1, Op::Read, z));
        access(2, Op::Write, y);
        let after_y = access(2, Op::Read, x);
        access(3, Op::Write, z);
        let after_z = access(3, Op::Read, x);
        execution.set_source(misses_y, Source::Init);
        execution.set_source(misses_z, Source::Init);
        execution.set_source(after_y, Source::Event(if reads_second { second } else { first }));
        execution.set_source(after_z, Source::Event(if reads_first { first } else { second }));
        let both = reads_second && reads_first;
        assert_eq!(agreed(&execution, Model::Rc11, 0), Some(!both));
        assert_eq!(check(&execution, Model::Rc11) == Ok(Answer::Inconsistent(Reason::Exhausted)), both);
    }
}

/// Independent reads of independent writes: two threads with an SC fence between their reads see the writes
/// in different orders. From fence to fence it is `hb ; fr ; rf ; hb`.
#[test]
fn rc11_orders_sc_fences_by_eco() {
    for fences in [true, false] {
        let mut execution = PartialExecution::new();
        let (x, y) = (Location(0), Location(1));
        let write = |execution: &mut PartialExecution, thread, location| {
            execution.access(Thread(thread), Op::Write, Order::Relaxed, location)
        };
        let writes = [write(&mut execution, 0, x), write(&mut execution, 1, y)];
        for (thread, first, missed) in [(2, 0, 1), (3, 1, 0)] {
            let read = execution.access(Thread(thread), Op::Read, Order::Relaxed, Location(first));
            execution.set_source(read, Source::Event(writes[first as usize]));
            execution.fence(Thread(thread), if fences { Order::SeqCst } else { Order::AcqRel });
            let read = execution.access(Thread(thread), Op::Read, Order::Relaxed, Location(missed));
            execution.set_source(read, Source::Init);
        }
        assert_eq!(agreed(&execution, Model::Rc11, 0), Some(!fences));
    }
}

/// The same execution, most of it SC.
fn with_sc(execution: &PartialExecution, seed: u64) -> PartialExecution {
    let rng = &mut Rng::new(seed);
    let mut other = PartialExecution::new();
    for e in execution.events() {
        let order = if rng.percent(70) { Order::SeqCst } else { execution.order(e) };
        match execution.location(e) {
            Some(location) => _ = other.access(execution.thread(e), execution.op(e), order, location),
            None => _ = other.fence(execution.thread(e), order),
        }
    }
    for e in execution.events() {
        if let Some(source) = execution.source(e) {
            other.set_source(e, source);
        }
    }
    other
}
