//! Running a test: every execution explored, and its final states counted.
//!
//! Executions are counted up to `rf` and `co`, as herd counts them. Under a model without `co` an execution leaves open
//! which of several unordered writes was the last: it gives one state per possibility. Blocked executions (a loop that
//! `--unroll` cut, a weak compare-exchange that was meant to succeed and could not) are no states, and neither are those
//! that end with a fault other than a race.

use crate::condition::Quantifier;
use crate::lower::{Observed, ValueSource};
use crate::state::{State, Value, Variable};
use crate::syntax::InitValue;
use crate::test::Test;
use base::{Access, Site, ThreadId};
use engine::{
    Control, Ending, Execution, Job, Model, Observer, Options, Outcome, PartObserver, View, XmmSearch,
};
use program::FaultKind;
use report::{SiteInfo, SourceMap};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use vm::{Machine, ThreadState};

/// What a run found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The final states of the variables that are shown, sorted, and how many executions end in each.
    pub states: BTreeMap<State, u64>,
    /// How many executions end in a state of which the proposition holds.
    pub holds: u64,
    /// How many end in another one.
    pub fails: u64,
    /// What the exploration says: verdict, counts, races and other faults. If it was stopped, the states are not all
    /// there are.
    pub outcome: Outcome,
    /// An execution that decides the condition, if there is one and it was asked for: one of which the proposition holds,
    /// or, if it should hold of all, one of which it does not.
    pub witness: Option<Execution>,
    machine: Machine,
}

/// What is remembered of the executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// How many end in which state.
    Counts,
    /// Also one for each state, of which the answer has the [`Answer::witness`].
    Witness,
}

impl Test {
    /// Explores every execution under a model. `options` may bound the iterations of each loop.
    pub fn run(&self, model: Model, options: vm::Options, control: &Control) -> Answer {
        self.run_by(model, (XmmSearch::Complete, 1), Keep::Counts, options, control)
    }

    /// The same; under XMM with this search, and by so many explorers.
    pub fn run_by(
        &self,
        model: Model,
        (xmm, jobs): (XmmSearch, usize),
        keep: Keep,
        options: vm::Options,
        control: &Control,
    ) -> Answer {
        let job = job(model, xmm);
        let job = Job { options: Options { jobs, ..job.options }, ..job };
        let mut collector =
            Collector::new(&self.lowered.observed, self.machine_for(&job, options.clone()), keep);
        let outcome = engine::explore(&mut self.machine_for(&job, options), &job, control, &mut collector);
        self.answer(collector, outcome)
    }

    /// The same for somebody who wants to see the executions.
    pub fn watch(
        &self,
        model: Model,
        options: vm::Options,
        control: &Control,
        observer: &mut dyn Observer<ThreadState>,
    ) -> Outcome {
        let job = job(model, XmmSearch::Complete);
        engine::explore(&mut self.machine_for(&job, options), &job, control, observer)
    }

    fn machine_for(&self, job: &Job, options: vm::Options) -> Machine {
        let vm::Options { has_co, whole_rounds, .. } = job.machine_options();
        self.machine(vm::Options { has_co, whole_rounds, ..options })
    }

    /// The program that the test is: `main` creates a thread for every process and finishes.
    pub fn machine(&self, options: vm::Options) -> Machine {
        Machine::new(self.lowered.module.clone(), options)
            .unwrap_or_else(|error| unreachable!("the lowering makes well-formed bytecode: {error}"))
    }

    fn answer(&self, collector: Collector, outcome: Outcome) -> Answer {
        let (filter, condition) = self.resolved();
        let observed = &self.lowered.observed;
        let Collector { counts, program, .. } = collector;
        let machine = program.machine.clone();
        let (states, witness) = (BTreeMap::new(), None);
        let mut answer = Answer { states, holds: 0, fails: 0, outcome, witness, machine };
        for (bits, Ended { count, example }) in counts {
            let decode =
                |(bits, known): (&u64, &Observed)| Value::decode(*bits, &known.declared, &answer.machine);
            let state: State = bits.iter().zip(observed).map(decode).collect();
            let value = |variable: &Variable| {
                let index = observed.binary_search_by(|known| known.variable.cmp(variable));
                state[index.expect("every variable of a condition is observed")].clone()
            };
            if filter.as_ref().is_some_and(|filter| !filter.holds(&value)) {
                continue;
            }
            let holds = condition.proposition.holds(&value);
            *(if holds { &mut answer.holds } else { &mut answer.fails }) += count;
            if holds != (self.quantifier() == Quantifier::Forall) {
                answer.witness = answer.witness.or(example);
            }
            let shown: State = self.lowered.shown.iter().map(|&index| state[index].clone()).collect();
            *answer.states.entry(shown).or_default() += count;
        }
        answer
    }
}

/// All violations, and all states.
fn job(model: Model, xmm: XmmSearch) -> Job {
    let job = Job::new(model);
    Job { options: Options { keep_going: true, ..job.options }, xmm, ..job }
}

impl Answer {
    /// Whether the proposition held `Never`, `Sometimes` or `Always`.
    pub fn observation(&self) -> &'static str {
        match (self.holds, self.fails) {
            (0, _) => "Never",
            (_, 0) => "Always",
            _ => "Sometimes",
        }
    }

    /// What is wrong with executions: `race`, or the code of another fault. Sorted.
    pub fn flags(&self) -> BTreeSet<&'static str> {
        let flag = |kind: FaultKind| if kind == FaultKind::DataRace { "race" } else { kind.code() };
        self.outcome.violations.iter().map(|violation| flag(violation.kind)).collect()
    }
}

/// Counts final states, as bits: what they mean is found out once for each, in the end.
#[derive(Debug)]
struct Collector {
    program: Arc<Watched>,
    counts: BTreeMap<Vec<u64>, Ended>,
    keep: Keep,
}

/// What is watched of the program.
#[derive(Debug)]
struct Watched {
    observed: Vec<Observed>,
    /// Where the locations are.
    accesses: Vec<Option<Access>>,
    /// To read finished threads with: the explored one is busy.
    machine: Machine,
}

/// The executions that end in one state.
#[derive(Debug, Default)]
struct Ended {
    count: u64,
    example: Option<Execution>,
}

impl Collector {
    fn new(observed: &[Observed], machine: Machine, keep: Keep) -> Collector {
        let access = |known: &Observed| match known.source {
            ValueSource::Returned { .. } => None,
            ValueSource::Memory { global, .. } => {
                let address = machine.global_address(global).expect("a location is a global");
                Some(Access { address, size: known.declared.size() })
            }
        };
        let accesses = observed.iter().map(access).collect();
        let program = Watched { observed: observed.to_vec(), accesses, machine };
        Collector { program: Arc::new(program), counts: BTreeMap::new(), keep }
    }
}

impl Watched {
    /// What the variable may hold in the end.
    fn values(&self, index: usize, execution: &dyn View<ThreadState>) -> Vec<u64> {
        match &self.observed[index].source {
            ValueSource::Returned { thread, index } => {
                let state = execution.state(ThreadId(*thread as u32 + 1)).expect("every process is a thread");
                let returned =
                    self.machine.returned(state).expect("every thread of a complete execution returned");
                vec![returned[*index]]
            }
            ValueSource::Memory { init, .. } => {
                let at = self.accesses[index].expect("a location has an address");
                let mut values = execution.last_values(at);
                if values.is_empty() {
                    values.push(self.initial(init, at.size));
                }
                values
            }
        }
    }

    fn initial(&self, init: &InitValue, size: u8) -> u64 {
        match init {
            InitValue::Number(number) => base::truncate(*number as u64, size),
            InitValue::Address(name) => {
                let globals = &self.machine.module().globals;
                let index = globals.iter().position(|global| global.name == *name).expect("a location");
                let id = vm::bytecode::GlobalId(index as u32);
                self.machine.global_address(id).expect("a location is a global")
            }
        }
    }
}

impl Observer<ThreadState> for Collector {
    fn start(&mut self) {
        self.counts.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        if ending != Ending::Complete {
            return;
        }
        let observed = self.program.observed.len();
        let mut states = vec![Vec::with_capacity(observed)];
        for index in 0..observed {
            let values = self.program.values(index, execution);
            let all = states.iter().flat_map(|state: &Vec<u64>| {
                values.iter().map(move |&value| state.iter().copied().chain([value]).collect())
            });
            states = all.collect();
        }
        for state in states {
            let ended = self.counts.entry(state).or_default();
            if ended.example.is_none() && self.keep == Keep::Witness {
                ended.example = Some(execution.execution());
            }
            ended.count += 1;
        }
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<ThreadState>>> {
        let (program, keep) = (Arc::clone(&self.program), self.keep);
        Some(Box::new(Collector { program, counts: BTreeMap::new(), keep }))
    }

    fn append(&mut self, part: Box<dyn Any>) {
        let part: Box<Collector> = part.downcast().expect("it was made here");
        for (state, Ended { count, example }) in part.counts {
            let ended = self.counts.entry(state).or_default();
            ended.count += count;
            ended.example = ended.example.take().or(example);
        }
    }
}

/// The way back from the engine to the test.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    test: &'a Test,
    machine: &'a Machine,
}

impl<'a> Sources<'a> {
    /// Of a run of this test.
    pub fn new(test: &'a Test, answer: &'a Answer) -> Sources<'a> {
        Sources { test, machine: &answer.machine }
    }
}

impl SourceMap for Sources<'_> {
    fn site(&self, site: Site) -> SiteInfo {
        self.machine.site_info(site).cloned().unwrap_or_default()
    }

    fn address(&self, address: u64) -> Option<String> {
        self.machine.describe_address(address)
    }

    fn line(&self, file: &str, line: u32) -> Option<String> {
        (file == self.test.file()).then(|| self.test.line(line).map(str::to_owned)).flatten()
    }
}
