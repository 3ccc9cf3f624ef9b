//! Deadlocks: which thread waits for which, and for what.

use crate::notation::Notation;
use crate::stack::in_line;
use crate::threads::waits;
use crate::why::Explanation;
use base::{EventId, Site, ThreadId};
use explore::outcome::{ThreadEnd, Wait};
use graph::{Label, Source};

/// Threads that spin for ever, and the threads that wait for them.
pub(crate) fn explain_liveness(notation: &Notation<'_>) -> Explanation {
    let ends = notation.execution.ends.iter().enumerate();
    let why = ends.filter_map(|(thread, end)| waiting(notation, ThreadId(thread as u32), end)).collect();
    let help = "on every way through the program, write what a loop waits for";
    Explanation { why, help: Some(help.to_owned()) }
}

/// A thread that spins: what it has read last.
fn spinning(notation: &Notation<'_>, thread: ThreadId, site: Site) -> String {
    let events = notation.execution.graph.threads.get(thread.index()).map_or(0, Vec::len) as u32;
    let is_read = |event: &EventId| notation.label(*event).is_some_and(Label::is_read);
    let last = (0..events).rev().map(|index| EventId { thread, index }).find(is_read);
    let (at, who) = (place(notation, thread, site), notation.thread(thread));
    match last.and_then(|event| Some((event, notation.label(event)?))) {
        Some((event, Label::Read { at: access, value, .. })) => {
            let site = notation.execution.sites[thread.index()][event.index as usize];
            let name = notation.object(&notation.map.site(site).operand, Some(*access));
            format!("{who} spins at {at}: `{name}` is {value}, and nobody will write it again")
        }
        _ => format!("{who} spins at {at}"),
    }
}

pub(crate) fn explain(notation: &Notation<'_>) -> Explanation {
    let ends = notation.execution.ends.iter().enumerate();
    let why: Vec<String> =
        ends.filter_map(|(thread, end)| waiting(notation, ThreadId(thread as u32), end)).collect();
    let locks =
        notation.execution.ends.iter().filter(|end| matches!(end, ThreadEnd::WaitsForLock(_))).count();
    let waits = |wanted| notation.execution.ends.iter().any(|end| is_wait(end, wanted));
    let help = match locks {
        0 if waits(Wait::Notification) => {
            "change what is waited for and notify with the mutex held; broadcast if more than one thread may wait"
        }
        0 if waits(Wait::Others) => "let as many threads reach the barrier as it waits for",
        0 if waits(Wait::Turn) => "give back what was taken, on every way out",
        0 => "no thread may join itself, or one that waits for it",
        1 => "unlock the mutex on every way out, and do not lock it twice in one thread",
        _ => "lock the mutexes in the same order in every thread",
    };
    Explanation { why, help: Some(help.to_owned()) }
}

fn is_wait(end: &ThreadEnd, wanted: Wait) -> bool {
    matches!(*end, ThreadEnd::Waits(_, wait) if wait == wanted)
}

/// What one thread waits for.
fn waiting(notation: &Notation<'_>, thread: ThreadId, end: &ThreadEnd) -> Option<String> {
    let who = notation.thread(thread);
    match *end {
        ThreadEnd::WaitsForLock(site) => Some(waiting_for_lock(notation, thread, site)),
        ThreadEnd::WaitsForThread(site, other) => {
            let (at, other) = (place(notation, thread, site), notation.thread(other));
            Some(format!("{who} waits at {at} for the end of {other}"))
        }
        ThreadEnd::Spins(site) => Some(spinning(notation, thread, site)),
        ThreadEnd::Waits(site, wait) => {
            let waits = waits(&notation.map.site(site).operand, wait);
            Some(format!("{who} {waits}, {}", place(notation, thread, site)))
        }
        ThreadEnd::Finished | ThreadEnd::Running(_) | ThreadEnd::Blocked(_) | ThreadEnd::Faulted(_) => None,
    }
}

/// The last event of a thread that waits is its attempt: a read of the mutex, from the event that took it.
fn waiting_for_lock(notation: &Notation<'_>, thread: ThreadId, site: Site) -> String {
    let events = notation.execution.graph.threads.get(thread.index()).map_or(0, Vec::len) as u32;
    let attempt = events.checked_sub(1).map(|index| EventId { thread, index });
    let label = attempt.and_then(|attempt| notation.label(attempt));
    let at = label.and_then(Label::at);
    let owner = match label {
        Some(&Label::Read { value, .. }) if value > 0 => Some(value - 1),
        _ => None,
    };
    // Who took it before other threads could see it left no event.
    let locked = match attempt.and_then(|attempt| notation.execution.graph.rf.get(&attempt)) {
        Some(Source::Event(by)) => format!(" (locked at {})", notation.event_place(*by)),
        Some(Source::Init) | None => String::new(),
    };
    let holder = match owner {
        Some(owner) if owner == u64::from(thread.0) => format!("which it holds itself{locked}"),
        Some(owner) => format!("which {} holds{locked}", notation.thread(ThreadId(owner as u32))),
        None => "which is held".to_owned(),
    };
    let name = notation.object(&notation.map.site(site).operand, at);
    let (who, at) = (notation.thread(thread), place(notation, thread, site));
    format!("{who} waits at {at} for `{name}`, {holder}")
}

/// Where a thread stands, with the calls that led there.
fn place(notation: &Notation<'_>, thread: ThreadId, site: Site) -> String {
    let mut stack = notation.end_stack(thread.index());
    if stack.is_empty() {
        stack = notation.stack(site, &[]);
    }
    if stack.is_empty() { "an unknown place".to_owned() } else { in_line(&stack) }
}
