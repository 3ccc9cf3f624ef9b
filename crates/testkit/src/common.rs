//! Executions of different models, as far as they have the same parts.
//!
//! A model may have no coherence order, and an SC fence is a fence under some models and a read-modify-write under
//! others. To say that one model allows what another does, both sides lose what only one of them has. Some inclusions
//! hold for the programs of a [`Scope`] only.

use crate::program::{Instr, TestProgram};
use base::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use graph::{ExecutionGraph, Label};
use model::ra::SC_FENCE;
use model::{Rules, Scope};
use std::collections::BTreeSet;

/// The executions of one model as another model can have them, too.
pub fn in_common<'a>(
    executions: impl IntoIterator<Item = &'a ExecutionGraph>,
    own: &Rules,
    other: &Rules,
) -> BTreeSet<ExecutionGraph> {
    let part = |graph: &ExecutionGraph| {
        let graph = match own.sc_fence_is_update() && !other.sc_fence_is_update() {
            true => with_sc_fences(graph),
            false => graph.clone(),
        };
        if own.has_co() && !other.has_co() { graph.without_co() } else { graph }
    };
    executions.into_iter().map(part).collect()
}

/// The execution with SC fences that are fences: a read-modify-write of [`SC_FENCE`] becomes `Fence(SeqCst)`, and its
/// `rf` and `co` go. The order of the SC fences goes with them, so several executions may become one.
pub fn with_sc_fences(graph: &ExecutionGraph) -> ExecutionGraph {
    let is_fence = |label: &Label| label.at() == Some(SC_FENCE);
    let fence = |label: &Label| match is_fence(label) {
        true => Label::Fence(FenceOrder::SeqCst),
        false => label.clone(),
    };
    let mut projected = graph.clone();
    projected.co.remove(&SC_FENCE);
    projected.rf.retain(|&read, _| !graph.label(read).is_some_and(is_fence));
    projected.threads = graph.threads.iter().map(|labels| labels.iter().map(fence).collect()).collect();
    projected
}

/// Whether the program is one of those that the scope names.
pub fn is_in(scope: Scope, program: &TestProgram) -> bool {
    let has = |is: fn(&Instr) -> bool| program.lists().flatten().any(is);
    match scope {
        Scope::All => true,
        Scope::NoScFences => !has(is_sc_fence),
        Scope::NoScAccesses => !has(is_sc_access),
        Scope::NoScAndNoPlainAccesses => !has(is_sc_access) && !has(is_plain_access),
    }
}

fn is_sc_fence(instr: &Instr) -> bool {
    matches!(instr, Instr::Fence(FenceOrder::SeqCst))
}

fn is_sc_access(instr: &Instr) -> bool {
    match instr {
        Instr::Load { order, .. } => *order == ReadOrder::SeqCst,
        Instr::Store { order, .. } => *order == WriteOrder::SeqCst,
        Instr::Rmw { order, failure, .. } => *order == RmwOrder::SeqCst || *failure == ReadOrder::SeqCst,
        _ => false,
    }
}

fn is_plain_access(instr: &Instr) -> bool {
    match instr {
        Instr::Load { order, .. } => *order == ReadOrder::NotAtomic,
        Instr::Store { order, .. } => *order == WriteOrder::NotAtomic,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sc_fences_lose_their_order_and_nothing_else() {
        let graph: ExecutionGraph = "thread 0\n  W rlx 0x8/8 = 1\n  RMW acq_rel 0x0/1 = 0 -> 0 rf init\n\
                                     thread 1\n  RMW acq_rel 0x0/1 = 0 -> 0 rf 0:1\n  R rlx 0x8/8 = 1 rf 0:0\n\
                                     co 0x0/1: 0:1 1:0\nco 0x8/8: 0:0\n"
            .parse()
            .unwrap();
        let projected: ExecutionGraph = "thread 0\n  W rlx 0x8/8 = 1\n  F sc\n\
                                         thread 1\n  F sc\n  R rlx 0x8/8 = 1 rf 0:0\nco 0x8/8: 0:0\n"
            .parse()
            .unwrap();
        assert_eq!(with_sc_fences(&graph), projected);
        let [ra, wra, rc11, wrc11] =
            [model::Model::Ra, model::Model::Wra, model::Model::Rc11, model::Model::Wrc11]
                .map(model::Model::rules);
        let common = |own, other| in_common([&graph], own, other).pop_first().expect("there is one");
        assert_eq!(common(ra, ra), graph);
        assert_eq!(common(ra, wra), graph.clone().without_co());
        assert_eq!(common(ra, rc11), projected);
        assert_eq!(common(ra, wrc11), projected.clone().without_co());
        assert_eq!(common(rc11, ra), graph, "a model without updates has none to lose");
    }
}
