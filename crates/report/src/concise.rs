//! The format for editors and greps: one line a violation, then the summary.

use crate::diagnostic::{Diagnostic, Report};
use crate::full::{counts, summary};

/// The report, one line a violation.
pub fn concise(report: &Report) -> String {
    let mut lines: Vec<String> =
        report.diagnostics.iter().map(|diagnostic| line(diagnostic, report)).collect();
    lines.push(last_line(report));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn line(diagnostic: &Diagnostic, report: &Report) -> String {
    let place = diagnostic.participants.first().and_then(|participant| participant.place.as_ref());
    let place = place.map_or_else(|| report.run.program.clone(), ToString::to_string);
    format!("{place}: error[{}]: {}", diagnostic.code, diagnostic.message)
}

fn last_line(report: &Report) -> String {
    let (program, model, answer) = (&report.run.program, report.run.model.title, &report.answer);
    match (&answer.reason, answer.word) {
        (_, "violated") => summary(report),
        (Some(reason), word) => format!("{program}: {word} under {model}: {reason} — {}", counts(report)),
        (None, word) => format!("{program}: {word} under {model} — {}", counts(report)),
    }
}
