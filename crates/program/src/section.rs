//! Atomic sections: their names, and which of them exclude each other.
//!
//! Sections that access a common location, one of them writing, *conflict*. Two that conflict in some execution exclude
//! each other in every one, by a mutex that both take; all others have none in common, so that they are not ordered.
//! One mutex for each pair would do; sections that all conflict with each other share one (a cover of the edges of the
//! conflict graph by cliques, greedily), so that most sections take one or none. A section takes its mutexes in the
//! order of their numbers and gives them back at its end: no two can wait for each other.
//!
//! Which sections conflict is found out by exploring: the engine starts again when it learns of more
//! ([`Refinements::sections`](crate::Refinements::sections)).

use base::{Site, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// An atomic section that a thread is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Section {
    /// Where it begins.
    pub site: Site,
    /// Tells it from others of its thread, at least from those that have made events.
    pub instance: u32,
}

/// A section as the program text has it, run by a thread.
pub type SectionName = (ThreadId, Site);

/// The sections that exclude each other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SectionOrder {
    /// Whether all sections are ordered. Then it does not matter which ones conflict.
    all: bool,
    /// Those that conflict, the smaller name first.
    conflicts: BTreeSet<(SectionName, SectionName)>,
    /// Per section its mutexes, in order. A function of `conflicts`.
    mutexes: BTreeMap<SectionName, Vec<u32>>,
}

impl SectionOrder {
    /// All sections exclude each other, whatever they access.
    pub fn total() -> SectionOrder {
        SectionOrder { all: true, ..SectionOrder::default() }
    }

    /// Whether these two exclude each other.
    pub fn has(&self, a: SectionName, b: SectionName) -> bool {
        self.all || self.conflicts.contains(&(a.min(b), a.max(b)))
    }

    /// These pairs conflict, too.
    pub fn extend(&mut self, conflicts: impl IntoIterator<Item = (SectionName, SectionName)>) {
        self.conflicts.extend(conflicts.into_iter().map(|(a, b)| (a.min(b), a.max(b))));
        self.mutexes = cover(&self.conflicts);
    }

    /// The mutexes that a section takes, in this order.
    pub fn mutexes(&self, section: SectionName) -> &[u32] {
        match self.all {
            true => &[0],
            false => self.mutexes.get(&section).map_or(&[], Vec::as_slice),
        }
    }

    /// How many mutexes there are.
    pub fn len(&self) -> usize {
        let last = self.mutexes.values().flatten().max().map_or(0, |&last| last as usize + 1);
        last.max(usize::from(self.all))
    }

    /// Whether no sections are ordered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As a word without `-`: `*` if all are ordered, else the pairs, as in `1.12+2.12,1.12+3.12`.
    pub fn text(&self) -> String {
        if self.all {
            return "*".to_owned();
        }
        let name = |(thread, site): SectionName| format!("{thread}.{}", site.0);
        let pairs = self.conflicts.iter().map(|&(a, b)| format!("{}+{}", name(a), name(b)));
        pairs.collect::<Vec<_>>().join(",")
    }

    /// The order that a word stands for.
    pub fn parse(text: &str) -> Option<SectionOrder> {
        if text == "*" {
            return Some(SectionOrder::total());
        }
        let name = |text: &str| {
            let (thread, site) = text.split_once('.')?;
            Some((ThreadId(thread.parse().ok()?), Site(site.parse().ok()?)))
        };
        let pair = |text: &str| {
            let (a, b) = text.split_once('+')?;
            Some((name(a)?, name(b)?))
        };
        let pairs: Option<Vec<_>> = text.split(',').filter(|pair| !pair.is_empty()).map(pair).collect();
        let mut order = SectionOrder::default();
        order.extend(pairs?);
        Some(order)
    }
}

/// Cliques that cover all edges: each edge that is in none yet begins one, which grows as far as it can.
fn cover(edges: &BTreeSet<(SectionName, SectionName)>) -> BTreeMap<SectionName, Vec<u32>> {
    let names: BTreeSet<SectionName> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
    let is_edge = |a: SectionName, b: SectionName| edges.contains(&(a.min(b), a.max(b)));
    let mut cliques: Vec<Vec<SectionName>> = Vec::new();
    for &(a, b) in edges {
        if cliques.iter().any(|clique| clique.contains(&a) && clique.contains(&b)) {
            continue;
        }
        let mut clique = vec![a, b];
        for &name in &names {
            if !clique.contains(&name) && clique.iter().all(|&other| is_edge(name, other)) {
                clique.push(name);
            }
        }
        cliques.push(clique);
    }
    let mut mutexes: BTreeMap<SectionName, Vec<u32>> = BTreeMap::new();
    for (number, clique) in cliques.iter().enumerate() {
        clique.iter().for_each(|&name| mutexes.entry(name).or_default().push(number as u32));
    }
    mutexes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(thread: u32) -> SectionName {
        (ThreadId(thread), Site(7))
    }

    fn order(pairs: &[(u32, u32)]) -> SectionOrder {
        let mut order = SectionOrder::default();
        order.extend(pairs.iter().map(|&(a, b)| (name(a), name(b))));
        order
    }

    #[test]
    fn sections_share_a_mutex_iff_they_conflict() {
        // All graphs on four sections.
        let edges = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
        for chosen in 0..1u32 << edges.len() {
            let pairs: Vec<_> = (0..edges.len()).filter(|i| chosen >> i & 1 == 1).map(|i| edges[i]).collect();
            let order = order(&pairs);
            for (a, b) in edges {
                let (a_takes, b_takes) = (order.mutexes(name(a)), order.mutexes(name(b)));
                let shared = a_takes.iter().any(|mutex| b_takes.contains(mutex));
                assert_eq!(shared, pairs.contains(&(a, b)), "{a} and {b} of {pairs:?}");
                assert!(a_takes.is_sorted() && b_takes.is_sorted(), "{pairs:?}");
            }
        }
    }

    #[test]
    fn sections_that_all_conflict_share_one_mutex() {
        assert_eq!(order(&[(1, 2), (1, 3), (2, 3)]).len(), 1);
        assert_eq!(order(&[(1, 2), (2, 3)]).len(), 2, "1 and 3 are not ordered");
        assert_eq!(SectionOrder::total().mutexes(name(5)), [0]);
        assert!(SectionOrder::default().mutexes(name(5)).is_empty());
    }

    #[test]
    fn an_order_is_a_word_and_back() {
        let orders = [order(&[]), order(&[(1, 2)]), order(&[(1, 2), (1, 3)]), SectionOrder::total()];
        for order in orders {
            assert_eq!(SectionOrder::parse(&order.text()), Some(order));
        }
        assert_eq!(order(&[(2, 1), (1, 3)]).text(), "1.7+2.7,1.7+3.7");
        for wrong in ["1", "1.2", "1.2+", "1.2+3", "a.2+3.4", "**"] {
            assert_eq!(SectionOrder::parse(wrong), None, "{wrong}");
        }
    }
}
