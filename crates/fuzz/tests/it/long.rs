//! Long runs: memory depends on threads and locations, not on events; and what goes wrong late is found and made short.

use base::{Access, ReadOrder, RmwOrder, Site, ThreadId, Value, WriteOrder};
use fuzz::{Control, Options, Outcome, Strategy, fuzz, shorten};
use program::{Fault, FaultKind, Hint, Object, Program, Refinements, Refusal, Request, RmwOp, Storage};
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::TestProgram;
use testkit::program::{Expr, Instr};

const DRAWN: Access = Access { address: 0x1000, size: 4 };
const CALLED: Access = Access { address: 0x1004, size: 4 };
const COUNTER: Access = Access { address: 0x1008, size: 4 };

/// Threads that take a ticket lock and count under it, many times; in the end `main` looks at the counter.
#[derive(Clone, Debug)]
struct Tickets {
    threads: u64,
    rounds: u64,
    /// The order in which the next number is called.
    call: WriteOrder,
    /// The round in which thread 1 does not wait for its turn, if there is one.
    impatient: Option<u64>,
    /// The round in which thread 1 does not call the next number, if there is one.
    forgetful: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    thread: u64,
    step: u64,
    round: u64,
    ticket: Value,
    count: Value,
}

impl Tickets {
    fn new(threads: u64, rounds: u64) -> Tickets {
        Tickets { threads, rounds, call: WriteOrder::Release, impatient: None, forgetful: None }
    }

    fn main(&self, state: &mut State, answer: Value) -> Request {
        let step = state.step;
        state.step += 1;
        let bytes = vec![0; 12].into();
        match step {
            0 => Request::Publish(
                [Object {
                    address: 0x1000,
                    bytes,
                    defined: None,
                    written: None,
                    allocated: None,
                    storage: Storage::Static,
                }]
                .into(),
            ),
            step if step <= self.threads => Request::Create { function: 0, argument: 0 },
            step if step <= 2 * self.threads => {
                Request::Join { thread: ThreadId((step - self.threads) as u32) }
            }
            step if step == 2 * self.threads + 1 => {
                Request::Read { at: COUNTER, order: ReadOrder::NotAtomic }
            }
            _ if answer == self.threads * self.rounds => Request::Finish { value: 0 },
            _ => {
                let (kind, message) = (FaultKind::Assertion, format!("the counter is {answer}"));
                Request::Fault(Box::new(Fault { kind, message, related: None }))
            }
        }
    }

    fn count(&self, state: &mut State, answer: Value) -> Request {
        let step = state.step;
        state.step += 1;
        match step {
            0 if state.round == self.rounds => Request::Finish { value: 0 },
            0 => {
                let op = RmwOp::Add(1);
                Request::Rmw { at: DRAWN, op, order: RmwOrder::Relaxed, failure: ReadOrder::Relaxed }
            }
            1 => {
                state.ticket = answer;
                Request::Read { at: CALLED, order: ReadOrder::Acquire }
            }
            2 if answer != state.ticket && !(state.thread == 1 && self.impatient == Some(state.round)) => {
                state.step = 2;
                Request::Read { at: CALLED, order: ReadOrder::Acquire }
            }
            2 => Request::Read { at: COUNTER, order: ReadOrder::NotAtomic },
            3 => {
                state.count = answer;
                Request::Write { at: COUNTER, value: answer + 1, order: WriteOrder::NotAtomic }
            }
            _ => {
                let forgets = state.thread == 1 && self.forgetful == Some(state.round);
                (state.step, state.round) = (0, state.round + 1);
                let value = if forgets { state.ticket } else { state.ticket + 1 };
                Request::Write { at: CALLED, value, order: self.call }
            }
        }
    }
}

impl Program for Tickets {
    type State = State;

    fn main(&self) -> State {
        self.start(ThreadId(0), 0, 0)
    }

    fn start(&self, thread: ThreadId, _: Value, _: Value) -> State {
        State { thread: u64::from(thread.0), step: 0, round: 0, ticket: 0, count: 0 }
    }

    fn resume(&self, state: &mut State, answer: Value) -> Request {
        if state.thread == 0 { self.main(state, answer) } else { self.count(state, answer) }
    }

    fn site(&self, state: &State) -> Site {
        Site((100 * state.thread.min(1) + state.step.min(50)) as u32)
    }

    fn is_private(&self, _: &State, _: u64) -> bool {
        false
    }

    fn refine(&mut self, refinements: &Refinements) -> Result<(), Refusal> {
        assert_eq!(*refinements, Refinements::default(), "accesses do not overlap");
        Ok(())
    }
}

impl Hint for Tickets {
    fn is_same(&self, a: &State, b: &State) -> bool {
        a == b
    }
}

fn run(mut program: Tickets, strategy: Strategy, model: model::Model, runs: u64) -> Outcome {
    let options = Options { runs: Some(runs), seed: 7, strategy, ..Options::new(model) };
    let mut outcome = fuzz(&mut program, &options, &Control::default()).expect("it has random runs");
    shorten(&program, &options, &mut outcome, &Control::default());
    outcome
}

#[test]
fn memory_does_not_grow_with_the_length() {
    for model in fuzz::models().filter(|&model| model != model::Model::Relaxed) {
        let [short, long] =
            [2000, 50_000].map(|rounds| run(Tickets::new(4, rounds), Strategy::Uniform, model, 1));
        assert_eq!(
            (short.numbers.complete, long.numbers.complete),
            (1, 1),
            "{model:?}: {:?}",
            long.violations
        );
        assert!(long.numbers.events > 1_000_000, "{:?}", long.numbers);
        assert!(
            long.numbers.kept <= 2 * short.numbers.kept.max(100),
            "{:?} {:?}",
            short.numbers,
            long.numbers
        );
        assert_eq!(long.numbers.forgotten, 0, "{model:?}");
    }
}

/// Nobody is called any more: all wait for ever, in runs that would have gone on for a hundred million events. While somebody can
/// still be called, there is no standstill: nobody says so in the runs above.
#[test]
fn a_standstill_is_noticed() {
    for model in fuzz::models().filter(|&model| model != model::Model::Relaxed) {
        let program = Tickets { forgetful: Some(20), ..Tickets::new(3, 1000) };
        let numbers = |outcome: &Outcome| (outcome.numbers.runs, outcome.numbers.stuck, outcome.numbers.cut);
        let outcome = run(program.clone(), Strategy::Uniform, model, 3);
        assert_eq!(numbers(&outcome), (3, 3, 0), "{model:?}");
        assert!(outcome.numbers.events < 1_000_000, "{:?}", outcome.numbers);
        let standstill = outcome.standstill.expect("there are three");
        assert_eq!((standstill.number, standstill.seed), (0, 7));
        // All three wait for their number, behind the read of it.
        let threads: Vec<u32> = standstill.spinning.iter().map(|(thread, _)| thread.0).collect();
        assert_eq!(threads, [1, 2, 3], "{model:?}");
        assert!(standstill.spinning.iter().all(|&(_, site)| site == Site(102)));
        // Also where the run is cut before anybody asks.
        let options = Options { runs: Some(2), events: 20_000, ..Options::new(model) };
        let cut = fuzz(&mut program.clone(), &options, &Control::default()).expect("it has random runs");
        assert_eq!(numbers(&cut), (2, 2, 0), "{model:?}");
    }
}

/// A thread that takes no notice of another can read all that it ever wrote. If that is too much, the oldest writes are
/// forgotten, and counted; what is left is still consistent.
#[test]
fn what_is_forgotten_is_counted() {
    let (order, relaxed) = (WriteOrder::Relaxed, ReadOrder::Relaxed);
    let writes = (0..60).map(|value| Instr::Store { loc: 0, value: Expr::Const(value), order });
    let reads = (0..30).map(|n| Instr::Load { dst: 0, loc: u8::from(n < 25), order: relaxed });
    let mut program = TestProgram::parallel(2, vec![writes.collect(), reads.collect()]);
    let run = |program: &mut TestProgram, history| {
        let options = Options { runs: Some(20), prune_from: 2, history, ..Options::new(model::Model::Rc11) };
        for seed in 0..5 {
            let graph = fuzz::sample(program, &options, seed).expect("it has random runs").graph;
            assert!(testkit::Model::of(model::Model::Rc11).accepts(&model::Relations::of(&graph)), "{graph}");
        }
        fuzz(program, &options, &Control::default()).expect("it has random runs").numbers
    };
    let (all, some) = (run(&mut program, 1000), run(&mut program, 10));
    assert_eq!(all.forgotten, 0);
    assert!(some.forgotten > 200 && some.kept <= 20 && all.kept > 40, "{all:?} {some:?}");
}

#[test]
fn a_late_violation_is_made_short() {
    // (PCT would have to change at the right step, of thousands.)
    for strategy in [Strategy::Uniform, Strategy::Pos, Strategy::Urw] {
        let program = Tickets { impatient: Some(300), ..Tickets::new(3, 1000) };
        let outcome = run(program, strategy, model::Model::Rc11, 10);
        let violation = outcome.violations.first().expect("thread 1 does not wait for its turn");
        assert_eq!(violation.found.kind, FaultKind::DataRace);
        // Thread 1 needs its 300 rounds, of five events each; the others need next to nothing.
        let (steps, events) = (violation.steps, violation.events);
        assert!(steps < 4000 && events > 4000, "{strategy:?}: {steps} of {events}");
        assert!(violation.replay.is_some());
    }
}

/// A program that stops whoever runs it after so many steps, and counts them.
struct Stopping<'c> {
    program: Tickets,
    control: &'c Control,
    after: u64,
    steps: AtomicU64,
}

impl Program for Stopping<'_> {
    type State = State;

    fn main(&self) -> State {
        Program::main(&self.program)
    }

    fn start(&self, thread: ThreadId, function: Value, argument: Value) -> State {
        self.program.start(thread, function, argument)
    }

    fn resume(&self, state: &mut State, answer: Value) -> Request {
        if self.steps.fetch_add(1, Ordering::Relaxed) == self.after {
            self.control.stop();
        }
        self.program.resume(state, answer)
    }

    fn site(&self, state: &State) -> Site {
        self.program.site(state)
    }

    fn is_private(&self, state: &State, address: u64) -> bool {
        self.program.is_private(state, address)
    }

    fn refine(&mut self, refinements: &Refinements) -> Result<(), Refusal> {
        self.program.refine(refinements)
    }
}

impl Hint for Stopping<'_> {
    fn is_same(&self, a: &State, b: &State) -> bool {
        a == b
    }
}

/// Whenever making it short is stopped, the violation is still there, with the shortest replay so far.
#[test]
fn a_violation_outlives_the_end_of_shortening() {
    let mut program = Tickets { impatient: Some(300), ..Tickets::new(3, 1000) };
    let options = Options { runs: Some(10), seed: 7, ..Options::new(model::Model::Rc11) };
    let outcome = fuzz(&mut program, &options, &Control::default()).expect("it has random runs");
    let shortened = |after: u64| {
        let (control, mut outcome) = (Control::default(), outcome.clone());
        let program = Stopping { program: program.clone(), control: &control, after, steps: 0.into() };
        shorten(&program, &options, &mut outcome, &control);
        let [violation] = &outcome.violations[..] else { panic!("{:?}", outcome.violations) };
        // Somebody is asked every few thousand events, and a thread may be asked a few hundred times whether it spins.
        let late = program.steps.load(Ordering::Relaxed).saturating_sub(after);
        assert!(after == u64::MAX || late < 10_000, "{late} steps after the end, at {after}");
        violation.clone()
    };
    let (found, whole) = (&outcome.violations[0], shortened(u64::MAX));
    assert_eq!(*found, shortened(0), "there is no time for anything");
    let mut last = found.steps;
    // Half of the effort is for other runs, which find nothing here.
    for after in [50_000, 2_300_000, 2_800_000] {
        let cut = shortened(after);
        assert_eq!((&cut.found, cut.seed, cut.events), (&found.found, found.seed, found.events));
        assert!(cut.replay.is_some() && cut.steps <= last && cut.steps >= whole.steps, "{after}: {cut:?}");
        last = cut.steps;
    }
    assert!(last < found.steps, "nothing was shorter than {last}");
}

/// A depth beyond the length of the program asks for no memory.
#[test]
fn any_depth_is_possible() {
    for depth in [0, 1, 2, u32::MAX] {
        let outcome = run(Tickets::new(2, 10), Strategy::Pct { depth }, model::Model::Rc11, 20);
        assert_eq!(outcome.numbers.complete, 20, "{depth}");
    }
}

/// So do more jobs than there are runs, or processors.
#[test]
fn any_number_of_jobs_is_possible() {
    for jobs in [0, 1, usize::MAX] {
        let options = Options { runs: Some(20), jobs, ..Options::new(model::Model::Rc11) };
        let outcome = fuzz(&mut Tickets::new(2, 10), &options, &Control::default());
        assert_eq!(outcome.expect("it has random runs").numbers.complete, 20, "{jobs}");
    }
}
