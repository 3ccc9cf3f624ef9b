//! Walking: to a graph of the exploration by its path, past its children, as if everything beside the path were explored.
//!
//! The same code enumerates children that explores them. What is found on the way was found by others, and is thrown away by
//! callers.
//!
//! Cost: the length of the path, times the children beside it.

use crate::core::explorer::{Explorer, Go};
use crate::core::shape::Shape;
use crate::reductions::epilogue::Epilogue;
use crate::subtree::Subtree;
use program::Hint;
use std::ops::Range;

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    /// Go to the graph where the subtree begins, as if everything before it were explored; whether that was possible.
    pub(crate) fn walk_to(&mut self, subtree: &Subtree) -> bool {
        // Whether one thread runs alone to the end is remembered from execution to execution: not on the way.
        let epilogue = std::mem::replace(&mut self.epilogue, Epilogue::new(false));
        let found = subtree.path.0.iter().all(|&child| self.walk_to_child(child));
        self.trail.set_floor(subtree.floor);
        if !subtree.is_whole() {
            self.build.transactions.gain.skip();
        }
        self.epilogue = epilogue;
        found
    }

    /// Go to this child of the current graph, as if everything below those before it were explored; whether that was possible.
    fn walk_to_child(&mut self, child: u32) -> bool {
        self.walk_past_children(|number| number < child) == Some(child) && self.end.is_none()
    }

    /// The numbers of the children of the current graph, which is left then. That of a child to which the visit of the graph
    /// leads at once is 0; those to which its frames lead are counted from 1.
    pub(crate) fn children(&mut self) -> Range<u32> {
        self.epilogue = Epilogue::new(false);
        let mut numbers = 0..0;
        self.walk_past_children(|number| {
            let first = if numbers.is_empty() { number } else { numbers.start };
            numbers = first..number + 1;
            true
        });
        self.trail.leave(self.stack.len());
        numbers
    }

    /// Visit the current graph and go past its children, as if everything below them were explored, as long as `goes_on` says
    /// so. Returns the number of the child that was reached, if any was.
    fn walk_past_children(&mut self, mut goes_on: impl FnMut(u32) -> bool) -> Option<u32> {
        self.trail.enter(self.stack.len());
        let (mut go, mut number) = (self.visit(), 0);
        loop {
            if let Go::Visit = go
                && !goes_on(number)
            {
                return Some(number);
            }
            if self.end.is_some() || self.trail.is_at_base(self.stack.len()) {
                return None;
            }
            let frame = self.stack.pop()?;
            go = self.advance(frame);
            if let Go::Visit = go {
                self.trail.count_child();
                number += 1;
            }
        }
    }

    /// The share of the whole exploration that a subtree is, if each graph has an equal share for each of its children. Any
    /// subtree can be asked for next.
    pub(crate) fn share_of(&mut self, subtree: &Subtree) -> f64 {
        let (mut share, mut weight) = (0.0, 1.0);
        for (number, &child) in subtree.path.0.iter().enumerate() {
            let children = self.children();
            if !children.contains(&child) || !self.walk_to_child(child) {
                break;
            }
            weight /= children.len() as f64;
            share +=
                if number < subtree.floor { 0.0 } else { weight * (child + 1..children.end).len() as f64 };
        }
        if subtree.is_after { share } else { share + weight }
    }
}
