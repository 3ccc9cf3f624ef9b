//! Cutting a graph: `G|S` for a set `S` that is closed under `porf` (\[RCMC\] section 3.2, `Restrict`).

use crate::{ExecutionGraph, Source};
use base::EventId;

/// The graph with the first `keep[t]` events of each thread `t` (none of threads that `keep` does not mention).
/// Threads keep their numbers.
///
/// # Panics
/// If a kept read reads from a write that goes: the kept set is not closed under `porf`.
pub fn restrict(graph: &ExecutionGraph, keep: &[u32]) -> ExecutionGraph {
    let kept = |e: EventId| keep.get(e.thread.index()).is_some_and(|&len| e.index < len);
    let mut cut = graph.clone();
    for (thread, labels) in cut.threads.iter_mut().enumerate() {
        labels.truncate(keep.get(thread).map_or(0, |&len| len as usize));
    }
    cut.rf.retain(|&read, _| kept(read));
    for (read, source) in &cut.rf {
        let Source::Event(write) = *source else { continue };
        assert!(kept(write), "{read} stays but its source {write} goes");
    }
    for writes in cut.co.values_mut() {
        writes.retain(|&write| kept(write));
    }
    cut.co.retain(|_, writes| !writes.is_empty());
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::message_passing;

    #[test]
    fn cuts_are_graphs() {
        let graph = message_passing();
        assert_eq!(restrict(&graph, &[2, 2]), graph);
        for keep in [[2, 1], [2, 0], [1, 0], [0, 0]] {
            let cut = restrict(&graph, &keep);
            assert_eq!(cut.check(), Ok(()));
            assert_eq!(cut.events().count() as u32, keep[0] + keep[1]);
            assert_eq!(restrict(&cut, &keep), cut);
        }
        assert!(restrict(&graph, &[]).co.is_empty());
    }

    #[test]
    #[should_panic(expected = "1:0 stays but its source 0:1 goes")]
    fn a_set_that_is_not_closed_is_refused() {
        restrict(&message_passing(), &[1, 1]);
    }
}
