//! The potential of a program: whether there could be a cycle at all, from the threads, each run on its own.
//!
//! Every thread is run alone; a read may return any value that some thread could write there. That is more than any
//! execution can do, cycles and values out of thin air included, and cheap. If even that has no cycle, XMM is RC11 for
//! this program, and there is nothing to look for while it is explored.
//!
//! Of a thread its reads with later writes are kept (`legs`); that file decides whether these could make a cycle.
//!
//! **Counters.** A value that is made from a value of the same location, and so on, has no end of values. But an event
//! makes a value once: in an execution without cycles, the chain from a write to the reads of its thread before it, to
//! their sources, and so on, has each write once. In the first execution with a cycle the chain may end in a committed
//! read, whose value is one of an execution without. So no chain has more than twice as many writes of a location as
//! threads make there (`depth`), and longer ones are cut. If there is no cycle even so, there is no first execution
//! with a cycle. If there may be one, nothing is known of the values that were cut ([`Potential::is_exact`]).
//!
//! Of threads that were created for the same function and argument, and are not told apart, one is run.
//!
//! A mutex that is only locked and unlocked synchronises: no thread that goes on has read the value that its owner
//! wrote.
//!
//! Not modelled, so that there is no answer: more steps than were asked for, accesses that overlap, reads before a
//! thread is created, writes after one but not all are joined, and waiting for anything but a mutex or a thread.

use crate::legs::{self, Leg};
use base::{Access, FenceOrder, ReadOrder, ThreadId, Value, WriteOrder};
use program::{Hint, Object, Request};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The accesses that threads could make.
#[derive(Clone, Default, Debug)]
pub(crate) struct Potential {
    /// By thread and location: how often the thread reads it at most.
    reads: BTreeMap<(ThreadId, Access), usize>,
    /// The threads that write a location.
    writes: BTreeSet<(ThreadId, Access)>,
    /// Reads of a thread with later writes of it.
    legs: BTreeSet<Leg>,
    /// The locations that are written in other ways than by read-modify-writes.
    stored: BTreeSet<Access>,
    /// The locations that are locked, and those that are read otherwise.
    locked: BTreeSet<Access>,
    loaded: BTreeSet<Access>,
    /// By thread and location: how often the thread writes it at most.
    most_writes: BTreeMap<(ThreadId, Access), u16>,
    /// Whether values were cut.
    cut: bool,
    /// Writer, location and reader that may be on a cycle.
    cyclic: BTreeSet<(ThreadId, Access, ThreadId)>,
}

impl Potential {
    /// The potential of a program; `None` if it is not known after so many steps of threads.
    pub(crate) fn of<P: Hint>(program: &P, budget: usize) -> Option<Potential> {
        let mut analysis = Analysis {
            program,
            potential: Potential::default(),
            values: BTreeMap::new(),
            objects: Vec::new(),
            children: BTreeMap::new(),
            finished: BTreeMap::new(),
            steps: 0,
            budget,
            changed: false,
        };
        loop {
            analysis.changed = false;
            let mut main = program.main();
            let request = program.resume(&mut main, 0);
            analysis.run(Path::new(ThreadId::MAIN), main, request)?;
            let children: Vec<_> = analysis.children.clone().into_iter().collect();
            for (n, (thread, starts)) in children.iter().enumerate() {
                let (thread, earlier) = (*thread, children[..n].iter().find(|(_, others)| others == starts));
                if let Some(&(earlier, _)) = earlier.filter(|_| !program.facts().tells_threads_apart) {
                    analysis.copy(earlier, thread);
                    continue;
                }
                for &(function, argument) in starts {
                    let mut state = program.start(thread, function, argument);
                    let request = program.resume(&mut state, 0);
                    analysis.run(Path::new(thread), state, request)?;
                }
            }
            if !analysis.changed {
                return analysis.potential.if_simple();
            }
        }
    }

    /// The potential, unless accesses overlap, or mutexes are also used in other ways: then nothing is known.
    fn if_simple(self) -> Option<Potential> {
        let all: BTreeSet<Access> =
            self.reads.keys().map(|&(_, at)| at).chain(self.writes.iter().map(|&(_, at)| at)).collect();
        let all: Vec<Access> = all.into_iter().collect();
        let apart = all.windows(2).all(|pair| !pair[0].overlaps(pair[1]));
        let cyclic = legs::on_cycles(&self.legs);
        (apart && self.locked.is_disjoint(&self.loaded)).then_some(Potential { cyclic, ..self })
    }

    /// Whether it has all that threads could do, in whatever execution.
    pub(crate) fn is_exact(&self) -> bool {
        !self.cut
    }

    /// Whether an execution could have a cycle.
    pub(crate) fn has_cycle(&self) -> bool {
        !self.cyclic.is_empty()
    }

    /// Whether an execution could have a cycle on which `reader` reads from `writer` at that location.
    pub(crate) fn may_be_on_cycle(&self, writer: ThreadId, at: Access, reader: ThreadId) -> bool {
        self.cyclic.contains(&(writer, at, reader))
    }

    /// Pairs of threads of which the second may read a location that the first may write.
    pub(crate) fn channels(&self) -> BTreeSet<(ThreadId, Access, ThreadId)> {
        let readers = |writer: ThreadId, at: Access| {
            self.reads.keys().filter(move |&&(reader, read)| reader != writer && read == at).map(|key| key.0)
        };
        let of =
            |&(writer, at): &(ThreadId, Access)| readers(writer, at).map(move |reader| (writer, at, reader));
        self.writes.iter().flat_map(of).collect()
    }

    /// Whether no execution of the thread reads the location more than once.
    pub(crate) fn reads_once(&self, thread: ThreadId, at: Access) -> bool {
        self.reads.get(&(thread, at)) == Some(&1)
    }
}

/// A read on a path of a thread, and the orderings that have come since.
#[derive(Clone, Copy)]
struct Read {
    at: Access,
    order: ReadOrder,
    when: Moment,
    /// When it acquired, by itself or by a fence.
    acquired: Option<Moment>,
    /// When it or a later read of the location did.
    acquired_there: Option<Moment>,
    /// Whether every event that comes now is after it in `rpo`.
    all: bool,
    /// Whether atomic writes that come now are.
    atomic_writes: bool,
}

/// The number of accesses and fences of the thread before.
type Moment = u16;

/// Threads that read more often are too much to look at: every write comes after all of these reads.
const MOST_READS: usize = 48;

/// A way through a thread.
#[derive(Clone)]
struct Path {
    thread: ThreadId,
    reads: Vec<Read>,
    creations: usize,
    /// The threads that it has joined.
    joined: BTreeSet<ThreadId>,
    /// How often it has written a location.
    writes: Counts,
    /// The most writes of a location on the chains to the values that it has read.
    depth: Counts,
    now: Moment,
    /// The last release fence, and the last release writes of locations.
    release_fence: Option<Moment>,
    released: Counts,
}

/// Numbers of writes of some locations, of others none: few, and copied often.
#[derive(Clone, Default, Debug)]
struct Counts(Vec<(Access, u16)>);

impl Counts {
    fn get(&self, at: Access) -> u16 {
        self.0.iter().find(|count| count.0 == at).map_or(0, |count| count.1)
    }

    fn raise(&mut self, at: Access, to: u16) {
        match self.0.iter_mut().find(|count| count.0 == at) {
            Some(count) => count.1 = count.1.max(to),
            None => self.0.push((at, to)),
        }
    }

    /// Count one more. Returns the number now.
    fn add(&mut self, at: Access) -> u16 {
        let more = self.get(at) + 1;
        self.raise(at, more);
        more
    }

    /// Take the least of the two, location by location. True if that is less than before.
    fn lower(&mut self, other: &Counts) -> bool {
        let mut is_less = false;
        self.0.retain_mut(|(at, count)| {
            let least = (*count).min(other.get(*at));
            is_less |= least < *count;
            *count = least;
            least > 0
        });
        is_less
    }
}

impl Path {
    fn new(thread: ThreadId) -> Path {
        Path {
            thread,
            reads: Vec::new(),
            creations: 0,
            joined: BTreeSet::new(),
            writes: Counts::default(),
            depth: Counts::default(),
            now: 0,
            release_fence: None,
            released: Counts::default(),
        }
    }

    /// The time of the next access or fence.
    fn tick(&mut self) -> Moment {
        self.now += 1;
        self.now
    }

    /// Whether this is `main` and it has joined all others. Then no other thread reads its writes.
    fn is_alone(&self) -> bool {
        self.thread == ThreadId::MAIN && self.creations > 0 && self.joined.len() == self.creations
    }

    fn fence(&mut self, order: FenceOrder) {
        let now = self.tick();
        for read in &mut self.reads {
            let both = order.is_acquire() && order.is_release();
            let acquires = order.is_acquire() && read.order != ReadOrder::NotAtomic;
            read.all |= both || acquires;
            read.atomic_writes |= order.is_release();
            if acquires {
                read.acquired.get_or_insert(now);
                read.acquired_there.get_or_insert(now);
            }
        }
        if order.is_release() {
            self.release_fence = Some(now);
        }
    }

    fn read(&mut self, at: Access, order: ReadOrder) {
        let when = self.tick();
        let acquired = order.is_acquire().then_some(when);
        for earlier in self.reads.iter_mut().filter(|earlier| earlier.at == at) {
            earlier.acquired_there = earlier.acquired_there.or(acquired);
        }
        let (all, atomic_writes) = (order.is_acquire(), false);
        self.reads.push(Read { at, order, when, acquired, acquired_there: acquired, all, atomic_writes });
    }

    fn write(&mut self, at: Access, order: WriteOrder) {
        let now = self.tick();
        if order.is_release() {
            self.released.raise(at, now);
        }
    }

    /// The leg from a read to the write that was just made. `is_chain` knows the locations that only read-modify-writes
    /// write.
    fn leg(&self, read: &Read, write: Write, is_chain: impl Fn(Access) -> bool) -> Leg {
        let Write { at, order, is_update } = write;
        let is_atomic = order != WriteOrder::NotAtomic;
        let acquired = if is_chain(read.at) { read.acquired_there } else { read.acquired };
        let since = |moment: Moment| (moment > read.when).then_some(moment);
        let by_write = if is_chain(at) { since(self.released.get(at)) } else { None };
        let by_itself = order.is_release().then_some(self.now);
        let by_fence = self.release_fence.filter(|_| is_atomic).and_then(since);
        let released = by_itself.max(by_fence).max(by_write);
        // A thread that releases before it acquires hands nothing on.
        let in_order = acquired.zip(released).is_none_or(|(acquired, released)| acquired <= released);
        let strong = read.all || order.is_release() || (read.atomic_writes && is_atomic);
        let is_own = is_update && read.when + 1 == self.now;
        Leg {
            thread: self.thread,
            read: read.at,
            written: at,
            stays: read.at == at && (is_own || is_chain(at)),
            acquires: acquired.is_some() && in_order,
            releases: released.is_some(),
            out_of_rpo: !strong,
        }
    }
}

/// A write, of a read-modify-write or not.
#[derive(Clone, Copy)]
struct Write {
    at: Access,
    order: WriteOrder,
    is_update: bool,
}

/// The entries of a thread, by location.
fn of_thread<T: Copy>(known: &BTreeMap<(ThreadId, Access), T>, thread: ThreadId) -> Vec<(Access, T)> {
    known.iter().filter(|(key, _)| key.0 == thread).map(|(key, &value)| (key.1, value)).collect()
}

struct Analysis<'p, P: Hint> {
    program: &'p P,
    potential: Potential,
    values: BTreeMap<Access, BTreeMap<Value, Counts>>,
    objects: Vec<Object>,
    children: BTreeMap<ThreadId, BTreeSet<(Value, Value)>>,
    finished: BTreeMap<ThreadId, BTreeSet<Value>>,
    steps: usize,
    budget: usize,
    /// Whether anything was new in this round.
    changed: bool,
}

impl<P: Hint> Analysis<'_, P> {
    /// Give a thread the accesses of one that is symmetric to it and was run before it in this round.
    fn copy(&mut self, from: ThreadId, thread: ThreadId) {
        let Potential { reads, writes, legs, most_writes, .. } = &mut self.potential;
        let mut changed = false;
        for (at, times) in of_thread(reads, from) {
            changed |= reads.insert((thread, at), times) != Some(times);
        }
        for (at, times) in of_thread(most_writes, from) {
            changed |= most_writes.insert((thread, at), times) != Some(times);
        }
        let ats: Vec<Access> = writes.iter().filter(|key| key.0 == from).map(|key| key.1).collect();
        ats.into_iter().for_each(|at| changed |= writes.insert((thread, at)));
        let own: Vec<Leg> = legs.iter().filter(|leg| leg.thread == from).copied().collect();
        legs.extend(own.into_iter().map(|leg| Leg { thread, ..leg }));
        if let Some(values) = self.finished.get(&from).cloned() {
            changed |= self.finished.insert(thread, values.clone()) != Some(values);
        }
        self.changed |= changed;
    }

    /// All ways on from here.
    fn run(&mut self, path: Path, state: P::State, request: Request) -> Option<()> {
        self.steps += 1;
        if self.steps > self.budget {
            return None;
        }
        let mut todo = vec![(path, state, request)];
        while let Some((mut path, state, request)) = todo.pop() {
            self.steps += 1;
            if self.steps > self.budget {
                return None;
            }
            let answers = self.answers(&mut path, &request)?;
            let Some((&last, others)) = answers.split_last() else { continue };
            for &answer in others {
                let (path, state) = (path.clone(), state.clone());
                todo.push(self.step(path, state, &request, answer)?);
            }
            todo.push(self.step(path, state, &request, last)?);
        }
        Some(())
    }

    fn step(
        &mut self,
        mut path: Path,
        mut state: P::State,
        request: &Request,
        answer: Value,
    ) -> Option<(Path, P::State, Request)> {
        self.note(&mut path, request, answer)?;
        let request = self.program.resume(&mut state, answer);
        Some((path, state, request))
    }

    /// The answers that the thread may get; empty if it goes no further. `None` if that is not modelled.
    fn answers(&mut self, path: &mut Path, request: &Request) -> Option<Vec<Value>> {
        if path.is_alone() && !self.program.facts().creates_after_join {
            // No event that it makes now has a part in a cycle.
            return Some(Vec::new());
        }
        Some(match request {
            &Request::Read { at, .. } | &Request::Rmw { at, .. } => self.values_of(at),
            Request::Lock { .. } | Request::Unlock { .. } | Request::Fence(_) | Request::Write { .. } => {
                vec![0]
            }
            Request::Publish(objects) => {
                for object in objects.iter() {
                    if !self.objects.contains(object) {
                        self.objects.push(object.clone());
                        self.changed = true;
                    }
                }
                vec![0]
            }
            Request::Free { .. } => vec![0],
            &Request::Create { function, argument } => {
                if !path.reads.is_empty() || path.thread != ThreadId::MAIN {
                    return None;
                }
                path.creations += 1;
                let child = ThreadId(path.creations as u32);
                self.changed |= self.children.entry(child).or_default().insert((function, argument));
                vec![Value::from(child.0)]
            }
            &Request::Join { thread } => {
                path.joined.insert(thread);
                self.finished.get(&thread).into_iter().flatten().copied().collect()
            }
            &Request::Choose { values } if values <= 16 => (0..program::tried(values)).collect(),
            Request::Choose { .. } | Request::SizeOf { .. } => return None,
            Request::Await { .. } | Request::Depart(_) | Request::Sleep { .. } | Request::Notify { .. } => {
                return None;
            }
            &Request::Finish { value } => {
                self.changed |= self.finished.entry(path.thread).or_default().insert(value);
                Vec::new()
            }
            Request::Block(_) | Request::Fault(_) | Request::Refuse(_) => Vec::new(),
        })
    }

    fn values_of(&self, at: Access) -> Vec<Value> {
        let mut all: Vec<Value> =
            self.values.get(&at).into_iter().flat_map(BTreeMap::keys).copied().collect();
        // Of several objects at one address the later one may be a new life of the same memory.
        for object in self.objects.iter().filter(|object| object.contains(at)) {
            let initial = object.value(at).unwrap_or(0);
            if let Err(place) = all.binary_search(&initial) {
                all.insert(place, initial);
            }
        }
        all
    }

    /// The thread has been told the answer to its request.
    fn note(&mut self, path: &mut Path, request: &Request, answer: Value) -> Option<()> {
        if path.reads.len() > MOST_READS {
            return None;
        }
        match *request {
            Request::Read { at, order } => self.note_load(path, at, order, answer),
            Request::Rmw { at, op, order, failure } => match op.apply(answer, at.size) {
                Some(written) => {
                    self.note_load(path, at, order.read(), answer);
                    return self.note_write(
                        path,
                        Write { at, order: order.write(), is_update: true },
                        written,
                    );
                }
                None => self.note_load(path, at, failure, answer),
            },
            Request::Lock { at } => {
                self.note_read(path, at, ReadOrder::Acquire);
                self.potential.locked.insert(at);
            }
            Request::Write { at, value, order } => {
                let write = Write { at, order, is_update: false };
                return self.note_write(path, write, base::truncate(value, at.size));
            }
            Request::Unlock { at } => {
                return self.note_write(path, Write { at, order: WriteOrder::Release, is_update: false }, 0);
            }
            Request::Fence(order) => path.fence(order),
            _ => {}
        }
        Some(())
    }

    fn note_load(&mut self, path: &mut Path, at: Access, order: ReadOrder, value: Value) {
        self.potential.loaded.insert(at);
        // An initial value has no depth; a thread that wrote the same value need not be the one that is read.
        let is_initial =
            self.objects.iter().any(|object| object.contains(at) && object.value(at) == Some(value));
        if !is_initial && let Some(depth) = self.values.get(&at).and_then(|values| values.get(&value)) {
            depth.0.iter().for_each(|&(location, writes)| path.depth.raise(location, writes));
        }
        self.note_read(path, at, order);
    }

    fn note_read(&mut self, path: &mut Path, at: Access, order: ReadOrder) {
        path.read(at, order);
        let times = path.reads.iter().filter(|read| read.at == at).count();
        let most = self.potential.reads.entry((path.thread, at)).or_default();
        self.changed |= times > *most;
        *most = times.max(*most);
    }

    fn note_write(&mut self, path: &mut Path, write: Write, value: Value) -> Option<()> {
        let Write { at, order, is_update } = write;
        let times = path.writes.add(at);
        let most = self.potential.most_writes.entry((path.thread, at)).or_default();
        self.changed |= times > *most;
        *most = times.max(*most);
        self.add_value(path, at, value);
        path.write(at, order);
        if path.is_alone() {
            return Some(());
        }
        if !path.joined.is_empty() {
            return None;
        }
        self.changed |= self.potential.writes.insert((path.thread, at));
        self.changed |= !is_update && self.potential.stored.insert(at);
        let Potential { stored, legs, .. } = &mut self.potential;
        legs.extend(path.reads.iter().map(|read| path.leg(read, write, |at| !stored.contains(&at))));
        Some(())
    }

    /// A value that a thread writes, unless the chain to it is longer than it can be.
    fn add_value(&mut self, path: &Path, at: Access, value: Value) {
        let of_location = self.potential.most_writes.iter().filter(|((_, location), _)| *location == at);
        let most = 2 * of_location.map(|(_, &times)| times).sum::<u16>();
        let mut depth = path.depth.clone();
        if depth.add(at) > most {
            self.potential.cut = true;
            return;
        }
        match self.values.entry(at).or_default().entry(value) {
            Entry::Vacant(entry) => {
                entry.insert(depth);
                self.changed = true;
            }
            Entry::Occupied(mut entry) => self.changed |= entry.get_mut().lower(&depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::RmwOrder;
    use testkit::TestProgram;
    use testkit::build::exchange;
    use testkit::program::{Instr, location};
    use testkit::xmm_programs::{load, put};

    const WORD: u8 = 0;
    const DATA: u8 = 1;

    /// A thread that looks at a lock, takes it, writes data and gives it back.
    fn owner(take: RmwOrder, give: RmwOrder) -> Vec<Instr> {
        vec![load(0, WORD), exchange(WORD, 1, take), load(1, DATA), put(DATA, 1), exchange(WORD, 0, give)]
    }

    fn may_be_cyclic(codes: &[Vec<Instr>]) -> bool {
        let program = TestProgram::parallel(2, codes.to_vec());
        Potential::of(&program, 100_000).expect("is small").has_cycle()
    }

    #[test]
    fn whoever_takes_a_lock_synchronises_with_all_who_gave_it_back() {
        let good = owner(RmwOrder::Acquire, RmwOrder::Release);
        assert!(!may_be_cyclic(&[good.clone(), good.clone()]));
        assert!(!may_be_cyclic(&[good.clone(), good.clone(), good]));
    }

    #[test]
    fn both_sides_of_a_lock_are_needed() {
        let bad = owner(RmwOrder::Relaxed, RmwOrder::Release);
        assert!(may_be_cyclic(&[bad.clone(), bad]));
        let bad = owner(RmwOrder::Acquire, RmwOrder::Relaxed);
        assert!(may_be_cyclic(&[bad.clone(), bad]));
    }

    #[test]
    fn a_store_breaks_the_chain() {
        let good = owner(RmwOrder::Acquire, RmwOrder::Release);
        assert!(may_be_cyclic(&[good.clone(), good, vec![put(WORD, 0)]]));
    }

    /// A path that reads Y and writes X, with a release of X and an acquire of Y between, in this order or the other.
    fn between(release_first: bool) -> Leg {
        let (x, y) = (location(0), location(1));
        let mut path = Path::new(ThreadId(1));
        path.read(y, ReadOrder::Relaxed);
        let release = |path: &mut Path| path.write(x, WriteOrder::Release);
        let acquire = |path: &mut Path| path.read(y, ReadOrder::Acquire);
        if release_first {
            release(&mut path);
        }
        acquire(&mut path);
        if !release_first {
            release(&mut path);
        }
        path.read(x, ReadOrder::Relaxed);
        path.write(x, WriteOrder::Relaxed);
        path.leg(&path.reads[0], Write { at: x, order: WriteOrder::Relaxed, is_update: true }, |_| true)
    }

    #[test]
    fn what_is_released_before_an_acquire_hands_nothing_on() {
        assert!(between(false).acquires && between(false).releases);
        assert!(!between(true).acquires && between(true).releases);
    }

    #[test]
    fn out_of_a_chain_only_the_accesses_themselves_and_fences_count() {
        let (x, y) = (location(0), location(1));
        let mut path = Path::new(ThreadId(1));
        path.read(y, ReadOrder::Relaxed);
        path.read(y, ReadOrder::Acquire);
        path.write(x, WriteOrder::Release);
        path.write(x, WriteOrder::Relaxed);
        let write = Write { at: x, order: WriteOrder::Relaxed, is_update: false };
        let leg = path.leg(&path.reads[0], write, |_| false);
        assert!(!leg.acquires && !leg.releases);
        path.fence(FenceOrder::AcqRel);
        path.write(x, WriteOrder::Relaxed);
        let leg = path.leg(&path.reads[0], write, |_| false);
        assert!(leg.acquires && leg.releases && !leg.out_of_rpo);
    }
}
