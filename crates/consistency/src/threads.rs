//! Creation and join of threads, in a format that has accesses only.
//!
//! In a trace, the creation of thread N is a release of the location `create.N` that the thread's first event, an
//! acquire, reads; its end is a release of `end.N` that the join, an acquire, reads. What the models do with creation
//! and join (`asw` of crate `model`) comes out of that as it is where a release and an acquire synchronise: under all
//! of them but two.
//!
//! - Under Relaxed nothing synchronises, but `asw` is in `hb`. Its axioms are those of RC20 with another `hb`, so the
//!   trace is checked under RC20, every access to another location as a relaxed one and every fence as an acquire
//!   fence: no release is left but those of threads, and whoever reads these acquires already, so no fence does
//!   anything.
//! - Under TSO creation and join drain the store buffer. So does an SC store: the releases become such.

use crate::execution::{Event, Op, PartialExecution};
use crate::trace::Trace;
use base::Order;
use model::{GlobalAxiom, Model, Orders};
use std::borrow::Cow;

/// The execution and the model to check it under, so that creation and join are what they are under `model`.
pub(crate) fn understood(trace: &Trace, model: Model) -> (Cow<'_, PartialExecution>, Model) {
    let execution = trace.execution();
    let of_threads = locations_of_threads(trace);
    let is_of_thread =
        |event: Event| execution.location(event).is_some_and(|location| of_threads[location.0 as usize]);
    let rules = model.rules();
    match (rules.orders, rules.global) {
        _ if !of_threads.contains(&true) => (Cow::Borrowed(execution), model),
        (Orders::Ignored, _) => {
            let order = |event| relaxed_order(execution, event, is_of_thread(event));
            (Cow::Owned(execution.with_orders(order)), Model::Rc20)
        }
        (_, GlobalAxiom::Tso) => {
            let drains = |event| is_of_thread(event) && execution.writes(event);
            let order = |event| if drains(event) { Order::SeqCst } else { execution.order(event) };
            (Cow::Owned(execution.with_orders(order)), model)
        }
        (Orders::AsWritten | Orders::Uniform, _) => (Cow::Borrowed(execution), model),
    }
}

fn relaxed_order(execution: &PartialExecution, event: Event, of_thread: bool) -> Order {
    match (execution.op(event), of_thread) {
        (Op::Fence, _) | (Op::Read, true) => Order::Acquire,
        (Op::Write, true) => Order::Release,
        (Op::Rmw, true) => Order::AcqRel,
        (Op::Read | Op::Write | Op::Rmw, false) => Order::Relaxed,
    }
}

/// Per location, whether it stands for the creation or the end of a thread.
fn locations_of_threads(trace: &Trace) -> Vec<bool> {
    let locations = 0..trace.execution().location_count() as u32;
    locations.map(|location| stands_for_a_thread(trace.location(crate::Location(location)))).collect()
}

/// Whether this is the name of a location that stands for the creation or the end of a thread, `create.N` or `end.N`.
fn stands_for_a_thread(name: &str) -> bool {
    let number = name.strip_prefix("create.").or_else(|| name.strip_prefix("end."));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, stands) in [
            ("create.1", true),
            ("end.12", true),
            ("create.", false),
            ("end.x", false),
            ("create", false),
            ("my.end.1", false),
        ] {
            assert_eq!(stands_for_a_thread(name), stands, "{name}");
        }
    }
}
