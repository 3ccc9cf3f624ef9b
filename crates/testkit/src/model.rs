//! The models as the oracle takes them: a list of axioms, from which a test can drop one.

use model::relation::Relation;
use model::{Axiom, Relations, ra, rc11, sc};

/// A model: its declarative text.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// An execution is consistent iff it obeys all of them.
    pub axioms: Vec<Axiom>,
    /// Happens-before, for races.
    pub hb: fn(&Relations) -> Relation,
    /// Is an SC fence a read-modify-write of [`ra::SC_FENCE`]?
    pub sc_fence_is_update: bool,
}

impl Model {
    /// RC11.
    pub fn rc11() -> Model {
        Model { name: "rc11", axioms: rc11::AXIOMS.to_vec(), hb: rc11::hb, sc_fence_is_update: false }
    }

    /// Sequential consistency.
    pub fn sc() -> Model {
        Model { name: "sc", axioms: sc::AXIOMS.to_vec(), hb: sc::hb, sc_fence_is_update: false }
    }

    /// Release-acquire.
    pub fn ra() -> Model {
        Model { name: "ra", axioms: ra::AXIOMS.to_vec(), hb: ra::hb, sc_fence_is_update: true }
    }

    /// The model without the axiom of this name.
    ///
    /// # Panics
    /// If it has none of this name.
    pub fn without(mut self, axiom: &str) -> Model {
        let before = self.axioms.len();
        self.axioms.retain(|other| other.name != axiom);
        assert_eq!(self.axioms.len() + 1, before, "{} has no axiom {axiom}", self.name);
        self
    }

    /// Does an execution obey all axioms?
    pub fn accepts(&self, relations: &Relations) -> bool {
        self.axioms.iter().all(|axiom| (axiom.holds)(relations))
    }
}
