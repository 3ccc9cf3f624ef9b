//! What tests check the exploration with: a brute-force oracle, random programs, a shrinker.
//!
//! ```
//! use base::{ReadOrder::Relaxed as R, WriteOrder::Relaxed as W};
//! use testkit::{Model, TestProgram, build::{r, w}, oracle};
//!
//! // Store buffering: two threads write one location each and read the other's.
//! let program = TestProgram::parallel(2, vec![vec![w(0, W), r(1, R)], vec![w(1, W), r(0, R)]]);
//! let executions = |model| oracle::enumerate(&program, &model, oracle::Options::default()).unwrap().complete.len();
//! assert_eq!(executions(Model::of(model::Model::Rc11)), 4);
//! assert_eq!(executions(Model::of(model::Model::Sc)), 3);
//! ```

pub mod awaits;
pub mod build;
pub mod c_programs;
pub mod common;
pub mod compare;
pub mod effort;
pub mod guess;
pub mod known;
pub mod locks;
pub mod model;
pub mod oracle;
pub mod pairs;
mod partial;
pub mod program;
mod random;
pub mod refuted;
pub mod rng;
pub mod rules;
pub mod sections;
pub mod separating;
mod show;
mod shrink;
mod spins;
pub mod traces;
pub mod twins;
pub mod xmm;
pub mod xmm_programs;
pub mod xmm_waits;

pub use crate::model::Model;
pub use crate::program::TestProgram;
pub use compare::{Blocked, Difference, Explored, compare};
pub use oracle::Oracle;
pub use random::{Mix, random_program};
pub use show::show;
pub use shrink::shrink;
