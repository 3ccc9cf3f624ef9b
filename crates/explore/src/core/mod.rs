//! The core: the graph, the threads and the peeling loop.
//!
//! It asks the reductions at the hooks (`reductions/hooks.rs`). By name it asks those that decide which thread steps
//! (`schedule`), locks that wait, with frames of their own (`peeling`), the epilogue and the watch on symmetric threads
//! (`explorer`), and zero-net-effect rounds at the end of an execution (`stuck`); the graph has pairs, and notes for
//! rounds that are left out (`construction`).
//!
//! | file | what it knows |
//! |---|---|
//! | `explorer` | a pass: visits and steps, on an explicit stack; the algorithm in words |
//! | `peeling`, `frame` | reads, writes, sweeps and revisits; the stack of those under way |
//! | `transactional` | the same where the order of critical sections is open |
//! | `choices`, `model_graph` | the greedy choice; sources of reads, places of writes |
//! | `shape` | whether there is a `co`, and whether it is left open |
//! | `open_coherence`, `witness`, `saturation` | an open `co`: whether one fits; the one that is kept; the search for another |
//! | `coherence_by_text` | the same by the text of the model, for tests |
//! | `construction` | the execution under construction: events are added, bound, taken out and put back |
//! | `events`, `memory` | events that leave no choice; the location of an access, or what is wrong with it |
//! | `threads`, `steps` | where each thread is; where answers have led it before |
//! | `objects` | which memory there is, and its locations |
//! | `schedule` | which thread takes the next step |
//! | `trail`, `walking` | the graphs from the root to the current one, and what is left; going to a graph by its path |
//! | `races`, `stuck`, `leaks` | data races; executions that have come to a halt: deadlocks, threads that spin for ever; memory that is lost then |
//! | `reporting` | races, faults, deadlocks and executions are reported |

pub(crate) mod choices;
mod coherence_by_text;
pub(crate) mod construction;
pub(crate) mod events;
pub(crate) mod explorer;
pub(crate) mod frame;
pub(crate) mod leaks;
pub(crate) mod memory;
pub(crate) mod model_graph;
pub(crate) mod objects;
pub(crate) mod open_coherence;
pub(crate) mod peeling;
pub(crate) mod races;
pub(crate) mod reporting;
mod saturation;
pub(crate) mod schedule;
pub(crate) mod shape;
pub(crate) mod steps;
pub(crate) mod stuck;
pub(crate) mod threads;
pub(crate) mod trail;
pub(crate) mod transactional;
mod walking;
pub(crate) mod witness;
