//! The `threadbare` command. It alone prints, exits, reads flags and the environment.
//!
//! | file | what it knows |
//! |---|---|
//! | `args`, `contradictions` | the command line; options that exclude each other |
//! | `input`, `compile_commands`, `unroll` | the files of a program and how they are compiled; bounds on its loops |
//! | `verify`, `litmus`, `check`, `fuzz`, `work`, `merge`, `models` | the commands |
//! | `cache` | `cache`, and where the cache is |
//! | `unit`, `told`, `build_id` | explorations that are not over, in files; what source maps have told; which build this is |
//! | `release_sequences` | violations under C20 that RC11 does not have |
//! | `format` | the formats of results, and a report in each |
//! | `frontend`, `sources` | a compiled program as a machine; the way back to its source, and the lines of source files |
//! | `compiler`, `cflags` | clang and LLVM in a child process; which flags for clang are refused |
//! | `watch`, `memory`, `signals`, `progress` | limits of time and memory, signals; the line on stderr while a run goes on |
//! | `output`, `panic` | what is printed, and where; our own bugs |
//! | `output_file`, `leftovers` | files that a run writes; files that must not stay behind |
//! | `graph`, `clock` | `--graph`; the only clock |

mod args;
mod build_id;
mod cache;
mod cflags;
mod check;
mod clock;
mod compile_commands;
mod compiler;
mod contradictions;
mod format;
mod frontend;
mod fuzz;
mod graph;
mod input;
mod leftovers;
mod litmus;
mod memory;
mod merge;
mod models;
mod output;
mod output_file;
mod panic;
mod progress;
mod release_sequences;
mod signals;
mod sources;
mod told;
mod unit;
mod unroll;
mod verify;
mod watch;
mod work;

use args::{Arguments, Command};
use clap::Parser;
use engine::Verdict;
use std::process::ExitCode;

/// The exit status, as documented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// No violation.
    Fine = 0,
    /// A violation, or an inconsistent trace.
    Violated = 1,
    /// Usage, input or our own error.
    Failed = 2,
    /// Neither is known.
    Inconclusive = 3,
}

impl Status {
    /// What a verdict comes to.
    fn of(verdict: &Verdict) -> Status {
        match verdict {
            Verdict::Verified { .. } | Verdict::Bounded(_) => Status::Fine,
            Verdict::Violated => Status::Violated,
            Verdict::Inconclusive(_) => Status::Inconclusive,
        }
    }

    /// What the process ends with. Without an answer because a signal came, that is what shells expect then.
    fn code(self) -> u8 {
        match (self, signals::received()) {
            (Status::Inconclusive, Some(signal)) => 128 + signal,
            _ => self as u8,
        }
    }
}

fn main() -> ExitCode {
    panic::install_hook();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
    let status = run(&arguments.command).unwrap_or_else(|error| {
        output::error(&error);
        Status::Failed
    });
    ExitCode::from(status.code())
}

/// Says what is wrong with the arguments. Some may be names of files (`verify *.c`), so they are printed with care.
fn refuse(error: &clap::Error) -> ! {
    if !std::env::args_os().any(|argument| argument.to_string_lossy().contains(base::is_hidden)) {
        error.exit();
    }
    output::log(&error.render().to_string());
    std::process::exit(error.exit_code())
}

fn run(command: &Command) -> anyhow::Result<Status> {
    match command {
        Command::Verify(arguments) => verify::verify(arguments),
        Command::Models => {
            output::result(&models::table())?;
            Ok(Status::Fine)
        }
        Command::Litmus(arguments) => litmus::litmus(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Fuzz(arguments) => fuzz::fuzz(arguments),
        Command::Work(arguments) => work::work(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Cache(arguments) => cache::cache(arguments),
        Command::Compile(arguments) => compiler::run(arguments),
    }
}
