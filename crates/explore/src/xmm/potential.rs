//! Could there be a cycle at all? What the threads of a program could do, each on its own.
//!
//! Every thread is run alone; a read may return any value that some thread could write there. That is more than any
//! execution can do, cycles and values out of thin air included, and cheap. If what is left has no cycle, XMM is
//! RC11 for this program, and nothing needs to be looked at while it is explored.
//!
//! A cycle in `porf` goes through threads that read and later write.
//! - In one of its threads at least, the read is not before the write in `rpo`: otherwise, committing one event of the
//!   cycle means to commit all of them, and the source has the same cycle already.
//! - Its reads that do not synchronise are of two locations at least. Between two such reads everything is `hb`; if all of
//!   them are of one location, coherence makes the writes that they read a cycle in `co`. (A chain of
//!   read-modify-writes is no exception.)
//!
//! **Counters.** A value that is made from a value of the same location, and so on, has no end of values. But an event
//! makes a value once: in an execution without cycles, the chain from a write to what its thread has read, to the write
//! that this comes from, and so on, has each write once. In the first execution with a cycle the chain may end in a
//! committed read, whose value is one of an execution without. So no chain has more than twice as many writes of a
//! location as threads make there (`depth`), and what is beyond is cut. If there is no cycle even so, there is no first
//! execution with a cycle. If there may be one, nothing is known of what was cut ([`Potential::is_exact`]).
//!
//! Of threads that were created for the same function and argument, and are not told apart, one is run.
//!
//! A mutex that is only locked and unlocked synchronises: nobody who goes on has read what its owner wrote.
//!
//! Not modelled, so that the answer is "who knows": more steps than were asked for, accesses that overlap, reads before a
//! thread is created, writes after one but not all are joined, and what waits other than for a mutex or a thread.

use base::{Access, FenceOrder, ReadOrder, ThreadId, Value, WriteOrder};
use program::{Object, Program, Request};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What threads could do.
#[derive(Clone, Default, Debug)]
pub(crate) struct Potential {
    /// Who reads a location, and how often at most.
    reads: BTreeMap<(ThreadId, Access), usize>,
    /// Who writes a location.
    writes: BTreeSet<(ThreadId, Access)>,
    /// Reads of a thread with later writes of it, and whether `rpo` may leave the two unordered.
    flows: BTreeMap<(ThreadId, Access, Access), bool>,
    /// Who reads a location without acquiring, or writes it without releasing.
    weak: BTreeSet<(ThreadId, Access)>,
    /// What is locked, and what is read otherwise.
    locked: BTreeSet<Access>,
    loaded: BTreeSet<Access>,
    /// Who writes a location, and how often at most.
    most_writes: BTreeMap<(ThreadId, Access), u16>,
    /// Were values cut?
    cut: bool,
}

/// From what a thread reads to what another one reads of what it then writes.
#[derive(Clone, Copy, Debug)]
struct Flow {
    from: (ThreadId, Access),
    to: (ThreadId, Access),
    /// May `rpo` leave the read and the write of the first thread unordered?
    out_of_rpo: bool,
    /// Must the second thread synchronise with the first?
    synchronises: bool,
}

impl Potential {
    /// What the threads of a program could do; `None` if that is not known after so many steps of threads.
    pub(crate) fn of<P: Program>(program: &P, budget: usize) -> Option<Potential> {
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
                let (thread, twin) = (*thread, children[..n].iter().find(|(_, others)| others == starts));
                if let Some(&(twin, _)) = twin.filter(|_| !program.tells_threads_apart()) {
                    analysis.copy(twin, thread);
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

    /// Nothing is known of accesses that overlap, and of mutexes that are also used in other ways.
    fn if_simple(self) -> Option<Potential> {
        let all: BTreeSet<Access> =
            self.reads.keys().map(|&(_, at)| at).chain(self.writes.iter().map(|&(_, at)| at)).collect();
        let all: Vec<Access> = all.into_iter().collect();
        let apart = all.windows(2).all(|pair| !pair[0].overlaps(pair[1]));
        (apart && self.locked.is_disjoint(&self.loaded)).then_some(self)
    }

    /// Is it all that threads could do, in whatever execution?
    pub(crate) fn is_exact(&self) -> bool {
        !self.cut
    }

    /// Could an execution have a cycle? It would be in a strongly connected component of the flows.
    pub(crate) fn has_cycle(&self) -> bool {
        let flows = self.all_flows();
        components(&flows).iter().any(|component| {
            let inside = |flow: &&Flow| component.contains(&flow.from) && component.contains(&flow.to);
            let racy: BTreeSet<Access> =
                flows.iter().filter(inside).filter(|flow| !flow.synchronises).map(|flow| flow.to.1).collect();
            racy.len() > 1 && flows.iter().filter(inside).any(|flow| flow.out_of_rpo)
        })
    }

    fn all_flows(&self) -> Vec<Flow> {
        let mut flows = Vec::new();
        for (&(thread, from, at), &out_of_rpo) in &self.flows {
            for &(other, _) in self.reads.keys().filter(|&&(other, read)| other != thread && read == at) {
                let synchronises = !self.weak.contains(&(thread, at)) && !self.weak.contains(&(other, at));
                flows.push(Flow { from: (thread, from), to: (other, at), out_of_rpo, synchronises });
            }
        }
        flows
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

    /// Does no execution of the thread read the location more than once?
    pub(crate) fn reads_once(&self, thread: ThreadId, at: Access) -> bool {
        self.reads.get(&(thread, at)) == Some(&1)
    }
}

/// What a thread reads.
type Node = (ThreadId, Access);

/// The strongly connected components that have a flow: what can be reached from a node, and it from there.
fn components(flows: &[Flow]) -> Vec<BTreeSet<Node>> {
    let (mut after, mut before) = (BTreeMap::new(), BTreeMap::new());
    for flow in flows {
        after.entry(flow.from).or_insert_with(BTreeSet::new).insert(flow.to);
        before.entry(flow.to).or_insert_with(BTreeSet::new).insert(flow.from);
    }
    let (mut components, mut seen) = (Vec::new(), BTreeSet::new());
    for &node in after.keys() {
        if !seen.contains(&node) {
            let from_there = reached_from(&before, node);
            let component: BTreeSet<Node> =
                reached_from(&after, node).intersection(&from_there).copied().collect();
            seen.extend(component.iter().copied());
            components.push(component);
        }
    }
    components
}

fn reached_from(next: &BTreeMap<Node, BTreeSet<Node>>, from: Node) -> BTreeSet<Node> {
    let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
    while let Some(node) = todo.pop() {
        todo.extend(next.get(&node).into_iter().flatten().copied().filter(|&to| seen.insert(to)));
    }
    seen
}

/// A read on the way of a thread, with the fences since.
#[derive(Clone, Copy)]
struct Read {
    at: Access,
    order: ReadOrder,
    /// Is everything that comes now after it in `rpo`?
    all: bool,
    /// Are atomic writes that come now?
    atomic_writes: bool,
}

/// Threads that read more often are too much to look at: every write comes after all of these reads.
const MOST_READS: usize = 48;

/// A way through a thread.
#[derive(Clone)]
struct Path {
    thread: ThreadId,
    reads: Vec<Read>,
    creations: usize,
    /// Whom it has joined.
    joined: BTreeSet<ThreadId>,
    /// How often it has written a location.
    writes: Counts,
    /// The most writes of a location on the chains to what it has read.
    depth: Counts,
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

    /// One more; how many are there now?
    fn add(&mut self, at: Access) -> u16 {
        let more = self.get(at) + 1;
        self.raise(at, more);
        more
    }

    /// The least of the two, location by location. Is it less than the first was?
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
        let (writes, depth) = (Counts::default(), Counts::default());
        Path { thread, reads: Vec::new(), creations: 0, joined: BTreeSet::new(), writes, depth }
    }

    /// Has `main` joined all others? Then nobody reads what it writes.
    fn is_alone(&self) -> bool {
        self.thread == ThreadId::MAIN && self.creations > 0 && self.joined.len() == self.creations
    }

    fn fence(&mut self, order: FenceOrder) {
        for read in &mut self.reads {
            let both = order.is_acquire() && order.is_release();
            read.all |= both || (order.is_acquire() && read.order != ReadOrder::NotAtomic);
            read.atomic_writes |= order.is_release();
        }
    }
}

/// What is known of the locations that a thread uses.
fn of_thread<T: Copy>(known: &BTreeMap<(ThreadId, Access), T>, thread: ThreadId) -> Vec<(Access, T)> {
    known.iter().filter(|(key, _)| key.0 == thread).map(|(key, &value)| (key.1, value)).collect()
}

struct Analysis<'p, P: Program> {
    program: &'p P,
    potential: Potential,
    values: BTreeMap<Access, BTreeMap<Value, Counts>>,
    objects: Vec<Object>,
    children: BTreeMap<ThreadId, BTreeSet<(Value, Value)>>,
    finished: BTreeMap<ThreadId, BTreeSet<Value>>,
    steps: usize,
    budget: usize,
    /// Was anything new in this round?
    changed: bool,
}

impl<P: Program> Analysis<'_, P> {
    /// A thread can do what its twin, which was run before it in this round, can do.
    fn copy(&mut self, twin: ThreadId, thread: ThreadId) {
        let Potential { reads, writes, flows, weak, most_writes, .. } = &mut self.potential;
        let mut changed = false;
        for (at, times) in of_thread(reads, twin) {
            changed |= reads.insert((thread, at), times) != Some(times);
        }
        for (at, times) in of_thread(most_writes, twin) {
            changed |= most_writes.insert((thread, at), times) != Some(times);
        }
        for set in [writes, weak] {
            let ats: Vec<Access> = set.iter().filter(|key| key.0 == twin).map(|key| key.1).collect();
            ats.into_iter().for_each(|at| changed |= set.insert((thread, at)));
        }
        let own: Vec<_> =
            flows.iter().filter(|(key, _)| key.0 == twin).map(|(key, &is)| (*key, is)).collect();
        flows.extend(own.into_iter().map(|((_, from, to), is)| ((thread, from, to), is)));
        if let Some(values) = self.finished.get(&twin).cloned() {
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

    /// What the thread may be told. Nothing if it goes no further.
    fn answers(&mut self, path: &mut Path, request: &Request) -> Option<Vec<Value>> {
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
            &Request::Choose { values } if values <= 16 => (0..values).collect(),
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
                    return self.note_write(path, at, order.write(), written);
                }
                None => self.note_load(path, at, failure, answer),
            },
            Request::Lock { at } => {
                self.note_read(path, at, ReadOrder::Acquire);
                self.potential.locked.insert(at);
            }
            Request::Write { at, value, order } => {
                return self.note_write(path, at, order, base::truncate(value, at.size));
            }
            Request::Unlock { at } => return self.note_write(path, at, WriteOrder::Release, 0),
            Request::Fence(order) => path.fence(order),
            _ => {}
        }
        Some(())
    }

    fn note_load(&mut self, path: &mut Path, at: Access, order: ReadOrder, value: Value) {
        self.potential.loaded.insert(at);
        // An initial value has no depth; who wrote the same value need not be who is read.
        let is_initial =
            self.objects.iter().any(|object| object.contains(at) && object.value(at) == Some(value));
        if !is_initial && let Some(depth) = self.values.get(&at).and_then(|values| values.get(&value)) {
            depth.0.iter().for_each(|&(location, writes)| path.depth.raise(location, writes));
        }
        self.note_read(path, at, order);
    }

    fn note_read(&mut self, path: &mut Path, at: Access, order: ReadOrder) {
        path.reads.push(Read { at, order, all: order.is_acquire(), atomic_writes: false });
        if !order.is_acquire() {
            self.potential.weak.insert((path.thread, at));
        }
        let times = path.reads.iter().filter(|read| read.at == at).count();
        let most = self.potential.reads.entry((path.thread, at)).or_default();
        self.changed |= times > *most;
        *most = times.max(*most);
    }

    fn note_write(&mut self, path: &mut Path, at: Access, order: WriteOrder, value: Value) -> Option<()> {
        let times = path.writes.add(at);
        let most = self.potential.most_writes.entry((path.thread, at)).or_default();
        self.changed |= times > *most;
        *most = times.max(*most);
        self.add_value(path, at, value);
        if path.is_alone() {
            return Some(());
        }
        if !path.joined.is_empty() {
            return None;
        }
        self.changed |= self.potential.writes.insert((path.thread, at));
        if !order.is_release() {
            self.potential.weak.insert((path.thread, at));
        }
        for read in &path.reads {
            let atomic = order != WriteOrder::NotAtomic;
            let strong = read.all || order.is_release() || (read.atomic_writes && atomic);
            *self.potential.flows.entry((path.thread, read.at, at)).or_default() |= !strong;
        }
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
