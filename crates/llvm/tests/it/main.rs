//! From C to bytecode.

mod accesses;
mod common;
mod errors;
mod features;
mod file;
mod ignored;
mod native;
mod places;
mod run;
mod runtime;
mod startup;
