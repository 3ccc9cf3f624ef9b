//! The epilogue: the end of an execution that one thread runs alone makes no events.
//!
//! Most programs end with one thread that joins all others, checks the data and finishes: the same way in every
//! execution.
//!
//! Argument: once the thread has joined all others, its reads are of co-last writes, its writes go last in `co`,
//! nothing races with it and no read is left to be revisited. So its last steps are taken aside, without adding events
//! and taking them out again: if they lead to its end, the execution is complete. If they lead to anything else, a
//! fault for instance, they are taken once more in the usual way.
//!
//! Relies on: nothing in the ledger. It is off where executions are shown, counted or kept as graphs
//! (`Setting::sees_executions`), without an order of writes, and for programs with zero-net-effect rounds.
//!
//! Compared by: `the_epilogue_changes_no_number` in `tests/programs/shortcuts.rs`.
//!
//! Cost: O(threads + reads) as long as the thread has not moved and the last steps read the same values as the last
//! time.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::reductions::Rooms;
use base::{Access, ThreadId, Value};
use live::LocationId;
use program::{Fault, Hint, Request};

/// The last steps of the thread that was found to finish alone, to be recognised in the next execution.
#[derive(Debug)]
pub(crate) struct Epilogue {
    /// Whether it is worth trying.
    possible: bool,
    /// The thread that was last found to finish, and the number of its moves then.
    thread: Option<(ThreadId, u64)>,
    /// The threads that it joined, and the values they finished with.
    joined: Vec<(ThreadId, Value)>,
    /// The values that it read from the graph.
    read: Vec<(LocationId, Value)>,
    /// The values that it wrote, the last one last.
    written: Vec<(LocationId, Value)>,
    /// How many threads there were.
    threads: usize,
}

/// More steps than this are not worth taking aside; the usual way has limits and looks at the clock.
const MAX_STEPS: usize = 1000;

impl Epilogue {
    /// Nothing is known yet. If not `possible`, every event has to be built.
    pub(crate) fn new(possible: bool) -> Epilogue {
        Epilogue {
            possible,
            thread: None,
            joined: Vec::new(),
            read: Vec::new(),
            written: Vec::new(),
            threads: 0,
        }
    }

    /// Whether `thread`, which alone has not finished, finishes without any choice.
    #[inline(always)]
    pub(crate) fn finishes<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        thread: ThreadId,
    ) -> bool {
        if !self.possible || !matches!(build.threads.get(thread).request, Request::Join { .. }) {
            return false;
        }
        let same = self.thread == Some((thread, build.threads.moves(thread)))
            && self.threads == build.threads.existing().count()
            && self.joined.iter().all(|&(child, value)| build.threads.finished(child) == Some(value))
            && self.read.iter().all(|&(at, value)| last_value(build, at) == Some(value))
            && self.read.iter().chain(&self.written).all(|&(at, _)| build.objects.is_alive(at, &build.graph));
        same || self.attempt(build, thread)
    }

    fn attempt<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>, thread: ThreadId) -> bool {
        self.thread = None;
        self.joined.clear();
        self.read.clear();
        self.written.clear();
        let now = build.threads.get(thread);
        let (mut state, mut request) = (now.state.clone(), now.request.clone());
        for _ in 0..MAX_STEPS {
            if let Request::Finish { .. } = request {
                self.threads = build.threads.existing().count();
                self.thread = Some((thread, build.threads.moves(thread)));
                return true;
            }
            let Some(answer) = self.answer(build, thread, &request) else {
                // If nothing was joined, or it ended in anything but a fault, the next execution is not likely to be
                // different.
                self.possible = !self.joined.is_empty() && matches!(request, Request::Fault(_));
                return false;
            };
            request = build.program.resume(&mut state, answer);
        }
        self.possible = false;
        false
    }

    /// The answer to a request if the thread is alone; `None` if there may be more than one, or it is not that simple.
    fn answer<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        thread: ThreadId,
        request: &Request,
    ) -> Option<Value> {
        if let Request::Join { thread: child } = *request {
            let value = build.threads.finished(child)?;
            let again = self.joined.iter().any(|&(joined, _)| joined == child);
            if again
                || !build.graph.joins_of(child).is_empty()
                || build.symmetry().finished_differently(child)
            {
                return None;
            }
            self.joined.push((child, value));
            return Some(value);
        }
        let joined_before =
            |t| build.graph.joins_of(t).iter().any(|&join| build.graph.event(join).thread == thread);
        let is_joined = |t| self.joined.iter().any(|&(child, _)| child == t) || joined_before(t);
        if !build.threads.existing().all(|(t, _)| t == thread || is_joined(t)) {
            return None;
        }
        match *request {
            Request::Read { at, .. } => self.value(build, at).map(|(_, value)| value),
            Request::Write { at, value, .. } => self.write(build, at, value),
            Request::Rmw { at, .. } | Request::Lock { at } => {
                let (location, old) = self.value(build, at)?;
                let reading = request.reading(thread, old, || at.address);
                self.written.extend(reading.written.map(|(new, _)| (location, new)));
                reading.answer
            }
            Request::Unlock { at } => {
                let (location, word) = self.value(build, at)?;
                self.written.push((location, request.writing().0));
                Fault::of_unlock(thread, Some(word)).is_none().then_some(0)
            }
            Request::Fence(_) | Request::Notify { .. } => Some(0),
            _ => None,
        }
    }

    /// The location and its last value.
    fn value<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        at: Access,
    ) -> Option<(LocationId, Value)> {
        let location = build.objects.alive(at)?;
        if let Some(&(_, value)) = self.written.iter().rev().find(|&&(l, _)| l == location) {
            return Some((location, value));
        }
        let value = last_value(build, location)?;
        self.read.push((location, value));
        Some((location, value))
    }

    fn write<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        at: Access,
        value: Value,
    ) -> Option<Value> {
        self.written.push((build.objects.alive(at)?, value));
        Some(0)
    }
}

/// The value that a thread reads which knows of all writes, if there is only one.
#[inline(always)]
fn last_value<P: Hint, C: Shape>(build: &Construction<'_, P, C>, location: LocationId) -> Option<Value> {
    build.graph.value(build.graph.last_write(location)?)
}
