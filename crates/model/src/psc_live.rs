//! psc, incrementally: a search for new cycles (\[RCMC\] definition 3.7, SC-ACYCLICITY).
//!
//! A cycle of psc that was not there before leaves a new event `e` along co or fr, in a piece of psc that begins
//! at `e` itself (if `e` is SC) or at an SC fence that happens before `e`. The search starts with those edges and
//! looks for the way back to where the piece began. What is reached are two upward-closed sets, each a
//! [`Frontier`]:
//! * `sc`: SC events (psc contains po between SC events);
//! * `after`: events at or hb-after an SC fence that was reached.
//!
//! Steps that agree with hb are followed between two fences and between two SC accesses only. One from a fence `F` to an
//! SC access `e` is not needed: wherever psc leads from `e`, it leads from `F`, too, for `hb ; scb` begins at a fence.
//! Nor is one from `e` to a fence: wherever psc leads to `e` from, it leads to the fence from. Each leaves a shorter cycle.
//!
//! Cost: nothing unless `e` is SC or an SC fence happens before it; then O(events reached · threads · log events).
//! The comments name the parts of psc:
//! `psc = ([Esc] ∪ [Fsc];hb?) ; scb ; ([Esc] ∪ hb?;[Fsc])  ∪  [Fsc] ; (hb ∪ hb;eco;hb) ; [Fsc]` with
//! `scb = sb ∪ away;hb?;away ∪ hb|loc ∪ co ∪ fr`, where `away` is `sb≠loc`, or leads to or from another thread by
//! creation or join.
//!
//! `co` is an [`Order`]: RC11's, or WRC11's mo_weak. In the latter a write may be after what a read-modify-write read,
//! and so fr-after its read, without being after its write: a path that comes in at the write must not go out from the
//! read. So `sc` holds *positions*, two an event: `2 · index`, and `2 · index + 1` for the write of a read-modify-write
//! alone.

use crate::after::{Forced, Steps};
use crate::frontier::{Frontier, first_after};
use base::ThreadId;
use live::{EventRef, LiveGraph, LocationId};
use std::marker::PhantomData;

/// The order of the writes to a location.
pub(crate) trait Order {
    /// Where a path along the order comes in at write `w`.
    fn position(graph: &LiveGraph, w: EventRef) -> u32;

    /// What is co- or fr-after access `e` (its own write may be left out); if not `whole`, what is co-after its write.
    fn after(graph: &LiveGraph, e: EventRef, whole: bool) -> impl Iterator<Item = EventRef>;
}

/// The coherence order. Nothing is between what a read-modify-write read and what it wrote, so what is fr-after it is
/// co-after it.
#[derive(Debug, Default)]
pub(crate) struct Co;

impl Order for Co {
    #[inline(always)]
    fn position(graph: &LiveGraph, w: EventRef) -> u32 {
        2 * graph.event(w).index
    }

    #[inline(always)]
    fn after(graph: &LiveGraph, e: EventRef, _: bool) -> impl Iterator<Item = EventRef> {
        let event = graph.event(e);
        let mut w = if event.kind.writes() { e } else { event.rf };
        std::iter::from_fn(move || {
            w = graph.co_next(w);
            w.is_some().then_some(w)
        })
    }
}

/// `mo_weak` of \[RCMC\] section 5.
#[derive(Debug, Default)]
pub(crate) struct MoWeak;

impl Order for MoWeak {
    fn position(graph: &LiveGraph, w: EventRef) -> u32 {
        2 * graph.event(w).index + u32::from(graph.event(w).kind.is_update())
    }

    fn after(graph: &LiveGraph, e: EventRef, whole: bool) -> impl Iterator<Item = EventRef> {
        let event = graph.event(e);
        let from = if event.kind.reads() && whole { event.rf } else { e };
        let mut w = EventRef::init(event.location);
        let writes = std::iter::from_fn(move || {
            w = graph.co_next(w);
            w.is_some().then_some(w)
        });
        writes.filter(move |&w| graph.mo_weak(from, w))
    }
}

impl Order for Forced {
    fn position(graph: &LiveGraph, w: EventRef) -> u32 {
        Co::position(graph, w)
    }

    fn after(graph: &LiveGraph, e: EventRef, _: bool) -> impl Iterator<Item = EventRef> {
        <Forced as Steps>::after(graph, e)
    }
}

/// A search, with its memory.
#[derive(Debug, Default)]
pub(crate) struct PscSearch<O> {
    sc: Frontier,
    after: Frontier,
    /// Whether there are SC fences.
    has_fences: bool,
    order: PhantomData<O>,
}

/// From where a path leaves an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The event.
    Whole,
    /// The write of a read-modify-write.
    Write,
    /// The event, which is at or hb-after an SC fence.
    BehindFence,
}

impl<O: Order> PscSearch<O> {
    /// Whether psc is still acyclic with the edges that leave `new` and `other`.
    #[inline]
    pub(crate) fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        if graph.sc_count() < 2 {
            return true;
        }
        self.no_cycle(graph, new) && (other == new || self.no_cycle(graph, other))
    }

    /// Find what psc leads to from write `a`, if it is SC, and from the SC fences that happen after it: what is co- or
    /// fr-before `a` is psc-before these.
    pub(crate) fn reach_from(&mut self, graph: &LiveGraph, a: EventRef) {
        let event = graph.event(a);
        self.clear(graph);
        if event.kind.is_sc() {
            self.reach_sc(event.thread, event.index);
        }
        self.reach_fences(graph, a);
        self.search(graph, |_| false);
    }

    /// Whether psc leads to access `e`, or to an SC fence that happens before it. Then it leads there from whatever is
    /// co- or fr-after `e`.
    pub(crate) fn has_reached(&self, graph: &LiveGraph, e: EventRef) -> bool {
        let event = graph.event(e);
        let is_reached = event.kind.is_sc() && self.sc.contains(event.thread, 2 * event.index);
        is_reached || graph.thread_ids().any(|t| reaches_fence(graph, &self.sc, t, happened(graph, e, t)))
    }

    fn no_cycle(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        let event = graph.event(new);
        if event.kind.is_sc() {
            self.clear(graph);
            self.leave(graph, new, Part::Whole);
            if !self.search(graph, |sc| sc.contains(event.thread, 2 * event.index)) {
                return false;
            }
        }
        let threads = || graph.thread_ids();
        let fence_before =
            |t: ThreadId| graph.sc_fences_of(t).first().is_some_and(|&f| f < happened(graph, new, t));
        if !threads().any(fence_before) {
            return true;
        }
        self.clear(graph);
        self.leave(graph, new, Part::BehindFence);
        self.search(graph, |sc| threads().any(|t| reaches_fence(graph, sc, t, happened(graph, new, t))))
    }

    fn clear(&mut self, graph: &LiveGraph) {
        self.sc.clear(graph.thread_count());
        self.after.clear(graph.thread_count());
        self.has_fences = graph.thread_ids().any(|t| !graph.sc_fences_of(t).is_empty());
    }

    /// Follow psc until nothing new is reached: true, or `closed`: false.
    fn search(&mut self, graph: &LiveGraph, closed: impl Fn(&Frontier) -> bool) -> bool {
        loop {
            if closed(&self.sc) {
                return false;
            }
            if let Some((thread, from, to)) = self.sc.next() {
                self.follow_sc(graph, thread, from, to);
            } else if let Some((thread, from, to)) = self.after.next() {
                self.follow_after(graph, thread, from, to);
            } else {
                return true;
            }
        }
    }

    fn reach_sc(&mut self, thread: ThreadId, index: u32) {
        self.sc.reach(thread, 2 * index);
    }

    /// The SC events of `thread` in positions `from` to `to` were reached: what psc leads to from them.
    fn follow_sc(&mut self, graph: &LiveGraph, thread: ThreadId, from: u32, to: u32) {
        let (po, sc) = (graph.po(thread), graph.sc_of(thread));
        let start = sc.partition_point(|&i| 2 * i + 1 < from);
        for &index in sc[start..].iter().take_while(|&&i| 2 * i < to) {
            let e = po[index as usize];
            if graph.event(e).kind.is_fence() {
                self.after.reach(thread, index);
                self.reach_happening_after(graph, e);
            } else {
                self.leave(graph, e, if 2 * index < from { Part::Write } else { Part::Whole });
                self.follow_hb_loc(graph, e);
                self.follow_around(graph, e);
            }
        }
    }

    /// The events of `thread` from `from` to `to` are at or after a fence that was reached: `[Fsc] ; hb? ; (co ∪ fr ∪ eco)`.
    fn follow_after(&mut self, graph: &LiveGraph, thread: ThreadId, from: u32, to: u32) {
        let po = graph.po(thread);
        for &x in &po[from as usize..to.min(po.len() as u32) as usize] {
            if graph.event(x).kind.is_access() {
                self.leave(graph, x, Part::BehindFence);
            }
        }
    }

    /// Along co or fr from `e`, then to an SC event or to a fence after it. From behind a fence also one rf further (and
    /// rf alone) to a fence.
    fn leave(&mut self, graph: &LiveGraph, e: EventRef, part: Part) {
        let eco = part == Part::BehindFence;
        if eco && graph.event(e).kind.writes() {
            self.reach_fences_after_readers(graph, e);
        }
        for y in O::after(graph, e, part != Part::Write) {
            if graph.event(y).kind.is_sc() {
                self.sc.reach(graph.event(y).thread, O::position(graph, y));
            }
            self.reach_fences(graph, y);
            if eco {
                self.reach_fences_after_readers(graph, y);
            }
        }
    }

    fn reach_fences_after_readers(&mut self, graph: &LiveGraph, w: EventRef) {
        if !self.has_fences {
            return;
        }
        for (thread, &observer) in graph.observers(w).iter().enumerate() {
            if observer != 0 {
                self.reach_fences(graph, graph.po(ThreadId(thread as u32))[!observer as usize]);
            }
        }
    }

    /// `y ; hb? ; [Fsc]`: the first SC fence of each thread at or hb-after `y`.
    fn reach_fences(&mut self, graph: &LiveGraph, y: EventRef) {
        if !self.has_fences {
            return;
        }
        let event = graph.event(y);
        for thread in graph.thread_ids() {
            let fences = graph.sc_fences_of(thread);
            let first = if thread == event.thread {
                fences.partition_point(|&f| f < event.index)
            } else {
                let po = graph.po(thread);
                fences.partition_point(|&f| graph.hb_count(po[f as usize], event.thread) <= event.index)
            };
            if let Some(&fence) = fences.get(first) {
                self.reach_sc(thread, fence);
            }
        }
    }

    /// `[Fsc] ; hb`: everything that happens after the fence.
    fn reach_happening_after(&mut self, graph: &LiveGraph, fence: EventRef) {
        self.reach_fences(graph, fence);
        for thread in graph.thread_ids() {
            if let Some(index) = first_after(graph, fence, thread) {
                self.after.reach(thread, index);
            }
        }
    }

    /// `[Esc] ; hb|loc ; [Esc]`.
    fn follow_hb_loc(&mut self, graph: &LiveGraph, e: EventRef) {
        let event = graph.event(e);
        let same =
            |x: &&EventRef| graph.event(**x).location == event.location && graph.event(**x).kind.is_sc();
        for thread in graph.thread_ids().filter(|&t| t != event.thread) {
            let Some(first) = first_after(graph, e, thread) else { continue };
            if let Some(&x) = graph.po(thread)[first as usize..].iter().find(same) {
                self.reach_sc(thread, graph.event(x).index);
            }
        }
    }

    /// `[Esc] ; away ; hb? ; away ; [Esc]` with `away = sb≠loc ∪ asw` (see the declarative text).
    fn follow_around(&mut self, graph: &LiveGraph, e: EventRef) {
        let event = graph.event(e);
        let rest = &graph.po(event.thread)[event.index as usize + 1..];
        if let Some(&out) = rest.iter().find(|&&x| other_location(graph, event.location, x)) {
            self.come_in(graph, out);
        }
        for &join in graph.joins_of(event.thread) {
            self.come_in(graph, join);
        }
    }

    /// `out ; hb? ; away ; [Esc]`.
    fn come_in(&mut self, graph: &LiveGraph, out: EventRef) {
        let from = graph.event(out);
        for thread in graph.thread_ids() {
            if is_created_after(graph, thread, out)
                && let Some(&first) = graph.sc_of(thread).first()
            {
                self.reach_sc(thread, first);
            }
            let entry =
                if thread == from.thread { Some(from.index) } else { first_after(graph, out, thread) };
            let Some(first) = entry else { continue };
            let po = graph.po(thread);
            let entry = graph.event(po[first as usize]).location;
            // From the first event of another location on, every SC event has one of another location before it.
            let change = po[first as usize + 1..].iter().position(|&x| other_location(graph, entry, x));
            let change = change.map_or(u32::MAX, |n| first + 1 + n as u32);
            let sc = graph.sc_of(thread);
            let behind = &sc[sc.partition_point(|&i| i <= first)..];
            let differs = |&&i: &&u32| i > change || other_location(graph, entry, po[i as usize]);
            if let Some(&index) = behind.iter().find(differs) {
                self.reach_sc(thread, index);
            }
        }
    }
}

/// Whether the thread is there, and created by `x` or hb-after it.
fn is_created_after(graph: &LiveGraph, thread: ThreadId, x: EventRef) -> bool {
    let creation = graph.creation_of(thread);
    graph.len(thread) > 0 && creation.is_some() && (creation == x || graph.hb(x, creation))
}

/// How many events of `thread` are at or hb-before `e`.
fn happened(graph: &LiveGraph, e: EventRef, thread: ThreadId) -> u32 {
    let event = graph.event(e);
    if event.thread == thread { event.index + 1 } else { graph.hb_count(e, thread) }
}

/// Whether one of the thread's SC fences below `count` is in `sc`.
fn reaches_fence(graph: &LiveGraph, sc: &Frontier, thread: ThreadId, count: u32) -> bool {
    let fences = graph.sc_fences_of(thread);
    fences[..fences.partition_point(|&f| f < count)].last().is_some_and(|&f| sc.contains(thread, 2 * f))
}

/// Whether `x` is no access to `location`. (An event without location differs from every other.)
fn other_location(graph: &LiveGraph, location: LocationId, x: EventRef) -> bool {
    location == LocationId::NONE || graph.event(x).location != location
}
