//! The command, as a user runs it: answers, errors, limits, files. The programs of `tests/` are in `corpus`.

mod bad_input;
mod cache;
mod campaign;
mod check;
mod common;
mod compiler;
mod cxx;
mod estimate;
mod exceptions;
mod fuzz;
mod graph;
mod hostile_sources;
mod input;
mod limits;
mod litmus;
mod litmus_library;
mod mutants;
mod options;
mod outputs;
mod parts;
mod release_sequences;
mod reports;
mod sections;
mod tidy;
mod verify;
