//! Events per second of the checks, as executions and their numbers of threads grow, and against the cubic
//! algorithm.
//!
//! `cargo bench -p threadbare-consistency --bench scaling -- [LARGEST]`: up to so many events (10,000,000).
//!
//! The executions are consistent, so that every sweep goes to its end: `sc` ones were recorded in an order
//! which is their coherence order, `ra` ones were not.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints times")]

use consistency::{Answer, PartialExecution, check};
use model::Model;
use std::time::Instant;
use testkit::traces::synthetic::{Machine, Synthetic, synthetic};
use testkit::traces::writes_before;

const LOCATIONS: u32 = 64;

fn main() {
    let argument = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let largest: usize = argument.unwrap_or(10_000_000);
    growth(largest);
    println!();
    every_model(largest.min(1_000_000));
    println!();
    against_writes_before();
    println!();
    println!("peak memory {} MB", peak_megabytes());
}

/// Time per event as executions grow.
fn growth(largest: usize) {
    let sizes: Vec<usize> =
        [10_000, 100_000, 1_000_000, 10_000_000].into_iter().filter(|&n| n <= largest).collect();
    println!("ns per event for n events (peak memory is of the largest, with its input)");
    print!("{:10}{:>8}{:>9}", "model", "trace", "threads");
    sizes.iter().for_each(|n| print!("{n:>12}"));
    println!("{:>8}", "growth");
    let kinds = [(Model::Relaxed, Machine::Sc), (Model::Rc20, Machine::Sc), (Model::Rc20, Machine::Ra)];
    for (model, machine) in kinds {
        for threads in [4, 8, 16, 64] {
            let time = |&events: &usize| nanoseconds(&trace(events, threads, machine, 10), model);
            print!("{:10}{:>8}{threads:>9}", model.rules().name, name(machine));
            let times: Vec<f64> = sizes.iter().map(time).inspect(|time| print!("{time:>12.1}")).collect();
            println!("{:>7.2}x", times[times.len() - 1] / times[0]);
        }
    }
}

/// Events per second of every model.
fn every_model(events: usize) {
    println!("million events per second, {events} events, 8 threads");
    println!("{:10}{:>10}{:>10}", "model", "sc", "ra");
    for model in Model::ALL.into_iter().filter(|&model| model != Model::Wrc11) {
        print!("{:10}", model.rules().name);
        for machine in [Machine::Sc, Machine::Ra] {
            let execution = trace(events, 8, machine, 10);
            match check(&execution, model) {
                Ok(Answer::Consistent(_)) => print!("{:>10.2}", 1e3 / nanoseconds(&execution, model)),
                _ => print!("{:>10}", "-"),
            }
        }
        println!();
    }
}

/// The same answer from the algorithm that saturates bit matrices.
fn against_writes_before() {
    println!("RA, 8 threads: Algorithm 3 against saturation, O(n³)");
    println!("{:>8}{:>14}{:>14}{:>12}", "events", "ours µs", "saturation µs", "speed-up");
    for events in [100, 300, 1000, 3000] {
        let execution = trace(events, 8, Machine::Ra, 10);
        let ours = nanoseconds(&execution, Model::Ra) * events as f64 / 1e3;
        let start = Stopwatch::start();
        assert!(writes_before::is_consistent(&execution, Model::Ra));
        let theirs = start.seconds() * 1e6;
        println!("{events:>8}{ours:>14.1}{theirs:>14.1}{:>11.0}x", theirs / ours);
    }
}

fn trace(events: usize, threads: u32, machine: Machine, updates: u64) -> PartialExecution {
    synthetic(&Synthetic { events, threads, locations: LOCATIONS, updates, machine }, 1)
}

fn name(machine: Machine) -> &'static str {
    match machine {
        Machine::Sc => "sc",
        Machine::Ra => "ra",
    }
}

/// The average of a few runs: small executions are checked more often.
fn nanoseconds(execution: &PartialExecution, model: Model) -> f64 {
    let rounds = (5_000_000 / execution.len()).clamp(2, 200);
    let run = || assert!(matches!(check(execution, model), Ok(Answer::Consistent(_))), "{model:?}");
    run();
    let stopwatch = Stopwatch::start();
    (0..rounds).for_each(|_| run());
    stopwatch.seconds() * 1e9 / (rounds * execution.len()) as f64
}

/// The time that this process had a processor, where the system tells; else the time that has passed.
struct Stopwatch {
    start: Instant,
    on_processor: Option<f64>,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch { start: Instant::now(), on_processor: Stopwatch::on_processor() }
    }

    fn on_processor() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
    }

    fn seconds(&self) -> f64 {
        match (self.on_processor, Stopwatch::on_processor()) {
            (Some(start), Some(now)) if now > start => now - start,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }
}

/// Of this process, where the system tells.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
