//! The invariants of a graph under construction whose events all have their sources and places.
//!
//! Each is checked against a slow definition: the summaries that the graph keeps of its threads, locations, readers and
//! prefixes are made anew from `po`, `rf` and the kinds of events. Of `hb`, which depends on the model, only the part
//! that every model has in common is checked.
//! Cost: O(events² · threads). For tests, after every step.

use crate::event::{EventRef, LocationId};
use crate::graph::LiveGraph;
use base::ThreadId;

/// The invariant that does not hold, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// An event is not where its thread and index say, or younger than its successor; or the thread's tail is another
    /// one.
    ProgramOrder(ThreadId),
    /// The creation or the joins of a thread are not those in the graph.
    Lifetime(ThreadId),
    /// The lists of SC events are not those of the events.
    ScEvents(ThreadId),
    /// `co` of the location is no list of exactly its writes, or a read-modify-write is not right after its source.
    Coherence(LocationId),
    /// The last accesses of the location by thread, or its number of plain accesses, are wrong.
    Accesses(LocationId),
    /// A read has no source among the writes of its location that are in the graph.
    Source(EventRef),
    /// The observers of a write are not the first of its readers by thread.
    Observers(EventRef),
    /// `porf` of the event is not (po ∪ rf ∪ creation ∪ join)⁺.
    Porf(EventRef),
    /// `hb` of the event goes beyond `porf`, or lacks events that happen before its predecessor.
    Hb(EventRef),
}

impl LiveGraph {
    /// Check the invariants. Every event has its source and its place.
    pub fn check(&self) -> Result<(), Broken> {
        self.thread_ids().try_for_each(|thread| self.check_thread(thread))?;
        self.location_ids().try_for_each(|location| self.check_location(location))?;
        let porf = self.porf_by_definition();
        self.all().try_for_each(|e| self.check_event(e, &porf[e.index()]))
    }

    fn all(&self) -> impl Iterator<Item = EventRef> {
        self.thread_ids().flat_map(|thread| self.po(thread).iter().copied())
    }

    fn check_thread(&self, thread: ThreadId) -> Result<(), Broken> {
        let events = self.po(thread);
        let is_placed =
            |(i, &e): (usize, &EventRef)| self.event(e).thread == thread && self.event(e).index as usize == i;
        let mut stamps = events.iter().map(|&e| self.event(e).stamp);
        let is_in_order = events.iter().enumerate().all(is_placed) && stamps.clone().is_sorted();
        if !is_in_order || stamps.next_back().unwrap_or(0) != self.tail_stamp(thread) {
            return Err(Broken::ProgramOrder(thread));
        }
        let joins = self.all().filter(|&e| self.event(e).kind.is_join());
        let joins = joins.filter(|&e| self.event(e).value == u64::from(thread.0));
        let is_created = events.is_empty() || self.is_created(thread);
        if !is_created || joins.count() != self.joins_of(thread).len() {
            return Err(Broken::Lifetime(thread));
        }
        let sc = |is_kept: fn(crate::Kind) -> bool| {
            let kept = events.iter().map(|&e| self.event(e)).filter(move |e| is_kept(e.kind));
            kept.map(|e| e.index).collect::<Vec<u32>>()
        };
        let is_right = sc(|kind| kind.is_sc()) == self.sc_of(thread)
            && sc(|kind| kind.is_sc() && kind.is_fence()) == self.sc_fences_of(thread);
        if is_right { Ok(()) } else { Err(Broken::ScEvents(thread)) }
    }

    /// Whether the event that created the thread is in the graph; `main` needs none.
    fn is_created(&self, thread: ThreadId) -> bool {
        let creation = self.creation_of(thread);
        creation.is_none() || self.all().any(|e| e == creation)
    }

    fn check_location(&self, location: LocationId) -> Result<(), Broken> {
        let here = |e: &EventRef| self.event(*e).location == location;
        let mut writes: Vec<EventRef> =
            self.all().filter(here).filter(|&e| self.event(e).kind.writes()).collect();
        let (mut listed, mut last) = (Vec::new(), EventRef::init(location));
        while self.co_next(last).is_some() && listed.len() < writes.len() {
            let next = self.co_next(last);
            let follows = !self.event(next).kind.is_update() || self.event(next).rf == last;
            if self.co_prev(next) != last || !follows {
                return Err(Broken::Coherence(location));
            }
            listed.push(next);
            last = next;
        }
        let is_tail = self.co_next(last).is_none() && self.tail(location) == last;
        listed.sort_unstable();
        writes.sort_unstable();
        if listed != writes || !is_tail {
            return Err(Broken::Coherence(location));
        }
        let last_of = |thread: ThreadId, reads: bool| {
            let is_one = |&&e: &&EventRef| {
                let kind = self.event(e).kind;
                here(&e) && if reads { kind.reads() } else { kind.writes() }
            };
            self.po(thread).iter().rev().find(is_one).copied().unwrap_or(EventRef::NONE)
        };
        let is_last = |thread: ThreadId| {
            self.last_read_before(location, thread, u32::MAX) == last_of(thread, true)
                && self.last_write_before(location, thread, u32::MAX) == last_of(thread, false)
        };
        let plain = self.all().filter(here).filter(|&e| self.event(e).kind.is_plain()).count();
        let are_right = self.thread_ids().all(is_last) && plain == self.location(location).plain as usize;
        if !are_right {
            return Err(Broken::Accesses(location));
        }
        let writes = listed.into_iter().chain([EventRef::init(location)]);
        writes.into_iter().try_for_each(|w| self.check_observers(w))
    }

    fn check_observers(&self, w: EventRef) -> Result<(), Broken> {
        let first = |thread: ThreadId| {
            let reads = |&&e: &&EventRef| self.event(e).kind.reads() && self.event(e).rf == w;
            self.po(thread).iter().find(reads).map_or(0, |&r| !self.event(r).index)
        };
        let kept = self.observers(w);
        match self.thread_ids().all(|thread| kept[thread.index()] == first(thread)) {
            true => Ok(()),
            false => Err(Broken::Observers(w)),
        }
    }

    fn check_event(&self, e: EventRef, porf: &[u32]) -> Result<(), Broken> {
        let event = self.event(e);
        if event.kind.reads() && !self.has_source(e) {
            return Err(Broken::Source(e));
        }
        let before = self.prefix_of(e);
        for other in self.thread_ids().filter(|&it| it != event.thread) {
            let (hb, kept) = (self.hb_count(e, other), self.porf_count(e, other));
            if kept != porf[other.index()] {
                return Err(Broken::Porf(e));
            }
            if hb > kept || hb < self.counts(before, other).0 {
                return Err(Broken::Hb(e));
            }
        }
        Ok(())
    }

    fn has_source(&self, r: EventRef) -> bool {
        let (w, location) = (self.event(r).rf, self.event(r).location);
        w.is_some()
            && match w.as_init() {
                Some(init) => init == location,
                None => {
                    let source = self.event(w);
                    let is_there = self.po(source.thread).get(source.index as usize) == Some(&w);
                    is_there && source.kind.writes() && source.location == location
                }
            }
    }

    /// Per event of the arena, per thread how many events are before it, itself included.
    fn porf_by_definition(&self) -> Vec<Vec<u32>> {
        let mut clocks = vec![vec![0; self.thread_count()]; self.arena_len()];
        // As long as something changes, at most as often as there are events.
        loop {
            let mut changed = false;
            for e in self.all() {
                let mut clock = clocks[e.index()].clone();
                for before in self.directly_before(e) {
                    clock.iter_mut().zip(&clocks[before.index()]).for_each(|(a, &b)| *a = (*a).max(b));
                }
                clock[self.event(e).thread.index()] = self.event(e).index + 1;
                changed |= clock != clocks[e.index()];
                clocks[e.index()] = clock;
            }
            if !changed {
                return clocks;
            }
        }
    }

    fn directly_before(&self, e: EventRef) -> impl Iterator<Item = EventRef> {
        let event = self.event(e);
        let po = match event.index {
            0 => self.creation_of(event.thread),
            i => self.po(event.thread)[i as usize - 1],
        };
        let rf = if event.kind.reads() && !event.rf.is_init() { event.rf } else { EventRef::NONE };
        let joined = event.kind.is_join().then(|| self.po(ThreadId(event.value as u32)).last().copied());
        [po, rf, joined.flatten().unwrap_or(EventRef::NONE)].into_iter().filter(|e| e.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, ReleaseSequence};
    use base::Access;

    /// `x = 1; x = 2 ‖ r = x; fence_sc`, the read of the first write, with a join of the first thread.
    fn graph() -> (LiveGraph, [EventRef; 5]) {
        let mut graph = LiveGraph::new();
        let (writer, reader) = (graph.add_thread(), graph.add_thread());
        let x = graph.add_location(Access { address: 8, size: 4 });
        let mut last = EventRef::init(x);
        let mut write = || {
            let w = graph.push(writer, Kind::WRITE, x);
            graph.sync_write(w, true, ReleaseSequence::SameThread);
            graph.co_insert_after(last, w);
            last = w;
            w
        };
        let (one, two) = (write(), write());
        let r = graph.push(reader, Kind::READ, x);
        graph.set_rf(r, one);
        graph.sync_read(r, true);
        let fence = graph.push(reader, Kind::FENCE.with_sc(true), LocationId::NONE);
        graph.sync_fence(fence, true, true);
        let join = graph.push(reader, Kind::JOIN, LocationId::NONE);
        graph.sync_join(join, writer);
        (graph, [one, two, r, fence, join])
    }

    #[test]
    fn a_graph_is_whole_after_every_undo() {
        let (mut graph, [_, two, r, fence, join]) = graph();
        assert_eq!(graph.check(), Ok(()));
        graph.pop(join);
        graph.pop(fence);
        assert_eq!(graph.check(), Ok(()));
        graph.remove(two);
        assert_eq!(graph.check(), Ok(()));
        graph.restore(two);
        graph.remove(r);
        assert_eq!(graph.check(), Ok(()));
        graph.restore(r);
        assert_eq!(graph.check(), Ok(()));
    }

    /// One fault for each invariant.
    #[test]
    fn every_broken_invariant_is_found() {
        let x = LocationId(0);
        let (whole, [one, two, r, fence, join]) = graph();
        let broken = |break_it: &dyn Fn(&mut LiveGraph)| {
            let mut graph = whole.clone();
            break_it(&mut graph);
            graph.check()
        };
        let (writer, reader) = (ThreadId(0), ThreadId(1));
        assert_eq!(broken(&|g| g.event_mut(two).index = 7), Err(Broken::ProgramOrder(writer)));
        assert_eq!(broken(&|g| g.event_mut(join).value = 1), Err(Broken::Lifetime(writer)));
        assert_eq!(broken(&|g| g.event_mut(fence).kind = Kind::FENCE), Err(Broken::ScEvents(reader)));
        assert_eq!(broken(&|g| g.event_mut(two).co_prev = two), Err(Broken::Coherence(x)));
        assert_eq!(broken(&|g| g.co_unlink(two)), Err(Broken::Coherence(x)));
        assert_eq!(broken(&|g| g.event_mut(two).kind = Kind::UPDATE), Err(Broken::Coherence(x)));
        assert_eq!(broken(&|g| g.locations[0].plain = 1), Err(Broken::Accesses(x)));
        assert_eq!(broken(&|g| g.event_mut(r).rf = two), Err(Broken::Observers(one)));
        assert_eq!(broken(&|g| g.event_mut(r).porf = base::Clocks::ZERO), Err(Broken::Porf(r)));
        let none = base::Clocks::ZERO;
        assert_eq!(broken(&|g| g.event_mut(fence).hb = none), Err(Broken::Hb(fence)));
        let stray = |g: &mut LiveGraph| {
            g.unobserve(one, reader, 0);
            g.event_mut(r).rf = fence;
        };
        assert_eq!(broken(&stray), Err(Broken::Source(r)));
    }
}
