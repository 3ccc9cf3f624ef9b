//! Programs with atomic sections by brute force: from the axioms, and, under SC, from interleavings.
//!
//! The axioms: every execution of the program in which begin and end of a section are events that do nothing, of which those are
//! kept that the model accepts with `tsw` in happens-before and each section as one event (`model::sections`). There
//! are no mutexes here. The interleavings: while a thread is in a section, no other one takes a step. Executions are compared
//! [without](ordinary) what stands for begin and end.

use crate::model::Model;
use crate::oracle::{self, Options};
use crate::program::{Condition, Expr, Instr, Modify, State, TestProgram, location};
use base::{Access, EventId, ReadOrder, RmwOrder, Rng, ThreadId, Value, WriteOrder};
use graph::{ExecutionGraph, Label, Source};
use model::relation::{EventSet, Relation};
use model::sections::{Isolation, synchronises};
use model::{Relations, races};
use program::{Hint, Program, Request, SectionOrder};
use std::collections::{BTreeMap, BTreeSet};

/// The executions of a program with sections.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sectioned {
    /// The complete ones, as far as they are [ordinary].
    pub complete: BTreeSet<ExecutionGraph>,
    /// Whether one of them has a data race.
    pub racy: bool,
    /// How many there would be if sections were nothing.
    pub without: usize,
}

/// The executions that the axioms allow; `None` if the program is too big. It must not have choices of its own.
pub fn enumerate(
    program: &TestProgram,
    model: &Model,
    isolation: Isolation,
    options: Options,
) -> Option<Sectioned> {
    let program = TestProgram { order: None, ..program.clone() };
    let all = oracle::enumerate(&program, model, options)?;
    let mut found = Sectioned { without: all.complete.len(), ..Sectioned::default() };
    for graph in &all.complete {
        let mut relations = Relations::of(graph);
        let marks = Marks::of(graph, &relations);
        let tsw = synchronises(&relations, &marks.section, &marks.begins, &marks.ends);
        relations.asw = relations.asw.union(&tsw);
        if model.accepts(&relations) && isolation(&relations, &marks.same()) {
            found.racy |= !races::races(&relations, &(model.hb)(&relations)).is_empty();
            found.complete.insert(ordinary(graph, program.locations));
        }
    }
    Some(found)
}

/// The sections of an execution, by the numbers of its events.
struct Marks {
    /// Per event its section, begin and end included.
    section: Vec<Option<usize>>,
    begins: EventSet,
    ends: EventSet,
}

impl Marks {
    fn of(graph: &ExecutionGraph, relations: &Relations) -> Marks {
        let empty = EventSet::empty(relations.len());
        let mut marks = Marks { section: vec![None; relations.len()], begins: empty.clone(), ends: empty };
        let (mut open, mut next, mut thread) = (None, 0, None);
        for (event, id) in relations.events.ids.iter().enumerate() {
            let Some(id) = *id else { continue };
            if thread != Some(id.thread) {
                (open, thread) = (None, Some(id.thread));
            }
            let is_mark = matches!(graph.label(id), Some(Label::Choose(_)));
            match open {
                None if is_mark => {
                    (open, next) = (Some(next), next + 1);
                    marks.begins.insert(event);
                    marks.section[event] = open;
                }
                Some(_) if is_mark => {
                    marks.ends.insert(event);
                    marks.section[event] = open.take();
                }
                open => marks.section[event] = open,
            }
        }
        marks
    }

    /// `s`: events of the same section.
    fn same(&self) -> Relation {
        let n = self.section.len();
        let mut same = Relation::empty(n);
        for a in (0..n).filter(|&a| self.section[a].is_some()) {
            (0..n).filter(|&b| self.section[b] == self.section[a]).for_each(|b| same.insert(a, b));
        }
        same
    }
}

/// An execution without choices and without accesses to other than the first locations: what is left if it does not matter how
/// sections exclude each other.
pub fn ordinary(graph: &ExecutionGraph, locations: u8) -> ExecutionGraph {
    let end = location(locations).address;
    let stays = |label: &Label| match label {
        Label::Choose(_) => false,
        // The object with all locations is as large as there are mutexes.
        label => label.at().is_none_or(|at| at.address < end),
    };
    let new_id = |id: EventId| {
        let before = graph.threads[id.thread.index()][..id.index as usize].iter();
        EventId { index: before.filter(|label| stays(label)).count() as u32, ..id }
    };
    let new_source = |source: Source| match source {
        Source::Init => Source::Init,
        Source::Event(id) => Source::Event(new_id(id)),
    };
    let cut = |label: &Label| match label {
        Label::Publish(_) => Label::Publish(Vec::new()),
        label => label.clone(),
    };
    let threads = graph.threads.iter().map(|all| all.iter().filter(|label| stays(label)).map(cut).collect());
    let reads = graph.rf.iter().filter(|(id, _)| graph.label(**id).is_some_and(stays));
    ExecutionGraph {
        threads: threads.collect(),
        rf: reads.map(|(&id, &source)| (new_id(id), new_source(source))).collect(),
        co: graph
            .co
            .iter()
            .filter(|(at, _)| at.address < end)
            .map(|(&at, writes)| (at, writes.iter().map(|&id| new_id(id)).collect()))
            .collect(),
    }
    .canonical()
}

// --- interleavings ----------------------------------------------------------------------------------------------------

/// The executions of the interleavings in which no other thread takes a step while one is in a section.
pub fn interleavings(program: &TestProgram) -> BTreeSet<ExecutionGraph> {
    let program = TestProgram { order: None, ..program.clone() };
    let mut found = BTreeSet::new();
    let mut main = program.main();
    let request = program.resume(&mut main, 0);
    let start = Interleaving {
        threads: vec![(main, request)],
        memory: BTreeMap::new(),
        graph: ExecutionGraph { threads: vec![Vec::new()], ..ExecutionGraph::default() },
        inside: None,
    };
    let mut todo = vec![start];
    while let Some(now) = todo.pop() {
        let steps = (0..now.threads.len()).filter(|&t| now.inside.is_none_or(|inside| inside == t));
        let next: Vec<Interleaving> = steps.filter_map(|thread| now.step(&program, thread)).collect();
        if next.is_empty() {
            found.insert(ordinary(&now.graph, program.locations));
        }
        todo.extend(next);
    }
    found
}

#[derive(Clone)]
struct Interleaving {
    threads: Vec<(State, Request)>,
    memory: BTreeMap<Access, (Value, Source)>,
    graph: ExecutionGraph,
    /// The thread that is in a section.
    inside: Option<usize>,
}

impl Interleaving {
    /// The next step of a thread; `None` if it has finished.
    fn step(&self, program: &TestProgram, thread: usize) -> Option<Interleaving> {
        let mut next = self.clone();
        let id = EventId { thread: ThreadId(thread as u32), index: self.graph.threads[thread].len() as u32 };
        let read = |at| self.memory.get(&at).copied().unwrap_or((0, Source::Init));
        let (label, answer) = match self.threads[thread].1 {
            Request::Finish { .. } => return None,
            Request::Publish(_) => (Label::Publish(Vec::new()), 0),
            Request::Fence(order) => (Label::Fence(order), 0),
            Request::Choose { .. } => (Label::Choose(0), 0),
            Request::Create { function, argument } => {
                let child = ThreadId(self.threads.len() as u32);
                let mut state = program.start(child, function, argument);
                let request = program.resume(&mut state, 0);
                next.threads.push((state, request));
                next.graph.threads.push(Vec::new());
                (Label::Create(child), Value::from(child.0))
            }
            Request::Read { at, order } => {
                let (value, source) = read(at);
                next.graph.rf.insert(id, source);
                (Label::Read { at, order, value }, value)
            }
            Request::Write { at, value, order } => {
                next.write(id, at, value);
                (Label::Write { at, order, value }, 0)
            }
            Request::Rmw { at, op, order, failure } => {
                let (value, source) = read(at);
                next.graph.rf.insert(id, source);
                match op.apply(value, at.size) {
                    Some(written) => {
                        next.write(id, at, written);
                        (Label::Rmw { at, order, read: value, written }, value)
                    }
                    None => (Label::Read { at, order: failure, value }, value),
                }
            }
            ref request => panic!("not for interleavings: {request:?}"),
        };
        next.graph.threads[thread].push(label);
        let (state, request) = &mut next.threads[thread];
        *request = program.resume(state, answer);
        next.inside = program.section(state).map(|_| thread);
        Some(next)
    }

    fn write(&mut self, id: EventId, at: Access, value: Value) {
        self.memory.insert(at, (value, Source::Event(id)));
        self.graph.co.entry(at).or_default().push(id);
    }
}

// --- random programs --------------------------------------------------------------------------------------------------

/// What random programs are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Whether sections conflict does not depend on values: the exploration has each execution once.
    Fixed,
    /// There are compare-exchanges and branches: sections that conflict in some executions are ordered in all.
    Dependent,
    /// There are assumptions, also in sections.
    Blocking,
}

/// Two or three threads with sections of one to three accesses, and accesses outside.
pub fn random(kind: Kind, seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed);
    let threads = 2 + rng.below(2);
    let locations = 1 + rng.below(3) as u8;
    let plain = if rng.percent(15) { 40 } else { 0 };
    let mut left = if threads == 2 { 7 } else { 6 };
    let codes = (0..threads).map(|_| {
        let mut code = Code { rng: &mut rng, kind, locations, plain, code: Vec::new() };
        code.fill(&mut left);
        code.code
    });
    let codes = codes.collect();
    TestProgram { order: Some(SectionOrder::default()), ..TestProgram::parallel(locations, codes) }
}

struct Code<'a> {
    rng: &'a mut Rng,
    kind: Kind,
    locations: u8,
    /// How many of 100 accesses in sections are plain.
    plain: u64,
    code: Vec<Instr>,
}

impl Code<'_> {
    fn fill(&mut self, left: &mut u64) {
        for _ in 0..1 + self.rng.below(2) {
            if self.rng.percent(55) {
                self.code.push(Instr::Begin);
                (0..1 + self.rng.below(3)).for_each(|_| self.access(left, true));
                self.code.push(Instr::End);
            } else {
                self.access(left, false);
            }
        }
    }

    fn access(&mut self, left: &mut u64, inside: bool) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let loc = self.rng.below(u64::from(self.locations)) as u8;
        let dst = self.code.len() as u8 % 5;
        let plain = inside && self.rng.percent(self.plain);
        let value = if self.rng.percent(40) {
            Expr::Plus(self.rng.below(5) as u8, 1)
        } else {
            Expr::Const(1 + self.rng.below(2))
        };
        let instr = match self.rng.below(if plain { 6 } else { 9 }) {
            0..3 => {
                Instr::Load { dst, loc, order: if plain { ReadOrder::NotAtomic } else { self.read_order() } }
            }
            3..6 => Instr::Store {
                loc,
                value,
                order: if plain { WriteOrder::NotAtomic } else { self.write_order() },
            },
            _ => {
                let op = match self.rng.below(if self.kind == Kind::Dependent { 3 } else { 2 }) {
                    0 => Modify::Add(Expr::Const(1)),
                    1 => Modify::Exchange(value),
                    _ => Modify::Cas(Expr::Const(self.rng.below(2)), value),
                };
                Instr::Rmw { dst, loc, op, order: self.rmw_order(), failure: self.read_order() }
            }
        };
        if self.kind == Kind::Dependent && self.rng.percent(15) {
            let condition = Condition { reg: self.rng.below(5) as u8, equal: self.rng.percent(50), value: 1 };
            self.code.push(Instr::Branch { condition, target: self.code.len() as u16 + 2 });
        }
        self.code.push(instr);
        if self.kind == Kind::Blocking && self.rng.percent(25) {
            self.code.push(Instr::Assume(Condition { reg: dst, equal: self.rng.percent(50), value: 1 }));
        }
    }

    fn read_order(&mut self) -> ReadOrder {
        self.rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst])
    }

    fn write_order(&mut self) -> WriteOrder {
        self.rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst])
    }

    fn rmw_order(&mut self) -> RmwOrder {
        self.rng.pick(&[RmwOrder::Relaxed, RmwOrder::AcqRel, RmwOrder::SeqCst])
    }
}

/// The same program with its threads created in another order.
pub fn rotated(program: &TestProgram) -> TestProgram {
    let mut rotated = program.clone();
    rotated.codes.rotate_left(1);
    rotated
}
