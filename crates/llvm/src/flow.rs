//! The control flow of a function: its blocks in reverse postorder, and its loops.
//!
//! A back edge is an edge that does not go forward in reverse postorder. Where control flow is reducible these are
//! the edges whose destination dominates their source, whatever order was chosen; in code that `goto` made
//! irreducible they still cut every cycle, which is all that a bound on loops needs.

use crate::ffi::Value;
use std::collections::BTreeMap;

/// The reachable blocks of a function and the edges between them. A block is named by its position.
pub(crate) struct Flow<'m> {
    /// In reverse postorder; the entry is first.
    pub(crate) blocks: Vec<Value<'m>>,
    /// Where each block goes, as its terminator lists it.
    pub(crate) successors: Vec<Vec<usize>>,
    /// The destinations of back edges: for each block, whether it is the head of a loop.
    pub(crate) is_header: Vec<bool>,
}

impl<'m> Flow<'m> {
    pub(crate) fn new(function: Value<'m>) -> Flow<'m> {
        let blocks = reverse_postorder(function.blocks()[0]);
        let index: BTreeMap<_, _> = blocks.iter().enumerate().map(|(i, &block)| (block, i)).collect();
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| block.terminator().successors().iter().map(|to| index[to]).collect())
            .collect();
        let mut flow = Flow { is_header: vec![false; blocks.len()], blocks, successors };
        for from in 0..flow.blocks.len() {
            for &to in &flow.successors[from] {
                flow.is_header[to] |= flow.is_back_edge(from, to);
            }
        }
        flow
    }

    /// Whether the edge closes a loop. `to` is the head of that loop then.
    pub(crate) fn is_back_edge(&self, from: usize, to: usize) -> bool {
        to <= from
    }
}

fn reverse_postorder<'m>(entry: Value<'m>) -> Vec<Value<'m>> {
    let mut seen = std::collections::BTreeSet::from([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, entry.terminator().successors(), 0)];
    while let Some((block, successors, next)) = stack.last_mut() {
        if let Some(&to) = successors.get(*next) {
            *next += 1;
            if seen.insert(to) {
                stack.push((to, to.terminator().successors(), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}
