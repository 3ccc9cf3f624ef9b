//! Why a trace is inconsistent: event by event, with the lines of the trace.

use consistency::{Event, Location, Names, Reason, Source, Step, Trace, Why};

/// An inconsistency in words.
#[derive(Debug)]
pub(super) struct Explanation {
    /// What it is, in a sentence.
    pub(super) headline: String,
    /// The same in a few words, without lines.
    pub(super) summary: String,
    /// Step by step.
    pub(super) steps: Vec<StepInWords>,
    /// The events that it is about, in the order in which they come up.
    pub(super) events: Vec<EventInWords>,
}

/// One step of a cycle.
#[derive(Debug)]
pub(super) struct StepInWords {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) words: String,
}

/// An event: what it is, and on which line.
#[derive(Debug)]
pub(super) struct EventInWords {
    pub(super) id: String,
    pub(super) line: String,
    pub(super) number: u64,
}

impl Explanation {
    pub(super) fn new(reason: &Reason, trace: &Trace) -> Explanation {
        match reason {
            Reason::Cycle(steps) => cycle(steps, trace),
            &Reason::SharedSource { first, second, source, .. } => {
                let headline = reason.in_words(trace.execution(), &WithLines(trace)).to_string();
                let events = [source, Source::Event(first), Source::Event(second)];
                let summary = format!("{} and {} update the same write", trace.id(first), trace.id(second));
                Explanation { headline, summary, steps: Vec::new(), events: events_of(&events, trace) }
            }
            Reason::Exhausted | Reason::Axioms { .. } => {
                let headline = reason.in_words(trace.execution(), &WithLines(trace)).to_string();
                let summary = headline.clone();
                Explanation { headline, summary, steps: Vec::new(), events: Vec::new() }
            }
        }
    }

    /// All of it as one text.
    pub(super) fn text(&self) -> String {
        let steps = self.steps.iter().map(|step| step.words.as_str());
        [self.headline.as_str()].into_iter().chain(steps).collect::<Vec<_>>().join("\n")
    }
}

fn cycle(steps: &[Step], trace: &Trace) -> Explanation {
    let porf = steps.iter().all(|step| matches!(step.why, Why::Po | Why::Rf));
    let ends: Vec<Source> = steps.iter().flat_map(|step| mentioned(step, trace)).collect();
    let words = steps.iter().map(|step| step_in_words(*step, trace));
    let events = events_of(&ends, trace);
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let (headline, summary) = match porf {
        true => ("program order and reads-from have a cycle", "program order and reads-from have a cycle"),
        false => ("these steps must all be, and they form a cycle", "a cycle"),
    };
    let summary = format!("{summary} through {}", ids.join(", "));
    Explanation { headline: headline.to_owned(), summary, steps: words.collect(), events }
}

/// What the words for a step speak of.
fn mentioned(step: &Step, trace: &Trace) -> Vec<Source> {
    let between = match step.why {
        Why::Mo { access, read, .. } if !is_given(*step, trace) => vec![access, read],
        Why::Po | Why::Rf | Why::Hb | Why::Chain | Why::Co | Why::Fr => Vec::new(),
        Why::Mo { .. } | Why::Overwritten { .. } => Vec::new(),
    };
    let between = between.into_iter().map(Source::Event);
    [step.from].into_iter().chain(between).chain([step.to]).collect()
}

fn step_in_words(step: Step, trace: &Trace) -> StepInWords {
    let names = WithLines(trace);
    let name = |end: Source| match end {
        Source::Init => "init".to_owned(),
        Source::Event(event) => trace.id(event),
    };
    let words = match (is_given(step, trace), step.from, step.to) {
        (true, Source::Event(from), Source::Event(to)) => {
            let [from, to] = [from, to].map(|event| names.event(event));
            format!("{from} is before {to} in coherence order: the trace says so (co=)")
        }
        _ => step.in_words(trace.execution(), &names).to_string(),
    };
    StepInWords { from: name(step.from), to: name(step.to), words }
}

/// Whether it is a step of the `co` that the trace gives. Then its read is that of an observer, no event of the trace.
fn is_given(step: Step, trace: &Trace) -> bool {
    matches!(step.why, Why::Mo { read, .. } if read.index() >= trace.execution().len())
}

/// Those that are events, each once.
fn events_of(ends: &[Source], trace: &Trace) -> Vec<EventInWords> {
    let mut events: Vec<Event> = Vec::new();
    for end in ends {
        if let Source::Event(event) = *end
            && !events.contains(&event)
        {
            events.push(event);
        }
    }
    events.into_iter().map(|event| event_in_words(event, trace)).collect()
}

fn event_in_words(event: Event, trace: &Trace) -> EventInWords {
    let (id, thread) = (trace.id(event), trace.thread(trace.execution().thread(event)));
    let source = match trace.execution().source(event) {
        None => String::new(),
        Some(Source::Init) => " rf=init".to_owned(),
        Some(Source::Event(write)) => format!(" rf={}", trace.id(write)),
    };
    let line = format!("{id} {thread} {}{source}", trace.label(event));
    EventInWords { id, line, number: trace.line(event) }
}

/// The names of a trace, events with their lines.
#[derive(Debug)]
struct WithLines<'a>(&'a Trace);

impl Names for WithLines<'_> {
    fn event(&self, event: Event) -> String {
        format!("{} (line {})", self.0.id(event), self.0.line(event))
    }

    fn location(&self, location: Location) -> String {
        format!("`{}`", self.0.location(location))
    }
}
