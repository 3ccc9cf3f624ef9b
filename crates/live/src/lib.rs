//! The graph under construction, which an exploration extends, cuts back and extends again.
//!
//! A [`LiveGraph`] has the events of crate `graph` in another form: in an arena, linked by index, with clocks that are
//! kept up to date, so that adding an event, taking it out and putting it back cost no more than the changes they make.
//! Everything is undone in the reverse order of doing. [`LiveGraph::check`] is the list of its invariants.
//!
//! It knows neither programs nor models: the explorer decides which events to add and which reads synchronise, models
//! read the clocks. Two orders are kept for models that need them: that of blocks where the coherence order is left
//! open, and `mo_weak` where there is none.
//!
//! | file | what it knows |
//! |---|---|
//! | `graph` | events in a bump arena: adding, taking out, putting back; questions about prefixes and locations |
//! | `event`, `location` | one event, one location |
//! | `links` | `rf` and `co`: linking and unlinking in constant time |
//! | `sync` | clocks: release sequences, `sw` and `hb`, incrementally |
//! | `blocks` | the order of blocks, where the coherence order is left open |
//! | `blocks_by_definition` | the same from its definition, for tests |
//! | `mo_weak` | `mo_weak`, for models without a coherence order |
//! | `lb_race` | load-buffering races, seen from the clocks |
//! | `check` | the invariants, as a function |
//!
//! A release write and the acquire read that reads it:
//! ```
//! use base::{Access, ThreadId};
//! use live::{EventRef, Kind, LiveGraph, ReleaseSequence};
//!
//! let mut graph = LiveGraph::new();
//! let (writer, reader) = (graph.add_thread(), graph.add_thread());
//! let x = graph.add_location(Access { address: 8, size: 4 });
//!
//! let w = graph.push(writer, Kind::WRITE, x);
//! graph.set_value(w, 1);
//! graph.sync_write(w, true, ReleaseSequence::SameThread);
//! graph.co_insert_after(EventRef::init(x), w);
//!
//! let r = graph.push(reader, Kind::READ, x);
//! graph.set_rf(r, w);
//! graph.sync_read(r, true);
//! assert!(graph.hb(w, r));
//! assert_eq!(graph.check(), Ok(()));
//!
//! graph.reset_rf(r);
//! graph.pop(r);
//! assert_eq!(graph.len(reader), 0);
//! ```

mod blocks;
mod blocks_by_definition;
mod check;
mod event;
mod graph;
mod lb_race;
mod links;
mod location;
mod mo_weak;
mod sync;

pub use blocks::OrderMark;
pub use check::Broken;
pub use event::{EventRef, Kind, LiveEvent, LocationId};
pub use graph::{LiveGraph, Prefix};
pub use location::Location;
pub use sync::ReleaseSequence;
