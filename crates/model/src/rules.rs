//! What distinguishes one memory model from another, as a value.
//!
//! Each model's file has its `RULES`. The exploration, the random runs, the consistency of traces and the reports read
//! these values and know no model by its name, so a model whose axiom is known already is one file and one entry of the
//! catalogue. The shape of the coherence order (whether there is one, and whether it is left open) is a type in crate
//! `explore`.
//!
//! The first half of [`Rules`] is what incremental algorithms need, the second half the declarative text. Each is tested
//! equal to the other.

use crate::declarative::{Axiom, Relations};
use crate::open_co::GlobalOrder;
use crate::relation::Relation;
use crate::sections::Isolation;
use base::{FenceOrder, ReadOrder, ThreadId, WriteOrder};
use live::LiveGraph;
pub use live::ReleaseSequence;

/// A memory model.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What `--model` calls it.
    pub name: &'static str,
    /// What the papers call it.
    pub title: &'static str,
    /// Which accesses and fences synchronise.
    pub orders: Orders,
    /// What continues the release sequence of a write, besides read-modify-writes.
    pub release_sequence: ReleaseSequence,
    /// What an SC fence is.
    pub sc_fence: ScFence,
    /// What orders the writes to a location.
    pub coherence: Coherence,
    /// The axiom that is about more than one location.
    pub global: GlobalAxiom,
    /// The relation that has no cycle by it, as far as executions have a coherence order.
    pub global_order: Option<GlobalOrder>,
    /// Whether there may be cycles in `po ∪ rf`.
    pub cycles: Cycles,
    /// Its axioms on executions in which each atomic section is one event, if that is defined. It needs a coherence order.
    pub isolation: Option<Isolation>,
    /// An execution is consistent iff it obeys all of them. (Under XMM they are necessary, and enough without cycles.)
    pub axioms: &'static [Axiom],
    /// Happens-before, for races.
    pub hb: fn(&Relations) -> Relation,
}

impl Rules {
    /// Whether an execution has a coherence order. If not, executions differ in `po` and `rf` only.
    pub const fn has_co(&self) -> bool {
        matches!(self.coherence, Coherence::Total)
    }

    /// Whether an SC fence is an acquire-release read-modify-write of [`crate::ra::SC_FENCE`].
    pub const fn sc_fence_is_update(&self) -> bool {
        matches!(self.sc_fence, ScFence::Update)
    }

    /// Whether it reads the orders that the program wrote. Then it is a model of a language; else every access is
    /// treated alike.
    pub const fn is_of_a_language(&self) -> bool {
        matches!(self.orders, Orders::AsWritten)
    }

    /// Whether there is anything in the graph that the global axiom can forbid.
    ///
    /// For psc: one SC event alone is on no cycle, nor are those of one thread. Let `a` be sb-before `b`; from `b` back to
    /// `a` there is no hb, and if there were an eco, it would be against coherence. (It is `main` that often has all of them,
    /// in its assertions.)
    #[inline]
    pub fn has_global_order(&self, graph: &LiveGraph) -> bool {
        match self.global {
            GlobalAxiom::None => false,
            GlobalAxiom::Psc => {
                let count = graph.sc_count();
                count >= 2 && graph.sc_of(ThreadId::MAIN).len() as u32 != count
            }
            GlobalAxiom::Sc | GlobalAxiom::Sra | GlobalAxiom::Tso => true,
        }
    }
}

/// Which accesses and fences synchronise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orders {
    /// Those that the program wrote so.
    AsWritten,
    /// Every atomic read acquires and every atomic write releases, whatever the program wrote; fences do nothing.
    Uniform,
    /// None.
    Ignored,
}

impl Orders {
    /// Whether a read of this order acquires.
    #[inline]
    pub fn acquires(self, order: ReadOrder) -> bool {
        match self {
            Orders::AsWritten => order.is_acquire(),
            Orders::Uniform => order != ReadOrder::NotAtomic,
            Orders::Ignored => false,
        }
    }

    /// Whether a write of this order releases.
    #[inline]
    pub fn releases(self, order: WriteOrder) -> bool {
        match self {
            Orders::AsWritten => order.is_release(),
            Orders::Uniform => order != WriteOrder::NotAtomic,
            Orders::Ignored => false,
        }
    }

    /// Whether this fence acquires, and whether it releases.
    #[inline]
    pub fn fence(self, order: FenceOrder) -> (bool, bool) {
        match self {
            Orders::AsWritten => (order.is_acquire(), order.is_release()),
            Orders::Uniform | Orders::Ignored => (false, false),
        }
    }
}

/// What an SC fence is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScFence {
    /// A fence, to which the global axiom may give a meaning.
    Fence,
    /// An acquire-release read-modify-write of one distinguished location, [`crate::ra::SC_FENCE`].
    Update,
}

/// What orders the writes to a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coherence {
    /// A total order, `co`.
    Total,
    /// Happens-before alone (WRA).
    HappensBefore,
    /// `mo_weak` of \[RCMC\] section 5 (WRC11).
    MoWeak,
}

/// The axiom that is about more than one location: a relation without cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlobalAxiom {
    /// There is none: coherence and atomicity are all.
    None,
    /// The partial SC order of RC11, [`crate::rc11::psc`]; over `mo_weak` if that orders the writes.
    Psc,
    /// `po ∪ rf ∪ co ∪ fr`, [`crate::sc::global_order`].
    Sc,
    /// `hb ∪ co`, [`crate::sra::global_order`].
    Sra,
    /// The global happens-before of TSO, [`crate::tso::ghb`].
    Tso,
}

impl GlobalAxiom {
    /// Whether SC accesses and fences take part in it as such.
    pub const fn has_sc_events(self) -> bool {
        match self {
            GlobalAxiom::Psc | GlobalAxiom::Tso => true,
            GlobalAxiom::None | GlobalAxiom::Sc | GlobalAxiom::Sra => false,
        }
    }
}

/// Whether there may be cycles in `po ∪ rf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cycles {
    /// No.
    Forbidden,
    /// Those that re-execution justifies: whether an execution is allowed depends on others (XMM).
    Justified,
}
