//! A linear extension of a graph that stays close to the order of the numbers, or a short cycle.
//!
//! Idea: take the nodes in order, each after what must be before it (depth-first, with a stack of our own).
//! If that meets a node which is on the stack, there is a cycle; from there a breadth-first search finds a
//! shortest one through it.
//!
//! Cost: O(nodes + edges).

use std::collections::VecDeque;

/// A graph on numbers, by predecessors.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Per node where its predecessors begin.
    starts: Vec<usize>,
    /// Per node where its predecessors end, as far as they are in.
    ends: Vec<usize>,
    predecessors: Vec<u32>,
}

impl Graph {
    /// Without edges, with room for so many predecessors per node.
    pub(crate) fn with_capacities(capacities: &[u32]) -> Graph {
        let mut starts = Vec::with_capacity(capacities.len());
        let mut total = 0;
        for &capacity in capacities {
            starts.push(total);
            total += capacity as usize;
        }
        Graph { ends: starts.clone(), starts, predecessors: vec![0; total] }
    }

    /// Add an edge. A node's predecessors must not be more than it has room for.
    pub(crate) fn insert(&mut self, from: u32, to: u32) {
        let end = &mut self.ends[to as usize];
        self.predecessors[*end] = from;
        *end += 1;
    }

    fn predecessors(&self, node: u32) -> &[u32] {
        &self.predecessors[self.starts[node as usize]..self.ends[node as usize]]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    OnStack,
    Done,
}

/// All nodes in an order that agrees with the edges, or the nodes of a cycle in the order of its edges.
pub(crate) fn linear_extension(graph: &Graph) -> Result<Vec<u32>, Vec<u32>> {
    let nodes = graph.starts.len();
    let mut visits = vec![Visit::Not; nodes];
    let mut order = Vec::with_capacity(nodes);
    // A node and how many of its predecessors have been looked at.
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in 0..nodes as u32 {
        if visits[root as usize] == Visit::Not {
            visits[root as usize] = Visit::OnStack;
            stack.push((root, 0));
        }
        while let Some((node, next)) = stack.last_mut() {
            match graph.predecessors(*node).get(*next) {
                None => {
                    visits[*node as usize] = Visit::Done;
                    order.push(*node);
                    stack.pop();
                }
                Some(&before) => {
                    *next += 1;
                    match visits[before as usize] {
                        Visit::Done => {}
                        Visit::OnStack => return Err(shortest_cycle(graph, before)),
                        Visit::Not => {
                            visits[before as usize] = Visit::OnStack;
                            stack.push((before, 0));
                        }
                    }
                }
            }
        }
    }
    Ok(order)
}

/// A shortest cycle through a node that is on one.
fn shortest_cycle(graph: &Graph, start: u32) -> Vec<u32> {
    const NOT: u32 = u32::MAX;
    let mut next = vec![NOT; graph.starts.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &before in graph.predecessors(node) {
            if next[before as usize] == NOT {
                next[before as usize] = node;
                queue.push_back(before);
            }
        }
        if next[start as usize] != NOT {
            break;
        }
    }
    let follow = |&node: &u32| Some(next[node as usize]).filter(|&node| node != start);
    std::iter::successors(Some(start), follow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        let mut capacities = vec![0; nodes];
        edges.iter().for_each(|&(_, to)| capacities[to as usize] += 1);
        let mut graph = Graph::with_capacities(&capacities);
        edges.iter().for_each(|&(from, to)| graph.insert(from, to));
        graph
    }

    #[test]
    fn nodes_come_as_early_as_they_may() {
        assert_eq!(linear_extension(&graph(5, &[(3, 1), (4, 3), (0, 4)])), Ok(vec![0, 4, 3, 1, 2]));
    }

    #[test]
    fn the_cycle_is_a_short_one() {
        let long = [(1, 2), (2, 3), (3, 4), (4, 1), (3, 1), (0, 1)];
        assert_eq!(linear_extension(&graph(5, &long)), Err(vec![1, 2, 3]));
        assert_eq!(linear_extension(&graph(2, &[(1, 1)])), Err(vec![1]));
    }
}
