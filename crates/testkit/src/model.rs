//! The models as the oracle takes them: a list of axioms, from which a test can drop one.

use model::relation::Relation;
use model::{Axiom, Relations};

/// A model: its declarative text.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// An execution is consistent iff it obeys all of them.
    pub axioms: Vec<Axiom>,
    /// Happens-before, for races.
    pub hb: fn(&Relations) -> Relation,
    /// Whether an execution has a coherence order.
    pub has_co: bool,
    /// Whether an SC fence is a read-modify-write of [`model::ra::SC_FENCE`].
    pub sc_fence_is_update: bool,
}

impl Model {
    /// The text of a model.
    pub fn of(model: model::Model) -> Model {
        let rules = model.rules();
        Model {
            name: rules.name,
            axioms: rules.axioms.to_vec(),
            hb: rules.hb,
            has_co: rules.has_co(),
            sc_fence_is_update: rules.sc_fence_is_update(),
        }
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

    /// Whether an execution obeys all axioms.
    pub fn accepts(&self, relations: &Relations) -> bool {
        self.axioms.iter().all(|axiom| (axiom.holds)(relations))
    }
}
