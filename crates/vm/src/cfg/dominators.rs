//! Dominators: `a` dominates `b` if all paths from the start to `b` go through `a`.
//!
//! Implements: Lengauer and Tarjan's semidominators with path compression, and immediate dominators from them as the
//! nearest common ancestors of parents ("semi-NCA", Georgiadis). The tree of dominators is numbered, so that a query is
//! a comparison.
//! Cost: O(edges × log blocks). Iteration to a fixpoint is simpler, and quadratic for a function with thousands of
//! `return`s.

use super::Cfg;

/// The dominators of a graph.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// Per block the numbers of the blocks that it dominates, its own first; `None`: it cannot be reached.
    dominated: Vec<Option<(usize, usize)>>,
}

impl Dominators {
    pub(crate) fn new(cfg: &Cfg) -> Dominators {
        let tree = SpanningTree::new(cfg);
        let immediate = tree.immediate_dominators(cfg);
        let mut size = vec![1; tree.blocks.len()];
        (1..size.len()).rev().for_each(|node| size[immediate[node]] += size[node]);
        let (mut start, mut next) = (vec![0; size.len()], vec![1; size.len()]);
        for node in 1..size.len() {
            start[node] = next[immediate[node]];
            next[immediate[node]] += size[node];
            next[node] = start[node] + 1;
        }
        let mut dominated = vec![None; cfg.blocks.len()];
        for (node, &block) in tree.blocks.iter().enumerate() {
            dominated[block] = Some((start[node], start[node] + size[node]));
        }
        Dominators { dominated }
    }

    /// Whether the block can be reached at all.
    pub(crate) fn is_reached(&self, block: usize) -> bool {
        self.dominated[block].is_some()
    }

    /// Whether all paths to `b` go through `a`. No block that cannot be reached dominates or is dominated.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        let (Some((first, end)), Some((number, _))) = (self.dominated[a], self.dominated[b]) else {
            return false;
        };
        (first..end).contains(&number)
    }
}

/// The blocks that can be reached, as nodes in the order in which a depth-first search finds them.
struct SpanningTree {
    blocks: Vec<usize>,
    /// Per block its node.
    node: Vec<Option<usize>>,
    /// Per node the one from which it was found; the first has itself.
    parent: Vec<usize>,
}

impl SpanningTree {
    fn new(cfg: &Cfg) -> SpanningTree {
        let mut tree =
            SpanningTree { blocks: Vec::new(), node: vec![None; cfg.blocks.len()], parent: Vec::new() };
        tree.add(0, 0);
        let mut stack = vec![(0, cfg.successors(0))];
        while let Some((from, rest)) = stack.last_mut() {
            let from = *from;
            match rest.pop() {
                Some(to) if tree.node[to].is_none() => {
                    tree.add(to, from);
                    stack.push((tree.blocks.len() - 1, cfg.successors(to)));
                }
                Some(_) => {}
                None => _ = stack.pop(),
            }
        }
        tree
    }

    fn add(&mut self, block: usize, parent: usize) {
        self.node[block] = Some(self.blocks.len());
        self.blocks.push(block);
        self.parent.push(parent);
    }

    /// The immediate dominator of each node.
    fn immediate_dominators(&self, cfg: &Cfg) -> Vec<usize> {
        let predecessors = cfg.predecessors();
        let mut forest = Forest::new(self.blocks.len());
        for node in (1..self.blocks.len()).rev() {
            for before in predecessors[self.blocks[node]].iter().filter_map(|&before| self.node[before]) {
                let least = forest.least(before);
                forest.semi[node] = forest.semi[node].min(forest.semi[least]);
            }
            forest.ancestor[node] = Some(self.parent[node]);
        }
        let mut immediate = self.parent.clone();
        for node in 1..immediate.len() {
            while immediate[node] > forest.semi[node] {
                immediate[node] = immediate[immediate[node]];
            }
        }
        immediate
    }
}

/// The part of the tree that was looked at, with paths made short.
struct Forest {
    /// Per node its semidominator, as far as is known.
    semi: Vec<usize>,
    /// Per node the one with the least semidominator on the path that was left out.
    label: Vec<usize>,
    ancestor: Vec<Option<usize>>,
}

impl Forest {
    fn new(nodes: usize) -> Forest {
        Forest { semi: (0..nodes).collect(), label: (0..nodes).collect(), ancestor: vec![None; nodes] }
    }

    /// The node with the least semidominator on the path to `node` from the root of its tree, which does not count.
    fn least(&mut self, node: usize) -> usize {
        let (mut path, mut at) = (Vec::new(), node);
        while let Some(up) = self.ancestor[at] {
            path.push((at, up));
            at = up;
        }
        // The last one is right below the root: nothing is to be made shorter.
        path.pop();
        for (at, up) in path.into_iter().rev() {
            if self.semi[self.label[up]] < self.semi[self.label[at]] {
                self.label[at] = self.label[up];
            }
            self.ancestor[at] = self.ancestor[up];
        }
        self.label[node]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::graph::tests::{edges, function_of};
    use base::Rng;

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
        let rng = &mut Rng::new(7);
        for _ in 0..1000 {
            let cfg = Cfg::new(&function_of(&edges(rng, 8)));
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
