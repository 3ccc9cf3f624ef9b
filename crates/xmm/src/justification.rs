//! Justifications: the re-executions that lead to an execution with a cycle, so that it is not out of thin air.

use base::EventId;
use explore::outcome::Justification;
use graph::{ExecutionGraph, Source};
use model::relation::EventSet;
use model::xmm::Execution;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A core that was reached by re-execution from a source, with these events committed.
pub(crate) fn justification(
    core: (&ExecutionGraph, &Execution),
    committed: &EventSet,
    source: (&ExecutionGraph, &Execution, &[usize]),
    earlier: Option<Arc<Justification>>,
) -> Justification {
    let (graph, image) = (source.0.clone(), source.2);
    let name = |execution: &Execution, event: usize| execution.relations.events.ids[event];
    let committed = committed.iter().zip(image).filter_map(|(event, &image)| {
        // The halves of a read-modify-write have one name.
        Some((name(core.1, event)?, name(source.1, image)?))
    });
    let committed: BTreeMap<EventId, EventId> = committed.collect();
    Justification { cycle: cycle(core.0), committed, source: graph, earlier }
}

/// A shortest cycle in `po ∪ rf`: reads and writes in turn, each read followed by a later write of its thread, each
/// write by a read of it.
fn cycle(graph: &ExecutionGraph) -> Vec<EventId> {
    let external = graph.rf.iter().filter_map(|(&read, &source)| match source {
        Source::Event(write) if write.thread != read.thread => Some((write, read)),
        Source::Event(_) | Source::Init => None,
    });
    let external: Vec<(EventId, EventId)> = external.collect();
    let cycles = external.iter().filter_map(|&start| cycle_from(&external, start));
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

/// The shortest cycle that begins with this read, whose source is its last write.
fn cycle_from(external: &[(EventId, EventId)], (last, first): (EventId, EventId)) -> Option<Vec<EventId>> {
    let mut paths = vec![vec![first]];
    let mut seen = vec![first];
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            let read = *path.last().expect("a path has a read");
            if read.thread == last.thread && read.index <= last.index {
                return Some(path.into_iter().chain([last]).collect());
            }
            let after = |e: EventId| e.thread == read.thread && e.index >= read.index;
            for &(write, next) in external.iter().filter(|&&(write, _)| after(write)) {
                if !seen.contains(&next) {
                    seen.push(next);
                    longer.push(path.iter().copied().chain([write, next]).collect());
                }
            }
        }
        paths = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_of_load_buffering() {
        let text = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
                    thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\nco 0x8/8: 1:1\nco 0x10/8: 0:1\n";
        let names: Vec<String> = cycle(&text.parse().unwrap()).iter().map(EventId::to_string).collect();
        assert_eq!(names, ["0:0", "0:1", "1:0", "1:1"]);
    }
}
