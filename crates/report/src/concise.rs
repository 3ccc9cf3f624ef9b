//! The format for editors and greps: one line a violation, one if there may be more, then the summary.

use crate::diagnostic::{Diagnostic, Report};
use crate::escape::Escape;
use crate::full::{counts, incomplete, summary};

/// The report, one line a violation, with no character that a terminal would obey.
pub fn concise(report: &Report) -> String {
    let report = &report.escaped();
    let mut lines: Vec<String> =
        report.diagnostics.iter().map(|diagnostic| line(diagnostic, report)).collect();
    lines.extend(incomplete(report).map(|words| format!("{}: {words}", report.run.program)));
    lines.push(last_line(report));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn line(diagnostic: &Diagnostic, report: &Report) -> String {
    let place = diagnostic.participants.first().and_then(|participant| participant.place.as_ref());
    let place = place.map_or_else(|| report.run.program.clone(), ToString::to_string);
    format!("{place}: error[{}]: {}{}", diagnostic.code, diagnostic.message, others(diagnostic))
}

/// ` (also mp.c:11:3)`: the other places, without which two violations could look the same.
fn others(diagnostic: &Diagnostic) -> String {
    let mut places: Vec<String> = Vec::new();
    let others = diagnostic.participants.iter().skip(1).filter_map(|participant| participant.place.as_ref());
    for place in others.map(ToString::to_string) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    if places.is_empty() { String::new() } else { format!(" (also {})", places.join(", ")) }
}

fn last_line(report: &Report) -> String {
    let (program, model, answer) = (&report.run.program, report.run.model.title, &report.answer);
    match (&answer.reason, answer.word) {
        (_, "violated") => summary(report),
        (Some(reason), word) => format!("{program}: {word} under {model}: {reason} — {}", counts(report)),
        (None, word) => format!("{program}: {word} under {model} — {}", counts(report)),
    }
}
