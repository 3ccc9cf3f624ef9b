//! The machine, and the exploration of what it runs against references.

mod allocation;
mod builder;
mod dice;
mod file;
mod machine;
mod shrink;
mod spin;
mod waiting;
