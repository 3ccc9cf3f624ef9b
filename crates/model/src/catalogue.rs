//! The models by name: for each its rules, and what a user chooses it by.

use crate::rules::{Cycles, Rules};
use crate::{c20, ra, rc11, rc20, relaxed, sc, sra, tso, wra, wrc11, xmm};

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
    /// RC11 with the release sequences of C++20.
    C20,
    /// RC11 without a modification order.
    Wrc11,
    /// RC11 with cycles in `po ∪ rf`, without values out of thin air.
    Xmm,
}

/// What a model makes of what the program wrote, in a few words each.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// What it is, in one line.
    pub summary: &'static str,
    /// What it takes the order of an access for.
    pub orders: &'static str,
    /// What a fence does that is weaker than SC.
    pub weak_fences: &'static str,
    /// What an SC fence does.
    pub sc_fences: &'static str,
    /// What an SC access is.
    pub sc_accesses: &'static str,
    /// What an acquire may read from to synchronise with a release, besides the release itself.
    pub release_sequence: &'static str,
    /// Whose definition it is; the header of its file says which one.
    pub source: &'static str,
}

/// Which executions an exploration counts as the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equivalence {
    /// Those with the same `po`, `rf` and `co`.
    Co,
    /// Those with the same `po` and `rf`.
    Rf,
}

impl Equivalence {
    /// What `--equivalence` calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Equivalence::Co => "co",
            Equivalence::Rf => "rf",
        }
    }
}

/// The programs for which one model is weaker than another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// All of them.
    All,
    /// Those without SC fences.
    NoScFences,
    /// Those without SC accesses.
    NoScAccesses,
    /// Those without SC accesses and without plain ones.
    NoScAndNoPlainAccesses,
}

impl Model {
    /// All models that are lists of axioms, stronger ones before weaker ones.
    pub const ALL: [Model; 10] = [
        Model::Sc,
        Model::Tso,
        Model::Sra,
        Model::Ra,
        Model::Wra,
        Model::Rc11,
        Model::C20,
        Model::Wrc11,
        Model::Rc20,
        Model::Relaxed,
    ];

    /// All models, with the one for which an execution is allowed because others are.
    pub const CATALOGUE: [Model; 11] = [
        Model::Sc,
        Model::Tso,
        Model::Sra,
        Model::Ra,
        Model::Wra,
        Model::Rc11,
        Model::C20,
        Model::Wrc11,
        Model::Rc20,
        Model::Relaxed,
        Model::Xmm,
    ];

    /// The model that `--model` calls so.
    pub fn named(name: &str) -> Option<Model> {
        Model::CATALOGUE.into_iter().find(|model| model.rules().name == name)
    }

    /// What it is.
    pub const fn rules(self) -> &'static Rules {
        match self {
            Model::Sc => &sc::RULES,
            Model::Tso => &tso::RULES,
            Model::Sra => &sra::RULES,
            Model::Ra => &ra::RULES,
            Model::Wra => &wra::RULES,
            Model::Rc20 => &rc20::RULES,
            Model::Relaxed => &relaxed::RULES,
            Model::Rc11 => &rc11::RULES,
            Model::C20 => &c20::RULES,
            Model::Wrc11 => &wrc11::RULES,
            Model::Xmm => &xmm::RULES,
        }
    }

    /// What it is chosen by.
    pub const fn about(self) -> &'static About {
        match self {
            Model::Sc => &sc::ABOUT,
            Model::Tso => &tso::ABOUT,
            Model::Sra => &sra::ABOUT,
            Model::Ra => &ra::ABOUT,
            Model::Wra => &wra::ABOUT,
            Model::Rc20 => &rc20::ABOUT,
            Model::Relaxed => &relaxed::ABOUT,
            Model::Rc11 => &rc11::ABOUT,
            Model::C20 => &c20::ABOUT,
            Model::Wrc11 => &wrc11::ABOUT,
            Model::Xmm => &xmm::ABOUT,
        }
    }

    /// The equivalence to explore up to by default: the coarsest one.
    pub const fn usual_equivalence(self) -> Equivalence {
        match self.rules().cycles {
            Cycles::Justified => Equivalence::Co,
            Cycles::Forbidden => Equivalence::Rf,
        }
    }

    /// The equivalences that executions can be explored up to, the finest one first. Without `co`, `po` and `rf` are all
    /// there is; re-execution compares `co`, too.
    pub const fn equivalences(self) -> &'static [Equivalence] {
        let rules = self.rules();
        match rules.cycles {
            Cycles::Justified => &[Equivalence::Co],
            Cycles::Forbidden if rules.has_co() => &[Equivalence::Co, Equivalence::Rf],
            Cycles::Forbidden => &[Equivalence::Rf],
        }
    }

    /// The next weaker models: they allow every execution that this one allows, of the programs in the scope. Only
    /// what does not follow from other edges is here.
    ///
    /// Executions are compared as far as both models have them: without `co` if one has none, with an SC fence as a
    /// fence if it is one in either. The tests of crate `testkit` check every edge on random programs, that it is
    /// strict, and that each scope is needed.
    ///
    /// Why the scopes: RA orders what SC accesses do no more than what others do, so it allows store buffering with
    /// them, and RC11 does not. RC20 orders all SC fences by `hb`, RC11 and C20 only as far as accesses tell. WRA knows
    /// nothing of plain accesses but `hb`, while `mo_weak` of WRC11 also has which write they read.
    pub const fn weaker(self) -> &'static [(Model, Scope)] {
        match self {
            Model::Sc => &[(Model::Tso, Scope::All)],
            Model::Tso => &[(Model::Sra, Scope::All), (Model::Rc11, Scope::All)],
            Model::Sra => &[(Model::Ra, Scope::All)],
            Model::Ra => {
                &[(Model::Wra, Scope::All), (Model::Rc20, Scope::All), (Model::Rc11, Scope::NoScAccesses)]
            }
            Model::Wra => &[(Model::Wrc11, Scope::NoScAndNoPlainAccesses)],
            Model::Rc11 => &[(Model::C20, Scope::All), (Model::Wrc11, Scope::All)],
            Model::C20 => &[(Model::Rc20, Scope::NoScFences), (Model::Relaxed, Scope::All)],
            Model::Rc20 => &[(Model::Relaxed, Scope::All)],
            Model::Relaxed | Model::Wrc11 | Model::Xmm => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_all_of_them() {
        assert_eq!(Model::CATALOGUE[..Model::ALL.len()], Model::ALL);
    }

    #[test]
    fn weaker_models_come_later() {
        for (place, model) in Model::ALL.into_iter().enumerate() {
            for (weaker, _) in model.weaker() {
                assert!(Model::ALL[place..].contains(weaker), "{model:?} {weaker:?}");
            }
        }
    }

    #[test]
    fn names_and_axioms_are_unique() {
        let mut names = Model::CATALOGUE.map(|model| model.rules().name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        for rules in Model::ALL.map(Model::rules) {
            let mut axioms: Vec<_> = rules.axioms.iter().map(|axiom| axiom.name).collect();
            axioms.sort_unstable();
            axioms.dedup();
            assert_eq!(axioms.len(), rules.axioms.len(), "{}", rules.name);
        }
    }
}
