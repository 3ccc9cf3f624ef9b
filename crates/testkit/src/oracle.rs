//! Brute force: every execution of a program, straight from the definitions.
//!
//! Partial executions are extended in every way and in every order, each one once, and those that a declarative
//! model accepts are kept. There is no cleverness: what comes out is what the exploration has to find. A read reads
//! from a write that is there, so executions with a cycle in `porf` are never built: all models here forbid them
//! (`guess` builds those, too).
//!
//! Cost: one check per partial execution, a few microseconds; their number is exponential in every respect.

use crate::model::Model;
use crate::partial::{Partial, Status, ThreadNames};
use base::FenceOrder;
use graph::ExecutionGraph;
use model::{Relations, races};
use program::{Blocker, Program, Request};
use std::collections::BTreeSet;

/// When to give up, and whether to look ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Drop partial executions that are inconsistent, and add what does not read at once. Exact for models that are
    /// closed under prefixes, as ours are; without it, nothing but the definition is relied on.
    pub prune: bool,
    /// Give up after so many partial executions.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { prune: true, limit: 20_000 }
    }
}

/// The executions of a program, in canonical form; without `co` if the model has none, so that they differ in `po` and
/// `rf` only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Oracle {
    /// Those in which every thread finished.
    pub complete: BTreeSet<ExecutionGraph>,
    /// Those in which no thread can go on but some have not finished: they are blocked by an assumption, have seen
    /// a mutex taken, or wait to join such a thread.
    pub blocked: BTreeSet<ExecutionGraph>,
    /// Those of the blocked ones in which no thread is blocked by an assumption and every thread that waits for a
    /// mutex has read the last state of it.
    pub deadlocks: BTreeSet<ExecutionGraph>,
    /// Those of the blocked ones in which some thread is blocked by an assumption right after the read that it is about,
    /// all who are have read the last state of what they read, and all others have finished or wait as in deadlocks.
    pub spinning: BTreeSet<ExecutionGraph>,
    /// How many partial executions there were.
    pub states: usize,
}

impl Oracle {
    /// Whether some execution has a data race with respect to the model's `hb`.
    pub fn is_racy(&self, model: &Model) -> bool {
        self.complete.iter().chain(&self.blocked).any(|graph| {
            let relations = Relations::of(graph);
            !races::races(&relations, &(model.hb)(&relations)).is_empty()
        })
    }

    /// The same without `co`: executions that differ in it only are one.
    pub fn up_to_rf(self) -> Oracle {
        let cut =
            |graphs: BTreeSet<ExecutionGraph>| graphs.into_iter().map(ExecutionGraph::without_co).collect();
        Oracle {
            complete: cut(self.complete),
            blocked: cut(self.blocked),
            deadlocks: cut(self.deadlocks),
            spinning: cut(self.spinning),
            states: self.states,
        }
    }

    fn insert<S: Clone>(&mut self, end: &Partial<S>) {
        if end.statuses().all(|status| matches!(status, Status::Finished(_) | Status::NotCreated)) {
            self.complete.insert(end.graph());
            return;
        }
        let spins = |status: &Status| matches!(status, Status::Asks(Request::Block(Blocker::Spin { .. })));
        let assumes = |status: &Status| matches!(status, Status::Asks(Request::Block(_))) && !spins(status);
        if !end.statuses().any(assumes) && end.waiters_read_last() {
            let list = if end.statuses().any(spins) { &mut self.spinning } else { &mut self.deadlocks };
            list.insert(end.graph());
        }
        self.blocked.insert(end.graph());
    }
}

/// All executions of a program that the model accepts; `None` if there are too many partial ones.
///
/// # Panics
/// If a thread faults, refuses, or reads memory that was not published.
pub fn enumerate<P: Program>(program: &P, model: &Model, options: Options) -> Option<Oracle> {
    let mut oracle = Oracle::default();
    let mut names = ThreadNames::default();
    let mut seen = BTreeSet::new();
    let mut todo = vec![Partial::start(program, model.has_co)];
    while let Some(partial) = todo.pop() {
        if !seen.insert(partial.key()) {
            continue;
        }
        oracle.states += 1;
        if oracle.states > options.limit {
            return None;
        }
        let accepted = || model.accepts(&Relations::of(&partial));
        if options.prune && !accepted() {
            continue;
        }
        let alone = |request: &Request| options.prune && goes_first(request, model);
        let extensions = partial.extensions(program, &mut names, model.sc_fence_is_update, alone);
        if extensions.is_empty() && (options.prune || accepted()) {
            oracle.insert(&partial);
        }
        todo.extend(extensions);
    }
    Some(oracle)
}

/// Nothing has to be there before an event that reads nothing but what is before it in its thread: if the partial
/// execution is a prefix of an execution, then it still is one with that event. So it can be added first, alone.
fn goes_first(request: &Request, model: &Model) -> bool {
    match request {
        Request::Fence(FenceOrder::SeqCst) => !model.sc_fence_is_update,
        Request::Write { .. } | Request::Unlock { .. } | Request::Fence(_) | Request::Create { .. } => true,
        Request::Publish(_) | Request::Free { .. } | Request::Choose { .. } => true,
        Request::Read { .. } | Request::Rmw { .. } | Request::Lock { .. } | Request::Join { .. } => false,
        Request::Await { .. } | Request::Depart(_) | Request::Sleep { .. } | Request::Notify { .. } => false,
        Request::SizeOf { .. } | Request::Block(_) | Request::Finish { .. } => false,
        Request::Fault(_) | Request::Refuse(_) => false,
    }
}
