//! What is to be said about a run: one value, laid out by every renderer in its own way.

use crate::cycle;
use crate::notation::Notation;
use crate::objects::Objects;
use crate::run::Run;
use crate::source_map::SourceMap;
use crate::stack::{Frame, caller};
use crate::threads::{ThreadStory, stories};
use crate::verdict::{Answer, answer};
use crate::why::{Explanation, explain};
use base::{Access, EventId, Place, ThreadId};
use explore::outcome::{ALLOCATION, Executions, Outcome, Verdict, Violation, ViolationPlace};
use graph::Label;
use program::FaultKind;
use std::collections::BTreeMap;

/// A whole run.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was run.
    pub run: Run,
    /// The answer.
    pub answer: Answer,
    /// The counts.
    pub executions: Executions,
    /// Why the exploration started again, each time that it did.
    pub restarts: Vec<String>,
    /// One per violation, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// The source lines of the answer's places, where the text is at hand.
    pub answer_lines: Vec<Option<String>>,
    /// Why lines are not at hand, in a sentence for each file.
    pub missing_lines: Vec<String>,
}

/// A violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The stable code.
    pub code: &'static str,
    /// In words, without places.
    pub message: String,
    /// Who takes part, the most important one first.
    pub participants: Vec<Participant>,
    /// What each thread did.
    pub threads: Vec<ThreadStory>,
    /// The heap objects that it is about, and where they come from.
    pub objects: Vec<String>,
    /// The reason: what does not synchronise, who holds what.
    pub why: Vec<String>,
    /// The cycle of an execution that has one, and why it is not out of thin air, each with a word for it.
    pub cycle: Vec<(&'static str, String)>,
    /// The events of the cycle.
    pub cyclic_events: Vec<EventId>,
    /// The committed ones.
    pub committed_events: Vec<EventId>,
    /// What to do about it.
    pub help: Option<String>,
    /// Which of the explored executions it is, from 1.
    pub number: u64,
    /// The replay string; empty if there is none.
    pub replay: String,
    /// The command that shows it again, or why there is none.
    pub replay_command: String,
}

/// A thread that takes part in a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Participant {
    /// The thread.
    pub thread: ThreadId,
    /// The event, if there is one.
    pub event: Option<EventId>,
    /// What the event does, if there is one.
    pub event_text: Option<String>,
    /// The function that the thread runs; empty if not known.
    pub function: String,
    /// The instruction, and the calls that led to it, the innermost one first; empty if its place is not known.
    pub stack: Vec<Frame>,
    /// The caller to look at, if it is in another file, or if the instruction is all that a function does.
    pub caller: Option<Place>,
    /// The role in words: "freed here".
    pub role: String,
}

impl Report {
    /// Everything there is to say about an outcome.
    pub fn new(outcome: &Outcome, run: &Run, map: &dyn SourceMap) -> Report {
        Report::answering(&outcome.verdict(), outcome, run, map)
    }

    /// The same with another answer than what the outcome says about violations.
    pub fn answering(verdict: &Verdict, outcome: &Outcome, run: &Run, map: &dyn SourceMap) -> Report {
        let answer = answer(verdict, outcome.stopped(), map);
        let answer_lines = answer.places.iter().map(|place| map.line(&place.file, place.line)).collect();
        let diagnostics: Vec<Diagnostic> =
            outcome.violations.iter().map(|violation| Diagnostic::new(violation, run, map)).collect();
        let participants = diagnostics.iter().flat_map(|diagnostic| &diagnostic.participants);
        let places = participants.flat_map(|participant| &participant.stack).map(|frame| &frame.place);
        Report {
            missing_lines: missing_lines(answer.places.iter().chain(places), map),
            run: run.clone(),
            answer,
            executions: outcome.executions,
            restarts: outcome.restarts.clone(),
            diagnostics,
            answer_lines,
        }
    }
}

/// Why lines of these places are not at hand, once for each file.
fn missing_lines<'a>(places: impl Iterator<Item = &'a Place>, map: &dyn SourceMap) -> Vec<String> {
    let mut reasons: BTreeMap<&str, String> = BTreeMap::new();
    for Place { file, line, .. } in places {
        if let Some(why) = map.why_no_line(file, *line) {
            reasons.entry(file).or_insert(why);
        }
    }
    reasons.iter().map(|(file, why)| format!("no line of {file} is shown: {why}")).collect()
}

impl Diagnostic {
    /// Everything there is to say about a violation.
    pub fn new(violation: &Violation, run: &Run, map: &dyn SourceMap) -> Diagnostic {
        let objects = Objects::new(&violation.execution, map);
        let notation = Notation { execution: &violation.execution, map, objects: &objects };
        let participants: Vec<Participant> =
            violation.places.iter().map(|place| Participant::new(place, violation.kind, &notation)).collect();
        let events: Vec<Option<EventId>> = participants.iter().map(|participant| participant.event).collect();
        let Explanation { why, help } = explain(&notation, violation, run.model);
        let justification = violation.execution.justification.as_deref();
        Diagnostic {
            code: violation.kind.code(),
            message: message(violation, &notation),
            participants,
            threads: stories(&notation, &events),
            objects: origins(&notation, &events),
            why,
            cycle: cycle::words(&notation),
            cyclic_events: justification.map_or(Vec::new(), |why| why.cycle.clone()),
            committed_events: justification.map_or(Vec::new(), |why| why.committed.keys().copied().collect()),
            help,
            number: violation.number,
            replay: violation.replay.clone(),
            replay_command: match justification {
                None if violation.replay.is_empty() => {
                    "the execution is too long for a replay string".to_owned()
                }
                None => run.replay_command(&violation.replay),
                Some(_) => "an execution with a cycle has no replay string".to_owned(),
            },
        }
    }
}

impl Participant {
    fn new(place: &ViolationPlace, kind: FaultKind, notation: &Notation<'_>) -> Participant {
        // What the event text says already needs no second word for it.
        let telling = (kind != FaultKind::DataRace || place.role == ALLOCATION) && place.role != "here";
        let event = place.event.filter(|&event| notation.label(event).is_some());
        let stack = notation.place_stack(place);
        let is_accessor = event.is_some_and(|event| notation.is_in_accessor(event));
        let is_elsewhere =
            |caller: &&Frame| stack.first().is_some_and(|at| at.place.file != caller.place.file);
        let caller = caller(&stack).filter(|caller| is_accessor || is_elsewhere(caller));
        Participant {
            thread: place.thread,
            event: place.event,
            event_text: event.map(|event| notation.event(event)),
            function: notation.thread_function(place.thread),
            caller: caller.map(|frame| frame.place.clone()),
            stack,
            role: if telling { place.role.clone() } else { String::new() },
        }
    }

    /// Where.
    pub fn place(&self) -> Option<&Place> {
        self.stack.first().map(|frame| &frame.place)
    }
}

/// The heap objects that these events are about, and where they come from.
fn origins(notation: &Notation<'_>, events: &[Option<EventId>]) -> Vec<String> {
    let mut origins: Vec<String> = Vec::new();
    for label in events.iter().flatten().filter_map(|&event| notation.label(event)) {
        let at = match *label {
            Label::Free(address) => Some(Access { address, size: 0 }),
            ref label => label.at(),
        };
        let object = at.and_then(|at| notation.objects.part(at)).map(|part| part.object());
        let origin =
            object.filter(|object| object.allocated.is_heap).map(|object| notation.origin_of(object));
        origins.extend(origin.filter(|origin| !origins.contains(origin)));
    }
    origins
}

/// The engine knows no names: for a race they are added here.
fn message(violation: &Violation, notation: &Notation<'_>) -> String {
    match (violation.kind, &violation.places[..]) {
        (FaultKind::DataRace, [one, other]) if one.event.is_some() && other.event.is_some() => {
            format!("{} races with {}", access(notation, one, other), access(notation, other, one))
        }
        (FaultKind::InvalidAccess | FaultKind::UninitialisedRead | FaultKind::UseAfterFree, _) => {
            let first = violation.places.first().map(|place| notation.map.site(place.site).operand);
            let message = notation.with_names(&violation.message);
            match first.filter(|operand| !operand.is_empty() && !violation.message.contains('`')) {
                Some(operand) => format!("`{operand}`: {message}"),
                None => message,
            }
        }
        (FaultKind::DoubleFree | FaultKind::InvalidFree, _) => notation.with_names(&violation.message),
        _ => violation.message.clone(),
    }
}

/// What the event of a place, which has one, does to the location that it or the `other` one accesses.
fn access(notation: &Notation<'_>, place: &ViolationPlace, other: &ViolationPlace) -> String {
    let [event, other] = [place, other].map(|place| place.event.expect("accesses are events"));
    let what = match notation.label(event) {
        Some(Label::Read { .. }) => "read",
        Some(Label::Write { .. }) => "write",
        Some(Label::Rmw { .. }) => "read-modify-write",
        _ if place.role == ALLOCATION => return format!("allocation of `{}`", notation.event_object(other)),
        // Publication counts as a write of every byte.
        _ => return format!("initialisation of `{}`", notation.event_object(other)),
    };
    format!("{what} of `{}`", notation.event_object(event))
}
