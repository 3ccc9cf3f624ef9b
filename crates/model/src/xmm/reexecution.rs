//! The step from one graph to another: which events may be committed, and whether they are in the source.
//!
//! Implements \[XMM\] definitions 5.0.5 (*WellFormed* configuration), 5.0.6 (*EmbeddedSubGraph*), 5.0.7
//! (*StableUncommittedReads*) and the rules *Guided step* and *Re-Execute* of figure 5.1.
//!
//! Differs: the set `D` of determined events is empty, which loses nothing: what `G|D` has, guided steps can make. An
//! event of `G'` that is no access and no fence is never committed: it is the same whenever its thread is.

use super::{porf, rpo};
use crate::declarative::Relations;
use crate::relation::{EventSet, Relation};
use base::{Access, FenceOrder, ReadOrder, ThreadId, Value, WriteOrder};
use graph::{ExecutionGraph, Label};

/// What the two graphs of a re-execution must agree on: the thread and the label of a committed event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventLabel {
    /// The thread.
    pub thread: ThreadId,
    /// What it does.
    pub action: Action,
}

/// An access or a fence; the two halves of a read-modify-write are two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// A read.
    Read {
        /// The location.
        at: Access,
        /// The order.
        order: ReadOrder,
        /// The value.
        value: Value,
        /// Whether it is a half of a read-modify-write.
        rmw: bool,
    },
    /// A write.
    Write {
        /// The location.
        at: Access,
        /// The order.
        order: WriteOrder,
        /// The value.
        value: Value,
        /// Whether it is a half of a read-modify-write.
        rmw: bool,
    },
    /// A fence.
    Fence(FenceOrder),
}

/// A graph with what re-execution asks about it.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its relations; sets of events are sets of their numbers.
    pub relations: Relations,
    /// Preserved program order.
    pub rpo: Relation,
    /// What each event is, if it can be committed.
    pub labels: Vec<Option<EventLabel>>,
}

impl Execution {
    /// The relations and labels of a graph.
    pub fn of(graph: &ExecutionGraph) -> Execution {
        let relations = Relations::of(graph);
        let rpo = rpo(&relations);
        let labels = (0..relations.len()).map(|event| label(graph, &relations, event)).collect();
        Execution { relations, rpo, labels }
    }

    /// The thread of an event; `None` for initial writes.
    pub fn thread(&self, event: usize) -> Option<ThreadId> {
        self.relations.events.ids[event].map(|id| id.thread)
    }

    /// What a read reads from.
    ///
    /// # Panics
    /// If it is no read.
    pub fn source(&self, read: usize) -> usize {
        let rf = &self.relations.rf;
        (0..self.relations.len()).find(|&write| rf.contains(write, read)).expect("every read has a source")
    }

    /// The write that an external read reads from, one of another thread; `None` for other reads and events.
    pub fn external_source(&self, read: usize) -> Option<usize> {
        if !self.relations.events.reads.contains(read) {
            return None;
        }
        let write = self.source(read);
        (self.thread(write).is_some() && self.thread(write) != self.thread(read)).then_some(write)
    }

    /// The reads that read from a write of another thread.
    pub fn external_reads(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.relations.len()).filter_map(|read| Some((read, self.external_source(read)?)))
    }

    /// Definition 5.0.5: every committed read reads from a committed write (the initial ones are), and *Guided steps*
    /// lead to the graph: without committed reads, `porf` has no cycle. With the second condition of our reading: the
    /// committed events are closed under predecessors in `rpo`.
    pub fn is_well_formed(&self, committed: &EventSet) -> bool {
        let g = &self.relations;
        let reads_from_committed =
            g.rf.restrict_rng(committed)
                .pairs()
                .all(|(write, _)| committed.contains(write) || g.events.ids[write].is_none());
        let commits = |event: usize| self.labels[event].is_none() || committed.contains(event);
        let is_closed = self.rpo.restrict_rng(committed).pairs().all(|(before, _)| commits(before));
        reads_from_committed && is_closed && self.is_guided(committed)
    }

    fn is_guided(&self, committed: &EventSet) -> bool {
        let g = &self.relations;
        let later = g.rf.restrict_rng(committed);
        g.po.union(&g.asw).union(&g.rf.minus(&later)).is_acyclic()
    }

    /// Definition 5.0.7: the threads can be ordered so that uncommitted external reads read from earlier threads.
    pub fn is_stable(&self, committed: &EventSet) -> bool {
        let mut flow = Relation::empty(self.threads());
        for (read, write) in self.external_reads().filter(|&(read, _)| !committed.contains(read)) {
            flow.insert(self.thread_index(write), self.thread_index(read));
        }
        flow.is_acyclic()
    }

    pub(crate) fn threads(&self) -> usize {
        self.relations.events.ids.iter().flatten().map(|id| id.thread.index() + 1).max().unwrap_or(0)
    }

    pub(crate) fn thread_index(&self, event: usize) -> usize {
        self.thread(event).expect("no initial write").index()
    }

    /// Definition 5.0.6: whether there is an `f` that takes the committed events of this graph to events of `source`
    /// with the same threads, labels, `rpo`, `rf`, `mo` and `rmw`.
    pub fn is_embedded(&self, committed: &EventSet, source: &Execution) -> bool {
        self.embedding(committed, source).is_some()
    }

    /// Such an `f`: for each committed event, in their order, its image.
    pub fn embedding(&self, committed: &EventSet, source: &Execution) -> Option<Vec<usize>> {
        let committed: Vec<usize> = committed.iter().collect();
        let mut image = Vec::with_capacity(committed.len());
        self.embed(&committed, source, &mut image).then_some(image)
    }

    fn embed(&self, committed: &[usize], source: &Execution, image: &mut Vec<usize>) -> bool {
        let Some(&event) = committed.get(image.len()) else { return true };
        let label = self.labels[event].expect("accesses and fences are committed, no others");
        for candidate in (0..source.labels.len()).filter(|&other| source.labels[other] == Some(label)) {
            let fits = !image.contains(&candidate)
                && committed.iter().zip(&*image).all(|(&a, &fa)| {
                    self.agrees((a, event), source, (fa, candidate))
                        && self.agrees((event, a), source, (candidate, fa))
                });
            if fits {
                image.push(candidate);
                if self.embed(committed, source, image) {
                    return true;
                }
                image.pop();
            }
        }
        false
    }

    /// Whether two events are related as two other ones are in the source.
    fn agrees(&self, (a, b): (usize, usize), source: &Execution, (fa, fb): (usize, usize)) -> bool {
        let (own, other) = (&self.relations, &source.relations);
        self.rpo.contains(a, b) == source.rpo.contains(fa, fb)
            && own.rf.contains(a, b) == other.rf.contains(fa, fb)
            && own.co.contains(a, b) == other.co.contains(fa, fb)
            && own.rmw.contains(a, b) == other.rmw.contains(fa, fb)
    }

    /// Whether it has a cycle in `porf`.
    pub fn is_cyclic(&self) -> bool {
        !porf(&self.relations).is_irreflexive()
    }

    /// Whether it has a load-buffering race.
    pub fn is_racy(&self) -> bool {
        !super::lb_race(&self.relations).is_empty()
    }
}

fn label(graph: &ExecutionGraph, g: &Relations, event: usize) -> Option<EventLabel> {
    let id = g.events.ids[event]?;
    let reads = g.events.reads.contains(event);
    let action = match *graph.label(id).expect("is an event") {
        Label::Read { at, order, value } => Action::Read { at, order, value, rmw: false },
        Label::Write { at, order, value } => Action::Write { at, order, value, rmw: false },
        Label::Rmw { at, order, read, .. } if reads => {
            Action::Read { at, order: order.read(), value: read, rmw: true }
        }
        Label::Rmw { at, order, written, .. } => {
            Action::Write { at, order: order.write(), value: written, rmw: true }
        }
        Label::Fence(order) => Action::Fence(order),
        Label::Create(_) | Label::Join(_) | Label::Publish(_) | Label::Free(_) => return None,
        Label::Choose(_) | Label::Sleep(..) | Label::Notify(_) => return None,
    };
    Some(EventLabel { thread: id.thread, action })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(text: &str) -> Execution {
        Execution::of(&text.parse().unwrap())
    }

    /// Events of the graph by name; all but initial writes are plain events here.
    fn set(execution: &Execution, names: &[&str]) -> EventSet {
        let mut set = EventSet::empty(execution.relations.len());
        for (event, id) in execution.relations.events.ids.iter().enumerate() {
            if id.is_some_and(|id| names.contains(&id.to_string().as_str())) {
                set.insert(event);
            }
        }
        set
    }

    const SOURCE: &str = "thread 0\n  R rlx 0x8/8 = 0 rf init\n  W rlx 0x10/8 = 1\n\
                          thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\nco 0x8/8: 1:1\nco 0x10/8: 0:1\n";

    #[test]
    fn the_example_of_section_5_3() {
        let (source, cycle) = (execution(SOURCE), execution(super::super::tests::LB));
        let committed = set(&cycle, &["0:1", "1:0", "1:1"]);
        assert!(source.is_racy() && cycle.is_cyclic() && !source.is_cyclic());
        assert!(cycle.is_well_formed(&committed) && cycle.is_stable(&committed));
        assert!(cycle.is_embedded(&committed, &source));
        // Less is enough; nothing is not, and neither is a read without its write.
        let less = set(&cycle, &["0:1", "1:0"]);
        assert!(cycle.is_well_formed(&less) && cycle.is_stable(&less));
        assert!(!cycle.is_well_formed(&set(&cycle, &[])) && !cycle.is_stable(&set(&cycle, &[])));
        assert!(!cycle.is_well_formed(&set(&cycle, &["1:0"])));
        // What the source does not have cannot be committed.
        assert!(!cycle.is_embedded(&set(&cycle, &["0:0", "1:1"]), &source));
    }

    #[test]
    fn rpo_predecessors_are_committed() {
        let cycle = execution(&super::super::tests::LB.replacen("R rlx", "R acq", 1));
        assert!(!cycle.is_well_formed(&set(&cycle, &["0:1", "1:0"])));
        assert!(cycle.is_well_formed(&set(&cycle, &["0:0", "0:1", "1:0", "1:1"])));
    }

    #[test]
    fn coherence_among_committed_writes_is_kept() {
        let text =
            |co: &str| format!("thread 0\n  W rlx 0x8/8 = 1\nthread 1\n  W rlx 0x8/8 = 2\nco 0x8/8: {co}\n");
        let (one, other) = (execution(&text("0:0 1:0")), execution(&text("1:0 0:0")));
        let both = set(&one, &["0:0", "1:0"]);
        assert!(one.is_embedded(&both, &one) && !one.is_embedded(&both, &other));
        assert!(one.is_embedded(&set(&one, &["0:0"]), &other));
    }
}
