//! A quick test whether a graph has no cycle in `porf`: most graphs with promises have none, and need no closer look.

use base::{EventId, ThreadId};
use graph::{ExecutionGraph, Label, Source};

/// Whether the events can be put in an order that obeys `po`, `rf`, creations and joins.
pub(crate) fn is_acyclic(graph: &ExecutionGraph) -> bool {
    let mut order = Order::new(graph);
    while order.advance() {}
    order.is_complete()
}

/// An order that is begun.
struct Order<'a> {
    graph: &'a ExecutionGraph,
    /// How many events of each thread are in it.
    done: Vec<u32>,
    /// The threads that can begin: those that no thread creates, and those whose creation is in it.
    begun: Vec<bool>,
}

impl<'a> Order<'a> {
    fn new(graph: &'a ExecutionGraph) -> Self {
        let mut begun = vec![true; graph.threads.len()];
        let labels = graph.threads.iter().flatten();
        for child in labels.filter_map(created) {
            if let Some(begun) = begun.get_mut(child.index()) {
                *begun = false;
            }
        }
        Order { graph, done: vec![0; graph.threads.len()], begun }
    }

    /// Add the events that can be added, thread by thread. True if there were any.
    fn advance(&mut self) -> bool {
        let before = self.done.clone();
        for (thread, labels) in self.graph.threads.iter().enumerate() {
            while let Some(label) = labels.get(self.done[thread] as usize)
                && self.is_ready(EventId { thread: ThreadId(thread as u32), index: self.done[thread] }, label)
            {
                self.done[thread] += 1;
                if let Some(begun) = created(label).and_then(|child| self.begun.get_mut(child.index())) {
                    *begun = true;
                }
            }
        }
        self.done != before
    }

    fn is_ready(&self, event: EventId, label: &Label) -> bool {
        let is_written = match self.graph.rf.get(&event) {
            Some(&Source::Event(write)) => write.index < self.done[write.thread.index()],
            Some(Source::Init) | None => true,
        };
        let is_joined = match *label {
            Label::Join(child) => self.is_over(child),
            _ => true,
        };
        self.begun[event.thread.index()] && is_written && is_joined
    }

    fn is_over(&self, thread: ThreadId) -> bool {
        let labels = self.graph.threads.get(thread.index());
        labels.is_none_or(|labels| labels.len() == self.done[thread.index()] as usize)
    }

    fn is_complete(&self) -> bool {
        (0..self.done.len()).all(|thread| self.is_over(ThreadId(thread as u32)))
    }
}

fn created(label: &Label) -> Option<ThreadId> {
    match *label {
        Label::Create(child) => Some(child),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Relations;

    const GRAPHS: [&str; 5] = [
        "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
         thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\nco 0x8/8: 1:1\nco 0x10/8: 0:1\n",
        "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
         thread 1\n  R rlx 0x10/8 = 0 rf init\n  W rlx 0x8/8 = 1\nco 0x8/8: 1:1\nco 0x10/8: 0:1\n",
        "thread 0\n  RMW rlx 0x8/8 = 1 -> 2 rf 1:0\nthread 1\n  RMW rlx 0x8/8 = 0 -> 1 rf init\nco 0x8/8: 1:0 0:0\n",
        "thread 0\n  R rlx 0x8/8 = 1 rf 1:0\n  create 1\nthread 1\n  W rlx 0x8/8 = 1\nco 0x8/8: 1:0\n",
        "thread 0\n  create 1\n  join 1\n  W rlx 0x8/8 = 1\nthread 1\n  R rlx 0x8/8 = 1 rf 0:2\nco 0x8/8: 0:2\n",
    ];

    #[test]
    fn it_is_the_axiom() {
        for text in GRAPHS {
            let graph: ExecutionGraph = text.parse().expect("is a graph");
            let is_axiom = !model::xmm::porf(&Relations::of(&graph)).pairs().any(|(a, b)| a == b);
            assert_eq!(is_acyclic(&graph), is_axiom, "{text}");
        }
    }
}
