//! Programs some of whose threads are identical, and their executions up to an exchange of these.
//!
//! By brute force: an execution and all that come from it by renaming identical threads are an *orbit*, and what stands for it is the
//! least of them.

use crate::program::{Expr, Instr};
use crate::{Mix, TestProgram, random_program};
use base::{Access, EventId, Rng, ThreadId};
use graph::{ExecutionGraph, Label, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Up to three threads with the code of one thread of that mix, together with one or none of another, which `main` creates,
/// and mostly waits for. Those that are the same finish with the same value.
pub fn random_twins(mix: Mix, seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed ^ 0x7_715);
    let mut program = random_program(mix, seed);
    program.codes.retain(|code| !code.iter().any(|instr| matches!(instr, Instr::Create(_) | Instr::Join(_))));
    let mut pick = || {
        let mut code = if program.codes.is_empty() {
            vec![crate::build::fadd(0, base::RmwOrder::Relaxed)]
        } else {
            program.codes[rng.index(program.codes.len())].clone()
        };
        code.truncate(2 + rng.below(4) as usize);
        code.push(Instr::Set { dst: 0, value: Expr::Const(0) });
        code
    };
    let (one, other) = (pick(), pick());
    let mut codes = vec![one.clone(), one.clone()];
    if one.len() < 4 && rng.percent(60) {
        codes.push(one);
    }
    if rng.percent(75) {
        let at = if rng.percent(50) { codes.len() } else { 0 };
        codes.insert(at, other.clone());
        if other.len() < 4 && rng.percent(30) {
            codes.insert(at, other);
        }
    }
    let mut twins = TestProgram::parallel(program.locations, codes);
    if rng.percent(70) {
        twins = twins.joined();
        if rng.percent(30) {
            twins.main.push(crate::build::r(0, base::ReadOrder::Relaxed));
        }
    }
    if rng.percent(15) {
        twins.main.insert(0, crate::build::w(0, base::WriteOrder::Relaxed));
    }
    twins
}

/// The numbers of the threads, in classes of identical ones that `main` creates one right after the other.
fn classes(program: &TestProgram) -> Vec<Vec<u32>> {
    let mut classes: Vec<(usize, u8, Vec<u32>)> = Vec::new();
    let mut thread = 0;
    for (at, instr) in program.main.iter().enumerate() {
        let &Instr::Create(code) = instr else { continue };
        thread += 1;
        match classes.last_mut() {
            Some((last, same, class)) if *last + 1 == at && program.function(code) == *same => {
                *last = at;
                class.push(thread);
            }
            _ => classes.push((at, program.function(code), vec![thread])),
        }
    }
    classes.into_iter().map(|(_, _, class)| class).collect()
}

/// All ways to exchange identical threads of a program, of which `main` creates all: what each thread becomes.
pub fn exchanges(program: &TestProgram) -> Vec<Vec<u32>> {
    let mut exchanges = vec![vec![0; program.codes.len() + 1]];
    for class in classes(program) {
        let orders = permutations(&class);
        let with = |exchange: &Vec<u32>, order: &Vec<u32>| {
            let mut exchange = exchange.clone();
            class.iter().zip(order).for_each(|(&old, &new)| exchange[old as usize] = new);
            exchange
        };
        exchanges = exchanges.iter().flat_map(|e| orders.iter().map(move |o| with(e, o))).collect();
    }
    exchanges
}

fn permutations(of: &[u32]) -> Vec<Vec<u32>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let with = |&first: &u32| {
        let rest: Vec<u32> = of.iter().copied().filter(|&x| x != first).collect();
        permutations(&rest).into_iter().map(move |mut order| {
            order.insert(0, first);
            order
        })
    };
    of.iter().flat_map(with).collect()
}

/// What stands for the orbit of a graph in canonical form. Values, which may be names of threads, are left out, and so are
/// joins of threads: who waits for two that it cannot tell apart may come past the first one or not.
pub fn orbit(graph: &ExecutionGraph, exchanges: &[Vec<u32>]) -> ExecutionGraph {
    let bare = without_values_and_joins(graph);
    exchanges.iter().map(|exchange| renamed(&bare, exchange)).min().expect("one changes nothing")
}

/// The orbits of some graphs, canonical or not.
pub fn orbits<'a>(
    graphs: impl IntoIterator<Item = &'a ExecutionGraph>,
    exchanges: &[Vec<u32>],
) -> BTreeSet<ExecutionGraph> {
    graphs.into_iter().map(|graph| orbit(&graph.canonical(), exchanges)).collect()
}

fn without_values_and_joins(graph: &ExecutionGraph) -> ExecutionGraph {
    let is_join = |label: &Label| matches!(label, Label::Join(_));
    let event = |e: &EventId| {
        let before = &graph.threads[e.thread.index()][..e.index as usize];
        EventId {
            thread: e.thread,
            index: e.index - before.iter().filter(|label| is_join(label)).count() as u32,
        }
    };
    let bare = |label: &Label| match *label {
        Label::Read { at, order, .. } => Label::Read { at, order, value: 0 },
        Label::Write { at, order, .. } => Label::Write { at, order, value: 0 },
        Label::Rmw { at, order, .. } => Label::Rmw { at, order, read: 0, written: 0 },
        ref other => other.clone(),
    };
    let code = |code: &Vec<Label>| code.iter().filter(|label| !is_join(label)).map(bare).collect();
    let source = |source: &Source| match source {
        Source::Init => Source::Init,
        Source::Event(write) => Source::Event(event(write)),
    };
    ExecutionGraph {
        threads: graph.threads.iter().map(code).collect(),
        rf: graph.rf.iter().map(|(read, write)| (event(read), source(write))).collect(),
        co: graph.co.iter().map(|(&at, writes)| (at, writes.iter().map(event).collect())).collect(),
    }
}

fn renamed(graph: &ExecutionGraph, exchange: &[u32]) -> ExecutionGraph {
    let name = |thread: ThreadId| ThreadId(exchange.get(thread.index()).copied().unwrap_or(thread.0));
    let event = |e: &EventId| EventId { thread: name(e.thread), index: e.index };
    let source = |source: &Source| match source {
        Source::Init => Source::Init,
        Source::Event(write) => Source::Event(event(write)),
    };
    let mut threads = vec![Vec::new(); graph.threads.len()];
    for (thread, code) in graph.threads.iter().enumerate() {
        // Which of its children `main` has created first does not matter.
        threads[name(ThreadId(thread as u32)).index()] = code.clone();
    }
    let rf: BTreeMap<EventId, Source> = graph.rf.iter().map(|(r, w)| (event(r), source(w))).collect();
    let co: BTreeMap<Access, Vec<EventId>> =
        graph.co.iter().map(|(&at, writes)| (at, writes.iter().map(event).collect())).collect();
    ExecutionGraph { threads, rf, co }
}
