//! The text of TSO against a machine with store buffers: both have the same executions.
//!
//! The machine is that of \[TSO\] without the lock, which only makes read-modify-writes one step: each thread has a
//! buffer of writes, oldest first; it reads its own newest write to the location, else memory; the oldest write goes
//! to memory at any time. What drains waits until the buffer is empty. A compare-exchange that fails is a read, as in
//! the text. `co` is the order in which writes reach memory.

use base::{Access, EventId, FenceOrder, ThreadId, Value, WriteOrder};
use graph::{ExecutionGraph, Label, Source};
use program::{Program, Request};
use std::collections::{BTreeSet, VecDeque};
use testkit::oracle::{Options, enumerate};
use testkit::separating::all_named;
use testkit::{Mix, Model, TestProgram, random_program, show};

type State = <TestProgram as Program>::State;

/// A state of the machine: what has happened, what the threads want, what is not in memory yet.
#[derive(Clone)]
struct Machine {
    graph: ExecutionGraph,
    pending: Vec<(State, Request)>,
    buffers: Vec<VecDeque<EventId>>,
}

impl Machine {
    fn start(program: &TestProgram) -> Machine {
        let mut machine =
            Machine { graph: ExecutionGraph::default(), pending: Vec::new(), buffers: Vec::new() };
        machine.create(program, program.main());
        machine
    }

    fn create(&mut self, program: &TestProgram, mut state: State) {
        let request = program.resume(&mut state, 0);
        self.pending.push((state, request));
        self.buffers.push(VecDeque::new());
        self.graph.threads.push(Vec::new());
    }

    fn is_over(&self) -> bool {
        self.pending.iter().all(|(_, request)| matches!(request, Request::Finish { .. }))
            && self.buffers.iter().all(VecDeque::is_empty)
    }

    /// All states after one step.
    fn steps(&self, program: &TestProgram) -> Vec<Machine> {
        let mut all = Vec::new();
        for thread in 0..self.pending.len() {
            if let Some(&oldest) = self.buffers[thread].front() {
                let mut next = self.clone();
                next.buffers[thread].pop_front();
                next.commit(oldest);
                all.push(next);
            }
            if self.waits_for_sc_store(thread) {
                continue;
            }
            for (label, answer) in self.labels(thread) {
                all.push(self.issue(program, thread, label, answer));
            }
        }
        all
    }

    /// An SC store is a store and a fence.
    fn waits_for_sc_store(&self, thread: usize) -> bool {
        let is_sc = |write: &EventId| {
            matches!(self.graph.label(*write), Some(Label::Write { order: WriteOrder::SeqCst, .. }))
        };
        self.buffers[thread].iter().any(is_sc)
    }

    /// What the thread can do now, and what it is then told. Only one thing, except for choices.
    fn labels(&self, thread: usize) -> Vec<(Label, Value)> {
        let drained = self.buffers[thread].is_empty();
        match self.pending[thread].1 {
            Request::Read { at, order } => {
                let value = self.value(self.visible(thread, at));
                vec![(Label::Read { at, order, value }, value)]
            }
            Request::Write { at, value, order } => vec![(Label::Write { at, order, value }, 0)],
            Request::Rmw { at, op, order, failure } => {
                let read = self.value(self.visible(thread, at));
                match op.apply(read, at.size) {
                    Some(written) if drained => vec![(Label::Rmw { at, order, read, written }, read)],
                    Some(_) => vec![],
                    None => vec![(Label::Read { at, order: failure, value: read }, read)],
                }
            }
            Request::Fence(FenceOrder::SeqCst) if !drained => vec![],
            Request::Fence(order) => vec![(Label::Fence(order), 0)],
            Request::Create { .. } if drained => {
                let child = self.pending.len();
                vec![(Label::Create(ThreadId(child as u32)), child as Value)]
            }
            Request::Join { thread: child } if drained && self.buffers[child.index()].is_empty() => {
                match self.pending[child.index()].1 {
                    Request::Finish { value } => vec![(Label::Join(child), value)],
                    _ => vec![],
                }
            }
            Request::Create { .. } | Request::Join { .. } => vec![],
            Request::Publish(ref objects) => {
                let sizes = objects.iter().map(|object| (object.address, object.bytes.len() as u64));
                vec![(Label::Publish(sizes.collect()), 0)]
            }
            Request::Choose { values } => (0..values).map(|value| (Label::Choose(value), value)).collect(),
            Request::Finish { .. } | Request::Block(_) => vec![],
            ref other => panic!("not for this machine: {other:?}"),
        }
    }

    fn issue(&self, program: &TestProgram, thread: usize, label: Label, answer: Value) -> Machine {
        let mut next = self.clone();
        let event =
            EventId { thread: ThreadId(thread as u32), index: self.graph.threads[thread].len() as u32 };
        if let Some(at) = label.at().filter(|_| label.is_read()) {
            next.graph.rf.insert(event, self.visible(thread, at));
        }
        let is_update = matches!(label, Label::Rmw { .. });
        let is_write = label.is_write();
        next.graph.threads[thread].push(label);
        match is_write {
            true if is_update => next.commit(event),
            true => next.buffers[thread].push_back(event),
            false => {}
        }
        if let Request::Create { function, argument } = self.pending[thread].1 {
            let state = program.start(ThreadId(answer as u32), function, argument);
            next.create(program, state);
        }
        next.pending[thread].1 = program.resume(&mut next.pending[thread].0, answer);
        next
    }

    /// A write reaches memory.
    fn commit(&mut self, write: EventId) {
        let at = self.graph.label(write).and_then(Label::at).expect("writes have a location");
        self.graph.co.entry(at).or_default().push(write);
    }

    /// The newest own write to the location that is not in memory, else what is in memory.
    fn visible(&self, thread: usize, at: Access) -> Source {
        let own = self.buffers[thread].iter().rev().copied();
        let own = own.filter(|&write| self.graph.label(write).and_then(Label::at) == Some(at));
        own.chain(self.graph.writes_of(at).last().copied()).next().map_or(Source::Init, Source::Event)
    }

    fn value(&self, source: Source) -> Value {
        match source {
            Source::Init => 0,
            Source::Event(write) => self.graph.label(write).and_then(Label::written).expect("is a write"),
        }
    }
}

/// The complete executions; `None` if there are too many states.
fn run(program: &TestProgram, limit: usize) -> Option<BTreeSet<ExecutionGraph>> {
    let (mut seen, mut complete) = (BTreeSet::new(), BTreeSet::new());
    let mut todo = vec![Machine::start(program)];
    while let Some(machine) = todo.pop() {
        if !seen.insert((machine.graph.clone(), machine.buffers.clone())) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        if machine.is_over() {
            complete.insert(machine.graph.canonical());
        }
        todo.extend(machine.steps(program));
    }
    Some(complete)
}

/// Does the machine do what the text says? `None` if there is too much to do; else how many executions there are.
fn compare(program: &TestProgram, limit: usize) -> Option<usize> {
    let machine = run(program, limit)?;
    let text = Model::of(model::Model::Tso);
    let oracle = enumerate(program, &text, Options { limit, ..Options::default() })?;
    assert_eq!(machine, oracle.complete, "{}", show(program));
    Some(machine.len())
}

#[test]
fn the_text_is_the_machine_on_named_programs() {
    for row in all_named().into_iter().filter(|row| row.program.len() <= 12) {
        assert!(compare(&row.program, 200_000).is_some(), "{} is too big", row.name);
    }
}

#[test]
fn the_text_is_the_machine_on_random_programs() {
    let (mut compared, mut executions) = (0, 0);
    for seed in 0..30 * Mix::ORACLE.len() as u64 {
        let program = random_program(Mix::ORACLE[seed as usize % Mix::ORACLE.len()], seed + 700);
        if program.has_locks() {
            continue;
        }
        if let Some(count) = compare(&program, 4_000) {
            compared += 1;
            executions += count;
        }
    }
    assert!(compared >= 100 && executions >= 600, "{compared} programs, {executions} executions");
}
