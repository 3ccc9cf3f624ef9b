//! Events per second of the incremental checker: append 10⁶ events, for 4 and 16 threads.
//!
//! `interleaved`: reads read the last write, as a trace of a program on a strong machine. `random`: they read any write that
//! the model allows, asked for by `candidates` first, as random testing does. `chains`: mostly read-modify-writes.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use base::{Order, Rng};
use consistency::incremental::{Incremental, Read};
use consistency::{Location, Op, Source, Thread};
use model::Model;
use std::time::{Duration, Instant};

const EVENTS: usize = 1_000_000;
const LOCATIONS: u64 = 64;

#[derive(Clone, Copy, Debug)]
enum Shape {
    Interleaved,
    Random,
    Chains,
}

fn main() {
    println!("{:<8} {:<12} {:>8} {:>10} {:>14}", "model", "trace", "threads", "seconds", "events/s");
    for model in [Model::Ra, Model::Rc20, Model::Rc11, Model::C20, Model::Relaxed] {
        for shape in [Shape::Interleaved, Shape::Random, Shape::Chains] {
            for threads in [4, 16] {
                let time = append(model, shape, threads);
                let rate = EVENTS as f64 / time.as_secs_f64();
                let (name, shape) = (model.rules().name, format!("{shape:?}").to_lowercase());
                println!("{name:<8} {shape:<12} {threads:>8} {:>10.3} {rate:>14.0}", time.as_secs_f64());
            }
        }
    }
}

/// Without the time for drawing the events.
fn append(model: Model, shape: Shape, threads: u64) -> Duration {
    let mut random = Rng::new(threads);
    let events: Vec<Access> = (0..EVENTS).map(|_| Access::draw(&mut random, shape, threads)).collect();
    let mut last = vec![Source::Init; LOCATIONS as usize];
    let mut checker = Incremental::new(model).expect("is supported");
    let start = Instant::now();
    for event in events {
        let source = last[event.location.0 as usize];
        let added = event.append(&mut checker, shape, source, &mut random);
        if event.op != Op::Read {
            last[event.location.0 as usize] = Source::Event(added);
        }
    }
    start.elapsed()
}

#[derive(Clone, Copy)]
struct Access {
    thread: Thread,
    op: Op,
    order: Order,
    location: Location,
}

impl Access {
    fn draw(random: &mut Rng, shape: Shape, threads: u64) -> Access {
        let rmws = if matches!(shape, Shape::Chains) { 80 } else { 10 };
        let op = match random.below(100) {
            n if n < rmws => Op::Rmw,
            n if n < rmws + (100 - rmws) / 3 => Op::Write,
            _ => Op::Read,
        };
        let orders: [Order; 3] = match op {
            Op::Read => [Order::Relaxed, Order::Acquire, Order::Acquire],
            Op::Write => [Order::Relaxed, Order::Release, Order::Release],
            Op::Rmw | Op::Fence => [Order::Relaxed, Order::AcqRel, Order::AcqRel],
        };
        let (thread, location) = (random.below(threads) as u32, random.below(LOCATIONS) as u32);
        Access { thread: Thread(thread), op, order: random.pick(&orders), location: Location(location) }
    }

    fn append(
        self,
        checker: &mut Incremental,
        shape: Shape,
        last: Source,
        random: &mut Rng,
    ) -> consistency::Event {
        let Access { thread, op, order, location } = self;
        if op == Op::Write {
            return checker.push(thread, order, location).expect("is supported");
        }
        let read = Read { thread, op, order, location };
        let source = match shape {
            Shape::Interleaved | Shape::Chains => last,
            Shape::Random => draw_source(checker, read, random),
        };
        checker.bind(read, source).expect("is consistent")
    }
}

fn draw_source(checker: &mut Incremental, read: Read, random: &mut Rng) -> Source {
    let candidates = checker.candidates(read);
    loop {
        if let Some(source) = candidates.get(random.below(candidates.numbers() as u64) as usize) {
            return source;
        }
    }
}
