//! Steps of a cycle, and the other reasons, in words.
//!
//! What events and locations are called is up to who asks: a trace has its own names.

use crate::answer::{Reason, Step, Why};
use crate::execution::{Event, Location, PartialExecution, Source};
use std::fmt;

/// What events and locations are called.
pub trait Names {
    /// The name of an event.
    fn event(&self, event: Event) -> String;
    /// The name of a location.
    fn location(&self, location: Location) -> String;
}

/// Events are `e0`, `e1`, …, locations `x0`, `x1`, ….
#[derive(Clone, Copy, Debug)]
pub struct Numbers;

impl Names for Numbers {
    fn event(&self, event: Event) -> String {
        format!("e{}", event.0)
    }

    fn location(&self, location: Location) -> String {
        format!("x{}", location.0)
    }
}

/// A [`Step`] with what it needs to be printed.
#[derive(Clone, Copy, Debug)]
pub struct StepInWords<'a, N> {
    step: Step,
    execution: &'a PartialExecution,
    names: &'a N,
}

impl Step {
    /// The step in words.
    pub fn in_words<'a, N: Names>(self, execution: &'a PartialExecution, names: &'a N) -> StepInWords<'a, N> {
        StepInWords { step: self, execution, names }
    }
}

impl<N: Names> StepInWords<'_, N> {
    /// The end of the step that is no initial write has its location.
    fn name(&self, end: Source) -> String {
        match (end, self.step.from, self.step.to) {
            (Source::Event(event), ..) => self.names.event(event),
            (Source::Init, Source::Event(other), _) | (Source::Init, _, Source::Event(other)) => {
                let location =
                    self.execution.location(other).expect("only accesses are related to initial writes");
                format!("the initial write of {}", self.names.location(location))
            }
            (Source::Init, Source::Init, Source::Init) => "the initial write".to_string(),
        }
    }
}

impl<N: Names> fmt::Display for StepInWords<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.name(self.step.from), self.name(self.step.to));
        let event = |event| self.names.event(event);
        match self.step.why {
            Why::Po => write!(f, "{from} is before {to} in program order"),
            Why::Rf => write!(f, "{to} reads from {from}"),
            Why::Hb => write!(f, "{from} happens before {to}"),
            Why::Chain => write!(f, "{to} is in the chain of read-modify-writes that reads from {from}"),
            Why::Mo { access, read, .. } => {
                let known = match Source::Event(access) == self.step.from {
                    true => format!("it happens before {}", event(read)),
                    false => format!("{} reads it and happens before {}", event(access), event(read)),
                };
                let chain = match self.execution.source(read) == Some(self.step.to) {
                    true => format!("which reads {to}"),
                    false => format!("which reads the chain of read-modify-writes that {to} begins"),
                };
                write!(f, "{from} is before {to} in coherence order: {known}, {chain}")
            }
            Why::Co => write!(f, "{from} is before {to} in every coherence order"),
            Why::Fr => write!(f, "{from} reads a write that is before {to} in every coherence order"),
            Why::Overwritten { source } => {
                write!(f, "{from} reads {}, which {to} overwrites: ", self.name(source))?;
                write!(f, "{} happens before {to}", self.name(source))
            }
        }
    }
}

/// A [`Reason`] with what it needs to be printed.
#[derive(Clone, Copy, Debug)]
pub struct ReasonInWords<'a, N> {
    reason: &'a Reason,
    execution: &'a PartialExecution,
    names: &'a N,
}

impl Reason {
    /// The reason in words, a line for each step.
    pub fn in_words<'a, N: Names>(
        &'a self,
        execution: &'a PartialExecution,
        names: &'a N,
    ) -> ReasonInWords<'a, N> {
        ReasonInWords { reason: self, execution, names }
    }
}

impl<N: Names> fmt::Display for ReasonInWords<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            &Reason::SharedSource { location, source, first, second } => {
                let [first, second] = [first, second].map(|e| self.names.event(e));
                let source = match source {
                    Source::Init => format!("the initial write of {}", self.names.location(location)),
                    Source::Event(write) => self.names.event(write),
                };
                write!(f, "two read-modify-writes read from {source}: {first} and {second}")
            }
            Reason::Cycle(steps) => {
                for (number, step) in steps.iter().enumerate() {
                    let separator = if number == 0 { "" } else { "\n" };
                    write!(f, "{separator}{}", step.in_words(self.execution, self.names))?;
                }
                Ok(())
            }
            Reason::Exhausted => f.write_str("every order of the writes was tried"),
            Reason::Axioms { tried: 0, .. } => f.write_str(
                "no order of the writes agrees with program order and puts each read-modify-write right after what it \
                 reads",
            ),
            Reason::Axioms { tried: 1, violated } => write!(f, "{} is violated", violated.join(" or ")),
            Reason::Axioms { tried, violated } => {
                write!(f, "each of the {tried} orders of the writes that could be violates {}", violated.join(" or "))
            }
        }
    }
}
