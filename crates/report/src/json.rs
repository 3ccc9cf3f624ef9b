//! The format for machines: one object, field names and order as documented, `schema` counting incompatible changes.

use crate::diagnostic::{Diagnostic, Participant, Report};
use base::EventId;
use serde::Serialize;

/// The report as one line of JSON.
pub fn json(report: &Report) -> String {
    json_with(report, "verify", &NoMore {})
}

/// The same for another command, with the fields that this command adds.
pub fn json_with<M: Serialize>(report: &Report, command: &str, more: &M) -> String {
    let object = Object {
        schema: 1,
        command,
        program: &report.run.program,
        model: report.run.model.name,
        equivalence: report.run.equivalence,
        verdict: report.answer.word,
        reason: report.answer.reason.as_deref(),
        executions: Executions {
            complete: report.executions.complete,
            blocked: report.executions.blocked,
            duplicate: report.executions.duplicate,
        },
        vacuous: report.answer.vacuous,
        incomplete: report.answer.incomplete.as_deref(),
        restarts: &report.restarts,
        violations: report.diagnostics.iter().map(|diagnostic| violation(diagnostic, report)).collect(),
        seconds: Seconds {
            frontend: microseconds(report.run.frontend_seconds),
            exploration: microseconds(report.run.exploration_seconds),
        },
        peak_memory_bytes: report.run.peak_memory_bytes,
        more,
    };
    serde_json::to_string(&object).expect("numbers, strings and what a command adds, which has string keys")
        + "\n"
}

/// `verify` adds nothing.
#[derive(Serialize)]
struct NoMore {}

#[derive(Serialize)]
struct Object<'a, M> {
    schema: u32,
    command: &'a str,
    program: &'a str,
    model: &'a str,
    equivalence: &'static str,
    verdict: &'static str,
    reason: Option<&'a str>,
    executions: Executions,
    vacuous: bool,
    incomplete: Option<&'a str>,
    restarts: &'a [&'static str],
    violations: Vec<Violation<'a>>,
    seconds: Seconds,
    peak_memory_bytes: u64,
    #[serde(flatten)]
    more: &'a M,
}

#[derive(Serialize)]
struct Executions {
    complete: u64,
    blocked: u64,
    duplicate: u64,
}

#[derive(Serialize)]
struct Violation<'a> {
    code: &'static str,
    message: &'a str,
    replay: &'a str,
    places: Vec<Place<'a>>,
    /// Of an execution with a cycle in program order and reads-from: the cycle, and what is committed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    committed: Vec<String>,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    thread: u32,
    event: Option<String>,
}

#[derive(Serialize)]
struct Seconds {
    frontend: f64,
    exploration: f64,
}

fn violation<'a>(diagnostic: &'a Diagnostic, report: &'a Report) -> Violation<'a> {
    Violation {
        code: diagnostic.code,
        message: &diagnostic.message,
        replay: &diagnostic.replay,
        places: diagnostic.participants.iter().map(|participant| place(participant, report)).collect(),
        cycle: diagnostic.cyclic_events.iter().map(EventId::to_string).collect(),
        committed: diagnostic.committed_events.iter().map(EventId::to_string).collect(),
    }
}

/// A place that is not known is line 0 of the program: a reader finds the fields it expects.
fn place<'a>(participant: &'a Participant, report: &'a Report) -> Place<'a> {
    let (file, line, column) = match &participant.place {
        Some(place) => (&*place.file, place.line, place.column),
        None => (report.run.program.as_str(), 0, 0),
    };
    let event = participant.event.map(|event| event.to_string());
    Place { file, line, column, thread: participant.thread.0, event }
}

/// No more digits than are measured.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
