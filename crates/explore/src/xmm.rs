//! XMM: the executions of RC11, and those with cycles that can be justified.
//!
//! Implements: \[XMM\] chapter 5 in the reading of [`model::xmm`], complete where algorithm 2 of the thesis is a heuristic.
//! 1. If no cycle is possible, whatever the threads read (`potential`), this is RC11 and costs nothing more.
//! 2. RC11's explorer finds the executions without cycles. Those with a load-buffering race are *sources*.
//! 3. What the reads of other threads' writes read in a source can be *promised* (`promise`). With promises, RC11's
//!    explorer runs the program again (`guided`): the promised reads do not wait for their writers. Where the writers
//!    come, the graph has a cycle, and its *core* is kept (`cores`).
//! 4. A core can be reached if one of its smallest committed sets is embedded in a source ([`model::xmm::patterns`]).
//! 5. From a core that can be reached, RC11's explorer finds the executions that go on from there, each once. They may be
//!    sources in turn: back to 3, until nothing is new.
//!
//! Each execution comes out once: without cycles from RC11's explorer, with cycles from its core, of which it has one.
//! Cores may be found several times; that is counted as duplicates.
//!
//! Not modelled: threads that created threads create, memory errors that are found in executions with cycles only as far
//! as the program itself reports them (others end without a verdict), replay.
//! Cost: one exploration for every set of promises that may be smallest, and one for every core.

mod cores;
mod guided;
mod potential;
mod promise;
mod rebuild;
mod rerun;
mod sources;

use crate::outcome::{Outcome, StopReason, Verdict, Violation, ViolationPlace};
use crate::run::explore_in;
use crate::{Control, Ending, Observer, Options, View};
use base::{EventId, ThreadId};
use cores::Cores;
use graph::{ExecutionGraph, Label};
use guided::{Guided, Plan, State};
use model::{Equivalence, Rc11, Relations, races, rc11, xmm};
use potential::Potential;
use program::{FaultKind, Program};
use rerun::Rerun;
use sources::Sources;
use std::collections::BTreeSet;

/// Explore every execution of the program under XMM.
pub fn explore<P: Program>(program: &mut P, options: &Options) -> Outcome {
    explore_with(program, options, &Control::new(), &mut ())
}

/// The same, watched.
pub fn explore_with<P: Program>(
    program: &mut P,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    let options = &Options { equivalence: Equivalence::Co, ..options.clone() };
    let potential = Potential::of(&*program);
    if potential.as_ref().is_some_and(|potential| !potential.has_cycle()) {
        return explore_in::<P, Rc11>(program, options, control, observer);
    }
    let mut collector =
        Collector { observer, sources: Sources::default(), threads: 0, has_grandchildren: false };
    let outcome = explore_in::<P, Rc11>(program, options, control, &mut collector);
    let Collector { mut sources, threads, has_grandchildren, .. } = collector;
    let is_over = outcome.stopped.is_some() || (outcome.verdict == Verdict::Violated && !options.keep_going);
    if is_over || sources.is_empty() {
        return outcome;
    }
    if has_grandchildren {
        return refuse(outcome, "load-buffering races in a program whose created threads create threads");
    }
    let drop_blocked = outcome.executions.blocked == 0;
    if !drop_blocked {
        // Blocked executions that are of no interest as such may still be sources.
        let all = Options { drop_blocked, keep_going: true, ..options.clone() };
        let mut collector = Collector {
            observer: &mut (),
            sources: Sources::default(),
            threads: 0,
            has_grandchildren: false,
        };
        explore_in::<P, Rc11>(program, &all, control, &mut collector);
        sources = collector.sources;
    }
    let cycles = Cycles {
        program: &*program,
        options: Options { keep_going: true, drop_blocked, ..options.clone() },
        keep_going: options.keep_going,
        control,
        observer,
        potential: potential.as_ref(),
        threads,
        sources,
        outcome,
        known: BTreeSet::new(),
    };
    cycles.run()
}

fn refuse(mut outcome: Outcome, what: &str) -> Outcome {
    let message = format!("{what}: this is not modelled under XMM");
    stop(&mut outcome, StopReason::Unsupported { message, site: None, thread: ThreadId::MAIN });
    outcome
}

fn stop(outcome: &mut Outcome, reason: StopReason) {
    if outcome.violations.is_empty() {
        outcome.verdict = Verdict::Inconclusive(reason.clone());
    }
    outcome.stopped.get_or_insert(reason);
}

/// Hands executions on, and keeps those that are sources.
struct Collector<'a, S> {
    observer: &'a mut dyn Observer<S>,
    sources: Sources,
    threads: usize,
    has_grandchildren: bool,
}

impl<S> Observer<S> for Collector<'_, S> {
    fn start(&mut self) {
        self.sources = Sources::default();
        self.observer.start();
    }

    fn execution(&mut self, ending: Ending, view: &dyn View<S>) {
        let graph = view.graph();
        self.threads = self.threads.max(graph.threads.len());
        let creates = |labels: &Vec<Label>| labels.iter().any(|label| matches!(label, Label::Create(_)));
        self.has_grandchildren |= graph.threads.iter().skip(1).any(creates);
        self.sources.add(&graph);
        if self.observer.wants_graphs() {
            self.observer.execution(ending, view);
        }
    }
}

/// The search for executions with cycles.
struct Cycles<'a, P: Program> {
    program: &'a P,
    options: Options,
    keep_going: bool,
    control: &'a Control,
    observer: &'a mut dyn Observer<P::State>,
    potential: Option<&'a Potential>,
    threads: usize,
    sources: Sources,
    outcome: Outcome,
    /// What was reported already.
    known: BTreeSet<(FaultKind, Vec<base::Site>)>,
}

impl<P: Program> Cycles<'_, P> {
    fn run(mut self) -> Outcome {
        let (mut cores, mut seen) = (Cores::default(), BTreeSet::new());
        while !self.is_over() {
            for promises in self.sources.fresh_promises(self.potential, &mut seen) {
                let stopped = cores.find(self.program, &promises, self.potential, self.threads, self.control);
                if let Some(reason) = stopped {
                    stop(&mut self.outcome, reason);
                }
                if self.is_over() {
                    break;
                }
            }
            let reached = cores.newly_reached(&self.sources);
            if reached.is_empty() {
                break;
            }
            for (core, promised) in reached {
                if !self.is_over() {
                    self.extend(&core, &promised);
                }
            }
        }
        self.outcome.executions.duplicate += cores.duplicates;
        self.outcome
    }

    fn is_over(&self) -> bool {
        self.outcome.stopped.is_some() || (!self.outcome.violations.is_empty() && !self.keep_going)
    }

    /// All executions with this core.
    fn extend(&mut self, core: &ExecutionGraph, promised: &[EventId]) {
        let mut guided = Guided { program: self.program, plan: Plan::Core { core, promised } };
        let (options, control) = (self.options.clone(), self.control);
        let mut extender = Extender { cycles: self, core };
        let outcome = explore_in::<_, Rc11>(&mut guided, &options, control, &mut extender);
        if let Some(reason) = outcome.stopped {
            stop(&mut self.outcome, reason);
        }
        let is_memory = |violation: &&Violation| {
            !matches!(violation.kind, FaultKind::DataRace | FaultKind::Deadlock | FaultKind::Assertion)
        };
        if let Some(violation) = outcome.violations.iter().find(is_memory) {
            let message = format!(
                "{} may be reached in an execution with a cycle in po ∪ rf: memory errors there are not modelled",
                violation.kind.code()
            );
            let place = violation.places.first();
            let site = place.map(|place| place.site);
            let thread = place.map_or(ThreadId::MAIN, |place| place.thread);
            stop(&mut self.outcome, StopReason::Unsupported { message, site, thread });
        }
    }

    /// A consistent graph that has the core.
    fn found(&mut self, graph: ExecutionGraph, relations: &Relations) {
        self.sources.add(&graph);
        let Some(rerun) = Rerun::of(self.program, graph) else {
            self.outcome = refuse(self.outcome.clone(), "a question for the size of an object");
            return;
        };
        let ending = rerun.ending();
        match ending {
            Ending::Complete => self.outcome.executions.complete += 1,
            Ending::Blocked | Ending::Deadlock => self.outcome.executions.blocked += 1,
        }
        if self.observer.wants_graphs() {
            self.observer.execution(ending, &rerun);
        }
        self.check(&rerun, relations);
    }

    fn check(&mut self, rerun: &Rerun<P::State>, relations: &Relations) {
        if let Some((thread, site, refusal)) = rerun.refusal() {
            let reason = StopReason::Unsupported {
                message: refusal.message.clone(),
                site: Some(refusal.site.unwrap_or(site)),
                thread,
            };
            stop(&mut self.outcome, reason);
        }
        for (thread, site, fault) in rerun.faults() {
            let place = ViolationPlace { thread, event: None, site, role: "here".to_owned() };
            self.report(rerun, fault.kind, fault.message.clone(), vec![place]);
        }
        for (first, second) in races::races(relations, &rc11::hb(relations)) {
            let place = |event: EventId, role: &str| {
                let site = rerun.site(event).expect("every event has a site");
                ViolationPlace { thread: event.thread, event: Some(event), site, role: role.to_owned() }
            };
            let places = vec![place(first, "this access"), place(second, "this access")];
            let message = "two accesses race in an execution with a cycle".to_owned();
            self.report(rerun, FaultKind::DataRace, message, places);
        }
    }

    fn report(
        &mut self,
        rerun: &Rerun<P::State>,
        kind: FaultKind,
        message: String,
        places: Vec<ViolationPlace>,
    ) {
        let mut sites: Vec<base::Site> = places.iter().map(|place| place.site).collect();
        sites.sort_unstable();
        if !self.known.insert((kind, sites)) {
            return;
        }
        let executions = self.outcome.executions;
        let number = executions.complete + executions.blocked;
        let violation =
            Violation { kind, message, places, execution: rerun.execution(), number, replay: String::new() };
        self.outcome.verdict = Verdict::Violated;
        self.outcome.violations.push(violation);
    }
}

/// Takes the graphs of a guided program that have its core.
struct Extender<'a, 'b, P: Program> {
    cycles: &'a mut Cycles<'b, P>,
    core: &'a ExecutionGraph,
}

impl<P: Program> Observer<State<P::State>> for Extender<'_, '_, P> {
    fn execution(&mut self, _: Ending, view: &dyn View<State<P::State>>) {
        if self.cycles.is_over() {
            return;
        }
        let rebuilt = rebuild::rebuild(view);
        let graph = rebuilt.with_sources_of(self.core);
        let length = |thread: usize| self.core.threads.get(thread).map_or(0, |labels| labels.len() as u32);
        let keep: Vec<u32> = (0..graph.threads.len()).map(length).collect();
        let has_core = keep.len() >= self.core.threads.len()
            && keep.iter().zip(&graph.threads).all(|(&length, labels)| labels.len() >= length as usize)
            && is_closed(&graph, &keep)
            && cores::cut(&graph, &keep) == *self.core;
        if !has_core {
            return;
        }
        let relations = Relations::of(&graph);
        if xmm::consistent(&relations) {
            self.cycles.found(graph, &relations);
        }
    }
}

/// Do the first events of the threads read from the first events of the threads?
fn is_closed(graph: &ExecutionGraph, keep: &[u32]) -> bool {
    let kept = |e: EventId| e.index < keep[e.thread.index()];
    graph.rf.iter().filter(|&(&read, _)| kept(read)).all(|(_, &source)| match source {
        graph::Source::Init => true,
        graph::Source::Event(write) => kept(write),
    })
}
