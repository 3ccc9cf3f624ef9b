//! Litmus tests: the dialect, the answers, errors.

mod errors;
mod fuzz;
mod golden;
mod library;
mod oracle;
mod xmm;
