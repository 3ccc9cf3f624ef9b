//! Algorithm 4: Relaxed, in linear time.
//!
//! Implements: \[RF\] section 4.5. Where `hb` is `po`, an access knows no more of its location than the
//! access before it in its thread: `LW` is all there is to keep, per thread and location, and the number of
//! threads does not matter.
//!
//! Corrected: line 12, `LW ← rf⁻¹(e)`, is not part of the `if` before it. As printed, of `R x(w) ; R x(init)`
//! in one thread and `w: W x` in another, the first read sets nothing, and the second is not seen to go back.

use crate::execution::Event;
use crate::ordering::{Ordering, Orderings, Prepared};
use std::ops::ControlFlow;

/// The orderings of Algorithm 4.
#[derive(Debug)]
pub(crate) struct Relaxed;

impl Orderings for Relaxed {
    fn each(
        &self,
        prepared: &Prepared,
        found: &mut impl FnMut(Ordering) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let execution = prepared.execution;
        // LW, as the access that knows it.
        let mut last: Vec<Option<Event>> = vec![None; prepared.slots.len()];
        for e in execution.events().filter(|&e| execution.location(e).is_some()) {
            if let Some(access) = last[prepared.slots.slot(e)].replace(e) {
                found(prepared.ordering(access, e, prepared.chains.place(e)))?;
            }
        }
        ControlFlow::Continue(())
    }
}
