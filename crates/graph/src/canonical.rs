//! The same graph with its threads numbered by their place in the tree of creations.
//!
//! Thread numbers say in which order an exploration met the threads: two explorations that schedule differently
//! may number them differently when threads other than `main` create threads. To compare their graphs, both are
//! put into this form: `main` is 0, then its first child and that child's descendants, and so on.
//!
//! Differs from the graph it comes from only in names; values are not changed, so a program that stores thread
//! numbers (a mutex word holds its owner's) is not canonical here.

use crate::{ExecutionGraph, Label, Source};
use base::{EventId, ThreadId};
use std::collections::BTreeMap;

impl ExecutionGraph {
    /// The canonical form. Threads that nobody creates come after the others, in their old order; those of them
    /// that did nothing are dropped.
    pub fn canonical(&self) -> ExecutionGraph {
        let old = self.threads_in_order_of_creation();
        let new: BTreeMap<ThreadId, ThreadId> = old.iter().copied().zip((0..).map(ThreadId)).collect();
        let name = |thread: &ThreadId| new.get(thread).copied().unwrap_or(*thread);
        let event = |e: &EventId| EventId { thread: name(&e.thread), index: e.index };
        let label = |label: &Label| match label {
            Label::Create(thread) => Label::Create(name(thread)),
            Label::Join(thread) => Label::Join(name(thread)),
            other => other.clone(),
        };
        let source = |source: &Source| match source {
            Source::Init => Source::Init,
            Source::Event(write) => Source::Event(event(write)),
        };
        ExecutionGraph {
            threads: old.iter().map(|t| self.threads[t.index()].iter().map(label).collect()).collect(),
            rf: self.rf.iter().map(|(read, write)| (event(read), source(write))).collect(),
            co: self.co.iter().map(|(&at, writes)| (at, writes.iter().map(event).collect())).collect(),
        }
    }

    fn threads_in_order_of_creation(&self) -> Vec<ThreadId> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.threads.len()];
        self.descend(ThreadId::MAIN, &mut seen, &mut order);
        let created: Vec<ThreadId> = self.events().filter_map(|(_, label)| created(label)).collect();
        for thread in (0..self.threads.len() as u32).map(ThreadId) {
            if !self.threads[thread.index()].is_empty() && !created.contains(&thread) {
                self.descend(thread, &mut seen, &mut order);
            }
        }
        order
    }

    /// A thread, then its children with theirs.
    fn descend(&self, thread: ThreadId, seen: &mut [bool], order: &mut Vec<ThreadId>) {
        if thread.index() >= seen.len() || std::mem::replace(&mut seen[thread.index()], true) {
            return;
        }
        order.push(thread);
        for child in self.threads[thread.index()].iter().filter_map(created) {
            self.descend(child, seen, order);
        }
    }
}

fn created(label: &Label) -> Option<ThreadId> {
    match label {
        Label::Create(thread) => Some(*thread),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_depend_on_who_was_met_first() {
        // main creates A and B, A creates C; met in the order A, C, B and in the order A, B, C.
        let met_c_first: ExecutionGraph =
            "thread 0\n  create 1\n  create 3\n  join 3\nthread 1\n  create 2\n\
                                           thread 2\n  W rlx 0x8/8 = 1\n\
                                           thread 3\n  R rlx 0x8/8 = 1 rf 2:0\nco 0x8/8: 2:0\n"
                .parse()
                .unwrap();
        let met_b_first: ExecutionGraph =
            "thread 0\n  create 1\n  create 2\n  join 2\nthread 1\n  create 3\n\
                                           thread 2\n  R rlx 0x8/8 = 1 rf 3:0\n\
                                           thread 3\n  W rlx 0x8/8 = 1\nthread 4\nco 0x8/8: 3:0\n"
                .parse()
                .unwrap();
        assert_ne!(met_b_first, met_c_first);
        assert_eq!(met_b_first.canonical(), met_c_first.canonical());
        assert_eq!(met_c_first.canonical(), met_c_first);
        assert_eq!(met_b_first.canonical().check(), Ok(()));
    }

    #[test]
    fn threads_without_creator_stay() {
        let graph = crate::fixtures::message_passing();
        assert_eq!(graph.canonical(), graph);
    }
}
