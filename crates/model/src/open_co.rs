//! Is there a coherence order with which a model's global axiom holds?
//!
//! Idea: the global axioms say that a relation has no cycle which grows with `co` and contains it (under RC11, between SC
//! writes). So a cycle with what every coherence order has in common means no; two writes of a location that are related by
//! the closure are in that order in every coherence order, and so on until nothing changes. Then a linear extension is
//! tried, and if that will not do, two blocks whose order is open, in both orders. [Tracer] has the first half of this
//! for RA; for RC11 with SC accesses the problem is NP-hard, and hardly ever is: nearly always nothing is left open.
//!
//! Cost: O(n³/64) per round for n events; rounds are few unless the order of many blocks is open and matters.

use crate::declarative::Relations;
use crate::relation::{EventSet, Relation};

/// The relation of a model's global axiom, which must have no cycle.
pub type GlobalOrder = fn(&Relations) -> Relation;

/// A coherence order that contains `relations.co` and makes `global` acyclic, as a relation; `None` if there is none.
///
/// # Panics
/// If `relations.co` is no order of blocks: a read-modify-write is after what it reads, and what is before or after one
/// of them is before or after both.
pub fn coherence_order(relations: Relations, global: GlobalOrder) -> Option<Relation> {
    let co = relations.co.clone();
    let blocks = Blocks::of(&relations);
    Search { relations, global, blocks }.extend(co)
}

/// The blocks: a write with the read-modify-writes that hang off it.
struct Blocks {
    /// Per block its writes in order.
    members: Vec<Vec<usize>>,
    /// Per write its block.
    of: Vec<usize>,
}

impl Blocks {
    fn of(g: &Relations) -> Blocks {
        let updates = g.rf.compose(&g.rmw);
        let mut next = vec![None; g.len()];
        let mut is_top = vec![true; g.len()];
        for (source, update) in updates.pairs() {
            next[source] = Some(update);
            is_top[update] = false;
        }
        let mut blocks = Blocks { members: Vec::new(), of: vec![usize::MAX; g.len()] };
        for top in g.events.writes.iter().filter(|&w| is_top[w]) {
            let members: Vec<usize> = std::iter::successors(Some(top), |&w| next[w]).collect();
            members.iter().for_each(|&w| blocks.of[w] = blocks.members.len());
            blocks.members.push(members);
        }
        blocks
    }

    fn top(&self, block: usize) -> usize {
        self.members[block][0]
    }
}

struct Search {
    relations: Relations,
    global: GlobalOrder,
    blocks: Blocks,
}

impl Search {
    /// A coherence order that contains `co`.
    fn extend(&mut self, co: Relation) -> Option<Relation> {
        let co = self.saturate(co)?;
        let blocks = self.linear_extension(&co);
        let total = self.total(&blocks);
        if self.global(total.clone()).is_acyclic() {
            return Some(total);
        }
        let (a, b) = self.open_pair(&co, &blocks)?;
        let in_order =
            |search: &mut Search, a, b| search.with_order(&co, a, b).and_then(|co| search.extend(co));
        in_order(self, a, b).or_else(|| in_order(self, b, a))
    }

    /// The global order with this `co`.
    fn global(&mut self, co: Relation) -> Relation {
        self.relations.fr = self.relations.rf.inverse().compose(&co);
        self.relations.co = co;
        (self.global)(&self.relations)
    }

    /// `co` with everything that follows from it.
    fn saturate(&mut self, mut co: Relation) -> Option<Relation> {
        loop {
            let order = self.global(co.clone()).plus();
            if !order.is_irreflexive() {
                return None;
            }
            let writes = &self.relations.events.writes;
            let forced =
                order.intersect(&self.relations.loc).restrict_dom(writes).restrict_rng(writes).minus(&co);
            if forced.is_empty() {
                return Some(co);
            }
            for (a, b) in forced.pairs() {
                self.insert(&mut co, self.blocks.of[a], self.blocks.of[b]);
            }
            co = co.plus();
            if !co.is_irreflexive() {
                return None;
            }
        }
    }

    /// `co` with block `a` before block `b`, unless they are in the other order.
    fn with_order(&self, co: &Relation, a: usize, b: usize) -> Option<Relation> {
        let mut co = co.clone();
        self.insert(&mut co, a, b);
        let co = co.plus();
        co.is_irreflexive().then_some(co)
    }

    fn insert(&self, co: &mut Relation, a: usize, b: usize) {
        let mut later = EventSet::empty(self.relations.len());
        self.blocks.members[b].iter().for_each(|&w| later.insert(w));
        self.blocks.members[a].iter().for_each(|&w| co.insert_all(w, &later));
    }

    /// All blocks in an order that agrees with `co`, the smallest numbers first.
    fn linear_extension(&self, co: &Relation) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.blocks.members.len()).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let is_before = |a: usize, b: usize| co.contains(self.blocks.top(a), self.blocks.top(b));
            let is_next = |&b: &usize| left.iter().all(|&a| !is_before(a, b));
            let next = left.iter().position(is_next).expect("co has no cycle");
            order.push(left.remove(next));
        }
        order
    }

    /// The coherence order in which blocks come as in this list.
    fn total(&self, blocks: &[usize]) -> Relation {
        let writes: Vec<usize> =
            blocks.iter().flat_map(|&block| &self.blocks.members[block]).copied().collect();
        let mut co = Relation::empty(self.relations.len());
        for (place, &a) in writes.iter().enumerate() {
            let later = writes[place + 1..].iter().filter(|&&b| self.relations.loc.contains(a, b));
            later.for_each(|&b| co.insert(a, b));
        }
        co
    }

    /// Two blocks of one location whose order is open, in the order of the list.
    fn open_pair(&self, co: &Relation, blocks: &[usize]) -> Option<(usize, usize)> {
        let top = |block: usize| self.blocks.top(block);
        let pairs =
            blocks.iter().enumerate().flat_map(|(i, &a)| blocks[i + 1..].iter().map(move |&b| (a, b)));
        let mut of_one_location = pairs.filter(|&(a, b)| self.relations.loc.contains(top(a), top(b)));
        of_one_location.find(|&(a, b)| !co.contains(top(a), top(b)))
    }
}
