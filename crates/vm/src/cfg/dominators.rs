//! Dominators: `a` dominates `b` if all paths from the start to `b` go through `a`.
//!
//! Implements: Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm": immediate dominators, by iteration in
//! reverse postorder.
//! Cost: O(blocks × depth) a round, and two rounds unless control flow is irreducible.

use super::Cfg;

/// The dominators of a graph.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// Per block its immediate dominator; the start is its own; `None`: it cannot be reached.
    immediate: Vec<Option<usize>>,
    /// Per block its position in reverse postorder.
    position: Vec<usize>,
}

impl Dominators {
    pub(crate) fn new(cfg: &Cfg) -> Dominators {
        let order = cfg.reverse_postorder();
        let predecessors = cfg.predecessors();
        let mut position = vec![usize::MAX; cfg.blocks.len()];
        order.iter().enumerate().for_each(|(at, &block)| position[block] = at);
        let mut found = Dominators { immediate: vec![None; cfg.blocks.len()], position };
        found.immediate[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order[1..] {
                let known = predecessors[block].iter().copied().filter(|&p| found.immediate[p].is_some());
                let meet = known.reduce(|a, b| found.meet(a, b));
                changed |= found.immediate[block] != meet;
                found.immediate[block] = meet;
            }
        }
        found
    }

    /// The nearest block that dominates both.
    fn meet(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if self.position[a] > self.position[b] { &mut a } else { &mut b };
            *later = self.immediate[*later].expect("it is reached");
        }
        a
    }

    /// Can the block be reached at all?
    pub(crate) fn is_reached(&self, block: usize) -> bool {
        self.immediate[block].is_some()
    }

    /// Do all paths to `b` go through `a`? Of a block that cannot be reached nothing is said.
    pub(crate) fn dominates(&self, a: usize, mut b: usize) -> bool {
        while let Some(up) = self.immediate[b] {
            if a == b {
                return true;
            }
            if up == b {
                return false;
            }
            b = up;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::graph::tests::{Dice, function_of};

    /// The definition: `b` is reached, and is not any more when `a` is taken out.
    fn dominates_by_definition(cfg: &Cfg, a: usize, b: usize) -> bool {
        let reaches = |without: Option<usize>| {
            let (mut seen, mut pending) = (vec![false; cfg.blocks.len()], vec![0]);
            while let Some(block) = pending.pop() {
                if Some(block) != without && !std::mem::replace(&mut seen[block], true) {
                    pending.extend(cfg.successors(block));
                }
            }
            seen[b]
        };
        reaches(None) && !reaches(Some(a))
    }

    #[test]
    fn dominators_are_those_of_the_definition() {
        let mut dice = Dice(7);
        for _ in 0..1000 {
            let cfg = Cfg::new(&function_of(&dice.edges(8)));
            let dominators = Dominators::new(&cfg);
            for (a, b) in (0..cfg.blocks.len()).flat_map(|a| (0..cfg.blocks.len()).map(move |b| (a, b))) {
                assert_eq!(
                    dominators.dominates(a, b),
                    dominates_by_definition(&cfg, a, b),
                    "{a} over {b} in {cfg:?}"
                );
            }
        }
    }
}
