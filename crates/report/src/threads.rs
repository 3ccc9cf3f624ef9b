//! The story of each thread up to a violation: its events with the values read and where they came from.

use crate::cycle::mark;
use crate::notation::Notation;
use crate::stack::in_line;
use base::{EventId, ThreadId};
use explore::outcome::{ThreadEnd, Wait};
use graph::{Label, Source};
use std::collections::BTreeSet;

/// A thread's events, as far as they are of interest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadStory {
    /// The thread.
    pub thread: ThreadId,
    /// The function it runs; empty if not known.
    pub function: String,
    /// In program order.
    pub lines: Vec<ThreadLine>,
}

/// A line of a thread's story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ThreadLine {
    /// An event.
    Event {
        /// Its name.
        event: EventId,
        /// What it does: `R.acq flag = 1`.
        text: String,
        /// File and line, and those of the calls that led there; empty if not known.
        place: String,
        /// For reads, where the value comes from.
        origin: Option<String>,
        /// Its number among the places of the violation, from 1, if there are several.
        participant: Option<usize>,
    },
    /// So many events are left out here.
    LeftOut(usize),
    /// How far the thread got, if it is not finished.
    End {
        /// In words.
        text: String,
        /// File and line; empty if not known.
        place: String,
    },
}

/// Of a thread with more events only the last ones are shown, and those that somebody refers to.
const SHOWN: usize = 24;

/// All threads that have something to tell.
pub(crate) fn stories(notation: &Notation<'_>, participants: &[Option<EventId>]) -> Vec<ThreadStory> {
    let threads = (0..notation.execution.graph.threads.len() as u32).map(ThreadId);
    let referred = referred_to(notation, participants);
    threads
        .map(|thread| ThreadStory {
            thread,
            function: notation.thread_function(thread),
            lines: lines(notation, thread, participants, &referred),
        })
        .filter(|story| !story.lines.is_empty())
        .collect()
}

fn lines(
    notation: &Notation<'_>,
    thread: ThreadId,
    participants: &[Option<EventId>],
    referred: &BTreeSet<EventId>,
) -> Vec<ThreadLine> {
    let events = notation.execution.graph.threads[thread.index()].len();
    let mut lines = Vec::new();
    let mut left_out = 0;
    for index in 0..events {
        let event = EventId { thread, index: index as u32 };
        if events - index > SHOWN && !referred.contains(&event) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            lines.push(ThreadLine::LeftOut(std::mem::take(&mut left_out)));
        }
        lines.push(line(notation, event, participants));
    }
    lines.extend(notation.execution.ends.get(thread.index()).and_then(|end| end_line(notation, thread, end)));
    lines
}

fn line(notation: &Notation<'_>, event: EventId, participants: &[Option<EventId>]) -> ThreadLine {
    let number = participants.iter().position(|&other| other == Some(event)).map(|index| index + 1);
    ThreadLine::Event {
        event,
        text: notation.event(event),
        place: in_line(&notation.event_stack(event)),
        origin: origin(notation, event),
        participant: number.filter(|_| participants.len() > 1),
    }
}

/// Where a value comes from, and what the event has to do with a cycle.
fn origin(notation: &Notation<'_>, event: EventId) -> Option<String> {
    let parts: Vec<String> =
        notation.origin(event).into_iter().chain(mark(notation, event).map(str::to_owned)).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn end_line(notation: &Notation<'_>, thread: ThreadId, end: &ThreadEnd) -> Option<ThreadLine> {
    let text = match end {
        ThreadEnd::Finished | ThreadEnd::Running(_) => return None,
        ThreadEnd::Blocked(_) => "blocked".to_owned(),
        ThreadEnd::Spins(_) => "spins".to_owned(),
        ThreadEnd::WaitsForLock(site) => {
            let operand = notation.map.site(*site).operand;
            if operand.is_empty() {
                "waits for a mutex".to_owned()
            } else {
                format!("waits for mutex {operand}")
            }
        }
        ThreadEnd::WaitsForThread(_, thread) => format!("waits for thread {thread}"),
        ThreadEnd::Waits(site, wait) => waits(&notation.map.site(*site).operand, *wait),
        ThreadEnd::Faulted(_) => "fails".to_owned(),
    };
    Some(ThreadLine::End { text, place: in_line(&notation.end_stack(thread.index())) })
}

/// That a thread waits for something that is called so.
pub(crate) fn waits(name: &str, wait: Wait) -> String {
    let what = match wait {
        Wait::Notification => "to be woken up",
        Wait::Others => "for the others",
        Wait::Turn => "for its turn",
    };
    if name.is_empty() { format!("waits {what}") } else { format!("waits {what} at {name}") }
}

/// What is shown however long ago it was: who takes part, a cycle, and what the last reads of each thread read from.
fn referred_to(notation: &Notation<'_>, participants: &[Option<EventId>]) -> BTreeSet<EventId> {
    let graph = &notation.execution.graph;
    let mut referred: BTreeSet<EventId> = participants.iter().flatten().copied().collect();
    referred.extend(notation.execution.justification.iter().flat_map(|why| why.cycle.iter().copied()));
    for (thread, events) in graph.threads.iter().enumerate() {
        for index in events.len().saturating_sub(SHOWN)..events.len() {
            let event = EventId { thread: ThreadId(thread as u32), index: index as u32 };
            if let Some(Source::Event(write)) = graph.rf.get(&event) {
                referred.insert(*write);
            }
            if let Label::Join(child) = events[index]
                && let Some(last) =
                    graph.threads.get(child.index()).and_then(|events| events.len().checked_sub(1))
            {
                referred.insert(EventId { thread: child, index: last as u32 });
            }
        }
    }
    referred
}
