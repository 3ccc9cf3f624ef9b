//! The search for executions with cycles, from those that have a load-buffering race.

use crate::cores::{self, Cores, Reached};
use crate::guided::{Guided, Plan, State, is_on_plan};
use crate::heuristic;
use crate::potential::Potential;
use crate::rebuild::rebuild;
use crate::rerun::Rerun;
use crate::sources::{Sources, active_threads};
use crate::{Search, keeping_failures, unsupported};
use base::{EventId, Site, ThreadId};
use explore::outcome::{Justification, Outcome, StopReason, Unmodelled, Violation, ViolationPlace};
use explore::{Control, Ending, Observer, Options, View, explore_up_to_co};
use graph::ExecutionGraph;
use model::{Relations, races, rc11, xmm};
use program::{FaultKind, Hint};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The search.
pub(crate) struct Cycles<'a, P: Hint> {
    program: &'a P,
    search: Search,
    options: Options,
    keep_going: bool,
    control: &'a Control,
    observer: &'a mut dyn Observer<P::State>,
    potential: Option<&'a Potential>,
    threads: usize,
    sources: Sources,
    outcome: Outcome,
    /// The executions that were found, if the heuristic is to be asked first.
    held: Vec<(ExecutionGraph, Arc<Justification>)>,
    /// The violations that were reported already.
    known: BTreeSet<(FaultKind, Vec<Site>)>,
}

impl<'a, P: Hint> Cycles<'a, P> {
    pub(crate) fn new(
        program: &'a P,
        (search, options): (Search, &Options),
        control: &'a Control,
        observer: &'a mut dyn Observer<P::State>,
        potential: Option<&'a Potential>,
        threads: usize,
        (sources, outcome): (Sources, Outcome),
    ) -> Self {
        let keep_going = options.keep_going;
        let options = Options {
            keep_going: true,
            keep_example: false,
            count_duplicates: false,
            reductions: keeping_failures(options.reductions),
            ..options.clone()
        };
        let known = BTreeSet::new();
        Cycles {
            program,
            search,
            options,
            keep_going,
            control,
            observer,
            potential,
            threads,
            sources,
            outcome,
            held: Vec::new(),
            known,
        }
    }

    /// The outcome of RC11's explorer with all executions that re-execution adds.
    pub(crate) fn run(mut self) -> Outcome {
        let of_rc11 = match self.search {
            Search::Heuristic => self.sources.graphs(),
            Search::Complete => Vec::new(),
        };
        let (mut cores, mut seen) = (Cores::default(), BTreeSet::new());
        while !self.is_over() {
            self.find_cores(&mut cores, &mut seen);
            let reached = cores.newly_reached(&self.sources);
            if reached.is_empty() {
                break;
            }
            if self.potential.is_some_and(|potential| !potential.is_exact()) {
                // The potential is about the first execution with a cycle only.
                self.potential = None;
                self.sources.refresh();
                seen.clear();
            }
            for reached in &reached {
                if !self.is_over() {
                    self.extend(reached);
                }
            }
        }
        if self.search == Search::Heuristic {
            self.release(&of_rc11);
            self.outcome.stop(unsupported("the heuristic of the thesis does not find all executions"));
        }
        self.outcome.executions.duplicate += cores.duplicates;
        self.outcome
    }

    /// Report those of the executions that were found which the heuristic finds, too.
    fn release(&mut self, of_rc11: &[ExecutionGraph]) {
        let held = std::mem::take(&mut self.held);
        let graphs: Vec<ExecutionGraph> = held.iter().map(|(graph, _)| graph.clone()).collect();
        let found = heuristic::found(of_rc11, &graphs);
        for ((graph, why), _) in held.into_iter().zip(found).filter(|(_, found)| *found) {
            let relations = Relations::of(&graph);
            self.tell(graph, &relations, why);
        }
    }

    fn find_cores(&mut self, cores: &mut Cores, seen: &mut BTreeSet<Vec<crate::promise::Promise>>) {
        let Some(sets) = self.sources.fresh_promises(self.potential, self.threads, seen) else {
            let message = "more load-buffering races than can be searched for cycles under XMM";
            return self.outcome.stop(unsupported(message));
        };
        for promises in sets {
            if self.is_over() {
                return;
            }
            let active = active_threads(&promises, self.potential, self.threads);
            let (potential, options) = (self.potential, &self.options);
            let outcome = cores.find(self.program, &promises, potential, &active, options, self.control);
            self.absorb(outcome);
        }
    }

    /// Whether nothing more is to be explored. Also looks at the clock: an exploration may be too short to do so.
    fn is_over(&mut self) -> bool {
        if let Some(cut) = self.control.cut() {
            self.outcome.stop(cut.into());
        }
        self.outcome.is_cut_short() || (!self.outcome.violations.is_empty() && !self.keep_going)
    }

    /// Note in the outcome that an exploration of a guided program was cut short, or found errors that are not
    /// modelled.
    fn absorb(&mut self, guided: Outcome) {
        self.outcome.rely_on(&guided);
        // Races are looked for, and deadlocks, in the graph of the program itself; faults of threads, too.
        if let Some(violation) = guided.violations.iter().find(|violation| is_about_memory(violation)) {
            let message = format!(
                "{} may be reached in an execution with a cycle in po ∪ rf: memory errors there are not modelled",
                violation.kind.code()
            );
            let place = violation.places.first();
            let site = place.map(|place| place.site);
            let thread = place.map_or(ThreadId::MAIN, |place| place.thread);
            self.outcome.stop(StopReason::Unsupported { message, site, thread });
        }
    }

    /// All executions with this core.
    fn extend(&mut self, reached: &Reached) {
        let plan = Plan::Core { core: &reached.core, promised: &reached.promised };
        let mut guided = Guided { program: self.program, plan };
        let mut extender = Extender { core: &reached.core, found: Vec::new() };
        let outcome = explore_up_to_co(&mut guided, &rc11::RULES, &self.options, self.control, &mut extender);
        self.absorb(outcome);
        for (graph, relations) in extender.found {
            if !self.is_over() {
                self.found(graph, &relations, reached);
            }
        }
    }

    /// A consistent graph that has the core.
    fn found(&mut self, graph: ExecutionGraph, relations: &Relations, reached: &Reached) {
        let why = reached.justification.clone();
        self.sources.add(graph.clone(), Some(why.clone()));
        match self.search {
            Search::Complete => self.tell(graph, relations, why),
            Search::Heuristic => self.held.push((graph, why)),
        }
    }

    /// Count an execution with a cycle, show it, and look for errors in it.
    fn tell(&mut self, graph: ExecutionGraph, relations: &Relations, why: Arc<Justification>) {
        let Some(rerun) = Rerun::of(self.program, graph, why) else {
            let message = "a question for the size of an object in an execution with a cycle in po ∪ rf: this is \
                           not modelled";
            self.outcome.stop(unsupported(message));
            return;
        };
        let ending = rerun.ending();
        self.outcome.add_execution(rerun.is_over(), rerun.main_has_finished());
        if self.observer.wants_graphs() {
            self.observer.execution(ending, &rerun);
        }
        self.check(&rerun, relations, ending);
    }

    fn check(&mut self, rerun: &Rerun<P::State>, relations: &Relations, ending: Ending) {
        if let Some((thread, site, refusal)) = rerun.refusal() {
            let (site, message) = (refusal.site.unwrap_or(site), refusal.message.clone());
            let reached = vec![Unmodelled { site, message, thread }];
            self.outcome.stop(StopReason::Unmodelled { reached, also: None });
        }
        for (thread, site, fault) in rerun.faults() {
            let place = ViolationPlace { thread, event: None, site, role: "here".to_owned() };
            self.report(rerun, fault.kind, fault.message.clone(), vec![place]);
        }
        for (first, second) in races::races(relations, &rc11::hb(relations)) {
            let place = |event: EventId| {
                let (site, role) =
                    (rerun.site(event).expect("every event has a site"), rerun.describe(event));
                ViolationPlace { thread: event.thread, event: Some(event), site, role }
            };
            let message = format!("{} races with {}", rerun.describe(first), rerun.describe(second));
            self.report(rerun, FaultKind::DataRace, message, vec![place(first), place(second)]);
        }
        if ending == Ending::Deadlock && !rerun.main_has_finished() {
            let message = "every unfinished thread waits".to_owned();
            self.report(rerun, FaultKind::Deadlock, message, rerun.waiting());
        }
    }

    fn report(
        &mut self,
        rerun: &Rerun<P::State>,
        kind: FaultKind,
        message: String,
        places: Vec<ViolationPlace>,
    ) {
        let mut sites: Vec<Site> = places.iter().map(|place| place.site).collect();
        sites.sort_unstable();
        let reported = |violation: &Violation| {
            let mut others: Vec<Site> = violation.places.iter().map(|place| place.site).collect();
            others.sort_unstable();
            violation.kind == kind && others == sites
        };
        if self.outcome.violations.iter().any(reported) || !self.known.insert((kind, sites.clone())) {
            return;
        }
        let number = self.outcome.executions.total();
        let violation =
            Violation { kind, message, places, execution: rerun.execution(), number, replay: String::new() };
        self.control.note(&violation);
        self.outcome.violations.push(violation);
    }
}

/// Whether it is about objects rather than accesses. The initialisation of an object is no access.
fn is_about_memory(violation: &Violation) -> bool {
    let is_access = |place: &ViolationPlace| {
        place
            .event
            .is_some_and(|e| violation.execution.graph.label(e).is_some_and(|label| label.at().is_some()))
    };
    match violation.kind {
        FaultKind::DataRace => !violation.places.iter().all(is_access),
        FaultKind::Deadlock | FaultKind::Liveness => false,
        _ => true,
    }
}

/// Takes the graphs of a guided program that have its core. (They are looked at afterwards: the exploration may start
/// again.)
struct Extender<'a> {
    core: &'a ExecutionGraph,
    found: Vec<(ExecutionGraph, Relations)>,
}

impl<S> Observer<State<S>> for Extender<'_> {
    fn start(&mut self) {
        self.found.clear();
    }

    fn execution(&mut self, _: Ending, view: &dyn View<State<S>>) {
        if !is_on_plan(view) {
            return;
        }
        let core = self.core;
        let graph = rebuild(view).with_sources_of(core);
        let length = |thread: usize| core.threads.get(thread).map_or(0, |labels| labels.len() as u32);
        let keep: Vec<u32> = (0..graph.threads.len()).map(length).collect();
        let has_core = keep.len() >= core.threads.len()
            && keep.iter().zip(&graph.threads).all(|(&length, labels)| labels.len() >= length as usize)
            && is_closed(&graph, &keep)
            && cores::cut(&graph, &keep) == *core;
        if !has_core {
            return;
        }
        let relations = Relations::of(&graph);
        if xmm::consistent(&relations) {
            self.found.push((graph, relations));
        }
    }
}

/// Whether these first events of the threads read only from these first events.
fn is_closed(graph: &ExecutionGraph, keep: &[u32]) -> bool {
    let kept = |e: EventId| e.index < keep[e.thread.index()];
    graph.rf.iter().filter(|&(&read, _)| kept(read)).all(|(_, &source)| match source {
        graph::Source::Init => true,
        graph::Source::Event(write) => kept(write),
    })
}
