//! Algorithm 2: SRA without read-modify-writes.
//!
//! Implements: \[RF\] section 4.3, right as printed. The orderings are those of [Algorithm 3](crate::rc20)
//! under a uniform model; what is asked of them is more: together with `hb`, of all locations at once, they
//! must have no cycle.
//!
//! With read-modify-writes the problem is NP-complete (theorem 1.2).

use crate::ordering::{Ordering, Orderings, Prepared};
use crate::rc20::Rc20;
use crate::timestamps::Synchronisation;
use std::ops::ControlFlow;

/// The orderings of Algorithm 2.
#[derive(Debug)]
pub(crate) struct Sra(Rc20);

impl Sra {
    pub(crate) fn new(prepared: &Prepared) -> Sra {
        Sra(Rc20::new(prepared, Synchronisation::Uniform))
    }
}

impl Orderings for Sra {
    fn each(
        &self,
        prepared: &Prepared,
        found: &mut impl FnMut(Ordering) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.0.each(prepared, found)
    }

    const STRONG: bool = true;
}
