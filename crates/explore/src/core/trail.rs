//! The trail: the graphs from the root to the one that is explored now, with the frames of each.
//!
//! Cost: a push, a pop and a comparison or two for each graph.

use crate::subtree::{Path, Subtree};

/// A graph on the way.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// How many frames there were when it was visited: its own are above them.
    base: u32,
    /// How many of its children were visited, the current one included: the first one, before any was.
    children: u32,
}

/// The graphs on the way to the current one, which is the last.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    nodes: Vec<Node>,
    /// So many graphs at the beginning have nothing left that is to be explored here.
    floor: usize,
}

impl Trail {
    /// A graph is visited; there are so many frames.
    #[inline(always)]
    pub(crate) fn enter(&mut self, frames: usize) {
        self.nodes.push(Node { base: frames as u32, children: 1 });
    }

    /// The current graph goes on to a child after its first one.
    #[inline(always)]
    pub(crate) fn count_child(&mut self) {
        if let Some(node) = self.nodes.last_mut() {
            node.children += 1;
        }
    }

    /// Leave the graphs that have no frames left, now that there are so many; whether that was all.
    #[inline(always)]
    pub(crate) fn leave(&mut self, frames: usize) -> bool {
        while let Some(node) = self.nodes.last() {
            if node.base as usize != frames {
                return false;
            }
            self.nodes.pop();
            if self.nodes.len() <= self.floor {
                return true;
            }
        }
        true
    }

    /// Whether the current graph has no frames left, if there are so many.
    pub(crate) fn is_at_base(&self, frames: usize) -> bool {
        self.nodes.last().is_some_and(|node| node.base as usize == frames)
    }

    /// From now on, so many graphs at the beginning have nothing left.
    pub(crate) fn set_floor(&mut self, floor: usize) {
        self.floor = floor;
    }

    /// What is left to be explored, the current graph included.
    pub(crate) fn rest(&self) -> Subtree {
        Subtree { path: self.path(self.nodes.len().saturating_sub(1)), floor: self.floor, is_after: false }
    }

    /// Give away what is left of the oldest graphs, up to the first one that has more children, as far as `has_more` can tell
    /// from its frames. The current graph and what is below the last one given away stays.
    pub(crate) fn split(&mut self, has_more: impl Fn(std::ops::Range<usize>) -> bool) -> Option<Subtree> {
        let frames = |two: &[Node]| two[0].base as usize..two[1].base as usize;
        let own = self.nodes.windows(2).skip(self.floor);
        let last = self.floor + own.map(frames).position(has_more)?;
        let given = Subtree { path: self.path(last + 1), floor: self.floor, is_after: true };
        self.floor = last + 1;
        Some(given)
    }

    /// The path to the graph with this number.
    fn path(&self, number: usize) -> Path {
        Path(self.nodes[..number].iter().map(|node| node.children - 1).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three graphs with one, two and one frame; the second child of the first is visited, then its first, and so on.
    fn trail() -> Trail {
        let mut trail = Trail::default();
        for (frames, more) in [(0, 1), (1, 0), (3, 0), (4, 0)] {
            trail.enter(frames);
            (0..more).for_each(|_| trail.count_child());
        }
        trail
    }

    #[test]
    fn what_is_left_begins_at_the_current_graph() {
        assert_eq!(trail().rest().to_string(), "0/1.0*2");
    }

    #[test]
    fn the_oldest_graphs_are_given_away_first() {
        let mut trail = trail();
        let given = trail.split(|frames| frames == (1..3)).expect("the second has more");
        assert_eq!((given.to_string().as_str(), trail.rest().to_string().as_str()), ("0/1.0>", "2/1.0*2"));
        assert_eq!(trail.split(|frames| frames.start < 3), None, "those are given away already");
        assert!(!trail.leave(4) && trail.leave(3), "what is below the third was its own");
    }

    #[test]
    fn graphs_without_frames_are_left() {
        let mut trail = trail();
        assert!(!trail.leave(5), "the last one has a frame");
        assert!(!trail.leave(4) && !trail.leave(3) && !trail.leave(1));
        assert_eq!(trail.rest().to_string(), "0/");
        assert!(trail.leave(0));
    }
}
