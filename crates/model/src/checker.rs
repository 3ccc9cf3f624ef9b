//! The global axiom of a model, incrementally.
//!
//! Coherence and atomicity hold by construction: candidates for reads and places for writes are cut off at the
//! coherence floor, which the clocks give. What is left is the global axiom, and each has its search for new cycles.

use crate::after::Forced;
use crate::psc_live::{Co, MoWeak, PscSearch};
use crate::rules::{Coherence, GlobalAxiom, Rules};
use crate::sc_live::ScSearch;
use crate::sra_live::SraSearch;
use crate::tso_live::TsoSearch;
use live::{EventRef, LiveGraph};

/// The checker of a model, with the memory of its searches.
#[derive(Debug)]
pub struct Checker {
    search: Search,
}

#[derive(Debug)]
enum Search {
    /// Nothing is forbidden.
    None,
    Psc {
        psc: PscSearch<Co>,
        forced: PscSearch<Forced>,
    },
    PscOverMoWeak(PscSearch<MoWeak>),
    Sc(ScSearch),
    Sra(SraSearch),
    Tso(TsoSearch),
}

impl Checker {
    /// The checker of a model.
    pub fn new(rules: &Rules) -> Checker {
        let search = match (rules.global, rules.coherence) {
            (GlobalAxiom::None, _) => Search::None,
            (GlobalAxiom::Psc, Coherence::Total) => {
                Search::Psc { psc: PscSearch::default(), forced: PscSearch::default() }
            }
            (GlobalAxiom::Psc, Coherence::HappensBefore | Coherence::MoWeak) => {
                Search::PscOverMoWeak(PscSearch::default())
            }
            (GlobalAxiom::Sc, _) => Search::Sc(ScSearch::default()),
            (GlobalAxiom::Sra, _) => Search::Sra(SraSearch::default()),
            (GlobalAxiom::Tso, _) => Search::Tso(TsoSearch::default()),
        };
        Checker { search }
    }

    /// Whether the global axiom holds, given that it did without the edges that leave `new` and `other`. These are the
    /// only events that have just got a source or a place that is not co-last; `other` is `new`, or what `new` reads.
    #[inline]
    pub fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        match &mut self.search {
            Search::None => true,
            Search::Psc { psc, .. } => psc.admits(graph, new, other),
            Search::PscOverMoWeak(psc) => psc.admits(graph, new, other),
            Search::Sc(search) => search.admits(graph, new),
            Search::Sra(search) => search.admits(graph, new, other),
            Search::Tso(search) => search.admits(graph, new),
        }
    }

    /// With the coherence order left open: whether the global axiom allows the order in which writes are linked. Whatever
    /// cycle there is, it leaves some access.
    pub fn allows_links(&mut self, graph: &LiveGraph) -> bool {
        let accesses = graph.thread_ids().flat_map(|thread| graph.po(thread));
        let mut accesses = accesses.filter(|&&e| graph.event(e).kind.is_access());
        accesses.all(|&e| self.admits(graph, e, e))
    }

    /// The same: whether every coherence order makes a cycle through `new`. `false` says nothing.
    pub fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        match &mut self.search {
            Search::Psc { forced, .. } => !forced.admits(graph, new, new),
            Search::Sc(search) => search.forbids(graph, new),
            Search::Sra(search) => search.forbids(graph, new),
            Search::Tso(search) => search.forbids(graph, new),
            Search::None | Search::PscOverMoWeak(_) => false,
        }
    }

    /// The same: find what is after write `a` in the relation of the global axiom, whichever the coherence order is.
    pub fn reach_forced(&mut self, graph: &LiveGraph, a: EventRef) {
        match &mut self.search {
            Search::Psc { forced, .. } => forced.reach_from(graph, a),
            Search::Sc(search) => search.reach_from(graph, a),
            Search::Sra(search) => search.reach_from(graph, a),
            Search::Tso(search) => search.reach_from(graph, a),
            Search::None | Search::PscOverMoWeak(_) => {}
        }
    }

    /// Whether that includes access `e`, so that the axiom puts `a` before `e`, if that writes, or before its source, unless
    /// `a` is its source.
    pub fn has_reached(&self, graph: &LiveGraph, e: EventRef) -> bool {
        match &self.search {
            Search::Psc { forced, .. } => forced.has_reached(graph, e),
            Search::Sc(search) => search.has_reached(graph, e),
            Search::Sra(search) => search.has_reached(graph, e),
            Search::Tso(search) => search.has_reached(graph, e),
            Search::None | Search::PscOverMoWeak(_) => false,
        }
    }

    /// Whether everything that `reach_forced` finds from a read-modify-write of `w` it finds from `w`.
    pub fn reaches_updates_of(&self, graph: &LiveGraph, w: EventRef) -> bool {
        !matches!(self.search, Search::Psc { .. }) || graph.event(w).kind.is_sc()
    }
}
