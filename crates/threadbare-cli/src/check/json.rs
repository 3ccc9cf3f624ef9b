//! The answer for machines: the fields that `check` has between those of all commands.

use super::explain::Explanation;
use super::{Report, Verdict};
use crate::memory;
use consistency::PartialExecution;
use report::{Common, Executions, Run, json_around, shell_word};
use serde::Serialize;

/// One object on one line.
pub(super) fn json(report: &Report<'_>, explanation: Option<&Explanation>) -> String {
    let checked = report.checked;
    let size = |size: fn(&PartialExecution) -> usize| checked.trace.as_ref().map(|t| size(t.execution()));
    let complete = u64::from(matches!(checked.verdict, Verdict::Consistent(_)));
    let run = Run {
        program: report.program.clone(),
        files: shell_word(&report.program),
        model: report.model.rules(),
        // `co` if the answer is about a coherence order that the trace gives.
        equivalence: if report.checks_co() { "co" } else { "rf" },
        options: String::new(),
        cflags: String::new(),
        frontend_seconds: checked.reading,
        exploration_seconds: checked.checking,
        peak_memory_bytes: memory::peak_bytes(),
    };
    let fields = Fields {
        explanation: explanation_text(report, explanation),
        cycle: explanation.map_or_else(Vec::new, cycle),
        executions: engine::Executions { complete, ..engine::Executions::default() }.into(),
        violations: [],
        events: size(PartialExecution::len),
        threads: size(PartialExecution::thread_count),
        locations: size(PartialExecution::location_count),
    };
    let (verdict, reason) = (checked.verdict.word(), reason(&checked.verdict));
    json_around(&Common { command: "check", run: &run, verdict, reason }, &fields)
}

#[derive(Serialize)]
struct Fields<'a> {
    explanation: String,
    /// Empty if it is consistent, or inconsistent for another reason.
    cycle: Vec<Step<'a>>,
    executions: Executions,
    violations: [(); 0],
    events: Option<usize>,
    threads: Option<usize>,
    locations: Option<usize>,
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
