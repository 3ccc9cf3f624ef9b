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

/// ` (also mp.c:11:3)`: the other places, without which two violations could look the same, and the callers of functions
/// that have several.
fn others(diagnostic: &Diagnostic) -> String {
    let mut places: Vec<String> = Vec::new();
    for (index, participant) in diagnostic.participants.iter().enumerate() {
        let caller = participant.caller.as_ref().map(|place| format!("called from {place}"));
        let words = match (participant.place().filter(|_| index > 0), caller) {
            (Some(place), Some(caller)) => format!("also {place}, {caller}"),
            (Some(place), None) => format!("also {place}"),
            (None, Some(caller)) => caller,
            (None, None) => continue,
        };
        // "also" is said once.
        let words = words.strip_prefix("also ").filter(|_| places.iter().any(is_other)).unwrap_or(&words);
        if !places.iter().any(|known| known.strip_prefix("also ").unwrap_or(known) == words) {
            places.push(words.to_owned());
        }
    }
    if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) }
}

fn is_other(words: &String) -> bool {
    words.starts_with("also ")
}

fn last_line(report: &Report) -> String {
    let (program, model, answer) = (&report.run.program, report.run.model.title, &report.answer);
    match (&answer.reason, answer.word) {
        (_, "violated") => summary(report),
        (Some(reason), word) => format!("{program}: {word} under {model}: {reason} — {}", counts(report)),
        (None, word) => format!("{program}: {word} under {model} — {}", counts(report)),
    }
}
