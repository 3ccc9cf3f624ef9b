//! Events as the declarative texts take them. A partial execution has no values: they are 0.

use crate::execution::{Location, Op};
use base::{Access, Order, RmwOrder};
use graph::Label;
use model::ra;

/// The label of an access to a location, or of a fence.
///
/// # Panics
/// If the operation does not have the order.
pub fn label(op: Op, order: Order, location: Option<Location>) -> Label {
    let at = || access(location.expect("an access has a location"));
    const FITS: &str = "an order that the operation has";
    match op {
        Op::Read => Label::Read { at: at(), order: order.try_into().expect(FITS), value: 0 },
        Op::Write => Label::Write { at: at(), order: order.try_into().expect(FITS), value: 0 },
        Op::Rmw => Label::Rmw { at: at(), order: order.try_into().expect(FITS), read: 0, written: 0 },
        Op::Fence => Label::Fence(order.try_into().expect(FITS)),
    }
}

/// An SC fence where it is a read-modify-write.
pub const SC_FENCE: Label = Label::Rmw { at: ra::SC_FENCE, order: RmwOrder::AcqRel, read: 0, written: 0 };

/// Some address per location; none is that of [`ra::SC_FENCE`].
pub fn access(location: Location) -> Access {
    Access { address: 8 * (u64::from(location.0) + 1), size: 8 }
}
