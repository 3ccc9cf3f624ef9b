//! The `threadbare` command. It alone prints, exits, reads flags and the environment.

#![expect(clippy::disallowed_methods, reason = "this is the command, which may know the time")]

mod args;
mod check;
mod frontend;
mod fuzz;
mod graph;
mod interrupt;
mod litmus;
mod models;
mod output;
mod panic;
mod peak_memory;
mod progress;
mod replay_string;
mod verify;

use args::{Arguments, Command};
use clap::Parser;
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

fn main() -> ExitCode {
    panic::install_hook();
    let arguments = Arguments::parse();
    let status = run(&arguments.command).unwrap_or_else(|error| {
        output::error(&error);
        Status::Failed
    });
    ExitCode::from(status as u8)
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
    }
}
