//! The conditions under which an [`ExecutionGraph`] is one: \[RCMC\] definition 3.6, completeness (3.2.1) and a
//! total `co` (VALID MO of definition 3.7), and what create and join need.
//!
//! The executions of models without a coherence order have no `co`: they have a check of their own.
//!
//! Whether a model allows the graph is another question, for crate `model`. A thread that nobody creates is
//! there from the start (litmus tests have only such threads). A cycle through `rf` is well-formed: some models
//! allow it.
//!
//! Cost: O(n log n).

use crate::execution::event_id;
use crate::{ExecutionGraph, Label, Source};
use base::{Access, EventId, ThreadId};
use std::collections::BTreeMap;
use thiserror::Error;

/// What is wrong with a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Malformed {
    /// A read without `rf`.
    #[error("read {0} reads from nowhere")]
    NoSource(EventId),
    /// `rf` has an entry for something that is not a read of the graph.
    #[error("rf has an entry for {0}, which is not a read")]
    NotARead(EventId),
    /// A read reads from something that is not a write of the graph.
    #[error("read {0} reads from something that is not a write")]
    SourceNotAWrite(EventId),
    /// A read reads from a write to another location.
    #[error("read {0} reads from another location")]
    SourceElsewhere(EventId),
    /// A read has another value than what it reads from.
    #[error("read {0} has not the value of its source")]
    ValueDiffers(EventId),
    /// Two reads of one location's initial value disagree about it.
    #[error("read {0} sees another initial value than others")]
    InitialValueDiffers(EventId),
    /// A write that is not in `co`.
    #[error("write {0} is not in co")]
    NotInCo(EventId),
    /// A write that is in `co` more than once.
    #[error("write {0} is twice in co")]
    TwiceInCo(EventId),
    /// `co` of a location has something that is not a write to it.
    #[error("{1} is in co of {0} but does not write there")]
    ForeignInCo(Access, EventId),
    /// `co` has a location without writes.
    #[error("co of {0} is empty and should not be there")]
    EmptyCo(Access),
    /// There is a `co`, but the graph is for a model without.
    #[error("there is a co of {0}, but the model has none")]
    NeedlessCo(Access),
    /// Create or join of a thread that the graph has no room for.
    #[error("{0} names a thread that does not exist")]
    NoSuchThread(EventId),
    /// A thread is created more than once, or it is the main thread.
    #[error("thread {0} is created more than once")]
    CreatedTwice(ThreadId),
    /// A thread creates itself, is joined before it is created, waits for itself: `po`, create and join have a
    /// cycle through this event.
    #[error("{0} is before itself in po, create and join")]
    ForkJoinCycle(EventId),
    /// A read-modify-write that is not right after its source in `co`.
    #[error("read-modify-write {0} is not right after its source in co")]
    RmwDetached(EventId),
}

impl ExecutionGraph {
    /// The first condition that fails, in the order of [`Malformed`]; `Ok` if this is a graph.
    pub fn check(&self) -> Result<(), Malformed> {
        self.check_rf()?;
        self.check_initial_values()?;
        self.check_co()?;
        self.check_threads()?;
        self.check_fork_join()?;
        self.check_rmws()
    }

    /// The same for a model without a coherence order. The graph must have an empty `co`; the conditions on the rest
    /// are the same. That two read-modify-writes do not read from one write is then an axiom of the model.
    pub fn check_without_co(&self) -> Result<(), Malformed> {
        self.check_rf()?;
        self.check_initial_values()?;
        if let Some(&at) = self.co.keys().next() {
            return Err(Malformed::NeedlessCo(at));
        }
        self.check_threads()?;
        self.check_fork_join()
    }

    /// Every read has one source: a write to its location with its value.
    fn check_rf(&self) -> Result<(), Malformed> {
        if let Some((read, _)) = self.events().find(|(e, label)| label.is_read() && !self.rf.contains_key(e))
        {
            return Err(Malformed::NoSource(read));
        }
        for (&read, &source) in &self.rf {
            let label = self.label(read).filter(|label| label.is_read()).ok_or(Malformed::NotARead(read))?;
            let Source::Event(write) = source else { continue };
            let written = self.label(write).filter(|label| label.is_write());
            let written = written.ok_or(Malformed::SourceNotAWrite(read))?;
            if written.at() != label.at() {
                return Err(Malformed::SourceElsewhere(read));
            }
            if written.written() != label.value_read() {
                return Err(Malformed::ValueDiffers(read));
            }
        }
        Ok(())
    }

    /// The initial value is not in the graph, but there is only one.
    fn check_initial_values(&self) -> Result<(), Malformed> {
        let mut initial = BTreeMap::new();
        for (read, label) in self.events().filter(|(e, _)| self.rf_of(*e) == Some(Source::Init)) {
            if *initial.entry(label.at()).or_insert(label.value_read()) != label.value_read() {
                return Err(Malformed::InitialValueDiffers(read));
            }
        }
        Ok(())
    }

    /// `co` of a location has each of its writes once and nothing else.
    fn check_co(&self) -> Result<(), Malformed> {
        let mut places: BTreeMap<EventId, u32> = BTreeMap::new();
        for (&at, writes) in &self.co {
            if writes.is_empty() {
                return Err(Malformed::EmptyCo(at));
            }
            for &write in writes {
                let label = self.label(write).filter(|label| label.is_write() && label.at() == Some(at));
                label.ok_or(Malformed::ForeignInCo(at, write))?;
                *places.entry(write).or_default() += 1;
            }
        }
        for (write, _) in self.events().filter(|(_, label)| label.is_write()) {
            match places.get(&write) {
                None => return Err(Malformed::NotInCo(write)),
                Some(1) => {}
                Some(_) => return Err(Malformed::TwiceInCo(write)),
            }
        }
        Ok(())
    }

    /// Create and join name threads of the graph, and nobody is created twice.
    fn check_threads(&self) -> Result<(), Malformed> {
        let mut created = vec![false; self.threads.len()];
        if let Some(main) = created.first_mut() {
            *main = true;
        }
        for (event, label) in self.events() {
            let (Label::Create(thread) | Label::Join(thread)) = label else { continue };
            let created = created.get_mut(thread.index()).ok_or(Malformed::NoSuchThread(event))?;
            if matches!(label, Label::Create(_)) && std::mem::replace(created, true) {
                return Err(Malformed::CreatedTwice(*thread));
            }
        }
        Ok(())
    }

    /// `po`, create and join have no cycle: run the threads as far as they go, waiting at joins for the end of the
    /// child and at the start for the creation.
    fn check_fork_join(&self) -> Result<(), Malformed> {
        let mut started = vec![true; self.threads.len()];
        for (_, label) in self.events() {
            if let Label::Create(thread) = label {
                started[thread.index()] = false;
            }
        }
        let mut done = vec![0; self.threads.len()];
        loop {
            let mut progress = false;
            for (thread, labels) in self.threads.iter().enumerate() {
                while started[thread] && done[thread] < labels.len() {
                    match labels[done[thread]] {
                        Label::Join(child) if !started[child.index()] => break,
                        Label::Join(child) if done[child.index()] < self.threads[child.index()].len() => {
                            break;
                        }
                        Label::Create(child) => started[child.index()] = true,
                        _ => {}
                    }
                    done[thread] += 1;
                    progress = true;
                }
            }
            if !progress {
                let stuck = (0..done.len()).find(|&thread| done[thread] < self.threads[thread].len());
                return stuck
                    .map_or(Ok(()), |thread| Err(Malformed::ForkJoinCycle(event_id(thread, done[thread]))));
            }
        }
    }

    /// A read-modify-write is right after its source in `co` (ATOMICITY of \[RCMC\] definition 3.7). Checked last: a
    /// graph that fails here alone is an execution that no model allows.
    fn check_rmws(&self) -> Result<(), Malformed> {
        for writes in self.co.values() {
            let mut before = Source::Init;
            for &write in writes {
                if matches!(self.label(write), Some(Label::Rmw { .. })) && self.rf_of(write) != Some(before) {
                    return Err(Malformed::RmwDetached(write));
                }
                before = Source::Event(write);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::message_passing;

    /// Break the text of a graph.
    fn changed(from: &str, to: &str) -> ExecutionGraph {
        let text = "thread 0\n  W rlx 0x10/4 = 1\n  RMW rlx 0x10/4 = 1 -> 2 rf 0:0\n  create 1\n  join 1\n\
                    thread 1\n  R rlx 0x10/4 = 1 rf 0:0\n  R rlx 0x14/4 = 7 rf init\n  R na 0x14/4 = 7 rf init\n\
                    co 0x10/4: 0:0 0:1\n";
        let changed = text.replacen(from, to, 1);
        assert!(from.is_empty() || changed != text, "{from} is not there");
        changed.parse().unwrap_or_else(|error| panic!("{changed}: {error}"))
    }

    /// The condition that the change violates.
    fn broken(from: &str, to: &str) -> Result<(), Malformed> {
        changed(from, to).check()
    }

    #[test]
    fn every_condition_can_fail() {
        let e = event_id;
        let x = Access { address: 0x10, size: 4 };
        assert_eq!(message_passing().check(), Ok(()));
        assert_eq!(broken("", ""), Ok(()));
        assert_eq!(broken("R rlx 0x10/4 = 1 rf 0:0", "R rlx 0x10/4 = 1"), Err(Malformed::NoSource(e(1, 0))));
        assert_eq!(broken("co", "rf 0:0 from init\nco"), Err(Malformed::NotARead(e(0, 0))));
        assert_eq!(broken("= 1 rf 0:0", "= 1 rf 1:1"), Err(Malformed::SourceNotAWrite(e(1, 0))));
        assert_eq!(broken("7 rf init", "1 rf 0:0"), Err(Malformed::SourceElsewhere(e(1, 1))));
        assert_eq!(broken("= 1 rf 0:0", "= 2 rf 0:0"), Err(Malformed::ValueDiffers(e(1, 0))));
        assert_eq!(broken("7 rf init", "8 rf init"), Err(Malformed::InitialValueDiffers(e(1, 2))));
        assert_eq!(broken("0:0 0:1", "0:0"), Err(Malformed::NotInCo(e(0, 1))));
        assert_eq!(broken("0:0 0:1", "0:0 0:1 0:0"), Err(Malformed::TwiceInCo(e(0, 0))));
        assert_eq!(broken("0:0 0:1", "0:0 1:0"), Err(Malformed::ForeignInCo(x, e(1, 0))));
        assert_eq!(broken("0:0 0:1", ""), Err(Malformed::EmptyCo(x)));
        assert_eq!(broken("create 1", "create 2"), Err(Malformed::NoSuchThread(e(0, 2))));
        assert_eq!(broken("create 1", "create 0"), Err(Malformed::CreatedTwice(ThreadId(0))));
        assert_eq!(broken("join 1", "create 1"), Err(Malformed::CreatedTwice(ThreadId(1))));
        assert_eq!(broken("join 1", "join 0"), Err(Malformed::ForkJoinCycle(e(0, 3))));
        assert_eq!(
            broken("create 1\n  join 1", "join 1\n  create 1"),
            Err(Malformed::ForkJoinCycle(e(0, 2)))
        );
        assert_eq!(broken("0:0 0:1", "0:1 0:0"), Err(Malformed::RmwDetached(e(0, 1))));
    }

    #[test]
    fn without_co_the_other_conditions_stay() {
        let broken = |from, to| changed(from, to).without_co().check_without_co();
        let x = Access { address: 0x10, size: 4 };
        assert_eq!(broken("", ""), Ok(()));
        assert_eq!(changed("", "").check_without_co(), Err(Malformed::NeedlessCo(x)));
        assert_eq!(changed("", "").without_co().check(), Err(Malformed::NotInCo(event_id(0, 0))));
        assert_eq!(broken("0:0 0:1", "0:1 0:0"), Ok(()), "there is nothing to be detached in");
        assert_eq!(broken("= 1 rf 0:0", "= 2 rf 0:0"), Err(Malformed::ValueDiffers(event_id(1, 0))));
        assert_eq!(broken("7 rf init", "8 rf init"), Err(Malformed::InitialValueDiffers(event_id(1, 2))));
        assert_eq!(broken("create 1", "create 2"), Err(Malformed::NoSuchThread(event_id(0, 2))));
        assert_eq!(broken("join 1", "join 0"), Err(Malformed::ForkJoinCycle(event_id(0, 3))));
    }
}
