//! How fast the oracle is: programs, executions and partial executions a second, per mix.
//!
//! `cargo run -p threadbare-testkit --example rates [PROGRAMS]`

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a command that measures")]

use std::time::Instant;
use testkit::oracle::{Options, enumerate};
use testkit::{Mix, Model, random_program};

fn main() {
    let programs: u64 = std::env::args().nth(1).map_or(200, |n| n.parse().expect("a number of programs"));
    println!(
        "mix       model  programs  too big  complete  blocked  deadlocks    states  programs/s  µs/state"
    );
    for mix in Mix::ORACLE {
        for model in [Model::of(model::Model::Rc11), Model::of(model::Model::Sc), Model::of(model::Model::Ra)]
        {
            let start = Instant::now();
            let (mut big, mut complete, mut blocked, mut deadlocks, mut states) = (0, 0, 0, 0, 0);
            for seed in 0..programs {
                match enumerate(&random_program(mix, seed), &model, Options::default()) {
                    None => big += 1,
                    Some(oracle) => {
                        complete += oracle.complete.len();
                        blocked += oracle.blocked.len();
                        deadlocks += oracle.deadlocks.len();
                        states += oracle.states;
                    }
                }
            }
            let seconds = start.elapsed().as_secs_f64();
            let all = states + big * Options::default().limit;
            println!(
                "{:9} {:6} {programs:8} {big:8} {complete:9} {blocked:8} {deadlocks:10} {states:9} {:11.0} {:9.2}",
                mix.name(),
                model.name,
                programs as f64 / seconds,
                seconds * 1e6 / all as f64
            );
        }
    }
}
