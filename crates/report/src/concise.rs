//! The format for editors and greps: one line a violation, one if there may be more, then the summary.

use crate::diagnostic::{Diagnostic, Participant, Report};
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
    let place = diagnostic.participants.first().and_then(Participant::place);
    let place = place.map_or_else(|| report.run.program.clone(), ToString::to_string);
    format!("{place}: error[{}]: {}{}", diagnostic.code, diagnostic.message, others(diagnostic))
}

/// ` (also mp.c:11:3)`: the other places, without which two violations could look the same, and the callers to look at.
fn others(diagnostic: &Diagnostic) -> String {
    let [first, others @ ..] = &diagnostic.participants[..] else { return String::new() };
    let mut places: Vec<String> = Vec::new();
    for participant in others {
        let place = participant.place().map(ToString::to_string);
        let words = place.into_iter().chain(called_from(participant)).collect::<Vec<_>>().join(", ");
        if !words.is_empty() && !places.contains(&words) {
            places.push(words);
        }
    }
    let also = (!places.is_empty()).then(|| format!("also {}", places.join(", ")));
    let parts: Vec<String> = called_from(first).into_iter().chain(also).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn called_from(participant: &Participant) -> Option<String> {
    participant.caller.as_ref().map(|place| format!("called from {place}"))
}

fn last_line(report: &Report) -> String {
    let (program, model, answer) = (&report.run.program, report.run.model.title, &report.answer);
    match (&answer.reason, answer.word) {
        (_, "violated") => summary(report),
        (Some(reason), word) => format!("{program}: {word} under {model}: {reason} — {}", counts(report)),
        (None, word) => format!("{program}: {word} under {model} — {}", counts(report)),
    }
}
