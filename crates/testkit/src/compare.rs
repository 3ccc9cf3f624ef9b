//! Comparison: an exploration must find the executions of the oracle, each once.

use crate::oracle::Oracle;
use graph::ExecutionGraph;
use std::collections::BTreeSet;
use thiserror::Error;

/// How the blocked executions are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// They are the oracle's.
    Exact,
    /// They are some of the oracle's: the exploration leaves out some that are of no interest. (Of those in which threads
    /// spin for ever not all, if there are any.)
    Subset,
}

/// What an exploration found, in its own order and with its own thread numbers.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// The complete executions.
    pub complete: Vec<ExecutionGraph>,
    /// The blocked ones, deadlocks included.
    pub blocked: Vec<ExecutionGraph>,
    /// The deadlocks, if the exploration tells them apart.
    pub deadlocks: Option<Vec<ExecutionGraph>>,
    /// Those in which threads spin for ever, if the exploration tells them apart.
    pub spinning: Option<Vec<ExecutionGraph>>,
}

/// The first difference that was found.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("this {list} execution {kind}:\n{graph}")]
pub struct Difference {
    /// Which of the lists: "complete", "blocked", "deadlock", "spinning".
    pub list: &'static str,
    /// What is wrong with the execution.
    pub kind: DifferenceKind,
    /// The execution, in canonical form.
    pub graph: Box<ExecutionGraph>,
}

/// What is wrong with an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DifferenceKind {
    /// The oracle has it, the exploration does not.
    #[error("is missing")]
    Missing,
    /// The exploration has it, the oracle does not.
    #[error("should not be there")]
    Extra,
    /// The exploration has it more than once.
    #[error("was explored twice")]
    Duplicate,
}

/// Compare what was explored with the oracle's executions.
pub fn compare(oracle: &Oracle, explored: &Explored, blocked: Blocked) -> Result<(), Difference> {
    compare_lists("complete", &oracle.complete, &explored.complete, Blocked::Exact)?;
    compare_lists("blocked", &oracle.blocked, &explored.blocked, blocked)?;
    if let Some(deadlocks) = &explored.deadlocks {
        compare_lists("deadlock", &oracle.deadlocks, deadlocks, Blocked::Exact)?;
    }
    let Some(spinning) = &explored.spinning else { return Ok(()) };
    compare_lists("spinning", &oracle.spinning, spinning, blocked)?;
    match oracle.spinning.first() {
        Some(graph) if spinning.is_empty() => {
            let (kind, graph) = (DifferenceKind::Missing, Box::new(graph.clone()));
            Err(Difference { list: "spinning", kind, graph })
        }
        _ => Ok(()),
    }
}

fn compare_lists(
    list: &'static str,
    right: &BTreeSet<ExecutionGraph>,
    explored: &[ExecutionGraph],
    how: Blocked,
) -> Result<(), Difference> {
    let difference = |kind, graph: &ExecutionGraph| Difference { list, kind, graph: Box::new(graph.clone()) };
    let mut found = BTreeSet::new();
    for graph in explored {
        let graph = graph.canonical();
        if !right.contains(&graph) {
            return Err(difference(DifferenceKind::Extra, &graph));
        }
        if let Some(graph) = found.replace(graph) {
            return Err(difference(DifferenceKind::Duplicate, &graph));
        }
    }
    match right.iter().find(|graph| !found.contains(graph)) {
        Some(graph) if how == Blocked::Exact => Err(difference(DifferenceKind::Missing, graph)),
        _ => Ok(()),
    }
}
