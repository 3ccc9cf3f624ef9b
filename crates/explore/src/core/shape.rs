//! The shape of the coherence order: a type, because the loop of the exploration depends on it.
//!
//! Everything else about a model is a value, [`model::Rules`].

/// Whether there is a coherence order, and whether an exploration chooses it.
pub(crate) trait Shape {
    /// Whether the exploration chooses a coherence order. If not, `co` of the graph under construction is no more than
    /// a set of writes (in which a read-modify-write is right after its source), or one that is possible (`witness.rs`).
    const HAS_CO: bool;

    /// Whether there is a coherence order that is left open. An execution is then consistent iff it is with some
    /// coherence order. The graph under construction keeps its blocks: the order that every coherence order has in
    /// common.
    const HAS_BLOCKS: bool;

    /// Whether the order of critical sections is left open, too (`reductions/lock_order`). Then locks and unlocks are no
    /// accesses, a write is in the set of writes once its transaction has ended, and no reduction is on.
    const OPENS_LOCKS: bool = false;
}

/// Executions with a coherence order, up to `co`.
#[derive(Debug)]
pub(crate) struct Total;

/// Executions with a coherence order, up to `rf`: the weak traces of \[Tracer\]. Coherence and atomicity are a matter
/// of blocks (`live::LiveGraph::block_precedes`): they are satisfiable iff the order of blocks has no cycle. If the
/// model has a global axiom, too, a coherence order that obeys it is kept (`open_coherence.rs`).
#[derive(Debug)]
pub(crate) struct Open;

/// Executions without a coherence order ([`model::Coherence::HappensBefore`], [`model::Coherence::MoWeak`]).
#[derive(Debug)]
pub(crate) struct Absent;

/// The same as [`Open`] for mutexes, whose critical sections are explored without their order.
#[derive(Debug)]
pub(crate) struct Unlocked;

impl Shape for Total {
    const HAS_CO: bool = true;
    const HAS_BLOCKS: bool = false;
}

impl Shape for Open {
    const HAS_CO: bool = false;
    const HAS_BLOCKS: bool = true;
}

impl Shape for Absent {
    const HAS_CO: bool = false;
    const HAS_BLOCKS: bool = false;
}

impl Shape for Unlocked {
    const HAS_CO: bool = false;
    const HAS_BLOCKS: bool = false;
    const OPENS_LOCKS: bool = true;
}
