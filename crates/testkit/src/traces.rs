//! What tests check reads-from consistency with: partial executions, random ones and large ones; brute force
//! over every coherence order; a checker of proofs; the cubic algorithm that others use.

pub mod brute_force;
pub mod closed_mo;
pub mod every_co;
pub mod item;
pub mod proof;
pub mod random;
pub mod synthetic;
pub mod triangle;
pub mod writes_before;
