//! Bounds that the program sets: `__VERIFIER_loop_bound(N)` before a loop.
//!
//! The bound is that of the first loop that control comes to after the call. Not modelled: a bound that is no constant; the
//! call is refused where it is reached.

use crate::ffi::{Kind, Value};
use crate::flow::Flow;
use std::collections::BTreeSet;

const NAME: &str = "__VERIFIER_loop_bound";

/// Per block that is the head of a loop, its bound, if there is one.
pub(crate) fn of(flow: &Flow<'_>) -> Vec<Option<u32>> {
    let mut bounds = vec![None; flow.blocks.len()];
    for (block, value) in flow.blocks.iter().enumerate() {
        let calls = value.instructions().filter(|&instruction| is_bound(instruction));
        if let Some(bound) = calls.filter_map(constant).last()
            && let Some(header) = next_loop(flow, block)
        {
            bounds[header] = Some(bound);
        }
    }
    bounds
}

/// Whether it sets a bound.
pub(crate) fn is_bound(instruction: Value<'_>) -> bool {
    instruction.is_call()
        && instruction.callee().kind() == Kind::Function
        && instruction.callee().name() == NAME
}

/// The bound that a call sets, if that is a constant. At least one iteration starts.
pub(crate) fn constant(call: Value<'_>) -> Option<u32> {
    let bound = call.arguments().first()?.integer()?;
    Some((bound as i32).max(1).cast_unsigned())
}

/// The first head of a loop that control comes to after this block.
fn next_loop(flow: &Flow<'_>, block: usize) -> Option<usize> {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![block]);
    while let Some(from) = todo.pop() {
        let forward = flow.successors[from].iter().filter(|&&to| !flow.is_back_edge(from, to));
        todo.extend(forward.filter(|&&to| seen.insert(to)));
    }
    seen.into_iter().find(|&to| flow.is_header[to])
}
