//! What tests check the exploration with: a brute-force oracle, random programs, a shrinker.
//!
//! | file | what it knows |
//! |---|---|
//! | `effort` | how much a test does, in a short run and in a long one |
//! | `program`, `build`, `show` | small programs as data; short names to write them; a program as one line |
//! | `oracle`, `partial`, `guess` | brute force: every execution; partial executions; a second one that builds cycles, too |
//! | `model`, `common` | models as the oracle takes them; executions of two models as far as they can be compared |
//! | `compare`, `shrink` | whether an exploration finds what the oracle finds; the smallest program that still fails |
//! | `random` | random programs, in mixes |
//! | `known`, `refuted` | programs with known numbers of executions; programs that refuted a variant of the exploration |
//! | `rules`, `separating` | programs that need one rule each; programs that tell models apart |
//! | `locks`, `spins`, `awaits` | programs with mutexes, with spinlocks, with words that threads await |
//! | `exchanges`, `attempts`, `rounds` | programs with locks taken by exchanges, by additions that are undone; with loops |
//! | `states` | final states of executions, from their graphs |
//! | `critical` | random programs with critical sections |
//! | `pairs`, `twins`, `sections` | programs with pairs, with identical threads, with atomic sections, and their brute force |
//! | `xmm`, `xmm_programs`, `xmm_waits` | brute force for XMM; its programs, with their numbers and at random; those that wait |
//! | `traces` | what reads-from consistency is checked with |
//! | `traces/item`, `traces/random` | events one at a time; small random executions |
//! | `traces/synthetic`, `traces/triangle` | large executions that are consistent by construction; triangles of graphs |
//! | `traces/brute_force`, `traces/every_co` | brute force over every coherence order, at the end and event by event |
//! | `traces/proof` | whether the reason that a check gives is one |
//! | `traces/writes_before`, `traces/closed_mo` | references: the cubic algorithm, and an order that is always closed |
//! | `c_programs` | random C programs that wait, retry, undo, publish and free |
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

pub mod attempts;
pub mod awaits;
pub mod build;
pub mod c_programs;
pub mod common;
pub mod compare;
pub mod critical;
pub mod effort;
pub mod exchanges;
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
pub mod rounds;
pub mod rules;
pub mod sections;
pub mod separating;
mod show;
mod shrink;
mod spins;
pub mod states;
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
