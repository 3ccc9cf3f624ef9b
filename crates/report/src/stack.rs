//! Call stacks: the place of an instruction, and the calls that led to it.

use crate::notation::{Notation, end_site, line_of};
use base::{EventId, Place, Site};
use explore::outcome::ViolationPlace;
use graph::Label;
use std::sync::Arc;

/// A place on the way to an instruction: the instruction itself, or a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Where.
    pub place: Place,
    /// In which function.
    pub function: Arc<str>,
    /// The source line, if its text is at hand.
    pub line: Option<String>,
}

/// So many places are written in one line: two innermost ones, and the outermost one.
const SHOWN: usize = 3;

impl Notation<'_> {
    /// The calls that led to the instruction of an event, the innermost one first.
    pub(crate) fn event_calls(&self, event: EventId) -> &[Site] {
        let calls = self.execution.calls.events.get(event.thread.index());
        calls.and_then(|calls| calls.get(event.index as usize)).map_or(&[], Vec::as_slice)
    }

    /// The instruction of an event, and the calls that led to it, the innermost one first.
    pub(crate) fn event_stack(&self, event: EventId) -> Vec<Frame> {
        self.event_site(event).map_or(Vec::new(), |site| self.stack(site, self.event_calls(event)))
    }

    /// The same of a place of a violation.
    pub(crate) fn place_stack(&self, place: &ViolationPlace) -> Vec<Frame> {
        let thread = place.thread.index();
        let ends_here = self.execution.ends.get(thread).and_then(end_site) == Some(place.site);
        match place.event {
            Some(event) if self.event_site(event) == Some(place.site) => self.event_stack(event),
            _ if ends_here => self.end_stack(thread),
            // An allocation.
            _ => self.stack(place.site, &[]),
        }
    }

    /// The instruction at which a thread stands, and the calls that led to it.
    pub(crate) fn end_stack(&self, thread: usize) -> Vec<Frame> {
        let (site, calls) = self.end_calls(thread);
        site.map_or(Vec::new(), |site| self.stack(site, calls))
    }

    pub(crate) fn end_calls(&self, thread: usize) -> (Option<Site>, &[Site]) {
        let site = self.execution.ends.get(thread).and_then(end_site);
        (site, self.execution.calls.ends.get(thread).map_or(&[], Vec::as_slice))
    }

    /// The known places of an instruction and of these calls. What is in files of the system belongs to its caller.
    pub(crate) fn stack(&self, site: Site, calls: &[Site]) -> Vec<Frame> {
        let inlined = std::iter::successors(self.map.site(site).caller, |&call| self.map.site(call).caller);
        let calls: Vec<Site> = if calls.is_empty() { inlined.collect() } else { calls.to_vec() };
        let infos = std::iter::once(site).chain(calls).map(|site| self.map.site(site));
        let mut frames: Vec<Frame> = infos
            .filter_map(|info| {
                let (place, function) = (info.place?, info.function);
                Some(Frame { line: self.map.line(&place.file, place.line), place, function })
            })
            .collect();
        if frames.iter().any(|frame| !frame.place.is_system()) {
            frames.retain(|frame| !frame.place.is_system());
        }
        // An instruction of a library has the place of the call that has led there.
        if frames.get(1).is_some_and(|call| frames.first() == Some(call)) {
            frames.remove(0);
        }
        frames
    }

    /// Whether an event is all that a function does that its thread has called. Such a function is for several callers.
    pub(crate) fn is_in_accessor(&self, event: EventId) -> bool {
        let (function, place) = self.instruction(event);
        let calls = self.event_calls(event);
        let events = self.execution.graph.events().filter(|(other, _)| other.thread == event.thread);
        let accesses =
            events.filter(|(_, label)| !matches!(label, Label::Publish(_))).map(|(other, _)| other);
        let is_beside = |other| {
            let (its_function, its_place) = self.instruction(other);
            its_function == function && its_place != place && self.event_calls(other) == calls
        };
        self.event_stack(event).len() > 1 && !{ accesses }.any(is_beside)
    }

    fn instruction(&self, event: EventId) -> (Arc<str>, Option<Place>) {
        let info = self.event_site(event).map(|site| self.map.site(site)).unwrap_or_default();
        (info.function, info.place)
    }

    /// The caller to look at, if the event is in a function for several of them.
    pub(crate) fn event_caller(&self, event: EventId) -> Option<Frame> {
        caller(&self.event_stack(event)).filter(|_| self.is_in_accessor(event)).cloned()
    }
}

/// The call that the user would look at first.
pub(crate) fn caller(stack: &[Frame]) -> Option<&Frame> {
    own_line(stack).filter(|own| stack.first() != Some(own)).or(stack.get(1))
}

/// The line that the user would look at first: the innermost one in the file of the outermost one.
pub(crate) fn own_line(stack: &[Frame]) -> Option<&Frame> {
    let outermost = stack.last()?;
    stack.iter().find(|frame| frame.place.file == outermost.place.file)
}

/// In one line: `ck_pr.h:102 ← ck_ring.h:386 ← ring.c:41`, with the names of files where they change, and with their
/// directories only if there is one place.
pub(crate) fn in_line(stack: &[Frame]) -> String {
    let shown: Vec<&Place> = match stack {
        [] => return String::new(),
        [only] => return line_of(&only.place),
        [first, second, .., last] if stack.len() > SHOWN => vec![&first.place, &second.place, &last.place],
        _ => stack.iter().map(|frame| &frame.place).collect(),
    };
    let mut text = String::new();
    for (index, place) in shown.iter().enumerate() {
        let is_known = index > 0 && shown[index - 1].file == place.file;
        let file = if is_known { "" } else { place.file.rsplit('/').next().unwrap_or_default() };
        let arrow = match index {
            0 => "",
            _ if index + 1 == shown.len() && stack.len() > SHOWN => " ← … ← ",
            _ => " ← ",
        };
        text += &format!("{arrow}{file}:{}", place.line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(places: &[(&str, u32)]) -> String {
        let frame = |&(file, line): &(&str, u32)| Frame {
            place: Place { file: file.into(), line, column: 1 },
            function: "f".into(),
            line: None,
        };
        in_line(&places.iter().map(frame).collect::<Vec<_>>())
    }

    #[test]
    fn a_stack_in_one_line() {
        assert_eq!(line(&[]), "");
        assert_eq!(line(&[("a/b.c", 1)]), "a/b.c:1");
        assert_eq!(line(&[("a/b.c", 1), ("a/b.c", 2)]), "b.c:1 ← :2");
        assert_eq!(line(&[("a/b.h", 1), ("a/b.c", 2), ("a/b.c", 3)]), "b.h:1 ← b.c:2 ← :3");
        assert_eq!(line(&[("b.h", 1), ("b.h", 2), ("c.c", 3), ("c.c", 4)]), "b.h:1 ← :2 ← … ← c.c:4");
        assert_eq!(line(&[("b.h", 1), ("b.h", 2), ("b.h", 3), ("c.c", 4)]), "b.h:1 ← :2 ← … ← c.c:4");
    }
}
