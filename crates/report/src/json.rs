//! The format for machines: one object, field names and order as documented, `schema` counting incompatible changes.
//!
//! Every command's object is written here. It starts and ends with what all of them have; a command puts its own fields in
//! between, or adds them at the end.

use crate::Run;
use crate::diagnostic::{Diagnostic, Participant, Report};
use base::EventId;
use serde::Serialize;

/// The report as one line of JSON.
pub fn json(report: &Report) -> String {
    json_with(report, "verify", &Nothing {})
}

/// The same for another command, with the fields that this command adds.
pub fn json_with<M: Serialize>(report: &Report, command: &str, more: &M) -> String {
    let (verdict, reason) = (report.answer.word, report.answer.reason.as_deref());
    let explored = Explored {
        executions: report.executions.into(),
        vacuous: report.answer.vacuous,
        incomplete: report.answer.incomplete.as_deref(),
        restarts: &report.restarts,
        violations: report.diagnostics.iter().map(|diagnostic| violation(diagnostic, report)).collect(),
    };
    write(&Common { command, run: &report.run, verdict, reason }, &explored, more)
}

/// The object of a command that explores nothing: what all objects have, around the fields of this command.
pub fn json_around<B: Serialize>(common: &Common<'_>, fields: &B) -> String {
    write(common, fields, &Nothing {})
}

/// What the objects of all commands have.
#[derive(Clone, Copy, Debug)]
pub struct Common<'a> {
    /// The command's name.
    pub command: &'a str,
    /// The program, the model, how long it took.
    pub run: &'a Run,
    /// The verdict.
    pub verdict: &'static str,
    /// What to say about the verdict.
    pub reason: Option<&'a str>,
}

fn write<B: Serialize, M: Serialize>(common: &Common<'_>, fields: &B, more: &M) -> String {
    let &Common { command, run, verdict, reason } = common;
    let object = Object {
        schema: 1,
        command,
        program: &run.program,
        model: run.model.name,
        equivalence: run.equivalence,
        verdict,
        reason,
        fields,
        seconds: Seconds {
            frontend: microseconds(run.frontend_seconds),
            exploration: microseconds(run.exploration_seconds),
        },
        peak_memory_bytes: run.peak_memory_bytes,
        more,
    };
    serde_json::to_string(&object).expect("numbers, strings and what a command adds, which has string keys")
        + "\n"
}

#[derive(Serialize)]
struct Object<'a, B, M> {
    schema: u32,
    command: &'a str,
    program: &'a str,
    model: &'a str,
    equivalence: &'static str,
    verdict: &'static str,
    reason: Option<&'a str>,
    #[serde(flatten)]
    fields: &'a B,
    seconds: Seconds,
    peak_memory_bytes: u64,
    #[serde(flatten)]
    more: &'a M,
}

/// No fields.
#[derive(Serialize)]
struct Nothing {}

/// The fields of commands that explore.
#[derive(Serialize)]
struct Explored<'a> {
    executions: Executions,
    vacuous: bool,
    incomplete: Option<&'a str>,
    restarts: &'a [String],
    violations: Vec<Violation<'a>>,
}

/// How many executions there are, for the field `executions`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Executions {
    complete: u64,
    blocked: u64,
    duplicate: u64,
}

impl From<explore::Executions> for Executions {
    fn from(executions: explore::Executions) -> Executions {
        let explore::Executions { complete, blocked, duplicate } = executions;
        Executions { complete, blocked, duplicate }
    }
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
    stack: Vec<StackFrame<'a>>,
}

#[derive(Serialize)]
struct StackFrame<'a> {
    file: &'a str,
    line: u32,
    function: &'a str,
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
    let (file, line, column) = match participant.place() {
        Some(place) => (&*place.file, place.line, place.column),
        None => (report.run.program.as_str(), 0, 0),
    };
    let event = participant.event.map(|event| event.to_string());
    let stack = participant.stack.iter().map(|frame| StackFrame {
        file: &frame.place.file,
        line: frame.place.line,
        function: &frame.function,
    });
    Place { file, line, column, thread: participant.thread.0, event, stack: stack.collect() }
}

/// No more digits than are measured.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
