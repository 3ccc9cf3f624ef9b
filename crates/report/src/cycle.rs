//! An execution with a cycle in program order and reads-from, in words: the cycle, and why it is not out of thin air.
//!
//! Under XMM such an execution is made from another one by re-execution (\[XMM\], chapter 5): some events are *committed*,
//! because the other execution has them already, and reads among them need not wait for their writers. If the other
//! execution has a cycle, too, it was made from yet another one, and so on: the chain ends in one without a cycle.

use crate::notation::Notation;
use base::EventId;
use explore::outcome::Justification;
use graph::Source;

/// Both, each in a sentence or more, with a word for what it is. Nothing for an execution without a cycle.
pub(crate) fn words(notation: &Notation<'_>) -> Vec<(&'static str, String)> {
    let Some(justification) = &notation.execution.justification else { return Vec::new() };
    vec![("cycle", cycle(notation, justification)), ("not thin air", chain(notation, justification))]
}

/// What an event is on the cycle; `None` if it is of no importance.
pub(crate) fn mark(notation: &Notation<'_>, event: EventId) -> Option<&'static str> {
    let justification = notation.execution.justification.as_ref()?;
    match (justification.cycle.contains(&event), justification.committed.contains_key(&event)) {
        (true, true) => Some("on the cycle, committed"),
        (true, false) => Some("on the cycle"),
        (false, true) => Some("committed"),
        (false, false) => None,
    }
}

fn cycle(notation: &Notation<'_>, justification: &Justification) -> String {
    let events = justification.cycle.iter().chain(justification.cycle.first());
    let steps: Vec<String> = events.map(|&e| format!("{e} {}", notation.event(e))).collect();
    let step = |index: usize| if index.is_multiple_of(2) { " → " } else { " ⇢ " };
    let text = steps.iter().enumerate().map(|(index, text)| match index {
        0 => text.clone(),
        _ => format!("{}{text}", step(index - 1)),
    });
    text.collect::<String>() + "  (→ is before in its thread, ⇢ is read by)"
}

/// The re-executions, the last one first.
fn chain(notation: &Notation<'_>, justification: &Justification) -> String {
    let mut sentences = vec![step(notation, justification, "another execution")];
    let mut next = justification.earlier.as_deref();
    while let Some(earlier) = next {
        sentences.push(format!(
            "That one is made in the same way: {}",
            step(notation, earlier, "yet another one")
        ));
        next = earlier.earlier.as_deref();
    }
    sentences.join(" ")
}

fn step(notation: &Notation<'_>, justification: &Justification, from: &str) -> String {
    let committed: Vec<String> = justification.committed.keys().map(|&e| named(notation, e)).collect();
    let kind = if justification.earlier.is_some() { "with a cycle, too" } else { "without a cycle" };
    let other = differing_reads(notation, justification);
    let difference =
        if other.is_empty() { String::new() } else { format!(", where {}", other.join(" and ")) };
    let verb = if committed.len() == 1 { "is" } else { "are" };
    format!("{} {verb} in {from} {kind}{difference}; the rest was executed again.", committed.join(", "))
}

/// With the words for what it does, if this execution has it.
fn named(notation: &Notation<'_>, event: EventId) -> String {
    match notation.label(event) {
        Some(_) => format!("{event} {}", notation.event(event)),
        None => event.to_string(),
    }
}

/// What the reads on the cycle read in the source, where that is something else.
fn differing_reads(notation: &Notation<'_>, justification: &Justification) -> Vec<String> {
    let source = &justification.source;
    let reads = justification.cycle.iter().filter(|&&e| !justification.committed.contains_key(&e));
    reads
        .filter_map(|&read| {
            let value = source.label(read)?.value_read()?;
            let from = match source.rf.get(&read)? {
                Source::Init => "the initial value".to_owned(),
                Source::Event(write) => format!("from {write}"),
            };
            let is_same = notation.execution.graph.rf.get(&read) == source.rf.get(&read);
            (!is_same).then(|| format!("{read} reads {value} ({from})"))
        })
        .collect()
}
