//! Watching a loop: whether the thread is where it was at the start of the round.
//!
//! It is if the live registers, the private memory and the callers are the same, and the round had no effect that other
//! threads could observe. Atomic reads, fences and compare-exchanges that fail are no effects: a round of nothing else
//! can be left out of an execution, and the rest is consistent under every model (relations only lose pairs). Nor are
//! plain reads. A round that takes and gives back mutexes changes nothing either: a thread that took one from it can
//! take it from the owner before the round. That holds if every thread that looks at a mutex waits for it: not with
//! `trylock`.
//!
//! Nor is a read-modify-write `u` that writes the value that it read from `w`, whatever its order: a read of `u` can
//! read from `w` instead. That gives the same value. It gives no synchronisation that was not there, as `u` is part of
//! the release sequences that `w` is part of; and it takes away some, which forbids nothing and hides no race. No write
//! is between the two in co, so every write after one of them is after the other, and a read-modify-write that read
//! from `u` reads from `w`. Without co (WRA, WRC11) this fails: a thread that has overwritten `w` may still read `u`
//! (`a_write_of_the_same_value_is_noticed_without_co`).
//!
//! Why nothing is lost: take an execution with as few events as any that ends in a given state. It has no such round,
//! or it could be left out. So it is explored. An error inside a round is found in the execution that the round ends.
//!
//! An access of a round that is left out may race with an access that the same thread brings about after the loop:
//! where that is possible, a round is kept (`kept`).
//! Cost: a visit of a header allocates once and copies the live registers; private memory is shared until it is
//! written.

use super::carried::Carried;
use super::fates::Change;
use super::kept::Kept;
use super::same::{Bytes, Except, Secret};
use super::{Round, Spin};
use crate::address::Region;
use crate::bytecode::{Op, Reg, Span, Watch};
use crate::machine::Machine;
use crate::memory::Memory;
use crate::state::{Frame, Pending, ThreadState, share};
use crate::step::Flow;
use base::{Access, Value, WriteOrder};
use program::{AwaitOp, Blocker, Patience, Request};
use smallvec::SmallVec;
use std::sync::Arc;

/// A thread's record of the loops and waits that it is in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visits {
    /// How many effects it has had.
    effects: u32,
    /// The last visit to a header; those of loops around it are below it.
    last: Option<Arc<Visit>>,
    /// Objects that were published for a compare-exchange that failed.
    secret: Option<Arc<Secret>>,
    /// The mutexes that it has taken without an effect and owns, each with the number of that lock.
    held: Option<Arc<Vec<(u64, u32)>>>,
    /// How many such locks there were.
    locks: u32,
    /// How often it has written something other than a mutex that it waits with.
    pub(super) writes: u32,
    /// The last wait on a condition variable.
    pub(super) round: Option<Arc<Round>>,
    /// The mutexes that it has taken since then, and owns.
    pub(super) taken: Option<Arc<Vec<u64>>>,
    /// Rounds that are kept.
    pub(super) kept: Kept,
    /// Its last request, if that was a read that it may carry a value from.
    pub(super) read: Option<Arc<Carried>>,
    /// The last answer.
    pub(super) told: Value,
    /// Where it last had an effect, as function and instruction; and before that, while it is not known whether it has one.
    effect: (u64, u64),
}

/// How many visits are remembered with no effect in between.
const MOST_VISITS: u8 = 8;

/// The state of a thread when it was at the header of a loop.
#[derive(Debug)]
struct Visit {
    outer: Option<Arc<Visit>>,
    watch: u16,
    effects: u32,
    /// Together: which activation of which function.
    function: u32,
    depth: u32,
    callers: Option<Arc<Frame>>,
    /// The live registers, in the order of the watch.
    live: SmallVec<[u64; 4]>,
    memory: Memory,
    secret: Option<Arc<Secret>>,
    held: Option<Arc<Vec<(u64, u32)>>>,
    /// The last request before it, if that was a read that the thread may carry a value from.
    read: Option<Arc<Carried>>,
    /// The visit before it, if there was no effect in between, and how many there are.
    before: Option<Arc<Visit>>,
    length: u8,
}

impl Visits {
    #[inline]
    pub(crate) fn clone_from(&mut self, from: &Visits) {
        self.effects = from.effects;
        share(&mut self.last, &from.last);
        share(&mut self.secret, &from.secret);
        share(&mut self.held, &from.held);
        self.locks = from.locks;
        self.writes = from.writes;
        share(&mut self.round, &from.round);
        share(&mut self.taken, &from.taken);
        self.kept = from.kept;
        share(&mut self.read, &from.read);
        self.told = from.told;
        self.effect = from.effect;
    }

    /// How many effects the thread has had.
    pub(super) fn effects(&self) -> u32 {
        self.effects
    }

    /// The thread is told something.
    #[inline]
    pub(crate) fn answered(&mut self, answer: Value) {
        self.told = answer;
    }

    /// Whether the values that the threads may carry are the same.
    fn carries_same(&self, other: &Visits) -> bool {
        match (&self.read, &other.read) {
            (None, None) => true,
            (Some(read), Some(also)) => {
                self.told == other.told && (Arc::ptr_eq(read, also) || read.is_same(also))
            }
            _ => false,
        }
    }

    /// Whether the two records are the same.
    pub(super) fn is_same(&self, other: &Visits) -> bool {
        let loops = |visits: &Visits| visits.last.as_ref().map(Arc::as_ptr);
        let secret = |visits: &Visits| visits.secret.as_ref().map(Arc::as_ptr);
        let round = |visits: &Visits| visits.round.as_ref().map(Arc::as_ptr);
        let counts = |visits: &Visits| (visits.effects, visits.locks, visits.writes);
        counts(self) == counts(other)
            && (loops(self), secret(self), round(self)) == (loops(other), secret(other), round(other))
            && (&self.held, &self.taken, self.kept) == (&other.held, &other.taken, other.kept)
            && self.carries_same(other)
    }

    /// The read-modify-write that was asked for is answered: it has changed memory, or else had no effect.
    #[inline]
    pub(crate) fn rmw_answered(&mut self, changed: bool) {
        if changed {
            self.secret = None;
        } else {
            self.effects = self.effects.wrapping_sub(1);
            self.effect.0 = self.effect.1;
        }
    }

    /// An effect that other threads may observe; they may know any address now.
    fn has_effect(&mut self) {
        self.effects = self.effects.wrapping_add(1);
        self.secret = None;
    }

    /// A mutex is taken in a round that may give it back.
    fn hold(&mut self, mutex: u64) {
        self.locks = self.locks.wrapping_add(1);
        Arc::make_mut(self.held.get_or_insert_default()).push((mutex, self.locks));
    }

    /// A mutex is given back. Returns whether it was taken without an effect.
    fn give_back_held(&mut self, mutex: u64) -> bool {
        let Some(held) = &mut self.held else { return false };
        let Some(last) = held.iter().rposition(|&(other, _)| other == mutex) else { return false };
        Arc::make_mut(held).remove(last);
        if held.is_empty() {
            self.held = None;
        }
        true
    }

    /// Whether a plain access is one to an object that no other thread can reach.
    fn is_secret(&self, at: Access) -> bool {
        self.secret.as_ref().is_some_and(|secret| secret.holds((at.address, at.end())))
    }
}

impl Visit {
    /// Whether it is of the activation that runs now, of a function that has not returned yet.
    fn is_of(&self, state: &ThreadState) -> bool {
        let same_callers =
            || self.callers.as_ref().map(Arc::as_ptr) == state.callers.as_ref().map(Arc::as_ptr);
        self.depth == state.depth && self.function == state.function && same_callers()
    }
}

impl Drop for Visit {
    /// One after the other: the default would recurse as deeply as the program did. (Few have one before them.)
    fn drop(&mut self) {
        let mut next = self.outer.take();
        while let Some(mut visit) = next.and_then(Arc::into_inner) {
            next = visit.outer.take();
        }
    }
}

impl Machine {
    /// `Op::LoopHead`: remember where the thread is.
    pub(crate) fn loop_head(&self, state: &mut ThreadState, watch: u16) -> Flow {
        if state.pending == Pending::SeeksHead {
            return Flow::Break(Request::Block(Blocker::Assume));
        }
        let mut outer = state.visits.last.take();
        let before = find(&outer, state, watch).cloned();
        if let Some(visit) = &before {
            outer.clone_from(&visit.outer);
        } else {
            // Those of functions that have returned are of no use any more.
            while outer.as_ref().is_some_and(|visit| visit.depth >= state.depth && !visit.is_of(state)) {
                outer = outer.and_then(|visit| visit.outer.clone());
            }
        }
        let before = before.filter(|visit| self.is_same_stretch(state, visit) && visit.length < MOST_VISITS);
        let live = &self.function(state).watches[usize::from(watch)].live;
        let visit = Visit {
            outer,
            watch,
            effects: state.visits.effects,
            function: state.function,
            depth: state.depth,
            callers: state.callers.clone(),
            live: live.iter().map(|&Reg(register)| state.registers[usize::from(register)]).collect(),
            memory: state.memory.clone(),
            secret: state.visits.secret.clone(),
            held: state.visits.held.clone(),
            read: state.visits.read.clone(),
            length: before.as_ref().map_or(0, |before| before.length + 1),
            before,
        };
        state.visits.last = Some(Arc::new(visit));
        state.pc += 1;
        Flow::Continue(())
    }

    /// `Op::SpinCheck`: the thread goes no further if the round has changed nothing.
    pub(crate) fn spin_check(&self, state: &mut ThreadState, watch: u16) -> Flow {
        if let Some(visit) = find(&state.visits.last, state, watch) {
            let since = self.repeated_since(state, visit);
            let change = match since {
                Some(_) => Change::Nothing,
                None if !self.is_same_stretch(state, visit) => Change::Effect,
                None => Change::State,
            };
            self.fates.note(state.function, watch, change, state.visits.effect.0);
            if let Some(since) = since
                && !self.keep_round(state, since)
            {
                return Flow::Break(Request::Block(Blocker::Spin { since }));
            }
        }
        state.pc += 1;
        Flow::Continue(())
    }

    /// How many events the thread had made when it was where it is now, at this visit or at one before it, or would
    /// have been, had it been told what it was told now (`carried`).
    fn repeated_since(&self, state: &ThreadState, visit: &Visit) -> Option<u32> {
        if self.is_repeated(state, visit) {
            return Some(visit.memory.events);
        }
        if self.options().spin < Spin::All || !self.is_same_stretch(state, visit) {
            return None;
        }
        let earlier = || std::iter::successors(visit.before.as_deref(), |visit| visit.before.as_deref());
        let again = earlier().find(|visit| self.is_repeated(state, visit));
        let carried = || std::iter::once(visit).chain(earlier()).find_map(|it| self.carried_since(state, it));
        again.map(|visit| visit.memory.events).or_else(carried)
    }

    /// Whether there was no effect since the visit.
    fn is_same_stretch(&self, state: &ThreadState, visit: &Visit) -> bool {
        visit.effects == state.visits.effects && visit.held == state.visits.held
    }

    fn is_repeated(&self, state: &ThreadState, visit: &Visit) -> bool {
        let watch = &self.function(state).watches[usize::from(visit.watch)];
        let now = watch.live.iter().map(|&Reg(register)| state.registers[usize::from(register)]);
        self.is_same_stretch(state, visit)
            && now.eq(visit.live.iter().copied())
            && self.is_same_memory(state, (&visit.memory, visit.secret.as_ref()), watch)
    }

    /// The number of events before the read that came before the visit, if the thread would have come to the visit in
    /// the state in which it is now, had it read there what it has read now.
    fn carried_since(&self, state: &ThreadState, visit: &Visit) -> Option<u32> {
        let read = visit.read.as_deref()?;
        let head = self.carried_head(state, read, visit.watch)?;
        let is_there = visit.is_of(&head) && self.is_same_head(state, &head, visit);
        let is_as_strong = state.visits.read.as_ref().is_some_and(|now| now.order >= read.order);
        (is_there && is_as_strong).then_some(read.events())
    }

    /// Whether the thread, at the end of a round, is in the state of this header.
    fn is_same_head(&self, state: &ThreadState, head: &ThreadState, visit: &Visit) -> bool {
        let watch = &self.function(state).watches[usize::from(visit.watch)];
        let value = |state: &ThreadState, register: Reg| state.registers[usize::from(register.0)];
        watch.live.iter().all(|&register| value(state, register) == value(head, register))
            && self.is_same_memory(state, (&head.memory, visit.secret.as_ref()), watch)
    }

    /// Whether private memory is what it was then, with these objects published for a compare-exchange that failed.
    fn is_same_memory(
        &self,
        state: &ThreadState,
        (memory, then): (&Memory, Option<&Arc<Secret>>),
        watch: &Watch,
    ) -> bool {
        let secret = state.visits.secret.as_ref();
        let objects = |secret: Option<&Arc<Secret>>| secret.map(|secret| Arc::as_ptr(&secret.objects));
        let is_new = objects(secret) != objects(then);
        // The objects that were secret then have been seen by other threads, or more objects were published since.
        if is_new && then.is_some() {
            return false;
        }
        let except = Except {
            dead: self.dead_bytes(state, watch),
            secret: secret.filter(|_| is_new).map_or(&[], |secret| &secret.objects),
        };
        secret.is_none_or(|secret| secret.written.iter().all(|&bytes| except.is_dead_range(bytes)))
            && except.same_memory(&state.memory, memory)
    }

    /// The bytes of the thread's own objects that the next round writes before it reads them.
    fn dead_bytes(&self, state: &ThreadState, watch: &Watch) -> SmallVec<[Bytes; 2]> {
        let bytes = |span: &Span| {
            let start = self.get(state, span.base).wrapping_add(span.offset.cast_unsigned());
            (start, start.saturating_add(u64::from(span.size)))
        };
        let is_own = |&(start, _): &Bytes| match Region::of(start) {
            Region::Stack(thread) | Region::Heap(thread) => thread == state.thread(),
            _ => false,
        };
        let is_unread = |&(start, end): &Bytes| {
            watch.read.iter().map(bytes).all(|(read, read_end)| read_end <= start || end <= read)
        };
        watch.written.iter().map(bytes).filter(is_own).filter(is_unread).collect()
    }

    /// Note whether the thread's request has an effect that other threads may observe.
    #[inline]
    pub(crate) fn note_effect(&self, state: &mut ThreadState, request: &Request) {
        self.note_carried(state, request);
        let (effects, place) = (state.visits.effects, u64::from(state.function) << 32 | u64::from(state.pc));
        self.count_effect(state, request);
        if state.visits.effects != effects {
            state.visits.effect = (place, state.visits.effect.0);
        }
    }

    #[inline]
    fn count_effect(&self, state: &mut ThreadState, request: &Request) {
        match *request {
            Request::Lock { at } if !self.usage.tries && state.visits.last.is_some() => {
                state.visits.hold(at.address);
            }
            Request::Unlock { at } => {
                if !state.visits.give_back_held(at.address) {
                    state.visits.has_effect();
                }
            }
            Request::Read { .. } | Request::Fence(_) | Request::SizeOf { .. } | Request::Choose { .. } => {}
            // The kernel locks the queue of a futex and gives it back, which is a read-modify-write.
            Request::Await { op: AwaitOp::Seize, .. } => {}
            // Taken back when it fails, or writes the value that it read.
            Request::Rmw { .. } | Request::Await { patience: Patience::GivesUp, .. } => {
                state.visits.effects = state.visits.effects.wrapping_add(1);
            }
            Request::Write { at, order: WriteOrder::NotAtomic, .. } if state.visits.is_secret(at) => {
                let secret = state.visits.secret.as_mut().expect("just found");
                Arc::make_mut(secret).note_written((at.address, at.end()));
            }
            Request::Publish(ref objects) if self.is_at_compare_exchange(state) => {
                match Secret::new(objects).filter(|_| state.visits.secret.is_none()) {
                    Some(secret) => state.visits.secret = Some(Arc::new(secret)),
                    None => state.visits.has_effect(),
                }
            }
            _ => state.visits.has_effect(),
        }
    }

    fn is_at_compare_exchange(&self, state: &ThreadState) -> bool {
        matches!(self.function(state).code[state.pc as usize], Op::CompareExchange { .. })
    }
}

/// The last visit to this header in the function that runs.
fn find<'a>(mut visits: &'a Option<Arc<Visit>>, state: &ThreadState, watch: u16) -> Option<&'a Arc<Visit>> {
    while let Some(visit) = visits {
        if visit.depth < state.depth {
            return None;
        }
        if visit.watch == watch && visit.is_of(state) {
            return Some(visit);
        }
        visits = &visit.outer;
    }
    None
}
