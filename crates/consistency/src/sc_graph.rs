//! Sequential consistency of an execution with a given coherence order.
//!
//! SC is stronger than RC11: a coherence order with which `po ∪ rf ∪ co ∪ fr` has no cycle is one for RC11,
//! whatever is an SC access. Executions that were recorded while a program ran mostly have one, and it takes
//! linear time to see.

use crate::answer::Witness;
use crate::execution::{Event, PartialExecution, Source};
use crate::extension::{Graph, linear_extension};

const NONE: u32 = u32::MAX;

/// Whether `po ∪ rf ∪ co ∪ fr` has no cycle.
pub(crate) fn is_sequentially_consistent(execution: &PartialExecution, witness: &Witness) -> bool {
    let next = next_in_co(execution, witness);
    let mut capacities = vec![0; execution.len()];
    each_edge(execution, witness, &next, |_, to| capacities[to.index()] += 1);
    let mut graph = Graph::with_capacities(&capacities);
    each_edge(execution, witness, &next, |from, to| graph.insert(from.0, to.0));
    linear_extension(&graph).is_ok()
}

/// Per write the next one in coherence order.
fn next_in_co(execution: &PartialExecution, witness: &Witness) -> Vec<u32> {
    let mut next = vec![NONE; execution.len()];
    for pair in witness.co.iter().flat_map(|co| co.windows(2)) {
        next[pair[0].index()] = pair[1].0;
    }
    next
}

/// The edges whose transitive closure is that of `po ∪ rf ∪ co ∪ fr`.
fn each_edge(
    execution: &PartialExecution,
    witness: &Witness,
    next: &[u32],
    mut edge: impl FnMut(Event, Event),
) {
    for e in execution.events() {
        if let Some(before) = execution.position(e).checked_sub(1) {
            edge(execution.po(execution.thread(e))[before as usize], e);
        }
        let overwritten_by = match execution.source(e) {
            None => continue,
            Some(Source::Event(write)) => {
                edge(write, e);
                next[write.index()]
            }
            Some(Source::Init) => {
                let location = execution.location(e).expect("it reads").0 as usize;
                witness.co[location].first().map_or(NONE, |first| first.0)
            }
        };
        if overwritten_by != NONE && overwritten_by != e.0 {
            edge(e, Event(overwritten_by));
        }
    }
    for pair in witness.co.iter().flat_map(|co| co.windows(2)) {
        edge(pair[0], pair[1]);
    }
}
