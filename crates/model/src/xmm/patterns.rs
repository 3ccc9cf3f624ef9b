//! Which committed sets are worth trying: a complete test for re-execution with few of them.
//!
//! For a graph with cycles, only the *core* matters, the porf-prefix of the cycles: the rest can be executed after it.
//! In the core, a set `K` of external reads must be committed so that the other ones respect an order of the
//! threads; with the reads their writers, and what is before those in `rpo`, with its writers. A smaller `K` is
//! embedded wherever a larger one is, so the smallest sets are enough. There are about two of them for a graph, where
//! the definition asks for every set of events.
//!
//! The argument is informal; crate `testkit` has the definition itself and compares the two.
//!
//! Cost: the number of smallest feedback edge sets of a graph of threads.

use super::porf;
use super::reexecution::Execution;
use crate::declarative::Relations;
use crate::relation::EventSet;
use std::collections::BTreeSet;

/// The porf-prefix of the events on cycles in `porf`, without initial writes; nothing if there is no cycle.
pub fn core(g: &Relations) -> EventSet {
    let porf = porf(g);
    let mut core = EventSet::empty(g.len());
    let cyclic = (0..g.len()).filter(|&event| porf.contains(event, event));
    let cyclic: Vec<usize> = cyclic.collect();
    for event in (0..g.len()).filter(|&event| g.events.ids[event].is_some()) {
        if cyclic.iter().any(|&on_cycle| porf.contains(event, on_cycle)) {
            core.insert(event);
        }
    }
    core
}

/// The smallest committed sets with which the core of this graph can be re-executed. None if it has no cycle.
pub fn committed_sets(execution: &Execution) -> Vec<EventSet> {
    let core = core(&execution.relations);
    if core.is_empty() {
        return Vec::new();
    }
    let reads: Vec<(usize, usize)> =
        execution.external_reads().filter(|&(read, _)| core.contains(read)).collect();
    let edge =
        |&(read, write): &(usize, usize)| (execution.thread_index(write), execution.thread_index(read));
    let edges: BTreeSet<(usize, usize)> = reads.iter().map(edge).collect();
    let mut sets = BTreeSet::new();
    cut_cycles(&edges, &mut Vec::new(), execution.threads(), &mut sets);
    let smallest = |cut: &&BTreeSet<(usize, usize)>| {
        !sets.iter().any(|other| other.len() < cut.len() && other.is_subset(cut))
    };
    let committed_reads = |cut: &BTreeSet<(usize, usize)>| {
        let mut set = EventSet::empty(execution.relations.len());
        reads.iter().filter(|read| cut.contains(&edge(read))).for_each(|&(read, _)| set.insert(read));
        set
    };
    sets.iter().filter(smallest).map(|cut| close(execution, committed_reads(cut))).collect()
}

/// All ways to take edges out until no cycle is left, one edge of a cycle at a time.
fn cut_cycles(
    edges: &BTreeSet<(usize, usize)>,
    cut: &mut Vec<(usize, usize)>,
    threads: usize,
    found: &mut BTreeSet<BTreeSet<(usize, usize)>>,
) {
    let left = edges.iter().filter(|edge| !cut.contains(edge)).copied();
    let Some(cycle) = shortest_cycle(&left.collect::<Vec<_>>(), threads) else {
        found.insert(cut.iter().copied().collect());
        return;
    };
    for edge in cycle {
        cut.push(edge);
        cut_cycles(edges, cut, threads, found);
        cut.pop();
    }
}

/// The edges of one of the shortest cycles.
fn shortest_cycle(edges: &[(usize, usize)], threads: usize) -> Option<Vec<(usize, usize)>> {
    let paths = edges.iter().filter_map(|&(from, to)| {
        let mut path = shortest_path(edges, to, from, threads)?;
        path.push((from, to));
        Some(path)
    });
    paths.min_by_key(Vec::len)
}

fn shortest_path(
    edges: &[(usize, usize)],
    from: usize,
    to: usize,
    threads: usize,
) -> Option<Vec<(usize, usize)>> {
    let mut came_by = vec![None; threads];
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(thread) = queue.pop_front() {
        for &edge in edges.iter().filter(|edge| edge.0 == thread) {
            if edge.1 != from && came_by[edge.1].is_none() {
                came_by[edge.1] = Some(edge);
                queue.push_back(edge.1);
            }
        }
    }
    let (mut path, mut at) = (Vec::new(), to);
    while at != from {
        let edge: (usize, usize) = came_by[at]?;
        path.push(edge);
        at = edge.0;
    }
    Some(path)
}

/// With committed reads their writers, with committed events what is before them in `rpo`.
fn close(execution: &Execution, mut committed: EventSet) -> EventSet {
    loop {
        let mut more = committed.clone();
        for event in committed.iter() {
            if execution.relations.events.reads.contains(event) {
                more.insert(execution.source(event));
            }
        }
        for (before, after) in execution.rpo.pairs() {
            if committed.contains(after) && execution.labels[before].is_some() {
                more.insert(before);
            }
        }
        // Initial writes are the same everywhere; what is no access has no label to compare.
        let mut labelled = EventSet::empty(execution.relations.len());
        more.iter().filter(|&event| execution.labels[event].is_some()).for_each(|e| labelled.insert(e));
        if labelled == committed {
            return committed;
        }
        committed = labelled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn committed(text: &str) -> Vec<String> {
        let execution = Execution::of(&text.parse().unwrap());
        let name =
            |event: usize| execution.relations.events.ids[event].expect("no initial write").to_string();
        let names = |set: &EventSet| set.iter().map(name).collect::<Vec<_>>().join(" ");
        committed_sets(&execution).iter().map(names).collect()
    }

    #[test]
    fn either_read_of_load_buffering_can_be_committed() {
        assert_eq!(committed(super::super::tests::LB), ["0:1 1:0", "0:0 1:1"]);
        let acquire = super::super::tests::LB.replacen("R rlx", "R acq", 1);
        assert_eq!(committed(&acquire), ["0:0 0:1 1:0 1:1", "0:0 1:1"]);
    }

    #[test]
    fn the_core_is_what_leads_to_the_cycle() {
        let text = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n  R rlx 0x18/8 = 0 rf init\n\
                    thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\n\
                    thread 2\n  R rlx 0x10/8 = 1 rf 0:1\nco 0x8/8: 1:1\nco 0x10/8: 0:1\n";
        let execution = Execution::of(&text.parse().unwrap());
        let names: Vec<String> = core(&execution.relations)
            .iter()
            .map(|event| execution.relations.events.ids[event].expect("no initial write").to_string())
            .collect();
        assert_eq!(names, ["0:0", "0:1", "1:0", "1:1"]);
        assert_eq!(committed(text), ["0:1 1:0", "0:0 1:1"]);
    }

    #[test]
    fn disjoint_cycles_are_cut_in_every_combination() {
        let mut edges = BTreeSet::from([(0, 1), (1, 0), (2, 3), (3, 2), (0, 2)]);
        let mut found = BTreeSet::new();
        cut_cycles(&edges, &mut Vec::new(), 4, &mut found);
        assert_eq!(found.len(), 4, "{found:?}");
        edges = BTreeSet::from([(0, 1), (1, 2), (2, 0)]);
        found.clear();
        cut_cycles(&edges, &mut Vec::new(), 3, &mut found);
        assert_eq!(found.len(), 3);
    }
}
