//! Natural loops: backedges, their headers, and the blocks that their loopy paths are made of.
//!
//! Implements: [SAVER] section II-A. A loopy path of a backedge is a simple path from the header to itself by that
//! edge; where it goes is the natural loop of the edge, the blocks that reach its source without passing the header.
//! Differs: a condition on every loopy path is checked for every block of the natural loop, inner loops and all. That
//! is never weaker: a simple path visits such blocks only.
//! Not modelled: cycles without a header (`goto` into the middle of a loop); they have no backedge here, and are not
//! cut.

use super::{Cfg, Dominators};
use std::collections::{BTreeMap, BTreeSet};

/// An edge to a block that dominates its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BackEdge {
    pub(crate) from: usize,
    pub(crate) header: usize,
    /// The blocks of its loopy paths, the header and the source among them.
    pub(crate) body: BTreeSet<usize>,
}

/// The loops of a graph.
#[derive(Debug)]
pub(crate) struct Loops {
    /// By header, then by source.
    pub(crate) backedges: Vec<BackEdge>,
}

impl Loops {
    pub(crate) fn new(cfg: &Cfg, dominators: &Dominators) -> Loops {
        Loops::within(cfg, dominators, usize::MAX).expect("there is no limit")
    }

    /// The loops, unless they have more blocks than this, all together: a block counts as often as loops are around it.
    pub(crate) fn within(cfg: &Cfg, dominators: &Dominators, mut most: usize) -> Option<Loops> {
        let predecessors = cfg.predecessors();
        let mut backedges = Vec::new();
        for (from, header) in edges_back(&predecessors, dominators) {
            let body = natural_loop(&predecessors, dominators, from, header);
            most = most.checked_sub(body.len())?;
            backedges.push(BackEdge { from, header, body });
        }
        Some(Loops { backedges })
    }

    /// The backedges to a header.
    pub(crate) fn to(&self, header: usize) -> &[BackEdge] {
        let first = self.backedges.partition_point(|edge| edge.header < header);
        let end = self.backedges.partition_point(|edge| edge.header <= header);
        &self.backedges[first..end]
    }

    /// Each header with the blocks of all its loopy paths.
    pub(crate) fn bodies(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut bodies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for edge in &self.backedges {
            bodies.entry(edge.header).or_default().extend(&edge.body);
        }
        bodies
    }
}

/// The source and the header of each backedge, by header.
fn edges_back(predecessors: &[Vec<usize>], dominators: &Dominators) -> impl Iterator<Item = (usize, usize)> {
    let headers = predecessors.iter().enumerate();
    headers.flat_map(move |(header, from)| {
        from.iter().filter(move |&&from| dominators.dominates(header, from)).map(move |&from| (from, header))
    })
}

fn natural_loop(
    predecessors: &[Vec<usize>],
    dominators: &Dominators,
    from: usize,
    header: usize,
) -> BTreeSet<usize> {
    let mut body = BTreeSet::from([header]);
    let mut pending = vec![from];
    while let Some(block) = pending.pop() {
        if body.insert(block) {
            pending.extend(predecessors[block].iter().filter(|&&before| dominators.is_reached(before)));
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::graph::tests::{edges, function_of};
    use base::Rng;

    fn loops(edges: &[Vec<u32>]) -> Vec<(usize, usize, Vec<usize>)> {
        let cfg = Cfg::new(&function_of(edges));
        let loops = Loops::new(&cfg, &Dominators::new(&cfg));
        loops.backedges.into_iter().map(|e| (e.from, e.header, e.body.into_iter().collect())).collect()
    }

    #[test]
    fn each_backedge_has_the_blocks_between_its_header_and_its_source() {
        // Two ways back to block 1, as in the dequeue of [SAVER], figure 3.
        let edges = [vec![1], vec![2, 3], vec![1], vec![1, 4], vec![]];
        assert_eq!(loops(&edges), [(2, 1, vec![1, 2]), (3, 1, vec![1, 3])]);
        // A loop in a loop.
        let edges = [vec![1], vec![2, 4], vec![2, 3], vec![1], vec![]];
        assert_eq!(loops(&edges), [(3, 1, vec![1, 2, 3]), (2, 2, vec![2])]);
        // A cycle with two ways in has no header.
        assert_eq!(loops(&[vec![1, 2], vec![2], vec![1]]), []);
    }

    /// Every simple path from the header to itself by the edge, by trying.
    fn loopy_path_blocks(cfg: &Cfg, from: usize, header: usize) -> BTreeSet<usize> {
        fn walk(cfg: &Cfg, goal: usize, path: &mut Vec<usize>, found: &mut BTreeSet<usize>) {
            let here = *path.last().expect("it starts somewhere");
            if here == goal {
                found.extend(path.iter());
                return;
            }
            for to in cfg.successors(here) {
                if !path.contains(&to) {
                    path.push(to);
                    walk(cfg, goal, path, found);
                    path.pop();
                }
            }
        }
        let mut found = BTreeSet::new();
        walk(cfg, from, &mut vec![header], &mut found);
        found
    }

    #[test]
    fn a_natural_loop_holds_all_loopy_paths() {
        let rng = &mut Rng::new(11);
        for _ in 0..500 {
            let cfg = Cfg::new(&function_of(&edges(rng, 7)));
            let dominators = Dominators::new(&cfg);
            for edge in Loops::new(&cfg, &dominators).backedges {
                let paths = loopy_path_blocks(&cfg, edge.from, edge.header);
                assert!(paths.is_subset(&edge.body), "{edge:?} {paths:?} {cfg:?}");
                assert!(edge.body.iter().all(|&block| dominators.dominates(edge.header, block)), "{edge:?}");
            }
        }
    }
}
