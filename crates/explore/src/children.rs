//! The children of a graph: the graphs that the exploration would visit next from there.

use crate::core::explorer::{Explorer, Go};
use crate::core::shape::Shape;
use program::Hint;

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    /// Go to the `nth` child of this graph. If there are not so many, their number is returned, and this is the graph again.
    pub(crate) fn go_to_child(&mut self, nth: u64) -> u64 {
        let base = self.depth();
        let mut next = Some(self.visit());
        let mut children = 0;
        while let Some(go) = next {
            if let Go::Visit = go {
                if children == nth {
                    break;
                }
                children += 1;
            }
            next = if self.has_ended() || self.depth() == base { None } else { self.step_back() };
        }
        children
    }
}
