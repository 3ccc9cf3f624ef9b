//! The partial SC order of RC11, exactly, as long as there are few SC events.
//!
//! Idea: an event that is added last has no `po`, `hb` or `rf` successors. So every edge that it adds to `psc`
//! (\[RCMC\] definition 3.7; `model/rc11.rs` has the text) leaves it, or an SC fence before it, along `co` or `fr` to
//! later writes of its location. Which writes these are depends on its choice by one label only, the *cut*: that of the
//! write that it reads or goes after. A choice is possible iff the new edges close no cycle. The newest one always is:
//! nothing is after it.
//!
//! State: `psc⁺` as a bit set per SC event; per location a [`Mark`] for each SC access there, and for each SC fence the
//! co-first access there that it happens before; per fence the events that happen before it. All questions about `hb`
//! are answered by clocks. A read-modify-write is one event here and two in the text. That makes no difference: an
//! event with an edge to its write alone also has an edge to every event that only its read has an edge to.
//!
//! When there are too many SC events, or when writes have to be forgotten, the order is *settled*: from then on no
//! thread overlooks a write that the SC events so far have seen or made. No new event comes before any of them then,
//! and `memory` orders the following ones as they come.
//!
//! Cost: O(SC events · threads) for each possible choice, once there is an SC event; nothing before.

use crate::clock::{Clock, View};
use crate::location::Location;
use crate::memory::LocationIndex;

/// A set of SC events, one bit each.
type Set = u64;

/// How many SC events fit into a set.
pub(crate) const MOST: usize = 64;

/// An SC event.
#[derive(Debug)]
struct ScEvent {
    thread: usize,
    position: u32,
    what: What,
    /// The SC events that are after it in `psc⁺`.
    after: Set,
}

#[derive(Debug)]
enum What {
    /// With the events that happen before it, itself included.
    Fence(Clock),
    Access(Access),
}

#[derive(Debug)]
struct Access {
    at: LocationIndex,
    reads: bool,
    writes: bool,
    /// The next event of its thread that is not at its location: the first step of `around` in the text of `scb`.
    away: Option<u32>,
    /// The join of its thread, which is such a step as well: the joining thread, and which of its events.
    joined: Option<(usize, u32)>,
}

/// The mark that an SC event has left at a location.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    event: usize,
    role: Role,
    /// Of an access, the label of the write that it is or reads; of a fence, that of the co-first access here that it
    /// happens before.
    pub(crate) label: u64,
    /// Of each thread, the first event here that the SC event happens before.
    first: Vec<(usize, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Reads,
    Writes,
    /// A fence, and whether the co-first access that it happens before is (also) a write.
    Fence {
        writes: bool,
    },
}

/// An access that is about to be made, with a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) thread: usize,
    pub(crate) location: LocationIndex,
    /// The label of the write that it reads or goes after.
    pub(crate) cut: u64,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) is_sc: bool,
}

/// The edges that an access adds to `psc`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edges {
    /// From these to it, if it is SC.
    before: Set,
    /// From it to these, if it is SC.
    after: Set,
    /// From each of these fences, which happen before it, ...
    fences: Set,
    /// ... to each of these.
    targets: Set,
}

/// Consecutive events of a thread at one location.
#[derive(Debug)]
struct Streak {
    at: Option<LocationIndex>,
    /// The events that happen before the first of them.
    before: Clock,
}

/// The partial SC order of a run.
#[derive(Debug)]
pub(crate) struct Psc {
    events: Vec<ScEvent>,
    /// Per thread, from the first SC event on.
    streaks: Vec<Option<Streak>>,
    most: usize,
}

impl Psc {
    /// An empty order for this many SC events.
    pub(crate) fn new(most: usize) -> Psc {
        Psc { events: Vec::new(), streaks: Vec::new(), most: most.min(MOST) }
    }

    /// Whether there is no SC event yet.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.events.len() >= self.most
    }

    // --- possible choices -----------------------------------------------------------------------------------------

    /// Whether the choice closes no cycle. `known` is the clock of its thread before it, `hb` that of the events that
    /// happen before it with this choice.
    pub(crate) fn allows(&self, new: &Candidate, at: &Location, known: &Clock, hb: &Clock) -> bool {
        let edges = self.edges(new, at, known, hb);
        // A cycle needs one new edge only: if there are two, the fence of the second is after a target of the first,
        // and has an edge to that target itself.
        !self.leads(edges.targets, edges.fences) && !self.leads(edges.after, edges.before)
    }

    /// The edges that the choice adds.
    pub(crate) fn edges(&self, new: &Candidate, at: &Location, known: &Clock, hb: &Clock) -> Edges {
        let mut edges = Edges::default();
        for (number, event) in self.events.iter().enumerate() {
            if let What::Fence(past) = &event.what {
                if at.bound(past, 0) > new.cut {
                    edges.targets |= 1 << number;
                }
                if event.is_in(hb) {
                    edges.fences |= 1 << number;
                }
                if at.last_write(past) > new.cut {
                    edges.after |= 1 << number;
                }
            }
        }
        for mark in at.marks().iter().filter(|mark| mark.role == Role::Writes && mark.label > new.cut) {
            edges.targets |= 1 << mark.event;
            edges.after |= 1 << mark.event;
        }
        match new.is_sc {
            true => edges.before = self.before(new, at, known, hb),
            false => edges.after = 0,
        }
        edges
    }

    /// The SC events from which `psc` leads to a new SC access.
    fn before(&self, new: &Candidate, at: &Location, known: &Clock, hb: &Clock) -> Set {
        let elsewhere = match self.streak(new.thread) {
            Some(streak) if streak.at == Some(new.location) => &streak.before,
            _ => known,
        };
        let leads = |event: &ScEvent| match &event.what {
            // `hb? ; po`. (Of a read-modify-write the read is `po`-before the write. A fence that happens before the
            // read only because of its source happens before a write that is `co`-before: it is found below.)
            What::Fence(_) => event.is_in(known),
            // `po`, and `po|≠loc ; hb? ; po|≠loc`.
            What::Access(access) => event.thread == new.thread || access.is_around(event.thread, elsewhere),
        };
        // `hb|loc`, and `co ∪ fr`, from accesses themselves, and from the accesses that fences happen before.
        let here = |mark: &&Mark| {
            let event = &self.events[mark.event];
            (matches!(event.what, What::Access(_)) && event.is_in(hb))
                || (matches!(event.what, What::Fence(_)) && mark.is_before(hb))
                || (new.writes && mark.label <= new.cut)
        };
        self.set(leads) | at.marks().iter().filter(here).fold(0, |set, mark| set | 1 << mark.event)
    }

    /// The SC events from which `psc` leads to a new SC fence.
    fn before_fence(&self, past: &Clock, locations: &[Location]) -> Set {
        let leads = |event: &ScEvent| match &event.what {
            What::Fence(_) => event.is_in(past),
            // A `po` step, which a read-modify-write has from its read to its write; or the join of its thread.
            What::Access(access) => {
                let next = event.position + u32::from(!(access.reads && access.writes));
                past.get(event.thread) >= next || access.is_joined_in(past)
            }
        };
        let mut set = self.set(leads);
        for at in locations.iter().filter(|at| !at.marks().is_empty()) {
            let (seen, written) = (at.bound(past, 0), at.last_write(past));
            for mark in at.marks() {
                let leads = match mark.role {
                    // `hb ; eco ; hb`: from a write also to its readers.
                    Role::Fence { writes } => seen > mark.label || (writes && seen == mark.label),
                    // `hb|loc ; hb`, and `(co ∪ fr) ; hb`.
                    Role::Reads | Role::Writes => mark.is_before(past) || written > mark.label,
                };
                set |= Set::from(leads) << mark.event;
            }
        }
        set
    }

    fn set(&self, test: impl Fn(&ScEvent) -> bool) -> Set {
        let bit = |(number, event): (usize, &ScEvent)| Set::from(test(event)) << number;
        self.events.iter().enumerate().map(bit).fold(0, |set, bit| set | bit)
    }

    /// Whether one of these is the same as, or before, one of those.
    fn leads(&self, these: Set, those: Set) -> bool {
        self.closed(these) & those != 0
    }

    /// These events and all after them.
    fn closed(&self, these: Set) -> Set {
        let is_one = |number: &usize| these & (1 << number) != 0;
        (0..self.events.len()).filter(is_one).fold(these, |set, number| set | self.events[number].after)
    }

    fn streak(&self, thread: usize) -> Option<&Streak> {
        self.streaks.get(thread).and_then(Option::as_ref)
    }

    // --- events ---------------------------------------------------------------------------------------------------

    /// Add an access that was made: its position, its label, and the events that happen before it, itself included.
    pub(crate) fn add(
        &mut self,
        new: &Candidate,
        edges: Edges,
        at: &mut Location,
        (position, label, hb): (u32, u64, &Clock),
    ) {
        self.order(edges.fences, edges.targets);
        for (number, event) in self.events.iter_mut().enumerate() {
            let is_in = event.is_in(hb);
            match &mut event.what {
                What::Access(access) => {
                    if event.thread == new.thread && access.at != new.location {
                        access.away.get_or_insert(position);
                    }
                    if is_in && access.at == new.location {
                        at.mark_of(number).see(new.thread, position);
                    }
                }
                What::Fence(_) if is_in => {
                    let mark = at.mark_or(number, Mark::fence(number, new, label));
                    mark.lower(new, label);
                    mark.see(new.thread, position);
                }
                What::Fence(_) => {}
            }
        }
        if new.is_sc {
            let (reads, writes) = (new.reads, new.writes);
            let access = Access { at: new.location, reads, writes, away: None, joined: None };
            let number = self.insert(new.thread, position, What::Access(access), edges);
            let role = if writes { Role::Writes } else { Role::Reads };
            at.mark_or(number, Mark { event: number, role, label, first: Vec::new() });
        }
    }

    /// An access, or an event without a location (`None`), is about to be made by a thread with this clock.
    pub(crate) fn begin(&mut self, thread: usize, at: Option<LocationIndex>, known: &Clock) {
        if self.streaks.len() <= thread {
            self.streaks.resize_with(thread + 1, || None);
        }
        let streak = &mut self.streaks[thread];
        if at.is_none() || streak.as_ref().is_none_or(|streak| streak.at != at) {
            *streak = Some(Streak { at, before: known.clone() });
        }
    }

    /// Add an event without a location that was made.
    pub(crate) fn add_other(&mut self, thread: usize, position: u32) {
        for event in self.events.iter_mut().filter(|event| event.thread == thread) {
            if let What::Access(access) = &mut event.what {
                access.away.get_or_insert(position);
            }
        }
    }

    /// Add the join of a thread.
    pub(crate) fn add_join(&mut self, child: usize, join: (usize, u32)) {
        for event in self.events.iter_mut().filter(|event| event.thread == child) {
            if let What::Access(access) = &mut event.what {
                access.joined = Some(join);
            }
        }
    }

    /// Add an SC fence that was made. `past` happens before it, itself included.
    pub(crate) fn add_fence(&mut self, thread: usize, position: u32, past: Clock, locations: &[Location]) {
        let edges = Edges { before: self.before_fence(&past, locations), ..Edges::default() };
        self.insert(thread, position, What::Fence(past), edges);
    }

    fn insert(&mut self, thread: usize, position: u32, what: What, edges: Edges) -> usize {
        let number = self.events.len();
        self.events.push(ScEvent { thread, position, what, after: self.closed(edges.after) });
        self.order(edges.before, 1 << number);
        number
    }

    /// Add edges of `psc` from each of these to each of those.
    fn order(&mut self, these: Set, those: Set) {
        let after = self.closed(those);
        for (number, event) in self.events.iter_mut().enumerate() {
            if (event.after | 1 << number) & these != 0 {
                event.after |= after;
            }
        }
    }

    // --- the end --------------------------------------------------------------------------------------------------

    /// The events that no thread may overlook once the order is settled; the labels of SC writes go to their locations.
    pub(crate) fn settle(self, locations: &mut [Location]) -> View {
        let mut view = View::default();
        for event in &self.events {
            if let What::Fence(past) = &event.what {
                view.clock.join(past);
            }
        }
        for at in locations {
            let marks = at.take_marks();
            let writes = marks.iter().filter(|mark| mark.role == Role::Writes);
            if let Some(label) = writes.map(|mark| mark.label).max() {
                view.sc = 1;
                at.note_sc(view.sc, label);
            }
        }
        view
    }
}

impl ScEvent {
    fn is_in(&self, clock: &Clock) -> bool {
        clock.get(self.thread) >= self.position
    }
}

impl Access {
    /// Whether a step away from it, or the join of its thread, is in the clock.
    fn is_around(&self, thread: usize, clock: &Clock) -> bool {
        self.away.is_some_and(|away| clock.get(thread) >= away) || self.is_joined_in(clock)
    }

    fn is_joined_in(&self, clock: &Clock) -> bool {
        self.joined.is_some_and(|(by, position)| clock.get(by) >= position)
    }
}

impl Mark {
    fn fence(event: usize, new: &Candidate, label: u64) -> Mark {
        Mark { event, role: Role::Fence { writes: new.writes }, label, first: Vec::new() }
    }

    /// The fence happens before one more access.
    fn lower(&mut self, new: &Candidate, label: u64) {
        if label < self.label || (label == self.label && new.writes) {
            (self.label, self.role) = (label, Role::Fence { writes: new.writes });
        }
    }

    fn see(&mut self, thread: usize, position: u32) {
        if self.first.iter().all(|&(other, _)| other != thread) {
            self.first.push((thread, position));
        }
    }

    /// Whether an access here that it happens before is in the clock.
    fn is_before(&self, clock: &Clock) -> bool {
        self.first.iter().any(|&(thread, position)| clock.get(thread) >= position)
    }

    pub(crate) fn is_of(&self, event: usize) -> bool {
        self.event == event
    }
}

#[cfg(test)]
mod tests;
