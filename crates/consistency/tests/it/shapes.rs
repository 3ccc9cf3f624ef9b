//! Shapes that the algorithms could stumble over, and executions too large for brute force.

use base::{Order, Rng};
use consistency::{
    Answer, Event, Location, Numbers, Op, PartialExecution, Reason, Source, Thread, Unsupported, Why, check,
};
use model::Model;
use testkit::traces::brute_force::{Defined, accepts};
use testkit::traces::proof::check_reason;
use testkit::traces::synthetic::{Machine, Synthetic, synthetic};
use testkit::traces::{triangle, writes_before};

const WITH_CO: [Model; 5] = [Model::Ra, Model::Rc20, Model::Rc11, Model::C20, Model::Relaxed];
const X: Location = Location(0);

/// Events by hand: everything is acquire and release.
#[derive(Default)]
struct Build(PartialExecution);

impl Build {
    fn write(&mut self, thread: u32, x: Location) -> Event {
        self.0.access(Thread(thread), Op::Write, Order::Release, x)
    }

    fn read(&mut self, thread: u32, x: Location, source: Source) -> Event {
        let e = self.0.access(Thread(thread), Op::Read, Order::Acquire, x);
        self.0.set_source(e, source);
        e
    }

    fn update(&mut self, thread: u32, x: Location, source: Source) -> Event {
        let e = self.0.access(Thread(thread), Op::Rmw, Order::AcqRel, x);
        self.0.set_source(e, source);
        e
    }

    /// Read-modify-writes, each of the one before.
    fn chain(&mut self, threads: u32, first: Source, length: u32) -> Vec<Event> {
        let mut chain = Vec::new();
        for number in 0..length {
            let source = chain.last().map_or(first, |&e| Source::Event(e));
            chain.push(self.update(number % threads, X, source));
        }
        chain
    }
}

fn is_consistent(execution: &PartialExecution, model: Model) -> bool {
    matches!(check(execution, model), Ok(Answer::Consistent(_)))
}

fn reason(execution: &PartialExecution, model: Model) -> Reason {
    match check(execution, model) {
        Ok(Answer::Inconsistent(reason)) => reason,
        other => panic!("{model:?}: {other:?}"),
    }
}

#[test]
fn a_long_chain_is_in_one_piece() {
    let mut build = Build::default();
    let chain = build.chain(3, Source::Init, 100_000);
    let other = build.write(4, X);
    for model in WITH_CO {
        let Ok(Answer::Consistent(witness)) = check(&build.0, model) else { panic!("{model:?}") };
        assert_eq!(witness.co[0][..chain.len()], chain);
        assert_eq!(witness.co[0][chain.len()..], [other]);
    }
    // Who has read the end of the chain may not go back in it.
    build.read(5, X, Source::Event(chain[99_999]));
    let read = build.read(5, X, Source::Event(chain[50_000]));
    for model in WITH_CO {
        let Reason::Cycle(steps) = reason(&build.0, model) else { panic!() };
        assert_eq!(steps.len(), 2, "{steps:?}");
        assert!(matches!(steps[0].why, Why::Mo { read: r, .. } if r == read));
        assert_eq!((steps[1].why, steps[1].from), (Why::Chain, Source::Init));
    }
    assert!(matches!(reason(&build.0, Model::Wra), Reason::Cycle(_)));
}

#[test]
fn a_thread_reads_from_its_own_chain() {
    let mut build = Build::default();
    let write = build.write(0, X);
    let chain = build.chain(1, Source::Event(write), 10);
    build.read(0, X, Source::Event(chain[9]));
    assert!(WITH_CO.into_iter().all(|model| is_consistent(&build.0, model)));
    build.read(0, X, Source::Event(chain[8]));
    assert!(WITH_CO.into_iter().all(|model| !is_consistent(&build.0, model)));
    let mut build = Build::default();
    let write = build.write(0, X);
    let chain = build.chain(1, Source::Event(write), 10);
    build.read(0, X, Source::Event(write));
    assert_eq!(chain.len(), 10);
    assert!(WITH_CO.into_iter().all(|model| !is_consistent(&build.0, model)));
}

#[test]
fn two_chains_cannot_interleave() {
    let mut build = Build::default();
    let (a, b) = (build.write(0, X), build.write(1, X));
    let (mut last_a, mut last_b) = (a, b);
    for _ in 0..50 {
        last_a = build.update(2, X, Source::Event(last_a));
        last_b = build.update(3, X, Source::Event(last_b));
    }
    assert!(WITH_CO.into_iter().all(|model| is_consistent(&build.0, model)));
    // a's chain, then b's beginning: all of it is before all of b's.
    build.read(4, X, Source::Event(last_a));
    build.read(4, X, Source::Event(b));
    assert!(WITH_CO.into_iter().all(|model| is_consistent(&build.0, model)));
    build.read(5, X, Source::Event(last_b));
    build.read(5, X, Source::Event(a));
    for model in WITH_CO {
        let Reason::Cycle(steps) = reason(&build.0, model) else { panic!() };
        assert_eq!(steps.iter().filter(|step| matches!(step.why, Why::Mo { .. })).count(), 2, "{steps:?}");
        assert_eq!(steps.iter().filter(|step| step.why == Why::Chain).count(), 2, "{steps:?}");
        let defined = Defined::new(&build.0, model, &[]);
        assert_eq!(check_reason(&defined, model, &Reason::Cycle(steps)), Ok(()));
    }
}

/// Of what a thread knew at its last release fence and at its last release write to the flag, a relaxed write
/// to the flag releases what is more.
#[test]
fn the_later_release_counts() {
    let (data, flag) = (X, Location(1));
    for (fence_is_later, forbidding) in
        [(true, vec![Model::Rc11, Model::C20, Model::Rc20]), (false, vec![Model::Rc11])]
    {
        let mut build = Build::default();
        let release = |build: &mut Build, fence: bool| match fence {
            true => _ = build.0.fence(Thread(0), Order::Release),
            false => _ = build.write(0, flag),
        };
        release(&mut build, !fence_is_later);
        build.write(0, data);
        release(&mut build, fence_is_later);
        let relaxed = build.0.access(Thread(0), Op::Write, Order::Relaxed, flag);
        build.read(1, flag, Source::Event(relaxed));
        build.read(1, data, Source::Init);
        for model in [Model::Rc11, Model::C20, Model::Rc20, Model::Relaxed] {
            assert_eq!(
                is_consistent(&build.0, model),
                !forbidding.contains(&model),
                "{model:?} {fence_is_later}"
            );
        }
    }
}

#[test]
fn two_updates_of_one_write() {
    let mut build = Build::default();
    let write = build.write(0, X);
    let (first, second) =
        (build.update(1, X, Source::Event(write)), build.update(2, X, Source::Event(write)));
    for model in [Model::Wra, Model::Ra, Model::Rc20, Model::Rc11, Model::C20, Model::Relaxed] {
        let source = Source::Event(write);
        assert_eq!(reason(&build.0, model), Reason::SharedSource { location: X, source, first, second });
    }
    let words = reason(&build.0, Model::Ra).in_words(&build.0, &Numbers).to_string();
    assert_eq!(words, "two read-modify-writes read from e0: e1 and e2");
}

#[test]
fn a_cycle_of_po_and_rf() {
    let mut build = Build::default();
    let y = Location(1);
    let read_x = build.read(0, X, Source::Init);
    let write_y = build.write(0, y);
    build.read(1, y, Source::Event(write_y));
    let write_x = build.write(1, X);
    build.0.set_source(read_x, Source::Event(write_x));
    for model in [Model::Wra, Model::Sra, Model::Ra, Model::Rc20, Model::Rc11, Model::C20, Model::Relaxed] {
        let words = reason(&build.0, model).in_words(&build.0, &Numbers).to_string();
        let lines: Vec<&str> = words.lines().collect();
        assert_eq!(
            lines,
            [
                "e0 is before e1 in program order",
                "e2 reads from e1",
                "e2 is before e3 in program order",
                "e0 reads from e3"
            ]
        );
    }
}

#[test]
fn only_the_last_event_closes_the_cycle() {
    for (machine, model) in [
        (Machine::Sc, Model::Wra),
        (Machine::Sc, Model::Ra),
        (Machine::Sc, Model::Rc20),
        (Machine::Sc, Model::Rc11),
        (Machine::Sc, Model::C20),
        (Machine::Sc, Model::Relaxed),
        (Machine::Sc, Model::Sra),
        (Machine::Ra, Model::Ra),
        (Machine::Ra, Model::Rc20),
    ] {
        let updates = if model == Model::Sra { 0 } else { 10 };
        let what = Synthetic { events: 5000, threads: 6, locations: 5, updates, machine };
        let mut build = Build(synthetic(&what, 7));
        assert!(is_consistent(&build.0, model), "{model:?}");
        // A new thread learns of the last write of another one, and then misses an earlier one of it.
        let writer = Thread(3);
        let mut writes = build.0.po(writer).iter().rev().copied().filter(|&e| build.0.writes(e));
        let last = writes.next().unwrap();
        let x = build.0.location(last).unwrap();
        build.read(6, x, Source::Event(last));
        assert!(is_consistent(&build.0, model), "{model:?}");
        build.read(6, x, Source::Init);
        assert!(matches!(reason(&build.0, model), Reason::Cycle(_)));
    }
}

/// The same execution, its threads one after the other.
fn thread_by_thread(execution: &PartialExecution) -> PartialExecution {
    let threads = (0..execution.thread_count() as u32).map(Thread);
    let order: Vec<Event> = threads.flat_map(|thread| execution.po(thread).to_vec()).collect();
    let mut renamed = vec![Event(0); execution.len()];
    let mut other = PartialExecution::new();
    for &e in &order {
        let (thread, order) = (execution.thread(e), execution.order(e));
        renamed[e.index()] = match execution.location(e) {
            Some(location) => other.access(thread, execution.op(e), order, location),
            None => other.fence(thread, order),
        };
    }
    for &e in &order {
        match execution.source(e) {
            Some(Source::Event(write)) => {
                other.set_source(renamed[e.index()], Source::Event(renamed[write.index()]))
            }
            Some(Source::Init) => other.set_source(renamed[e.index()], Source::Init),
            None => {}
        }
    }
    other
}

#[test]
fn sources_may_arrive_after_their_readers() {
    for machine in [Machine::Sc, Machine::Ra] {
        let what = Synthetic { events: 20_000, threads: 8, locations: 20, updates: 10, machine };
        let execution = thread_by_thread(&synthetic(&what, 3));
        for model in [Model::Wra, Model::Ra, Model::Rc20, Model::Rc11, Model::C20, Model::Relaxed] {
            assert!(is_consistent(&execution, model), "{machine:?} {model:?}");
        }
    }
}

/// With SC accesses RC11 needs a search, but not where nothing weak has happened.
#[test]
fn sequentially_consistent_executions_may_be_large() {
    let what = Synthetic { events: 50_000, threads: 6, locations: 10, updates: 10, machine: Machine::Sc };
    let recorded = synthetic(&what, 9);
    let mut execution = PartialExecution::new();
    for e in recorded.events() {
        match recorded.location(e) {
            Some(location) => {
                _ = execution.access(recorded.thread(e), recorded.op(e), Order::SeqCst, location)
            }
            None => _ = execution.fence(recorded.thread(e), Order::SeqCst),
        }
        if let Some(source) = recorded.source(e) {
            execution.set_source(e, source);
        }
    }
    assert!(is_consistent(&execution, Model::Rc11));
    // Store buffering at its end, which is too large to search.
    let (x, y) = (Location(10), Location(11));
    for (thread, own, other) in [(0, x, y), (1, y, x)] {
        execution.access(Thread(thread), Op::Write, Order::Relaxed, own);
        let read = execution.access(Thread(thread), Op::Read, Order::Relaxed, other);
        execution.set_source(read, Source::Init);
    }
    assert_eq!(check(&execution, Model::Rc11), Err(Unsupported::ScEvents));
}

/// An execution with some reads that read something else.
fn disturbed(execution: &PartialExecution, rng: &mut Rng) -> PartialExecution {
    let mut disturbed = execution.clone();
    for _ in 0..rng.below(4) {
        let read = Event(rng.below(execution.len() as u64) as u32);
        let at_location =
            |&e: &Event| execution.writes(e) && execution.location(e) == execution.location(read);
        let writes: Vec<Event> = execution.events().filter(|&e| e < read).filter(at_location).collect();
        if execution.reads(read) && !writes.is_empty() {
            disturbed.set_source(read, Source::Event(rng.pick(&writes)));
        }
    }
    disturbed
}

#[test]
fn saturation_gives_the_same_answers() {
    let rng = &mut Rng::new(11);
    let mut verdicts = [0; 2];
    for seed in 0..400 {
        let machine = rng.pick(&[Machine::Sc, Machine::Ra]);
        let what = Synthetic { events: 60, threads: 5, locations: 4, updates: 15, machine };
        let mut execution = disturbed(&synthetic(&what, seed), rng);
        if rng.percent(30) {
            execution = thread_by_thread(&execution);
        }
        for model in WITH_CO {
            let expected = writes_before::is_consistent(&execution, model);
            verdicts[usize::from(expected)] += 1;
            match check(&execution, model).expect("supported") {
                Answer::Consistent(witness) => {
                    assert!(expected && accepts(&execution, model, &witness), "{model:?} {seed}");
                }
                Answer::Inconsistent(reason) => {
                    assert!(!expected, "{model:?} {seed}: {reason:?}");
                    let defined = Defined::new(&execution, model, &[]);
                    assert_eq!(
                        check_reason(&defined, model, &reason),
                        Ok(()),
                        "{model:?} {seed}: {reason:?}"
                    );
                }
            }
        }
    }
    assert!(verdicts[0] > 300 && verdicts[1] > 300, "{verdicts:?}");
}

/// \[RF\] section 4.6
#[test]
fn triangles() {
    let rng = &mut Rng::new(5);
    let mut with = 0;
    for _ in 0..300 {
        let nodes = 3 + rng.below(7) as u32;
        let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
        let density = 10 + rng.below(40);
        let edges: Vec<(u32, u32)> = pairs.filter(|_| rng.percent(density)).collect();
        let execution = triangle::execution(nodes, &edges);
        let has_triangle = triangle::has_triangle(&edges);
        with += usize::from(has_triangle);
        for model in [Model::Ra, Model::Wra, Model::Sra, Model::Rc20, Model::Rc11, Model::C20] {
            assert_eq!(is_consistent(&execution, model), !has_triangle, "{model:?} {edges:?}");
        }
    }
    assert!((60..240).contains(&with), "{with}");
}
