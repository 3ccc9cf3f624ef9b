//! rf-chains: a write and the read-modify-writes that read from it, one from the other.
//!
//! Implements: \[RF\] section 3, top `TC` and position `PC` of a chain. By weak-atomicity, no two
//! read-modify-writes read one write, so chains are lists; by atomicity their events follow each other in
//! `co`. An initial write begins a chain as well. A read has the place of the write that it reads.

use crate::answer::Reason;
use crate::execution::{Event, Location, Op, PartialExecution, Source};

/// A write, as a number: events have theirs, and the initial writes the numbers after them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Write(pub(crate) u32);

impl Write {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a write is: `TC` and `PC` of \[RF\].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The write that begins the chain.
    pub(crate) top: Write,
    /// How many writes of the chain are before it.
    pub(crate) position: u32,
}

const NONE: u32 = u32::MAX;

/// The chains of an execution.
#[derive(Debug)]
pub(crate) struct Chains {
    events: u32,
    /// Per event, then per location for its initial write. That of a fence is its own.
    places: Vec<Place>,
    /// Per write the read-modify-write that reads it.
    successors: Vec<u32>,
}

impl Chains {
    /// The chains of an execution in which sources arrive before their readers, or why it has none.
    pub(crate) fn of(execution: &PartialExecution) -> Result<Chains, Reason> {
        let (events, locations) = (execution.len() as u32, execution.location_count() as u32);
        let begin = |write| Place { top: Write(write), position: 0 };
        let mut places = Vec::with_capacity((events + locations) as usize);
        places.extend((0..events + locations).map(begin));
        let mut chains = Chains { events, places, successors: vec![NONE; (events + locations) as usize] };
        for e in execution.events() {
            if let Some(source) = chains.source(execution, e) {
                let mut place = chains.places[source.index()];
                if execution.op(e) == Op::Rmw {
                    place.position += 1;
                    chains.continue_with(execution, source, e)?;
                }
                chains.places[e.index()] = place;
            }
        }
        Ok(chains)
    }

    fn continue_with(&mut self, execution: &PartialExecution, source: Write, e: Event) -> Result<(), Reason> {
        let successor = &mut self.successors[source.index()];
        if *successor != NONE {
            return Err(Reason::SharedSource {
                location: execution.location(e).expect("it reads"),
                source: execution.source(e).expect("it reads"),
                first: Event(*successor),
                second: e,
            });
        }
        *successor = e.0;
        Ok(())
    }

    /// The place of the write that an access is or reads.
    pub(crate) fn place(&self, e: Event) -> Place {
        self.places[e.index()]
    }

    /// What an event reads from.
    pub(crate) fn source(&self, execution: &PartialExecution, e: Event) -> Option<Write> {
        match execution.source(e)? {
            Source::Event(write) => Some(Write(write.0)),
            Source::Init => Some(self.initial(execution.location(e).expect("it reads"))),
        }
    }

    /// The initial write of a location.
    pub(crate) fn initial(&self, location: Location) -> Write {
        Write(self.events + location.0)
    }

    /// Whether it is an initial write.
    pub(crate) fn is_initial(&self, write: Write) -> bool {
        write.0 >= self.events
    }

    /// The write as others call it.
    pub(crate) fn name(&self, write: Write) -> Source {
        if self.is_initial(write) { Source::Init } else { Source::Event(Event(write.0)) }
    }

    /// The read-modify-writes after a write in its chain.
    pub(crate) fn after(&self, write: Write) -> impl Iterator<Item = Event> {
        let next = |write: usize| Some(self.successors[write]).filter(|&next| next != NONE).map(Event);
        std::iter::successors(next(write.index()), move |e| next(e.index()))
    }
}
