//! Relations on the events of one graph, as bit matrices, with the algebra that the models are written in.
//!
//! A relation is a row of bits per event: bit `b` of row `a` is set iff `(a, b)` is in it. Rows are in 64-bit
//! words, without an allocation for up to 32 events: the brute-force oracle checks millions of small graphs.
//!
//! Cost, for n events and W = n / 64 words a row: `union` and its like O(n·W), `compose` O(pairs·W), `plus`
//! O(n²·W), `is_acyclic` O(n·W) per layer that is taken off.

use smallvec::SmallVec;

/// A set of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventSet {
    words: SmallVec<[u64; 1]>,
}

impl EventSet {
    /// The empty set of events of a graph with `events` events.
    pub fn empty(events: usize) -> EventSet {
        EventSet { words: SmallVec::from_elem(0, stride(events)) }
    }

    /// Put an event in.
    pub fn insert(&mut self, event: usize) {
        self.words[event / 64] |= 1 << (event % 64);
    }

    /// Whether the event is in it.
    pub fn contains(&self, event: usize) -> bool {
        self.words[event / 64] >> (event % 64) & 1 == 1
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// What is in both.
    pub fn intersect(&self, other: &EventSet) -> EventSet {
        EventSet { words: self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect() }
    }

    /// What is in one of them.
    pub fn union(&self, other: &EventSet) -> EventSet {
        EventSet { words: self.words.iter().zip(&other.words).map(|(a, b)| a | b).collect() }
    }

    /// What is in this one only.
    pub fn minus(&self, other: &EventSet) -> EventSet {
        EventSet { words: self.words.iter().zip(&other.words).map(|(a, b)| a & !b).collect() }
    }

    /// Its events, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        bits(&self.words)
    }
}

/// A binary relation on the events of one graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    events: usize,
    stride: usize,
    /// Row after row, `stride` words each. Bits at and after `events` are 0.
    words: SmallVec<[u64; 32]>,
}

impl Relation {
    /// The relation without pairs on `events` events.
    pub fn empty(events: usize) -> Relation {
        let stride = stride(events);
        Relation { events, stride, words: SmallVec::from_elem(0, events * stride) }
    }

    /// `[set]`: every event of the set with itself.
    pub fn identity(set: &EventSet, events: usize) -> Relation {
        let mut identity = Relation::empty(events);
        set.iter().for_each(|event| identity.insert(event, event));
        identity
    }

    /// How many events it is on.
    pub fn events(&self) -> usize {
        self.events
    }

    /// Put the pair `(a, b)` in.
    pub fn insert(&mut self, a: usize, b: usize) {
        self.words[a * self.stride + b / 64] |= 1 << (b % 64);
    }

    /// Put all pairs of `a` with an event of `set` in.
    pub fn insert_all(&mut self, a: usize, set: &EventSet) {
        self.row_mut(a).iter_mut().zip(&set.words).for_each(|(word, set)| *word |= set);
    }

    /// Whether the pair `(a, b)` is in it.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        self.words[a * self.stride + b / 64] >> (b % 64) & 1 == 1
    }

    /// What `a` is in it with.
    pub fn successors(&self, a: usize) -> impl Iterator<Item = usize> {
        bits(self.row(a))
    }

    /// Its pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.events).flat_map(|a| bits(self.row(a)).map(move |b| (a, b)))
    }

    /// `self ; other`: from `a` to `c` iff there is a `b` with `(a, b)` here and `(b, c)` there.
    pub fn compose(&self, other: &Relation) -> Relation {
        let mut composed = Relation::empty(self.events);
        if self.stride == 1 {
            for (to, &from) in composed.words.iter_mut().zip(&self.words) {
                let mut left = from;
                while left != 0 {
                    *to |= other.words[left.trailing_zeros() as usize];
                    left &= left - 1;
                }
            }
            return composed;
        }
        for (a, b) in self.pairs() {
            composed.row_mut(a).iter_mut().zip(other.row(b)).for_each(|(to, from)| *to |= from);
        }
        composed
    }

    /// `self ∪ other`
    pub fn union(&self, other: &Relation) -> Relation {
        self.with(other, |a, b| a | b)
    }

    /// `self ∩ other`
    pub fn intersect(&self, other: &Relation) -> Relation {
        self.with(other, |a, b| a & b)
    }

    /// `self \ other`
    pub fn minus(&self, other: &Relation) -> Relation {
        self.with(other, |a, b| a & !b)
    }

    /// `self⁻¹`
    pub fn inverse(&self) -> Relation {
        let mut inverse = Relation::empty(self.events);
        self.pairs().for_each(|(a, b)| inverse.insert(b, a));
        inverse
    }

    /// `self⁺`, the transitive closure (Warshall's algorithm).
    pub fn plus(&self) -> Relation {
        let mut closure = self.clone();
        if self.stride == 1 {
            for b in 0..self.events {
                let row = closure.words[b];
                for from in &mut closure.words {
                    *from |= row & (*from >> b & 1).wrapping_neg();
                }
            }
            return closure;
        }
        for b in 0..self.events {
            let row: SmallVec<[u64; 4]> = SmallVec::from_slice(closure.row(b));
            for a in 0..self.events {
                if closure.contains(a, b) {
                    closure.row_mut(a).iter_mut().zip(&row).for_each(|(to, from)| *to |= from);
                }
            }
        }
        closure
    }

    /// `self?`, the reflexive closure.
    pub fn opt(&self) -> Relation {
        let mut closure = self.clone();
        (0..self.events).for_each(|event| closure.insert(event, event));
        closure
    }

    /// `self*`, the reflexive and transitive closure.
    pub fn star(&self) -> Relation {
        self.plus().opt()
    }

    /// `[set] ; self`
    pub fn restrict_dom(&self, set: &EventSet) -> Relation {
        let mut restricted = Relation::empty(self.events);
        for a in set.iter() {
            restricted.row_mut(a).copy_from_slice(self.row(a));
        }
        restricted
    }

    /// `self ; [set]`
    pub fn restrict_rng(&self, set: &EventSet) -> Relation {
        let mut restricted = self.clone();
        for row in restricted.words.chunks_exact_mut(self.stride) {
            row.iter_mut().zip(&set.words).for_each(|(word, set)| *word &= set);
        }
        restricted
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether nothing is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..self.events).all(|event| !self.contains(event, event))
    }

    /// Whether `self⁺` is irreflexive. Takes off events that lead nowhere until nothing is left, or a cycle is.
    pub fn is_acyclic(&self) -> bool {
        let mut left = EventSet::empty(self.events);
        (0..self.events).for_each(|event| left.insert(event));
        while !left.is_empty() {
            let mut next = left.clone();
            for event in left.iter() {
                if self.row(event).iter().zip(&next.words).all(|(row, left)| row & left == 0) {
                    next.words[event / 64] &= !(1 << (event % 64));
                }
            }
            if next == left {
                return false;
            }
            left = next;
        }
        true
    }

    fn with(&self, other: &Relation, operation: impl Fn(u64, u64) -> u64) -> Relation {
        debug_assert_eq!(self.events, other.events, "relations of different graphs");
        let mut result = self.clone();
        result.words.iter_mut().zip(&other.words).for_each(|(a, &b)| *a = operation(*a, b));
        result
    }

    fn row(&self, a: usize) -> &[u64] {
        &self.words[a * self.stride..][..self.stride]
    }

    fn row_mut(&mut self, a: usize) -> &mut [u64] {
        &mut self.words[a * self.stride..][..self.stride]
    }
}

/// Words for `events` bits.
fn stride(events: usize) -> usize {
    events.div_ceil(64).max(1)
}

/// The numbers of the bits that are set.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| index * 64 + left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Rng;

    /// A relation with about `density` pairs an event.
    fn random(events: usize, density: usize, seed: u64) -> Relation {
        let (mut rng, mut relation) = (Rng::new(seed), Relation::empty(events));
        for _ in 0..events * density {
            relation.insert(rng.index(events), rng.index(events));
        }
        relation
    }

    /// Pair by pair, as the definitions say.
    fn by_definition(events: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let mut relation = Relation::empty(events);
        for a in 0..events {
            (0..events).filter(|&b| holds(a, b)).for_each(|b| relation.insert(a, b));
        }
        relation
    }

    #[test]
    fn the_algebra_is_what_the_definitions_say() {
        for (seed, n) in [1, 3, 17, 33, 63, 64, 65, 70, 130].into_iter().enumerate() {
            let (r, s) = (random(n, 1, seed as u64), random(n, 2, seed as u64 + 100));
            let mut set = EventSet::empty(n);
            (0..n).filter(|e| e % 3 == 0).for_each(|e| set.insert(e));
            let has = |x: &Relation, a, b| x.contains(a, b);
            assert_eq!(r.union(&s), by_definition(n, |a, b| has(&r, a, b) || has(&s, a, b)));
            assert_eq!(r.intersect(&s), by_definition(n, |a, b| has(&r, a, b) && has(&s, a, b)));
            assert_eq!(r.minus(&s), by_definition(n, |a, b| has(&r, a, b) && !has(&s, a, b)));
            assert_eq!(r.inverse(), by_definition(n, |a, b| has(&r, b, a)));
            assert_eq!(
                r.compose(&s),
                by_definition(n, |a, c| (0..n).any(|b| has(&r, a, b) && has(&s, b, c)))
            );
            assert_eq!(r.restrict_dom(&set), Relation::identity(&set, n).compose(&r));
            assert_eq!(r.restrict_rng(&set), r.compose(&Relation::identity(&set, n)));
            assert_eq!(r.opt(), by_definition(n, |a, b| a == b || has(&r, a, b)));
            let mut closure = r.clone();
            (0..n).for_each(|_| closure = closure.union(&closure.compose(&r)));
            assert_eq!(r.plus(), closure);
            assert_eq!(r.star(), closure.opt());
            assert_eq!(r.is_acyclic(), closure.is_irreflexive());
            let forward = by_definition(n, |a, b| a < b && has(&s, a, b));
            assert!(forward.is_acyclic() && forward.plus().is_irreflexive());
            assert!(!s.union(&s.inverse()).is_acyclic());
            assert!(r.minus(&r).is_empty() && (!r.is_empty()));
        }
    }

    #[test]
    fn sets_are_sets() {
        let (mut a, mut b) = (EventSet::empty(100), EventSet::empty(100));
        [1, 64, 99].into_iter().for_each(|e| a.insert(e));
        [1, 65].into_iter().for_each(|e| b.insert(e));
        assert_eq!(a.intersect(&b).iter().collect::<Vec<_>>(), [1]);
        assert_eq!(a.union(&b).iter().collect::<Vec<_>>(), [1, 64, 65, 99]);
        assert_eq!(a.minus(&b).iter().collect::<Vec<_>>(), [64, 99]);
        assert!(a.contains(99) && !a.contains(98) && !a.is_empty() && a.minus(&a).is_empty());
    }
}
