//! Checking a `co` that is given, by means of a check that looks for one.
//!
//! One more thread, the observer, reads the writes of each location in the given order, with plain accesses. Coherence
//! makes `co` agree with what a thread reads of one location one after the other, so that the execution with the
//! observer is consistent iff the one without is, with the given `co`. Nothing else changes: nobody reads from the
//! observer and no plain read synchronises, so `hb` leads from the observer nowhere and into it from initial writes
//! only. That is why one observer is enough for all locations; and why this is for models only in which an access is
//! no more than coherent: under SC and TSO the reads of different locations have an order, too.

use crate::execution::{Event, Op, PartialExecution, Source, Thread};
use base::Order;
use model::{Cycles, GlobalAxiom, Model};

/// Whether an observer shows no more than `co` under this model.
pub(crate) fn observable(model: Model) -> bool {
    let rules = model.rules();
    let is_coherent_only = !matches!(rules.global, GlobalAxiom::Sc | GlobalAxiom::Tso);
    is_coherent_only && rules.has_co() && rules.cycles == Cycles::Forbidden
}

/// The execution with an observer of this `co`; its events are the last ones.
pub(crate) fn with_observer(execution: &PartialExecution, co: &[Vec<Event>]) -> PartialExecution {
    let mut observed = execution.clone();
    let observer = Thread(execution.thread_count() as u32);
    for &write in co.iter().filter(|writes| writes.len() > 1).flatten() {
        let location = execution.location(write).expect("a write has a location");
        let read = observed.access(observer, Op::Read, Order::NotAtomic, location);
        observed.set_source(read, Source::Event(write));
    }
    observed
}
