//! Ids, memory orders, accesses, vector clocks and source places: the words that every other crate speaks in.
//!
//! Nothing here knows programs, graphs or models. A memory order is typed per operation, so that a release
//! read cannot be written down:
//!
//! ```
//! use base::{Order, ReadOrder, RmwOrder};
//! assert!(ReadOrder::Acquire.is_acquire() && !ReadOrder::Relaxed.is_acquire());
//! assert_eq!(Order::from(RmwOrder::AcqRel).to_string(), "acq_rel");
//! ```

mod access;
mod clock;
mod id;
mod order;
mod source;

pub use access::{Access, Value, truncate};
pub use clock::{ClockId, Clocks};
pub use id::{EventId, Site, ThreadId};
pub use order::{FenceOrder, NoSuchOrder, Order, ReadOrder, RmwOrder, WriteOrder};
pub use source::Place;
