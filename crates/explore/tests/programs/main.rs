//! The exploration on programs as data. One binary: every binary compiles the explorer anew, for every model.

mod any_model;
mod awaits;
mod branches;
mod campaign;
mod endings;
mod estimate;
mod known;
mod last_values;
mod lock_order;
mod oracle;
mod oracle_rf;
mod pairs;
mod refuted;
mod sections;
mod shortcuts;
mod stops;
mod strength;
mod subtrees;
mod symmetry;
