//! The consistency check, against brute force and on shapes of its own.

mod brute_force;
mod downward_as_printed;
mod downward_shapes;
mod incremental;
mod incremental_closed;
mod incremental_long;
mod incremental_shapes;
mod shapes;
mod traces;
