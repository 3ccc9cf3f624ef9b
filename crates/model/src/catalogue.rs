//! The models by name: for each its declarative text, and what a user chooses it by.

use crate::declarative::{Axiom, Relations};
use crate::relation::Relation;
use crate::{ra, rc11, sc};

/// A memory model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// Total store order: x86.
    Tso,
    /// Strong release-acquire.
    Sra,
    /// Release-acquire.
    Ra,
    /// Weak release-acquire.
    Wra,
    /// Repaired C20 without SC accesses.
    Rc20,
    /// Coherence only.
    Relaxed,
    /// Repaired C11.
    #[default]
    Rc11,
    /// RC11 without a modification order.
    Wrc11,
}

/// The declarative text of a model.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// What `--model` calls it.
    pub name: &'static str,
    /// What the papers call it.
    pub title: &'static str,
    /// An execution is consistent iff it obeys all of them.
    pub axioms: &'static [Axiom],
    /// Happens-before, for races.
    pub hb: fn(&Relations) -> Relation,
    /// Does an execution have a coherence order? If not, executions differ in `po` and `rf` only.
    pub has_co: bool,
    /// Is an SC fence an acquire-release read-modify-write of [`ra::SC_FENCE`]?
    pub sc_fence_is_update: bool,
}

impl Model {
    /// All of them, stronger ones before weaker ones.
    pub const ALL: [Model; 9] = [
        Model::Sc,
        Model::Tso,
        Model::Sra,
        Model::Ra,
        Model::Wra,
        Model::Rc11,
        Model::Wrc11,
        Model::Rc20,
        Model::Relaxed,
    ];

    /// Its declarative text.
    pub const fn text(self) -> &'static Text {
        match self {
            Model::Sc => &sc::TEXT,
            Model::Ra => &ra::TEXT,
            Model::Rc11 => &rc11::TEXT,
            Model::Tso | Model::Sra | Model::Wra | Model::Rc20 | Model::Relaxed | Model::Wrc11 => todo!(),
        }
    }
}
