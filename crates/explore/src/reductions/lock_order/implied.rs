//! What reads say about the order of sections, without clocks.
//!
//! Section `A` of a mutex is before section `C` of it, in every valid order, if
//! * something in `A` happens before something in `C` without the help of sections, or a read in `C` reads a write in `A`;
//! * a read in `A` reads a write that is coherence-before a write in `C`, whatever the order: then that write does not happen before the read;
//! * a read, anywhere, reads a write in `C`, and a write in `A` happens before the read without the help of sections: that write is
//!   coherence-before the one that is read;
//! * a read in `A` reads a write in `B`, `C` writes to the location as well, and `B` is before `C`: `C` is not between the two. For
//!   the same reason `C` is before `B` if it is before `A`.
//!
//! Closed transitively, that is all there is to say in most graphs. It is necessary, and sufficient where one mutex protects
//! everything; elsewhere an order that agrees with it is tested.
//!
//! Cost: O(reads · writes) for each location that is written by a thread while others use it, and O(sections²) a closure.

use crate::reductions::lock_order::accesses::{Accesses, Counted};
use crate::reductions::lock_order::decide::{Edge, Question};
use base::Rng;
use smallvec::{SmallVec, smallvec};

/// A set of sections for each section.
type Sets = SmallVec<[u64; 16]>;

/// The order of at most 64 sections, as far as it is implied.
#[derive(Clone, Debug)]
pub(super) struct Implied {
    /// Per section those of its mutex.
    group: Sets,
    /// Per section those that are after it, and those that are before it.
    after: Sets,
    before: Sets,
    /// The first of them reads what the second one writes, and the third ones, which write there as well, are not between.
    apart: SmallVec<[(u32, u32, u64); 8]>,
    /// Whether an order that agrees with it is valid: there is one mutex, and what order of sections could make incoherent is
    /// accessed in its sections only. Then all such accesses are in one order, and each read reads the write before it.
    pub(super) is_sufficient: bool,
}

impl Implied {
    /// With these edges; `None` if there are too many sections.
    pub(super) fn of(question: &Question<'_>, edges: &[Edge]) -> Option<Implied> {
        let count = question.sections().len();
        if count > u64::BITS as usize {
            return None;
        }
        let mut implied = Implied {
            group: smallvec![0; count],
            after: smallvec![0; count],
            before: smallvec![0; count],
            apart: SmallVec::new(),
            is_sufficient: question.sections().iter().all(|it| it.mutex == question.sections()[0].mutex),
        };
        for (a, section) in question.sections().iter().enumerate() {
            implied.group[a] = question.sections_of(section.mutex) & !(1 << a);
            let mut known = None;
            for (b, other) in
                question.sections().iter().enumerate().filter(|(_, it)| it.mutex == section.mutex)
            {
                // Sections of one thread are together, in program order.
                let (thread, count) = match known {
                    Some(known @ (thread, _)) if thread == other.thread => known,
                    _ if other.thread == section.thread => (other.thread, a),
                    _ => (other.thread, question.graph.hb_count(section.end, other.thread) as usize),
                };
                known = Some((thread, count));
                let index = if thread == section.thread { b } else { question.index(other.first, thread) };
                if index < count {
                    implied.put(b, a);
                }
            }
        }
        edges.iter().for_each(|&(a, b)| implied.put(a, b));
        question.locations().for_each(|location| implied.read(question, location));
        Some(implied)
    }

    fn put(&mut self, a: usize, b: usize) {
        self.after[a] |= 1 << b;
        self.before[b] |= 1 << a;
    }

    /// What the reads of a location say.
    fn read(&mut self, question: &Question<'_>, location: &Accesses) {
        self.is_sufficient &= location.accesses.iter().all(|access| question.sections_at(access.number) != 0);
        for access in location.accesses.iter().filter(|it| question.graph.event(it.event).kind.reads()) {
            let own = question.sections_at(access.number);
            // A write of its own section is in between: left to the test.
            self.is_sufficient &= is_unhidden(question, location, access);
            let source = &location.writes[access.limit as usize];
            let sources = source.sections;
            for a in bits(own) {
                for b in bits(sources & self.group[a]) {
                    self.put(b, a);
                }
            }
            let (mut later, mut others, mut known) = (0, 0, 0);
            let own_event = question.graph.event(access.event);
            let mut seen = (own_event.thread, own_event.index);
            for write in location.writes[1..].iter().filter(|write| write.event != access.event) {
                let there = write.sections;
                let is_later = match write.top == source.top {
                    true => write.position > source.position,
                    false => {
                        source.top == 0
                            || write.top != 0
                                && question.graph.hb(source.event, location.writes[write.top as usize].event)
                    }
                };
                match is_later {
                    true => later |= there,
                    false if write.top != source.top => others |= there,
                    false => {}
                }
                // Writes of one thread are together.
                if write.thread != seen.0 {
                    let count = match write.thread == own_event.thread {
                        true => own_event.index,
                        false => question.graph.hb_count(access.event, write.thread),
                    };
                    seen = (write.thread, count);
                }
                if write.top != source.top && write.index < seen.1 {
                    known |= there;
                }
            }
            for b in bits(sources) {
                for c in bits(known & self.group[b]) {
                    self.put(c, b);
                }
            }
            for a in bits(own) {
                for c in bits(later & self.group[a]) {
                    self.put(a, c);
                }
                for b in bits(sources & self.group[a]) {
                    let others = others & self.group[a] & !(1 << b);
                    if others != 0 {
                        self.apart.push((a as u32, b as u32, others));
                    }
                }
            }
        }
    }

    /// Close it; `None` if it contradicts itself.
    pub(super) fn close(&mut self) -> Option<()> {
        loop {
            let mut is_new = false;
            for a in 0..self.after.len() {
                let further = bits(self.after[a]).fold(self.after[a], |all, b| all | self.after[b]);
                if further >> a & 1 == 1 {
                    return None;
                }
                is_new |= further != self.after[a];
                for b in bits(further & !self.after[a]) {
                    self.put(a, b);
                }
            }
            for at in 0..self.apart.len() {
                let (a, b, others) = self.apart[at];
                let (a, b) = (a as usize, b as usize);
                for c in bits(others & self.after[b] & !self.after[a]) {
                    self.put(a, c);
                    is_new = true;
                }
                for c in bits(others & self.before[a] & !self.before[b]) {
                    self.put(c, b);
                    is_new = true;
                }
            }
            if !is_new {
                return Some(());
            }
        }
    }

    /// Whether every order that agrees with it, once it is closed, keeps apart what must not be between two others.
    pub(super) fn is_settled(&self) -> bool {
        self.apart
            .iter()
            .all(|&(a, b, others)| others & !self.after[a as usize] & !self.before[b as usize] == 0)
    }

    /// Decide what is open by age, so that it is an order; `None` if the first way to do so was none.
    pub(super) fn complete_by_age(&mut self, question: &Question<'_>) -> Option<()> {
        let stamp = |n: usize| question.graph.event(question.sections()[n].lock).stamp;
        let mut by_age: Vec<usize> = (0..self.after.len()).collect();
        by_age.sort_unstable_by_key(|&n| stamp(n));
        let mut placed = 0;
        while !by_age.is_empty() {
            let at =
                by_age.iter().position(|&n| self.before[n] & !placed == 0 && self.put_next(n, placed))?;
            placed |= 1 << by_age.remove(at);
        }
        Some(())
    }

    /// Put the section before all of its mutex that are not placed; false if that cannot be.
    fn put_next(&mut self, n: usize, placed: u64) -> bool {
        let open = self.group[n] & !placed & !self.after[n];
        if open == 0 {
            return true;
        }
        let (after, before) = (self.after.clone(), self.before.clone());
        bits(open).for_each(|b| self.put(n, b));
        let is_possible = self.close().is_some();
        if !is_possible {
            (self.after, self.before) = (after, before);
        }
        is_possible
    }

    /// About how many orders agree with it, once it is closed: right on average.
    pub(super) fn estimate_orders(&self, rng: &mut Rng) -> f64 {
        let mutexes = (0..self.group.len()).filter(|&n| self.mutex(n).trailing_zeros() as usize == n);
        mutexes.map(|n| self.estimate_orders_of(self.mutex(n), rng)).product()
    }

    /// The sections of the mutex of this one.
    fn mutex(&self, n: usize) -> u64 {
        self.group[n] | 1 << n
    }

    fn estimate_orders_of(&self, mutex: u64, rng: &mut Rng) -> f64 {
        let (mut placed, mut order, mut product) = (0, Vec::new(), 1.0);
        while placed != mutex {
            let may_be_next = |n: &usize| self.before[*n] & !placed == 0 && self.is_apart(*n, &order);
            let next: Vec<usize> = bits(mutex & !placed).filter(may_be_next).collect();
            if next.is_empty() {
                return 0.0;
            }
            product *= next.len() as f64;
            let n = rng.pick(&next);
            placed |= 1 << n;
            order.push(n);
        }
        product
    }

    /// Whether the section can come after these in this order: none that must not be between it and another one is.
    fn is_apart(&self, n: usize, order: &[usize]) -> bool {
        self.apart.iter().filter(|&&(a, ..)| a as usize == n).all(|&(_, b, others)| {
            let between = order.iter().rev().take_while(|&&c| c != b as usize);
            between.fold(0, |all, &c| all | 1 << c) & others == 0
        })
    }

    /// The edges from each section to the next one of its mutex, if it is an order.
    pub(super) fn edges(&self, question: &Question<'_>) -> Vec<Edge> {
        let next = |a: usize| bits(self.after[a]).max_by_key(|&b| self.after[b].count_ones()).map(|b| (a, b));
        let all = (0..self.after.len()).filter_map(next);
        all.filter(|&(a, b)| question.are_unordered(a, b)).collect()
    }
}

/// Whether the access reads the last write of its own thread before it, or a write of another thread, and its own thread has not
/// written there in its section before it.
fn is_unhidden(question: &Question<'_>, location: &Accesses, access: &Counted) -> bool {
    let own = question.graph.event(access.event);
    let source = location.writes[access.limit as usize].event;
    location.writes[1..].iter().all(|write| {
        let is_before = write.thread == own.thread && write.index < own.index;
        !is_before || write.event == source || !source.is_init() && question.graph.hb(write.event, source)
    })
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(next)
    })
}
