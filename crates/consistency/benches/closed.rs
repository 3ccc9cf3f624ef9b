//! The incremental checker against a reference whose order is always transitively closed (\[RF\] table 2), under RA:
//! the same events with the same sources, drawn beforehand.
//!
//! `one writer`: a thread writes, the others read anything they may. `all write`: everybody does both, reading anything.
//! `newest`: reads read the last write. `chains`: read-modify-writes of the last write.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use base::{Order, Rng};
use consistency::incremental::{Incremental, Read};
use consistency::{Event, Location, Op, Source, Thread};
use model::Model;
use std::time::{Duration, Instant};
use testkit::traces::closed_mo::ClosedMo;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    OneWriter,
    AllWrite,
    Newest,
    Chains,
}

#[derive(Clone, Copy)]
struct Step {
    thread: Thread,
    op: Op,
    location: Location,
    source: Source,
}

const LOCATIONS: u64 = 4;

fn draw(shape: Shape, threads: u64, events: usize) -> Vec<Step> {
    let mut random = Rng::new(threads);
    let mut checker = Incremental::new(Model::Ra).expect("RA is supported");
    let mut last = vec![Source::Init; LOCATIONS as usize];
    let mut steps = Vec::new();
    for _ in 0..events {
        let thread = Thread(random.below(threads) as u32);
        let location = Location(random.below(LOCATIONS) as u32);
        let writes = match shape {
            Shape::OneWriter => thread.0 == 0,
            Shape::AllWrite | Shape::Newest => random.percent(40),
            Shape::Chains => random.percent(5),
        };
        let op = match shape {
            _ if writes => Op::Write,
            Shape::Chains => Op::Rmw,
            Shape::OneWriter | Shape::AllWrite | Shape::Newest => Op::Read,
        };
        let mut source = last[location.0 as usize];
        if shape == Shape::OneWriter || shape == Shape::AllWrite {
            source =
                any(&mut checker, Read { thread, op: Op::Read, order: Order::AcqRel, location }, &mut random);
        }
        let step = Step { thread, op, location, source };
        let event = append(&mut checker, step);
        if op != Op::Read {
            last[location.0 as usize] = Source::Event(event);
        }
        steps.push(step);
    }
    steps
}

fn any(checker: &mut Incremental, read: Read, random: &mut Rng) -> Source {
    let candidates = checker.candidates(read);
    loop {
        if let Some(source) = candidates.get(random.below(candidates.numbers() as u64) as usize) {
            return source;
        }
    }
}

fn append(checker: &mut Incremental, step: Step) -> Event {
    let Step { thread, op, location, source } = step;
    if op == Op::Write {
        return checker.push(thread, Order::Release, location).expect("RA is supported");
    }
    checker.bind(Read { thread, op, order: Order::AcqRel, location }, source).expect("is consistent")
}

fn incremental(steps: &[Step]) -> Duration {
    let start = Instant::now();
    let mut checker = Incremental::new(Model::Ra).expect("RA is supported");
    steps.iter().for_each(|&step| _ = append(&mut checker, step));
    start.elapsed()
}

fn closed(steps: &[Step], threads: u64) -> Duration {
    let start = Instant::now();
    let mut twin = ClosedMo::new(threads as usize, LOCATIONS as usize);
    for &Step { thread, op, location, source } in steps {
        match op {
            Op::Write => _ = twin.push(thread, location),
            _ => _ = twin.bind(thread, op, location, source).expect("is consistent"),
        }
    }
    start.elapsed()
}

fn main() {
    println!(
        "{:<12} {:>8} {:>8} {:>12} {:>12} {:>8}",
        "trace", "threads", "events", "lazy s", "closed s", "ratio"
    );
    let shapes = [
        ("one writer", Shape::OneWriter),
        ("all write", Shape::AllWrite),
        ("newest", Shape::Newest),
        ("chains", Shape::Chains),
    ];
    for (name, shape) in shapes {
        for (threads, events) in [(4, 20_000), (16, 20_000), (4, 100_000)] {
            let steps = draw(shape, threads, events);
            let (lazy, closed) = (incremental(&steps).as_secs_f64(), closed(&steps, threads).as_secs_f64());
            println!(
                "{name:<12} {threads:>8} {events:>8} {lazy:>12.3} {closed:>12.3} {:>8.1}",
                closed / lazy
            );
        }
    }
}
