//! Brute force for XMM: every graph of a program, and which of them can be reached, straight from the definitions.
//!
//! All partial graphs that obey definition 5.0.4 of \[XMM\] are built, cycles in `porf` included: every thread stops
//! anywhere, reads read any value that some thread could write, every `rf` with these values and every `co` is tried.
//! Then, to a fixpoint: a graph can be reached if it has one event more than one that can (*Execute*), or if some
//! committed set of its events is embedded in one that can (*Re-Execute*). Every set of events is tried as committed
//! set; of those that the rules allow the smallest ones are enough, as a part of an embedded set is embedded. Nothing
//! else is used of what `model::xmm::patterns` says.
//!
//! A thread that finds its mutex taken goes no further, without an event.
//!
//! Not modelled: joins, threads that are created after a read. Initial values are 0.

use base::{EventId, RmwOrder, ThreadId, Value, WriteOrder};
use graph::{ExecutionGraph, Label, Source};
use model::relation::EventSet;
use model::xmm::{self, EventLabel, Execution};
use model::{Candidate as _, Relations};
use program::{Program, Request};
use std::collections::{BTreeMap, BTreeSet};

/// The executions of a program under XMM, in canonical form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Executions {
    /// Those in which every thread finished.
    pub complete: BTreeSet<ExecutionGraph>,
    /// How many complete graphs with a cycle are consistent, whether they can be reached or not.
    pub cyclic_candidates: usize,
    /// The partial ones with a load-buffering race, in which no thread has just read what blocks it: what others may be
    /// re-executed from. (Who is blocked does nothing any more, so its last read leads to nothing.)
    pub sources: Vec<ExecutionGraph>,
}

impl Executions {
    /// The complete executions with a cycle in `porf`.
    pub fn cyclic(&self) -> impl Iterator<Item = &ExecutionGraph> {
        self.complete.iter().filter(|graph| !model::axioms::porf(&Relations::of(*graph)))
    }
}

/// All executions of a program; `None` if there are more than `limit` partial graphs, or too many events in one
/// with a cycle.
///
/// # Panics
/// If a thread asks for something that is not modelled here.
pub fn enumerate<P: Program>(program: &P, limit: usize) -> Option<Executions> {
    let threads = Threads::of(program, limit)?;
    let mut graphs = Graphs { all: BTreeMap::new(), tried: 0, limit };
    graphs.build(&threads)?;
    let reached = graphs.reached();
    let complete = |graph: &ExecutionGraph| threads.all_finished(graph);
    let is_cyclic = |graph: &&ExecutionGraph| !model::axioms::porf(&Relations::of(*graph));
    let cyclic_candidates = graphs.all.keys().filter(|graph| complete(graph)).filter(is_cyclic).count();
    let reached: Vec<_> = graphs.all.into_iter().zip(reached).filter(|(_, is_reached)| *is_reached).collect();
    let sources = reached
        .iter()
        .filter(|((graph, relations), _)| !threads.any_blocked(graph) && !xmm::lb_race(relations).is_empty());
    let sources = sources.map(|((graph, _), _)| graph.clone()).collect();
    let complete = reached.into_iter().map(|((graph, _), _)| graph).filter(complete);
    let complete = complete.map(|graph| graph.canonical()).collect();
    Some(Executions { complete, cyclic_candidates, sources })
}

/// What each thread could do on its own, if reads could read anything that is ever written.
struct Threads {
    main: Vec<Label>,
    /// Per thread but `main`: its traces and all their prefixes, and where the thread is then.
    traces: Vec<BTreeMap<Vec<Label>, End>>,
}

/// Where a trace ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Running,
    Blocked,
    Finished,
}

/// All sets of events of a graph with a cycle are tried.
const MOST_EVENTS: usize = 15;

/// Locations with more values than this are counters, of values that no execution has.
const MOST_VALUES: usize = 8;

/// Which values a location may have.
type Values = BTreeMap<base::Access, BTreeSet<Value>>;

impl Threads {
    fn of<P: Program>(program: &P, limit: usize) -> Option<Threads> {
        let (main, children) = prologue(program);
        let mut values = Values::new();
        loop {
            let before = values.clone();
            let mut traces = Vec::new();
            for (thread, &(function, argument)) in children.iter().enumerate() {
                let mut state = program.start(ThreadId(thread as u32 + 1), function, argument);
                let request = program.resume(&mut state, 0);
                let mut all = BTreeMap::new();
                let id = ThreadId(thread as u32 + 1);
                run(program, id, (state, request), &mut Vec::new(), &mut values, &mut all, limit)?;
                traces.push(all);
            }
            if values == before {
                return Some(Threads { main, traces });
            }
            if values.values().any(|values| values.len() > MOST_VALUES) {
                return None;
            }
        }
    }

    fn all_finished(&self, graph: &ExecutionGraph) -> bool {
        self.ends(graph).all(|end| end == End::Finished)
    }

    fn any_blocked(&self, graph: &ExecutionGraph) -> bool {
        self.ends(graph).any(|end| end == End::Blocked)
    }

    fn ends(&self, graph: &ExecutionGraph) -> impl Iterator<Item = End> {
        self.traces.iter().zip(&graph.threads[1..]).map(|(traces, labels)| traces[labels])
    }
}

/// What `main` does: it publishes and creates.
fn prologue<P: Program>(program: &P) -> (Vec<Label>, Vec<(Value, Value)>) {
    let (mut labels, mut children) = (Vec::new(), Vec::new());
    let mut state = program.main();
    let mut answer = 0;
    loop {
        match program.resume(&mut state, answer) {
            Request::Publish(objects) => {
                let sizes = objects.iter().map(|object| (object.address, object.bytes.len() as u64));
                labels.push(Label::Publish(sizes.collect()));
            }
            Request::Create { function, argument } => {
                children.push((function, argument));
                answer = children.len() as Value;
                labels.push(Label::Create(ThreadId(children.len() as u32)));
            }
            Request::Finish { .. } => return (labels, children),
            other => panic!("not modelled: {other:?}"),
        }
    }
}

/// All traces of a thread from here on, and what they write.
fn run<P: Program>(
    program: &P,
    thread: ThreadId,
    (state, request): (P::State, Request),
    labels: &mut Vec<Label>,
    values: &mut Values,
    all: &mut BTreeMap<Vec<Label>, End>,
    limit: usize,
) -> Option<()> {
    if all.len() > limit {
        return None;
    }
    let end = match request {
        Request::Finish { .. } => End::Finished,
        Request::Block(_) => End::Blocked,
        _ => End::Running,
    };
    all.insert(labels.clone(), end);
    for (label, answer) in answers(thread, &request, values) {
        if let (Some(at), Some(value)) = (label.at(), label.written()) {
            values.entry(at).or_default().insert(value);
        }
        let mut state = state.clone();
        let request = program.resume(&mut state, answer);
        labels.push(label);
        run(program, thread, (state, request), labels, values, all, limit)?;
        labels.pop();
    }
    Some(())
}

/// What a request can become, and what the thread is then told.
fn answers(thread: ThreadId, request: &Request, values: &Values) -> Vec<(Label, Value)> {
    let read = |at| values.get(&at).into_iter().flatten().copied().chain([0]).collect::<BTreeSet<_>>();
    match *request {
        Request::Read { at, order } => {
            read(at).into_iter().map(|value| (Label::Read { at, order, value }, value)).collect()
        }
        Request::Rmw { at, op, order, failure } => {
            let label = |read| match op.apply(read, at.size) {
                Some(written) => Label::Rmw { at, order, read, written },
                None => Label::Read { at, order: failure, value: read },
            };
            read(at).into_iter().map(|value| (label(value), value)).collect()
        }
        Request::Write { at, value, order } => vec![(Label::Write { at, order, value }, 0)],
        Request::Lock { at } => {
            let written = Value::from(thread.0) + 1;
            vec![(Label::Rmw { at, order: RmwOrder::Acquire, read: 0, written }, 0)]
        }
        Request::Unlock { at } => vec![(Label::Write { at, order: WriteOrder::Release, value: 0 }, 0)],
        Request::Fence(order) => vec![(Label::Fence(order), 0)],
        Request::Choose { values } => (0..values).map(|value| (Label::Choose(value), value)).collect(),
        Request::Block(_) | Request::Finish { .. } => Vec::new(),
        ref other => panic!("not modelled: {other:?}"),
    }
}

/// The consistent partial graphs.
struct Graphs {
    all: BTreeMap<ExecutionGraph, Relations>,
    tried: usize,
    limit: usize,
}

impl Graphs {
    fn build(&mut self, threads: &Threads) -> Option<()> {
        let start = ExecutionGraph { threads: vec![threads.main.clone()], ..ExecutionGraph::default() };
        self.choose_traces(threads, start)
    }

    fn choose_traces(&mut self, threads: &Threads, graph: ExecutionGraph) -> Option<()> {
        let Some(traces) = threads.traces.get(graph.threads() - 1) else {
            return self.choose_rf(graph);
        };
        for labels in traces.keys() {
            let mut next = graph.clone();
            next.threads.push(labels.clone());
            self.choose_traces(threads, next)?;
        }
        Some(())
    }

    fn choose_rf(&mut self, graph: ExecutionGraph) -> Option<()> {
        let unbound = graph.events().find(|(e, l)| l.is_read() && !graph.rf.contains_key(e));
        let Some((read, label)) = unbound else {
            let writes: Vec<EventId> =
                graph.events().filter(|(_, label)| label.is_write()).map(|(e, _)| e).collect();
            return self.choose_co(graph, &writes);
        };
        let initial = (label.value_read() == Some(0)).then_some(Source::Init);
        let fits = |l: &Label| l.is_write() && l.at() == label.at() && l.written() == label.value_read();
        let others = graph.events().filter(|&(e, l)| e != read && fits(l)).map(|(w, _)| Source::Event(w));
        for source in others.chain(initial).collect::<Vec<_>>() {
            let mut next = graph.clone();
            next.rf.insert(read, source);
            self.choose_rf(next)?;
        }
        Some(())
    }

    fn choose_co(&mut self, graph: ExecutionGraph, writes: &[EventId]) -> Option<()> {
        let [write, rest @ ..] = writes else {
            self.tried += 1;
            if self.tried > self.limit {
                return None;
            }
            if is_coherent_in_threads(&graph) {
                let relations = Relations::of(&graph);
                if xmm::consistent(&relations) {
                    if count(&graph) > MOST_EVENTS && !model::axioms::porf(&relations) {
                        return None;
                    }
                    self.all.insert(graph, relations);
                }
            }
            return Some(());
        };
        let at = graph.label(*write).and_then(Label::at).expect("writes have a location");
        // A place before an earlier write of the same thread is not coherent.
        let first = graph.writes_of(at).iter().rposition(|other| other.thread == write.thread);
        for place in first.map_or(0, |place| place + 1)..=graph.writes_of(at).len() {
            let mut next = graph.clone();
            next.co.entry(at).or_default().insert(place, *write);
            self.choose_co(next, rest)?;
        }
        Some(())
    }

    /// Per graph, whether it can be reached.
    fn reached(&self) -> Vec<bool> {
        let number: BTreeMap<&ExecutionGraph, usize> =
            self.all.keys().enumerate().map(|(n, graph)| (graph, n)).collect();
        let before: Vec<Vec<usize>> = self
            .all
            .keys()
            .map(|graph| one_less(graph).iter().filter_map(|less| number.get(less).copied()).collect())
            .collect();
        let mut patterns = Patterns::default();
        let committed: Vec<Vec<usize>> =
            self.all.iter().map(|(graph, relations)| patterns.of(graph, relations)).collect();
        let graphs: Vec<(&ExecutionGraph, &Relations)> = self.all.iter().collect();
        let is_start = |graph: &ExecutionGraph| graph.threads[1..].iter().all(Vec::is_empty);
        let mut reached: Vec<bool> = self.all.keys().map(is_start).collect();
        let mut asked = vec![false; reached.len()];
        loop {
            let old = reached.clone();
            for n in 0..reached.len() {
                let executes = before[n].iter().any(|&less| reached[less]);
                let re_executes = committed[n].iter().any(|&pattern| patterns.embedded[pattern]);
                reached[n] = reached[n] || executes || re_executes;
                if reached[n] && !asked[n] {
                    patterns.embed_in(graphs[n].0, graphs[n].1);
                    asked[n] = true;
                }
            }
            if reached == old {
                return reached;
            }
        }
    }
}

/// How many events a graph has, without `main`'s; read-modify-writes are two.
fn count(graph: &ExecutionGraph) -> usize {
    let halves = |label: &Label| 1 + usize::from(matches!(label, Label::Rmw { .. }));
    graph.threads[1..].iter().flatten().map(halves).sum()
}

/// Committed sets of all graphs: those that look the same are embedded in the same graphs.
#[derive(Default)]
struct Patterns {
    numbers: BTreeMap<(Vec<EventLabel>, Vec<bool>), usize>,
    /// Per pattern a graph that has it.
    examples: Vec<(Execution, EventSet)>,
    /// Per pattern, whether it is embedded in a graph that was reached.
    embedded: Vec<bool>,
}

impl Patterns {
    /// The patterns of the committed sets of a graph.
    fn of(&mut self, graph: &ExecutionGraph, relations: &Relations) -> Vec<usize> {
        if model::axioms::porf(relations) {
            return Vec::new();
        }
        let execution = Execution::of(graph);
        committed_sets(&execution).into_iter().map(|set| self.number(&execution, set)).collect()
    }

    fn number(&mut self, execution: &Execution, set: EventSet) -> usize {
        let events: Vec<usize> = set.iter().collect();
        let labels = events.iter().filter_map(|&event| execution.labels[event]).collect();
        let g = &execution.relations;
        let pairs = events.iter().flat_map(|&a| events.iter().map(move |&b| (a, b)));
        let related = pairs
            .flat_map(|(a, b)| {
                [execution.rpo.contains(a, b), g.rf.contains(a, b), g.co.contains(a, b), g.rmw.contains(a, b)]
            })
            .collect();
        let next = self.examples.len();
        let number = *self.numbers.entry((labels, related)).or_insert(next);
        if number == next {
            self.examples.push((execution.clone(), set));
            self.embedded.push(false);
        }
        number
    }

    /// Find the patterns that are embedded in a graph that was reached, if that has a load-buffering race.
    fn embed_in(&mut self, source: &ExecutionGraph, relations: &Relations) {
        if self.embedded.iter().all(|&embedded| embedded) || xmm::lb_race(relations).is_empty() {
            return;
        }
        let source = &Execution::of(source);
        for ((execution, set), embedded) in self.examples.iter().zip(&mut self.embedded) {
            *embedded = *embedded || execution.is_embedded(set, source);
        }
    }
}

/// A part of coherence that is seen at once, since `po` is in `hb`: what a thread reads and writes of a location does not
/// go back in `co`, and a read-modify-write is right after what it reads.
fn is_coherent_in_threads(graph: &ExecutionGraph) -> bool {
    let place = |write: EventId| {
        let at = graph.label(write).and_then(Label::at).expect("writes have a location");
        1 + graph.writes_of(at).iter().position(|&other| other == write).expect("is in co")
    };
    let read_place = |read: EventId| match graph.rf[&read] {
        Source::Init => 0,
        Source::Event(write) => place(write),
    };
    let mut last: BTreeMap<(ThreadId, base::Access), usize> = BTreeMap::new();
    graph.events().all(|(event, label)| {
        let Some(at) = label.at() else { return true };
        let last = last.entry((event.thread, at)).or_default();
        let before = *last;
        let reads = label.is_read().then(|| read_place(event));
        let writes = label.is_write().then(|| place(event));
        *last = writes.or(reads).expect("accesses read or write");
        match (reads, writes) {
            (Some(source), Some(own)) => before <= source && source + 1 == own,
            (Some(source), None) => before <= source,
            (None, own) => own.is_some_and(|own| before < own),
        }
    })
}

/// The graph without one of its last events, which nobody reads.
fn one_less(graph: &ExecutionGraph) -> Vec<ExecutionGraph> {
    let mut all = Vec::new();
    for thread in (1..graph.threads.len()).filter(|&thread| !graph.threads[thread].is_empty()) {
        let last = EventId { thread: ThreadId(thread as u32), index: graph.threads[thread].len() as u32 - 1 };
        if graph.readers_of(last).next().is_none() {
            let mut less = graph.clone();
            less.threads[thread].pop();
            less.rf.remove(&last);
            less.co.values_mut().for_each(|writes| writes.retain(|&write| write != last));
            less.co.retain(|_, writes| !writes.is_empty());
            all.push(less);
        }
    }
    all
}

/// The smallest sets that the rules allow to commit in a re-execution that leads to a graph with a cycle. (One without
/// needs none.)
fn committed_sets(execution: &Execution) -> Vec<EventSet> {
    let events: Vec<usize> = (0..execution.labels.len()).filter(|&e| execution.labels[e].is_some()).collect();
    assert!(events.len() <= MOST_EVENTS, "small programs only");
    let mut sets: Vec<u32> = (0..1 << events.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    // What a member brings along by definition, so that most sets are seen to be wrong at once.
    let bit = |event: usize| events.iter().position(|&e| e == event).map_or(0, |bit| 1_u32 << bit);
    let brings: Vec<u32> = events
        .iter()
        .map(|&event| {
            let is_before =
                |&b: &usize| execution.rpo.contains(b, event) || execution.relations.rf.contains(b, event);
            (0..execution.labels.len()).filter(is_before).map(bit).fold(0, |all, one| all | one)
        })
        .collect();
    let is_closed =
        |set: u32| brings.iter().enumerate().all(|(n, &with)| set >> n & 1 == 0 || set & with == with);
    let mut smallest: Vec<(u32, EventSet)> = Vec::new();
    for set in sets.into_iter().filter(|&set| is_closed(set)) {
        if smallest.iter().any(|&(other, _)| set & other == other) {
            continue;
        }
        let mut committed = EventSet::empty(execution.labels.len());
        let members = events.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        members.for_each(|(_, &event)| committed.insert(event));
        if execution.is_stable(&committed) && execution.is_well_formed(&committed) {
            smallest.push((set, committed));
        }
    }
    smallest.into_iter().map(|(_, committed)| committed).collect()
}
