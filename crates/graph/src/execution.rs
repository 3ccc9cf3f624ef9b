//! An execution graph as a value: it can be cloned, compared, printed and parsed back.
//!
//! Implements \[RCMC\] definition 3.6. Initial writes are implicit: they are before everything. Two values are
//! equal iff the graphs are (up to the numbers of the threads, see `canonical`), because every part has one form
//! only: `co` has no entry for a location without writes.

use crate::Label;
use base::{Access, EventId, ThreadId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a read takes its value from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// The location's initial value.
    Init,
    /// A write.
    Event(EventId),
}

/// Events, `po`, `rf` and `co` (\[RCMC\] definition 3.6). Initial writes are implicit: they are before everything.
///
/// Any value can be written down; [`ExecutionGraph::check`] says whether it is a graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ExecutionGraph {
    /// Per thread its events in program order.
    pub threads: Vec<Vec<Label>>,
    /// Where each read (and read-modify-write) reads from.
    pub rf: BTreeMap<EventId, Source>,
    /// Per location its writes in coherence order, the initial one left out. Empty in the executions of models
    /// without a coherence order.
    pub co: BTreeMap<Access, Vec<EventId>>,
}

impl ExecutionGraph {
    /// All events, thread by thread, each thread in program order.
    pub fn events(&self) -> impl Iterator<Item = (EventId, &Label)> {
        self.threads.iter().enumerate().flat_map(|(thread, labels)| {
            labels.iter().enumerate().map(move |(index, label)| (event_id(thread, index), label))
        })
    }

    /// What an event does; `None` if there is no such event.
    pub fn label(&self, event: EventId) -> Option<&Label> {
        self.threads.get(event.thread.index())?.get(event.index as usize)
    }

    /// Where a read reads from; `None` if the event does not read.
    pub fn rf_of(&self, read: EventId) -> Option<Source> {
        self.rf.get(&read).copied()
    }

    /// The reads that read from a write, in the order of [`ExecutionGraph::events`].
    pub fn readers_of(&self, write: EventId) -> impl Iterator<Item = EventId> {
        self.rf.iter().filter(move |&(_, &source)| source == Source::Event(write)).map(|(&read, _)| read)
    }

    /// The writes of a location in coherence order, the initial one left out.
    pub fn writes_of(&self, at: Access) -> &[EventId] {
        self.co.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Whether `a` is before `b` in program order.
    pub fn po_before(&self, a: EventId, b: EventId) -> bool {
        a.thread == b.thread && a.index < b.index
    }

    /// The same without `co`: what is left of an execution for a model that has none.
    pub fn without_co(mut self) -> ExecutionGraph {
        self.co.clear();
        self
    }

    /// The event that creates a thread, if some event does.
    pub fn creator_of(&self, thread: ThreadId) -> Option<EventId> {
        self.events().find(|&(_, label)| *label == Label::Create(thread)).map(|(event, _)| event)
    }
}

/// The event at `index` of `thread`.
pub(crate) fn event_id(thread: usize, index: usize) -> EventId {
    EventId { thread: ThreadId(thread as u32), index: index as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_helpers_agree_with_the_picture() {
        let graph = crate::fixtures::message_passing();
        let x = Access { address: 0x10, size: 4 };
        assert_eq!(
            graph.events().map(|(e, _)| e.to_string()).collect::<Vec<_>>(),
            ["0:0", "0:1", "1:0", "1:1"]
        );
        assert_eq!(graph.readers_of(event_id(0, 1)).collect::<Vec<_>>(), [event_id(1, 0)]);
        assert_eq!(graph.rf_of(event_id(1, 1)), Some(Source::Event(event_id(0, 0))));
        assert_eq!(graph.rf_of(event_id(0, 1)), None);
        assert_eq!(graph.writes_of(x), [event_id(0, 0)]);
        assert_eq!(graph.writes_of(Access { address: 0, size: 1 }), []);
        assert!(
            graph.po_before(event_id(0, 0), event_id(0, 1))
                && !graph.po_before(event_id(0, 0), event_id(1, 1))
        );
        assert_eq!(graph.label(event_id(0, 2)), None);
        assert_eq!(graph.creator_of(ThreadId(1)), None);
    }
}
