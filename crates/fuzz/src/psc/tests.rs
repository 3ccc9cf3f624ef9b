//! Every choice of every step of random runs, against the text of the model: it is possible iff the graph with it is
//! consistent.

use crate::campaign::Options;
use crate::choices::Choices;
use crate::location::{INIT, Write};
use crate::memory::Choice;
use crate::run::Run;
use crate::strategy::{Lengths, Strategy};
use crate::trail::{Trail, event_id};
use base::{Access, FenceOrder, ReadOrder, RmwOrder, Rng, WriteOrder};
use graph::{ExecutionGraph, Label, Source};
use model::Model;
use model::declarative::consistent;
use program::Request;
use testkit::TestProgram;
use testkit::program::{Expr, Instr, Modify};

/// A random instruction: mostly SC, and often enough of another order for detours of `hb`.
fn instr(random: &mut Rng, locations: u64) -> Instr {
    let (dst, loc) = (0, random.below(locations) as u8);
    let read = random.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst, ReadOrder::SeqCst]);
    match random.below(10) {
        0..=3 => Instr::Load { dst, loc, order: read },
        4..=6 => {
            let order = random.pick(&[
                WriteOrder::Relaxed,
                WriteOrder::Release,
                WriteOrder::SeqCst,
                WriteOrder::SeqCst,
            ]);
            Instr::Store { loc, value: Expr::Const(random.below(3)), order }
        }
        7 => {
            let order = random.pick(&[RmwOrder::Relaxed, RmwOrder::AcqRel, RmwOrder::SeqCst]);
            Instr::Rmw { dst, loc, op: Modify::Add(Expr::Const(1)), order, failure: read }
        }
        _ => Instr::Fence(random.pick(&[FenceOrder::SeqCst, FenceOrder::SeqCst, FenceOrder::AcqRel])),
    }
}

/// The models that have SC events and random runs.
const MODELS: [Model; 2] = [Model::Rc11, Model::C20];

/// Threads of up to twelve instructions; `main` joins some of them, and has instructions of its own.
fn program(seed: u64) -> TestProgram {
    let random = &mut Rng::new(seed);
    let locations = 2 + random.below(2);
    let threads = 2 + random.below(3);
    let mut list =
        |most: u64| -> Vec<Instr> { (0..random.below(most + 1)).map(|_| instr(random, locations)).collect() };
    let codes: Vec<Vec<Instr>> = (0..threads).map(|_| list(12)).collect();
    let mut main = list(2);
    for child in 0..threads as u8 {
        main.push(Instr::Create(child));
        main.extend(list(1));
    }
    for child in 0..threads.min(2) as u8 {
        main.push(Instr::Join(child));
        main.extend(list(2));
    }
    TestProgram { locations: locations as u8, main, codes, ..TestProgram::default() }
}

fn run<'p>(program: &'p TestProgram, seed: u64, options: &Options) -> Run<'p, TestProgram> {
    let choices = Choices::random(seed, Strategy::Uniform, &Lengths::default());
    let mut run = Run::new(program, options.model.rules(), choices, options.limits());
    run.trail = Some(Box::new(Trail::with_graph()));
    run.start(None, program::Program::main(program)).expect("a thread starts");
    run
}

fn source(write: &Write) -> Source {
    if write.thread == INIT { Source::Init } else { Source::Event(event_id(write.thread, write.position)) }
}

/// The graph with one more access.
fn extended(graph: &ExecutionGraph, thread: usize, label: Label, write: &Write) -> ExecutionGraph {
    let mut graph = graph.clone();
    let id = event_id(thread as u32, graph.threads[thread].len() as u32 + 1);
    let (at, reads, writes): (Access, bool, bool) = match label {
        Label::Read { at, .. } => (at, true, false),
        Label::Write { at, .. } => (at, false, true),
        Label::Rmw { at, .. } => (at, true, true),
        ref other => unreachable!("{other:?} is no access"),
    };
    graph.threads[thread].push(label);
    if reads {
        graph.rf.insert(id, source(write));
    }
    if writes {
        let co = graph.co.entry(at).or_default();
        let place = match source(write) {
            Source::Init => 0,
            Source::Event(write) => co.iter().position(|&other| other == write).expect("it is there") + 1,
        };
        co.insert(place, id);
    }
    graph
}

/// Compares all choices of the next step of a thread. Returns how many there are, and how many are not possible.
fn compare(run: &Run<'_, TestProgram>, thread: usize, model: Model) -> (usize, usize) {
    let (at, is_sc) = match run.threads[thread].request {
        Request::Read { at, order } => (at, order == ReadOrder::SeqCst),
        Request::Write { at, order, .. } => (at, order == WriteOrder::SeqCst),
        Request::Rmw { at, order, .. } => (at, order == RmwOrder::SeqCst),
        _ => return (0, 0),
    };
    let Some(location) = run.objects.known(at) else { return (0, 0) };
    let graph = run.trail.as_ref().expect("it is there").graph().expect("it has one");
    let writes = &run.memory.locations[location].writes;
    let (mut all, mut impossible) = (0, 0);
    let first = run.memory.first(thread, location, is_sc);
    for (place, write) in writes.iter().enumerate().skip(first) {
        let value = write.value.unwrap_or(0);
        let (label, choice) = match run.threads[thread].request {
            Request::Read { order, .. } => (Label::Read { at, order, value }, Choice::Read(order)),
            Request::Write { value, order, .. } => (Label::Write { at, order, value }, Choice::Write(order)),
            Request::Rmw { op, order, .. } => {
                let written = op.apply(value, at.size).expect("an addition succeeds");
                (Label::Rmw { at, order, read: value, written }, Choice::Update(order))
            }
            _ => unreachable!("seen above"),
        };
        if write.updated && !matches!(choice, Choice::Read(_)) {
            continue;
        }
        let graph = extended(graph, thread, label, write);
        let possible = consistent(&graph, model.rules()).is_ok();
        assert_eq!(run.memory.allows(thread, location, place, choice), possible, "thread {thread}\n{graph}");
        (all, impossible) = (all + 1, impossible + usize::from(!possible));
    }
    (all, impossible)
}

#[test]
fn a_choice_is_possible_iff_the_model_says_so() {
    let (mut all, mut impossible) = (0, 0);
    for seed in 0..2500 {
        let (more, of_them) = compare_runs(&program(seed), seed..seed + 1, MODELS[seed as usize % 2]);
        (all, impossible) = (all + more, impossible + of_them);
    }
    assert!(all > 100_000 && impossible > 1000, "{impossible} of {all}");
}

/// After the order is settled, at any time, runs are still consistent.
#[test]
fn settled_runs_are_consistent() {
    for seed in 0..4000 {
        let program = program(seed);
        let model = MODELS[seed as usize / 12 % 2];
        let options = Options { sc_events: seed as usize % 12, ..Options::new(model) };
        let mut run = run(&program, seed, &options);
        while run.can_go() && run.go().is_ok() {}
        let graph = run.trail.take().expect("it is there").into_graph();
        assert_eq!(consistent(&graph, model.rules()), Ok(()), "seed {seed}\n{graph}");
    }
}

/// Compares all choices of all steps of the runs of some seeds.
fn compare_runs(program: &TestProgram, seeds: std::ops::Range<u64>, model: Model) -> (usize, usize) {
    let (mut all, mut impossible) = (0, 0);
    for seed in seeds {
        let mut run = run(program, seed, &Options::new(model));
        loop {
            for thread in 0..run.threads.len() {
                let (more, of_them) = compare(&run, thread, model);
                (all, impossible) = (all + more, impossible + of_them);
            }
            if !run.can_go() || run.go().is_err() {
                break;
            }
        }
    }
    (all, impossible)
}

/// Shapes that random programs hardly have, each for a clause of `psc` that decides them alone.
#[test]
fn clauses_that_matter_seldom() {
    let r = |loc, order| Instr::Load { dst: 0, loc, order };
    let w = |loc, order| Instr::Store { loc, value: Expr::Const(1), order };
    let fence = Instr::Fence(FenceOrder::SeqCst);
    let (x, y, z) = (0, 1, 2);
    // `hb ; rf ; hb` between fences: the middle thread passes nothing on.
    let passed_on = vec![
        vec![w(z, WriteOrder::Relaxed), fence, w(y, WriteOrder::Release)],
        vec![r(y, ReadOrder::Acquire), w(x, WriteOrder::Relaxed)],
        vec![r(x, ReadOrder::Relaxed), fence, r(z, ReadOrder::Relaxed)],
    ];
    // `po|≠loc ; hb ; po|≠loc`: the last step is at one location, and the clause does not apply.
    let at_one_location = vec![
        vec![w(z, WriteOrder::SeqCst), w(x, WriteOrder::Release)],
        vec![r(x, ReadOrder::Acquire), r(x, ReadOrder::SeqCst)],
        vec![w(x, WriteOrder::SeqCst), r(z, ReadOrder::SeqCst)],
    ];
    for (codes, has_impossible) in [(passed_on, true), (at_one_location, false)] {
        let program = TestProgram::parallel(3, codes);
        let (_, impossible) = compare_runs(&program, 0..3000, Model::Rc11);
        assert!(impossible > 0 || !has_impossible, "{program:?}");
    }
}
