//! Coherence orders with which a model's global axiom holds: whether there is one.
//!
//! Idea: the global axioms say that a relation has no cycle which grows with `co` and contains it (under RC11, between SC
//! writes). So a cycle with what every coherence order has in common means no; two writes of a location that are related by
//! the closure are in that order in every coherence order, and so on until nothing changes. Then a linear extension is
//! tried, and if that will not do, two blocks whose order is open, in both orders. \[Tracer\] has the first half of this
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, rc11, sc, sra, tso};
    use base::{Access, EventId, Rng};
    use graph::{ExecutionGraph, Label, Source};
    use std::fmt::Write;

    /// Small executions of three threads, without `co`: every event is drawn, and so is what a read reads.
    fn random_execution(seed: u64) -> ExecutionGraph {
        let mut rng = Rng::new(seed);
        let mut kinds: Vec<Vec<(u64, u64, u64)>> = vec![Vec::new(); 3];
        (0..8).for_each(|_| kinds[rng.index(3)].push((rng.below(7), rng.below(2), rng.below(3))));
        let mut writes: Vec<Vec<String>> = vec![vec!["init".to_owned()]; 2];
        for (thread, events) in kinds.iter().enumerate() {
            for (index, &(_, at, _)) in
                events.iter().enumerate().filter(|(_, event)| matches!(event.0, 0..=2))
            {
                writes[at as usize].push(format!("{thread}:{index}"));
            }
        }
        let mut text = String::new();
        for (thread, events) in kinds.iter().enumerate() {
            _ = writeln!(text, "thread {thread}");
            for &(kind, at, order) in events {
                let order = ["rlx", "sc", "sc"][order as usize];
                let address = 8 + 8 * at;
                let source = &writes[at as usize][rng.index(writes[at as usize].len())];
                _ = match kind {
                    0 | 1 => writeln!(text, "  W {order} {address:#x}/8 = 0"),
                    3.. => writeln!(text, "  R {order} {address:#x}/8 = 0 rf {source}"),
                    2 => writeln!(text, "  RMW {order} {address:#x}/8 = 0 -> 0 rf {source}"),
                };
            }
        }
        text.parse().expect("it is a graph")
    }

    /// All orders of some things.
    fn permutations(of: &[EventId]) -> Vec<Vec<EventId>> {
        let Some((&first, rest)) = of.split_first() else { return vec![Vec::new()] };
        let insert =
            |order: &Vec<EventId>, place: usize| [&order[..place], &[first], &order[place..]].concat();
        permutations(rest)
            .iter()
            .flat_map(|order| (0..=order.len()).map(|place| insert(order, place)))
            .collect()
    }

    fn with_co(graph: &ExecutionGraph, orders: [&Vec<EventId>; 2]) -> ExecutionGraph {
        let mut graph = graph.clone();
        for (at, writes) in [8, 16].into_iter().zip(orders).filter(|(_, writes)| !writes.is_empty()) {
            graph.co.insert(Access { address: at, size: 8 }, writes.clone());
        }
        graph
    }

    /// Every coherence order, the initial write first, that the model accepts if it goes without the axiom of this name.
    fn accepted(graph: &ExecutionGraph, model: Model, without: &str) -> Vec<ExecutionGraph> {
        let writes = |at| {
            let is_write = |label: &Label| label.at().is_some_and(|a| a.address == at) && label.is_write();
            graph.events().filter(|(_, label)| is_write(label)).map(|(e, _)| e).collect::<Vec<EventId>>()
        };
        let (xs, ys) = (permutations(&writes(8)), permutations(&writes(16)));
        let all = xs.iter().flat_map(|x| ys.iter().map(move |y| with_co(graph, [x, y])));
        let axioms = || model.rules().axioms.iter().filter(|axiom| axiom.name != without);
        all.filter(|graph| axioms().all(|axiom| (axiom.holds)(&Relations::of(graph)))).collect()
    }

    /// The pairs that all of them have in common.
    fn common(graphs: &[ExecutionGraph]) -> Option<Relations> {
        let mut all = graphs.iter().map(Relations::of);
        let mut first = all.next()?;
        for other in all {
            first.co = first.co.intersect(&other.co);
        }
        first.fr = first.rf.inverse().compose(&first.co);
        Some(first)
    }

    /// No two read-modify-writes read the same write.
    fn is_atomic(graph: &ExecutionGraph) -> bool {
        let updates = graph.rf.iter().filter(|(e, _)| graph.label(**e).is_some_and(Label::is_write));
        let mut sources: Vec<(Option<Access>, Source)> =
            updates.map(|(e, &source)| (graph.label(*e).and_then(Label::at), source)).collect();
        sources.sort_unstable();
        sources.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// What all coherent and atomic orders have in common is what the graph keeps.
    #[test]
    fn it_finds_an_order_iff_there_is_one() {
        // The text of SC has no coherence of its own.
        let models: [(Model, Model, &str, GlobalOrder); 4] = [
            (Model::Rc11, Model::Rc11, "SC-ACYCLICITY", rc11::psc),
            (Model::Sc, Model::Relaxed, "", sc::global_order),
            (Model::Tso, Model::Tso, "GHB", tso::ghb),
            (Model::Sra, Model::Sra, "strong-Wcoh", sra::global_order),
        ];
        let (mut found, mut refuted) = (0, 0);
        for graph in (0..6_000).map(random_execution).filter(is_atomic) {
            for (model, coherent, axiom, global) in models {
                let Some(relations) = common(&accepted(&graph, coherent, axiom)) else { continue };
                let order = coherence_order(relations, global);
                assert_eq!(order.is_some(), !accepted(&graph, model, "").is_empty(), "{model:?}\n{graph}");
                found += usize::from(order.is_some());
                refuted += usize::from(order.is_none());
            }
        }
        assert!(found > 1_000 && refuted > 100, "{found} {refuted}");
    }
}
