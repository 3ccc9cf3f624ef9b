//! A second brute force, which builds executions with cycles in `porf`, too.
//!
//! Reads take any value of a given list; when all threads have finished, every `rf` with these values and every
//! `co` (none, if the model has none) is tried, and the model decides. It relies on nothing but the definitions, not
//! even on an order in which events can be added: with it the axiom against `porf` cycles can be seen to matter, and
//! the other oracle be checked. For the smallest programs only.
//!
//! Not modelled: mutexes and blocked executions. Initial values are 0.

use crate::model::Model;
use base::{EventId, FenceOrder, RmwOrder, ThreadId, Value};
use graph::{ExecutionGraph, Label, Source};
use model::Relations;
use model::ra::SC_FENCE;
use program::{Program, Request};
use std::collections::BTreeSet;

/// The complete executions that the model accepts, in canonical form, given that no read reads anything but
/// `values`.
///
/// # Panics
/// If a thread asks for a mutex, faults or refuses.
pub fn enumerate<P: Program>(program: &P, model: &Model, values: &[Value]) -> BTreeSet<ExecutionGraph> {
    let mut state = program.main();
    let request = program.resume(&mut state, 0);
    let run = Run {
        graph: ExecutionGraph { threads: vec![vec![]], ..Default::default() },
        pending: vec![(state, request)],
    };
    let mut guess = Guess { program, model, values, accepted: BTreeSet::new() };
    guess.run(run);
    guess.accepted
}

/// Threads on their way, without `rf` and `co`.
#[derive(Clone)]
struct Run<S> {
    graph: ExecutionGraph,
    pending: Vec<(S, Request)>,
}

struct Guess<'a, P> {
    program: &'a P,
    model: &'a Model,
    values: &'a [Value],
    accepted: BTreeSet<ExecutionGraph>,
}

impl<P: Program> Guess<'_, P> {
    /// Go on with the first thread that can. Their order does not matter: they do not see each other.
    fn run(&mut self, run: Run<P::State>) {
        let goes_on = |(_, request): &(_, Request)| match request {
            Request::Finish { .. } | Request::Block(_) => false,
            Request::Join { thread } => matches!(run.pending[thread.index()].1, Request::Finish { .. }),
            _ => true,
        };
        let Some(thread) = run.pending.iter().position(goes_on) else {
            if run.pending.iter().all(|(_, request)| matches!(request, Request::Finish { .. })) {
                self.choose_rf(&run.graph);
            }
            return;
        };
        for (label, answer) in self.labels(&run, thread) {
            let mut next = run.clone();
            next.graph.threads[thread].push(label);
            if let Request::Create { function, argument } = run.pending[thread].1 {
                let mut state = self.program.start(ThreadId(answer as u32), function, argument);
                let request = self.program.resume(&mut state, 0);
                next.pending.push((state, request));
                next.graph.threads.push(Vec::new());
            }
            next.pending[thread].1 = self.program.resume(&mut next.pending[thread].0, answer);
            self.run(next);
        }
    }

    /// What the pending request can become, and what the thread is then told.
    fn labels(&self, run: &Run<P::State>, thread: usize) -> Vec<(Label, Value)> {
        let values = self.values.iter().copied();
        match run.pending[thread].1 {
            Request::Read { at, order } => {
                values.map(|value| (Label::Read { at, order, value }, value)).collect()
            }
            Request::Rmw { at, op, order, failure } => values
                .map(|read| match op.apply(read, at.size) {
                    Some(written) => (Label::Rmw { at, order, read, written }, read),
                    None => (Label::Read { at, order: failure, value: read }, read),
                })
                .collect(),
            Request::Write { at, value, order } => vec![(Label::Write { at, order, value }, 0)],
            Request::Fence(FenceOrder::SeqCst) if self.model.sc_fence_is_update => {
                let order = RmwOrder::AcqRel;
                vec![(Label::Rmw { at: SC_FENCE, order, read: 0, written: 0 }, 0)]
            }
            Request::Fence(order) => vec![(Label::Fence(order), 0)],
            Request::Create { .. } => {
                let child = run.pending.len();
                vec![(Label::Create(ThreadId(child as u32)), child as Value)]
            }
            Request::Join { thread } => match run.pending[thread.index()].1 {
                Request::Finish { value } => vec![(Label::Join(thread), value)],
                _ => unreachable!("the thread can go on"),
            },
            Request::Publish(ref objects) => {
                let sizes = objects.iter().map(|object| (object.address, object.bytes.len() as u64));
                vec![(Label::Publish(sizes.collect()), 0)]
            }
            Request::Choose { values } => (0..values).map(|value| (Label::Choose(value), value)).collect(),
            ref other => panic!("not modelled: {other:?}"),
        }
    }

    /// Every source with the right value for every read, one read after the other.
    fn choose_rf(&mut self, graph: &ExecutionGraph) {
        let Some((read, label)) = graph.events().find(|(e, l)| l.is_read() && !graph.rf.contains_key(e))
        else {
            let writes =
                graph.events().filter(|(_, label)| label.is_write()).map(|(e, _)| e).collect::<Vec<_>>();
            return self.choose_co(graph, if self.model.has_co { &writes } else { &[] });
        };
        let mut sources = Vec::new();
        if label.value_read() == Some(0) {
            sources.push(Source::Init);
        }
        let fits = |l: &Label| l.is_write() && l.at() == label.at() && l.written() == label.value_read();
        sources.extend(graph.events().filter(|(_, l)| fits(l)).map(|(write, _)| Source::Event(write)));
        for source in sources {
            let mut next = graph.clone();
            next.rf.insert(read, source);
            self.choose_rf(&next);
        }
    }

    /// Every place in `co` for every write, one write after the other.
    fn choose_co(&mut self, graph: &ExecutionGraph, writes: &[EventId]) {
        let [write, rest @ ..] = writes else {
            if self.model.accepts(&Relations::of(graph)) {
                self.accepted.insert(graph.canonical());
            }
            return;
        };
        let at = graph.label(*write).and_then(Label::at).expect("writes have a location");
        for place in 0..=graph.writes_of(at).len() {
            let mut next = graph.clone();
            next.co.entry(at).or_default().insert(place, *write);
            self.choose_co(&next, rest);
        }
    }
}
