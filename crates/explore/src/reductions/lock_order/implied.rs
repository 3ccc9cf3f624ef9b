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

use crate::reductions::lock_order::decide::{Accesses, Counted, Edge, Question};

/// The order of at most 64 sections, as far as it is implied.
#[derive(Clone, Debug)]
pub(super) struct Implied {
    /// Per section those of its mutex.
    group: Vec<u64>,
    /// Per section those that are after it, and those that are before it.
    after: Vec<u64>,
    before: Vec<u64>,
    /// The first of them reads what the second one writes, and the third ones, which write there as well, are not between.
    apart: Vec<(u32, u32, u64)>,
    /// Whether an order that agrees with it is valid: there is one mutex, and what order of sections could make incoherent is
    /// accessed in its sections only. Then all such accesses are in one order, and each read reads the write before it.
    pub(super) is_sufficient: bool,
}

impl Implied {
    /// With these edges; `None` if there are too many sections.
    pub(super) fn of(question: &Question<'_>, edges: &[Edge]) -> Option<Implied> {
        let count = question.sections.len();
        if count > u64::BITS as usize {
            return None;
        }
        let mut implied = Implied {
            group: vec![0; count],
            after: vec![0; count],
            before: vec![0; count],
            apart: Vec::new(),
            is_sufficient: question.sections.iter().all(|it| it.mutex == question.sections[0].mutex),
        };
        for (a, section) in question.sections.iter().enumerate() {
            for (b, other) in question.sections.iter().enumerate().take(a) {
                if section.mutex != other.mutex {
                    continue;
                }
                implied.group[a] |= 1 << b;
                implied.group[b] |= 1 << a;
                if section.thread == other.thread {
                    implied.put(b, a);
                    continue;
                }
                let knows = |a: usize, b: usize| {
                    let (a, b) = (&question.sections[a], &question.sections[b]);
                    question.graph.hb_count(a.end, b.thread) > question.graph.event(b.lock).index
                };
                if knows(a, b) {
                    implied.put(b, a);
                }
                if knows(b, a) {
                    implied.put(a, b);
                }
            }
        }
        edges.iter().for_each(|&(a, b)| implied.put(a, b));
        let places = Places::of(question);
        question.locations.iter().for_each(|location| implied.read(question, location, &places));
        Some(implied)
    }

    fn put(&mut self, a: usize, b: usize) {
        self.after[a] |= 1 << b;
        self.before[b] |= 1 << a;
    }

    /// What the reads of a location say.
    fn read(&mut self, question: &Question<'_>, location: &Accesses, places: &Places) {
        self.is_sufficient &= location.accesses.iter().all(|access| places.at(access.number) != 0);
        for access in location.accesses.iter().filter(|it| question.graph.event(it.event).kind.reads()) {
            let own = places.at(access.number);
            // A write of its own section is in between: left to the test.
            self.is_sufficient &= is_unhidden(question, location, access);
            let source = &location.writes[access.limit as usize];
            let sources = if source.event.is_init() { 0 } else { places.at(question.number(source.event)) };
            for a in bits(own) {
                for b in bits(sources & self.group[a]) {
                    self.put(b, a);
                }
            }
            let (mut later, mut others, mut known) = (0, 0, 0);
            for write in location.writes[1..].iter().filter(|write| write.event != access.event) {
                let there = places.at(question.number(write.event));
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
                if write.top != source.top && question.graph.hb(write.event, access.event) {
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

    /// Decide what is open by age, so that it is an order; `None` if the first way to do so was none.
    pub(super) fn complete_by_age(&mut self, question: &Question<'_>) -> Option<()> {
        let stamp = |n: usize| question.graph.event(question.sections[n].lock).stamp;
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

    /// The edges from each section to the next one of its mutex, if it is an order.
    pub(super) fn edges(&self, question: &Question<'_>) -> Vec<Edge> {
        let next = |a: usize| bits(self.after[a]).max_by_key(|&b| self.after[b].count_ones()).map(|b| (a, b));
        let all = (0..self.after.len()).filter_map(next);
        all.filter(|&(a, b)| question.are_unordered(a, b)).collect()
    }
}

/// The sections in which events are, per number.
struct Places(Vec<u64>);

impl Places {
    fn of(question: &Question<'_>) -> Places {
        let mut places = vec![0; question.place.len()];
        for (n, section) in question.sections.iter().enumerate() {
            places[section.first..=section.last].iter_mut().for_each(|place| *place |= 1 << n);
        }
        Places(places)
    }

    fn at(&self, number: usize) -> u64 {
        self.0[number]
    }
}

/// Whether the access reads the last write of its own thread before it, or a write of another thread, and its own thread has not
/// written there in its section before it.
fn is_unhidden(question: &Question<'_>, location: &Accesses, access: &Counted) -> bool {
    let own = question.graph.event(access.event);
    let source = location.writes[access.limit as usize].event;
    location.writes[1..].iter().map(|write| write.event).all(|w| {
        let write = question.graph.event(w);
        let is_before = write.thread == own.thread && write.index < own.index;
        !is_before || w == source || !source.is_init() && question.graph.hb(w, source)
    })
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(next)
    })
}
