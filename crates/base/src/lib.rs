//! Ids, memory orders, accesses, vector clocks, source places and random numbers: the words that every other crate speaks
//! in.
//!
//! Nothing here knows programs, graphs or models. A memory order is typed per operation, so that a release
//! read cannot be written down:
//!
//! ```
//! use base::{Order, ReadOrder, RmwOrder};
//! assert!(ReadOrder::Acquire.is_acquire() && !ReadOrder::Relaxed.is_acquire());
//! assert_eq!(Order::from(RmwOrder::AcqRel).to_string(), "acq_rel");
//! ```

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("Threadbare runs on x86-64 Linux: build it on such a machine, or in a container of one");

mod access;
mod clock;
mod escape;
mod id;
mod order;
mod rng;
mod source;

pub use access::{Access, Value, truncate};
pub use clock::{ClockId, Clocks};
pub use escape::{escaped, escaped_lines, is_hidden};
pub use id::{EventId, Site, ThreadId};
pub use order::{FenceOrder, NoSuchOrder, Order, ReadOrder, RmwOrder, WriteOrder};
pub use rng::Rng;
pub use source::{Place, SiteInfo};
