//! The search against the algorithm as \[RF\] section 4.2 prints it, in which every executable event is tried, on executions
//! that are too big for brute force and have chains that need each other.

use base::{Order, Rng};
use consistency::incremental::{Incremental, Read};
use consistency::{Answer, Event, Location, Op, Reason, Source, Thread, Why, check};
use model::Model;
use std::collections::BTreeSet;
use testkit::effort;
use testkit::traces::every_co::EveryCo;
use testkit::traces::item::{Item, Mix, partial_execution, show};

type Set = u64;

/// The graph of downward-closed sets of an execution without plain accesses.
struct Downward<'a> {
    items: &'a [Item],
    /// Per event those that happen before it.
    hb: Vec<Set>,
    model: Model,
    visited: BTreeSet<(Set, Vec<Option<usize>>)>,
}

impl Downward<'_> {
    fn new(items: &[Item], model: Model) -> Downward<'_> {
        let mut hb: Vec<Set> = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let po = (0..number).rfind(|&other| items[other].thread == item.thread);
            let rf = source(item);
            hb.push(po.into_iter().chain(rf).fold(0, |all, before| all | hb[before] | 1 << before));
        }
        Downward { items, hb, model, visited: BTreeSet::new() }
    }

    fn reaches_all(mut self) -> bool {
        let readers_of_init =
            (0..self.items.len()).filter(|&r| self.items[r].reads() && source(&self.items[r]).is_none());
        let stale =
            |r: usize| (0..self.items.len()).any(|w| self.conflicts(w, r) && self.hb[r] >> w & 1 == 1);
        let locations = self.items.iter().map(|item| item.location as usize + 1).max().unwrap_or(0);
        !readers_of_init.into_iter().any(stale) && self.completes(0, vec![None; locations])
    }

    /// Another write to the same location.
    fn conflicts(&self, write: usize, other: usize) -> bool {
        write != other
            && self.items[write].writes()
            && self.items[write].location == self.items[other].location
    }

    /// Can the set be completed? Under SC, `last` is the last write per location; elsewhere it stays empty.
    fn completes(&mut self, set: Set, last: Vec<Option<usize>>) -> bool {
        if set.count_ones() as usize == self.items.len() {
            return true;
        }
        if !self.visited.insert((set, last.clone())) {
            return false;
        }
        (0..self.items.len()).any(|e| {
            if set >> e & 1 == 1 || self.hb[e] & !set != 0 || !self.is_executable(e, set, &last) {
                return false;
            }
            let mut last = last.clone();
            if self.model == Model::Sc && self.items[e].writes() {
                last[self.items[e].location as usize] = Some(e);
            }
            self.completes(set | 1 << e, last)
        })
    }

    fn is_executable(&self, e: usize, set: Set, last: &[Option<usize>]) -> bool {
        let item = &self.items[e];
        if self.model == Model::Sc {
            return !item.reads() || source(item) == last[item.location as usize];
        }
        !item.writes() || (self.reads_allow(e, set) && self.updates_allow(e, set))
    }

    /// (2a) For every triplet (w, r, w'), if (w', r) ∈ hb, then w' ∈ S.
    fn reads_allow(&self, w: usize, set: Set) -> bool {
        let all = 0..self.items.len();
        let reads = |&r: &usize| self.items[r].reads() && source(&self.items[r]) == Some(w);
        all.clone().filter(reads).all(|r| {
            all.clone().all(|other| {
                let triplet = self.conflicts(other, w) && other != r;
                !triplet || self.hb[r] >> other & 1 == 0 || set >> other & 1 == 1
            })
        })
    }

    /// (2b) For every RMW rmw and triplet (w', rmw, w), if rmw ∉ S then w' ∉ S.
    fn updates_allow(&self, w: usize, set: Set) -> bool {
        let open = |u: usize| {
            let update = &self.items[u];
            let pending = update.op == Op::Rmw
                && set >> u & 1 == 0
                && source(update).is_none_or(|of| set >> of & 1 == 1);
            pending && self.conflicts(u, w)
        };
        !(0..self.items.len()).any(open)
    }
}

fn source(item: &Item) -> Option<usize> {
    match item.source {
        Source::Event(event) if item.reads() => Some(event.index()),
        _ => None,
    }
}

/// A random execution that is consistent under RA; `latest` is the percentage of reads that read the newest write allowed.
fn ra_consistent(random: &mut Rng, mix: Mix, events: u64, latest: u64) -> Vec<Item> {
    let mut checker = Incremental::new(Model::Ra).unwrap();
    let mut items = Vec::new();
    while (items.len() as u64) < events {
        let mut item = Item { order: Order::Relaxed, ..mix.draw(random) };
        let (thread, location) = (Thread(item.thread), Location(item.location));
        if item.reads() {
            let read = Read { thread, op: item.op, order: item.order, location };
            let mut candidates: Vec<Source> = checker.candidates(read).iter().collect();
            candidates
                .sort_by_key(|source| if let Source::Event(Event(event)) = source { event + 1 } else { 0 });
            let newest = candidates[candidates.len() - 1];
            item.source = if random.percent(latest) { newest } else { random.pick(&candidates) };
            checker.bind(read, item.source).unwrap();
        } else {
            checker.push(thread, item.order, location).unwrap();
        }
        items.push(item);
    }
    items
}

/// Was the reason not seen before every order was tried?
fn needed_the_search(reason: &Reason) -> bool {
    match reason {
        Reason::Cycle(steps) => steps.iter().any(|step| matches!(step.why, Why::Co | Why::Fr)),
        reason => *reason == Reason::Exhausted,
    }
}

fn agrees(model: Model, full: u64) {
    let executions = effort::of(full) as usize;
    let mut random = Rng::new(0xface);
    let (mut consistent, mut searched) = (0, 0);
    for _ in 0..executions {
        let (threads, locations) = (4 + random.below(3), 3 + random.below(2));
        let (rmws, writes) = (random.pick(&[30, 45, 60]), random.pick(&[35, 50]));
        let mix = Mix { threads, locations, writes, rmws, fences: 0, plain: 0, sc: false };
        let (events, latest) = (16 + random.below(10), random.pick(&[0, 10, 30]));
        let items = ra_consistent(&mut random, mix, events, latest);
        let answer = check(&partial_execution(&items), model).unwrap();
        let expected = Downward::new(&items, model).reaches_all();
        assert_eq!(matches!(answer, Answer::Consistent(_)), expected, "{model:?}\n{}", show(&items));
        match answer {
            Answer::Consistent(witness) => {
                consistent += 1;
                let all = EveryCo::unchecked(model, 7, &items);
                assert!(all.accepts_witness(&witness), "{model:?} {witness:?}\n{}", show(&items));
            }
            Answer::Inconsistent(reason) => searched += usize::from(needed_the_search(&reason)),
        }
    }
    assert!(
        consistent * 5 > executions && searched * 50 > executions,
        "{consistent} {searched} {executions}"
    );
}

#[test]
fn sra_agrees_with_the_algorithm_as_printed() {
    agrees(Model::Sra, 20_000);
}

#[test]
fn sc_agrees_with_trying_every_event() {
    agrees(Model::Sc, 20_000);
}
