//! The threads of the execution under construction: where each one is, and which can take a step.

use crate::core::steps::Steps;
use base::{RmwOrder, ThreadId, Value};
use program::{Blocker, Request};
use std::collections::BTreeMap;

/// Where a thread is: its state, its request, and whether it goes on.
#[derive(Clone, Debug)]
pub(crate) struct Current<S> {
    pub(crate) state: S,
    pub(crate) request: Request,
    pub(crate) status: Status,
    /// The request is a load, and the engine takes it together with the compare-exchange after it, which has this order
    /// (`reductions/pairs.rs`).
    pub(crate) pair: Option<RmwOrder>,
    /// How it came here, and where it has gone from here.
    pub(crate) steps: Steps<S>,
}

/// Where a thread goes, its state left out.
#[derive(Debug)]
pub(crate) struct Next {
    pub(crate) request: Request,
    pub(crate) status: Status,
    pub(crate) pair: Option<RmwOrder>,
    /// The answer that leads there from its position; `None` if more than that counts.
    pub(crate) told: Option<Value>,
}

impl Next {
    /// A thread with this request, about which nothing more is known.
    pub(crate) fn of(request: Request) -> Next {
        let status = Status::of(&request);
        Next { request, status, pair: None, told: None }
    }
}

/// Whether a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// It can take its step, or will when a thread it waits for has finished.
    Ready,
    /// The same, and its step is a read that may block it.
    Awaiting,
    /// It finished.
    Finished,
    /// It is blocked for good.
    Blocked(Blocker),
    /// It has found its mutex taken.
    Locked,
    /// It did something wrong, or something that is not modelled.
    Stopped,
    /// The same, and it was the engine that found out when it tried the thread's step.
    Failed,
}

impl Status {
    /// Whether it is one of the two that end a thread without its finishing.
    pub(crate) fn is_stopped(self) -> bool {
        matches!(self, Status::Stopped | Status::Failed)
    }

    /// The status of a thread with this request.
    pub(crate) fn of(request: &Request) -> Status {
        match request {
            Request::Finish { .. } => Status::Finished,
            Request::Block(blocker) => Status::Blocked(*blocker),
            Request::Fault(_) | Request::Refuse(_) => Status::Stopped,
            _ => Status::Ready,
        }
    }
}

/// The name of a thread: the thread that creates it, and how many that one has created before.
pub(crate) type ThreadName = (ThreadId, u32);

/// Where a thread is, or nowhere. Boxed, so that putting it somewhere else moves a pointer; the boxes are used again.
pub(crate) type Position<S> = Option<Box<Current<S>>>;

/// If more boxes than this are in use, a position that is remembered forgets where it has led: so there are no more of
/// them than that, and some for each event of the execution at hand. One takes some hundred bytes.
const MOST_BOXES: usize = 1 << 11;

/// All threads that were ever created, by id.
#[derive(Debug)]
pub(crate) struct Threads<S> {
    now: Vec<Position<S>>,
    /// Boxes to use again; their contents do not matter.
    spare: Vec<Box<Current<S>>>,
    /// How many boxes were made.
    boxes: usize,
    /// One bit a thread: whether it is `Ready` or `Awaiting`.
    able: Vec<u64>,
    /// How many are `Stopped`, and how many exist and have not finished.
    stopped: usize,
    unfinished: usize,
    /// Per thread how often it was put somewhere.
    moves: Vec<u64>,
    /// Per thread how many threads it has created so far.
    created: Vec<u32>,
    /// The n-th child of each thread.
    children: BTreeMap<ThreadName, ThreadId>,
    /// How many had names when the first execution was explored.
    first_names: Option<usize>,
}

impl<S: Clone> Threads<S> {
    pub(crate) fn new() -> Threads<S> {
        Threads {
            now: Vec::new(),
            spare: Vec::new(),
            boxes: 0,
            able: Vec::new(),
            stopped: 0,
            unfinished: 0,
            moves: Vec::new(),
            created: Vec::new(),
            children: BTreeMap::new(),
            first_names: None,
        }
    }

    /// Make room for a thread.
    pub(crate) fn add(&mut self) {
        self.now.push(None);
        self.moves.push(0);
        self.created.push(0);
        self.able.resize(self.now.len().div_ceil(64), 0);
    }

    /// The id of the next thread that `parent` creates, if it was ever created.
    pub(crate) fn next_child(&self, parent: ThreadId) -> Option<ThreadId> {
        self.children.get(&(parent, self.created[parent.index()])).copied()
    }

    /// Name the next thread that `parent` creates. If its name depends on what was explored before, the threads that have
    /// names and this one are returned. It does not in the first execution, nor as long as `main` alone creates threads.
    pub(crate) fn name_child(&mut self, parent: ThreadId, child: ThreadId) -> Option<Vec<ThreadName>> {
        let name = (parent, self.created[parent.index()]);
        self.children.insert(name, child);
        self.first_names?;
        let is_main = |&(parent, _): &ThreadName| parent == ThreadId::MAIN;
        let depends = !self.children.keys().all(is_main);
        depends.then(|| self.first_names().into_iter().chain([name]).collect())
    }

    /// Thread `child` has this name.
    pub(crate) fn set_name(&mut self, name: ThreadName, child: ThreadId) {
        self.children.insert(name, child);
    }

    /// The first execution was explored, or threads have the names of an explorer that has explored it.
    pub(crate) fn close_names(&mut self) {
        self.first_names.get_or_insert(self.children.len());
    }

    /// Whether the first execution was explored.
    pub(crate) fn has_all_names(&self) -> bool {
        self.first_names.is_some()
    }

    /// The names of the threads of the first execution, in order.
    pub(crate) fn first_names(&self) -> Vec<ThreadName> {
        self.names().into_iter().take(self.first_names.unwrap_or(0)).collect()
    }

    /// The names of all threads, in order.
    fn names(&self) -> Vec<ThreadName> {
        let mut names: Vec<_> = self.children.iter().map(|(&name, &child)| (child, name)).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// `parent` has created one thread more, or one less.
    pub(crate) fn count_child(&mut self, parent: ThreadId, more: bool) {
        let created = &mut self.created[parent.index()];
        *created = if more { *created + 1 } else { *created - 1 };
    }

    /// A thread that exists.
    #[inline(always)]
    pub(crate) fn get(&self, thread: ThreadId) -> &Current<S> {
        self.now[thread.index()].as_deref().expect("the thread exists")
    }

    /// A thread, if it exists in this execution.
    pub(crate) fn find(&self, thread: ThreadId) -> Option<&Current<S>> {
        self.now.get(thread.index())?.as_deref()
    }

    /// A thread in this state goes where `step` takes it, with the request and the status that `step` returns. Returns
    /// its position until now.
    #[inline(always)]
    pub(crate) fn go(
        &mut self,
        thread: ThreadId,
        from: &S,
        step: impl FnOnce(&mut S) -> Next,
    ) -> Position<S> {
        let now = match self.spare.pop() {
            Some(mut now) => {
                now.state.clone_from(from);
                let Next { request, status, pair, told } = step(&mut now.state);
                (now.request, now.status, now.pair) = (request, status, pair);
                now.steps.restart(told, &mut self.spare);
                now
            }
            None => {
                let mut state = from.clone();
                let Next { request, status, pair, told } = step(&mut state);
                self.boxes += 1;
                Box::new(Current { state, request, status, pair, steps: Steps::new(told) })
            }
        };
        self.set(thread, Some(now))
    }

    /// Put a thread somewhere; its position until now is forgotten.
    #[inline(always)]
    pub(crate) fn put(&mut self, thread: ThreadId, now: Position<S>) {
        let before = self.set(thread, now);
        self.spare.extend(before);
    }

    /// The thread is back at the position before its last event; the one that it leaves is remembered there.
    #[inline(always)]
    pub(crate) fn go_back(&mut self, thread: ThreadId, before: Position<S>) {
        let left = self.set(thread, before);
        let steps = self.now[thread.index()].as_mut().map(|now| &mut now.steps);
        keep(&mut self.spare, self.boxes, steps, left);
    }

    /// A position that was reached from another one, whose steps these are, is left, and remembered there.
    #[inline(always)]
    pub(crate) fn leave(&mut self, steps: &mut Steps<S>, left: Position<S>) {
        keep(&mut self.spare, self.boxes, Some(steps), left);
    }

    /// Put a thread somewhere. Returns its position until now.
    #[inline(always)]
    pub(crate) fn set(&mut self, thread: ThreadId, now: Position<S>) -> Position<S> {
        let (word, bit) = (thread.index() / 64, 1 << (thread.index() % 64));
        let status = now.as_ref().map_or(Status::Finished, |now| now.status);
        if matches!(status, Status::Ready | Status::Awaiting) {
            self.able[word] |= bit;
        } else {
            self.able[word] &= !bit;
        }
        let before = std::mem::replace(&mut self.now[thread.index()], now);
        self.moves[thread.index()] += 1;
        let status_before = before.as_ref().map_or(Status::Finished, |before| before.status);
        self.stopped += usize::from(status.is_stopped());
        self.stopped -= usize::from(status_before.is_stopped());
        self.unfinished += usize::from(status != Status::Finished);
        self.unfinished -= usize::from(status_before != Status::Finished);
        before
    }

    /// A number that changes whenever the thread is put somewhere.
    #[inline(always)]
    pub(crate) fn moves(&self, thread: ThreadId) -> u64 {
        self.moves[thread.index()]
    }

    /// How many threads exist and have not finished.
    #[inline(always)]
    pub(crate) fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// Whether some thread is stopped.
    #[inline(always)]
    pub(crate) fn any_stopped(&self) -> bool {
        self.stopped > 0
    }

    /// The threads that are there.
    pub(crate) fn existing(&self) -> impl DoubleEndedIterator<Item = (ThreadId, &Current<S>)> {
        self.now.iter().enumerate().filter_map(|(t, now)| Some((ThreadId(t as u32), now.as_deref()?)))
    }

    /// Threads that are `Ready` or `Awaiting`, in order of their ids.
    #[inline(always)]
    pub(crate) fn able(&self) -> Able<'_> {
        Able { words: &self.able, word: 0, bits: self.able[0] }
    }

    /// The value that the thread has finished with; `None` if it has not finished.
    #[inline(always)]
    pub(crate) fn finished(&self, thread: ThreadId) -> Option<u64> {
        match self.find(thread)?.request {
            Request::Finish { value } => Some(value),
            _ => None,
        }
    }
}

/// Remember the position that was left, if it is worth it and there is room.
#[inline(always)]
fn keep<S>(spare: &mut Vec<Box<Current<S>>>, boxes: usize, steps: Option<&mut Steps<S>>, left: Position<S>) {
    let Some(mut left) = left else { return };
    if boxes >= MOST_BOXES {
        left.steps.forget(spare);
    }
    let has_room = boxes < MOST_BOXES || !spare.is_empty();
    match (steps, left.steps.told()) {
        (Some(steps), Some(answer)) if has_room => spare.extend(steps.keep(answer, left)),
        _ => spare.push(left),
    }
}

/// Threads whose bits are set, lowest first.
#[derive(Clone, Debug)]
pub(crate) struct Able<'a> {
    words: &'a [u64],
    word: usize,
    bits: u64,
}

impl Iterator for Able<'_> {
    type Item = ThreadId;

    #[inline(always)]
    fn next(&mut self) -> Option<ThreadId> {
        while self.bits == 0 {
            self.word += 1;
            self.bits = *self.words.get(self.word)?;
        }
        let thread = ThreadId(self.word as u32 * 64 + self.bits.trailing_zeros());
        self.bits &= self.bits - 1;
        Some(thread)
    }
}
