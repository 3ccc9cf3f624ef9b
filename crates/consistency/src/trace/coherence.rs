//! The `co` that a trace gives: per location a permutation of its writes, or nothing.

use super::Trace;
use super::error::{Fault, What};
use crate::execution::{Event, Location};

/// No position is given.
pub(super) const NONE: u32 = u32::MAX;

impl Trace {
    /// `co` from the position of each event.
    pub(super) fn co_from(&self, positions: &[u32]) -> Result<Vec<Vec<Event>>, Box<Fault>> {
        let mut co = self.unfilled(positions);
        for event in self.execution.events().filter(|&e| self.execution.writes(e)) {
            let location = self.execution.location(event).expect("a write has a location");
            let writes = &mut co[location.0 as usize];
            let position = positions.get(event.index()).copied().unwrap_or(NONE);
            match writes.get(position as usize) {
                _ if writes.is_empty() => {}
                Some(&UNFILLED) => writes[position as usize] = event,
                Some(&other) => return Err(self.co_twice(event, other, position)),
                None if position == NONE => return Err(self.co_missing(event, location, positions)),
                None => return Err(self.co_too_large(event, position, writes.len())),
            }
        }
        Ok(co)
    }

    /// Room for the writes of each location with at least one position.
    fn unfilled(&self, positions: &[u32]) -> Vec<Vec<Event>> {
        let mut counts = vec![(0, false); self.locations.len()];
        for event in self.execution.events().filter(|&e| self.execution.writes(e)) {
            let location = self.execution.location(event).expect("a write has a location");
            let (writes, given) = &mut counts[location.0 as usize];
            *writes += 1;
            *given |= positions.get(event.index()).is_some_and(|&position| position != NONE);
        }
        counts
            .into_iter()
            .map(|(writes, given)| if given { vec![UNFILLED; writes] } else { Vec::new() })
            .collect()
    }

    fn co_twice(&self, event: Event, other: Event, position: u32) -> Box<Fault> {
        let location = self.location_of(event);
        self.late_fault(event, What::CoTwice { location, position, line: self.line(other) })
    }

    fn co_too_large(&self, event: Event, position: u32, writes: usize) -> Box<Fault> {
        let location = self.location_of(event);
        self.late_fault(event, What::CoTooLarge { location, position, writes })
    }

    fn co_missing(&self, event: Event, location: Location, positions: &[u32]) -> Box<Fault> {
        let has_one = |&e: &Event| {
            self.execution.location(e) == Some(location)
                && positions.get(e.index()).is_some_and(|&position| position != NONE)
        };
        let other = self.execution.events().find(has_one).expect("some write to it has a position");
        let location = self.location_of(event);
        self.late_fault(event, What::CoMissing { location, line: self.line(other) })
    }

    /// The name of an access's location.
    pub(super) fn location_of(&self, event: Event) -> String {
        self.execution.location(event).map(|location| self.location(location).to_owned()).unwrap_or_default()
    }

    /// A fault about an event whose line was read long ago.
    pub(super) fn late_fault(&self, event: Event, what: What) -> Box<Fault> {
        Box::new(Fault { line: self.line(event), text: None, span: 0..0, what })
    }
}

/// No event: there are less.
const UNFILLED: Event = Event(u32::MAX);
