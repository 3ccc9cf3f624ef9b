//! The tests of the tests: oracle, random programs, models.

mod mixes;
mod models;
mod oracle;
mod sections;
mod strength;
mod tso_machine;
mod weak;
mod xmm;
