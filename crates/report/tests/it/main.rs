//! Reports and pictures of fixed executions.

mod fixtures;
mod formats;
mod pictures;
