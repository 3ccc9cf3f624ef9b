//! The answer for machines: the fields of the other commands in their order, and those of this one.

use super::explain::Explanation;
use super::{Report, Verdict};
use crate::memory;
use consistency::PartialExecution;
use serde::Serialize;

/// One object on one line.
pub(super) fn json(report: &Report<'_>, explanation: Option<&Explanation>) -> String {
    let checked = report.checked;
    let size = |size: fn(&PartialExecution) -> usize| checked.trace.as_ref().map(|t| size(t.execution()));
    let complete = u32::from(matches!(checked.verdict, Verdict::Consistent(_)));
    let object = Object {
        schema: 1,
        command: "check",
        program: &report.program,
        model: report.model.rules().name,
        equivalence: if report.checks_co() { "co" } else { "rf" },
        verdict: checked.verdict.word(),
        reason: reason(&checked.verdict),
        explanation: explanation_text(report, explanation),
        cycle: explanation.map_or_else(Vec::new, cycle),
        executions: Executions { complete, blocked: 0, duplicate: 0 },
        violations: [],
        events: size(PartialExecution::len),
        threads: size(PartialExecution::thread_count),
        locations: size(PartialExecution::location_count),
        seconds: Seconds {
            frontend: microseconds(checked.reading),
            exploration: microseconds(checked.checking),
        },
        peak_memory_bytes: memory::peak_bytes(),
    };
    serde_json::to_string(&object).expect("numbers and strings") + "\n"
}

#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    command: &'static str,
    program: &'a str,
    model: &'static str,
    /// `co` if the answer is about a coherence order that the trace gives.
    equivalence: &'static str,
    verdict: &'static str,
    reason: Option<&'a str>,
    explanation: String,
    /// Empty if it is consistent, or inconsistent for another reason.
    cycle: Vec<Step<'a>>,
    executions: Executions,
    violations: [(); 0],
    events: Option<usize>,
    threads: Option<usize>,
    locations: Option<usize>,
    seconds: Seconds,
    peak_memory_bytes: u64,
}

#[derive(Serialize)]
struct Step<'a> {
    from: End<'a>,
    to: End<'a>,
    why: &'a str,
}

/// An event, or `init` without a line.
#[derive(Serialize)]
struct End<'a> {
    event: &'a str,
    line: Option<u64>,
}

#[derive(Serialize)]
struct Executions {
    complete: u32,
    blocked: u32,
    duplicate: u32,
}

#[derive(Serialize)]
struct Seconds {
    frontend: f64,
    exploration: f64,
}

fn reason(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Inconclusive(reason) => Some(reason),
        Verdict::Consistent(_) | Verdict::Inconsistent(_) => None,
    }
}

fn explanation_text(report: &Report<'_>, explanation: Option<&Explanation>) -> String {
    let has_co = report.model.rules().has_co();
    let text = match (&report.checked.verdict, explanation) {
        (_, Some(explanation)) => return explanation.text(),
        (Verdict::Inconclusive(reason), None) => reason,
        (_, None) if report.checks_co() => "it obeys the model with the coherence order that it gives",
        (_, None) if has_co => "there is a coherence order with which it obeys the model",
        (_, None) => "it obeys the model",
    };
    text.to_owned()
}

fn cycle(explanation: &Explanation) -> Vec<Step<'_>> {
    let line = |id: &str| explanation.events.iter().find(|event| event.id == id).map(|event| event.number);
    let steps = explanation.steps.iter().map(|step| Step {
        from: End { event: &step.from, line: line(&step.from) },
        to: End { event: &step.to, line: line(&step.to) },
        why: &step.words,
    });
    steps.collect()
}

/// No more digits than are measured.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
