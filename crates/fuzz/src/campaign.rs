//! Many runs: seeds, workers, findings.
//!
//! Run number n (from 0) of a campaign with seed s is the run of seed s + n, whichever worker runs it: so a violation
//! is shown again by its own seed alone, and the report does not depend on the number of workers. A few runs with seeds
//! of their own, the same in every campaign, come first: they find out how many steps the threads make, which
//! strategies need, and how plain accesses have to be split.

use crate::choices::Choices;
use crate::coverage::{Coverage, Seen};
use crate::memory::Kept;
use crate::minimise::{Minimiser, Short};
use crate::outcome::{Numbers, Outcome, Standstill, StopReason, Violation};
use crate::psc;
use crate::run::{End, Found, Limits, PATIENCE, Run};
use crate::strategy::{Lengths, Strategy};
use crate::trail::Trail;
use base::ThreadId;
use model::{Cycles, GlobalAxiom, Model, Rules};
use program::{Checks, Conflict, Hint, Refinements, SectionOrder, Unmodelled};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The model, the strategy and the limits of a campaign.
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory model.
    pub model: Model,
    /// Which thread steps next.
    pub strategy: Strategy,
    /// The seed of the first run.
    pub seed: u64,
    /// How many runs; `None`: until the campaign is stopped.
    pub runs: Option<u64>,
    /// How many workers.
    pub jobs: usize,
    /// How many events a run may have.
    pub events: u64,
    /// How many writes of a location are kept at most, of those that can still be read.
    pub history: usize,
    /// From how many writes of a location on those are dropped that no thread can read any more. That changes no run.
    pub prune_from: usize,
    /// How many SC events of RC11 are ordered in every possible way, 64 at most; later ones are ordered as they come.
    pub sc_events: usize,
    /// Look for more violations after the first.
    pub keep_going: bool,
    /// Stop when hardly any new graph is to be expected.
    pub until_saturated: bool,
    /// The errors that are violations.
    pub checks: Checks,
}

impl Options {
    /// One worker, seed 0, for ever.
    pub fn new(model: Model) -> Options {
        Options {
            model,
            strategy: Strategy::Uniform,
            seed: 0,
            runs: None,
            jobs: 1,
            events: 100_000_000,
            history: 10_000,
            prune_from: 32,
            sc_events: psc::MOST,
            keep_going: false,
            until_saturated: false,
            checks: Checks::default(),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        let kept = Kept { few: self.prune_from, most: self.history.max(2), sc_events: self.sc_events };
        Limits { events: self.events, kept, checks: self.checks }
    }
}

/// The most workers that a campaign has, however many are asked for: some for each processor.
pub fn most_jobs() -> usize {
    4 * std::thread::available_parallelism().map_or(4, std::num::NonZero::get)
}

/// How a campaign is watched and stopped from outside.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    runs: AtomicU64,
    events: AtomicU64,
    graphs: AtomicU64,
    found: Mutex<Vec<Violation>>,
}

impl Control {
    /// The violations so far, by number of run: for a campaign that is ended before it returns an outcome.
    pub fn found(&self) -> Vec<Violation> {
        let mut found = self.found.lock().expect("no worker has panicked").clone();
        found.sort_by_key(|violation| violation.number);
        found
    }

    /// Ask the campaign to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// How many runs, events and graphs there are so far, about.
    pub fn progress(&self) -> (u64, u64, u64) {
        let [runs, events, graphs] =
            [&self.runs, &self.events, &self.graphs].map(|number| number.load(Ordering::Relaxed));
        (runs, events, graphs)
    }
}

/// The models that have random runs, those of languages first.
pub fn models() -> impl Iterator<Item = Model> {
    let mut models = Vec::from_iter(Model::CATALOGUE.into_iter().filter(|&model| rules_of(model).is_some()));
    models.sort_by_key(|model| (!model.rules().is_of_a_language(), model.rules().name));
    models.into_iter()
}

/// The rules of a model that has random runs: the readable writes follow from a `co` that is chosen on the way.
pub(crate) fn rules_of(model: Model) -> Option<&'static Rules> {
    let rules = model.rules();
    let is_known = matches!(rules.global, GlobalAxiom::None | GlobalAxiom::Psc | GlobalAxiom::Sc);
    (is_known && rules.has_co() && rules.cycles == Cycles::Forbidden).then_some(rules)
}

/// Run the program at random; `None` if the model has no random runs.
///
/// The program is refined where its runs require it.
pub fn fuzz<P: Hint + Clone + Send>(
    program: &mut P,
    options: &Options,
    control: &Control,
) -> Option<Outcome> {
    let rules = rules_of(options.model)?;
    let refinements = Refinements { sections: sections(program), ..Refinements::default() };
    let refused = program.refine(&refinements);
    debug_assert_eq!(refused, Ok(()), "one mutex is not too many");
    let (lengths, unmodelled) = (Lengths::default(), Vec::new());
    let campaign = Campaign { program, refinements, options, rules, control, lengths, unmodelled };
    Some(campaign.run())
}

/// How many runs are made before the first one.
const PILOTS: u64 = 3;
/// The first of their seeds, far from those that users choose.
const PILOT_SEED: u64 = 0x7468_7265_6164_6261;
/// A pilot need not be longer.
const PILOT_EVENTS: u64 = 100_000;

struct Campaign<'c, P> {
    program: &'c mut P,
    /// How the program is refined.
    refinements: Refinements,
    options: &'c Options,
    rules: &'static Rules,
    control: &'c Control,
    lengths: Lengths,
    /// What pilots have reached that is not modelled, if there is no time for other runs.
    unmodelled: Vec<Unmodelled>,
}

/// The state that the workers share.
struct Shared<'c> {
    next: AtomicU64,
    /// No run from this number on is needed.
    enough: AtomicU64,
    control: &'c Control,
    found: Mutex<Findings>,
}

#[derive(Default)]
struct Findings {
    numbers: Numbers,
    coverage: Coverage,
    violations: Vec<(u64, Found, u64)>,
    standstill: Option<Standstill>,
    stopped: Option<(u64, StopReason)>,
    /// What threads have reached that is not modelled, and the first run in which they have.
    unmodelled: BTreeMap<Unmodelled, u64>,
    conflicts: Vec<Conflict>,
}

impl<P: Hint + Clone + Send> Campaign<'_, P> {
    fn run(mut self) -> Outcome {
        if let Some(stopped) = self.pilots() {
            return Outcome::stopped(self.options.seed, stopped);
        }
        let shared = Shared {
            next: AtomicU64::new(0),
            enough: AtomicU64::new(self.options.runs.unwrap_or(u64::MAX)),
            control: self.control,
            found: Mutex::default(),
        };
        let workers: Vec<P> = (0..self.workers()).map(|_| self.program.clone()).collect();
        std::thread::scope(|scope| {
            for program in workers {
                let (shared, campaign) = (&shared, (self.options, self.rules, &self.lengths));
                let (refinements, seen) = (self.refinements.clone(), Seen::default());
                scope.spawn(move || Worker { program, refinements, campaign, shared, seen }.work());
            }
        });
        let findings = shared.found.into_inner().expect("no worker has panicked");
        self.conclude(findings)
    }

    /// As many workers as there are jobs for. More threads than can run at a time only take memory; results do not
    /// depend on their number.
    fn workers(&self) -> usize {
        let runs = self.options.runs.map_or(usize::MAX, |runs| usize::try_from(runs).unwrap_or(usize::MAX));
        self.options.jobs.min(runs).clamp(1, most_jobs())
    }

    /// Make the pilot runs and learn the lengths of threads. Returns a construct that is not modelled, if the program
    /// cannot be refined, or if there is no time left for a run that reaches it.
    fn pilots(&mut self) -> Option<StopReason> {
        let limits = Limits { events: PILOT_EVENTS.min(self.options.events), ..self.options.limits() };
        for number in 0..PILOTS {
            let seed = PILOT_SEED + number;
            loop {
                let choices = Choices::random(seed, Strategy::Uniform, &Lengths::default());
                let mut run = Run::new(&*self.program, self.rules, choices, limits);
                let end = run.run(&|| self.control.is_stopped());
                let events = run.memory.threads.iter().map(|thread| u64::from(thread.events));
                let lengths = Lengths { threads: events.collect() };
                if self.control.is_stopped() {
                    self.unmodelled.append(&mut run.unmodelled);
                }
                match end {
                    End::Conflict(conflict, thread) => {
                        match separate(self.program, &mut self.refinements, conflict) {
                            Ok(()) => continue,
                            Err(refusal) => return Some(refused(&conflict, refusal, thread)),
                        }
                    }
                    // There is no time for a run that reaches it.
                    End::Unsupported { message, site, thread } if self.control.is_stopped() => {
                        return Some(StopReason::Unsupported { message, site, thread });
                    }
                    _ => self.learn(lengths),
                }
                break;
            }
        }
        None
    }

    fn learn(&mut self, lengths: Lengths) {
        let all = self.lengths.threads.len().max(lengths.threads.len());
        self.lengths.threads.resize(all, 0);
        for (mine, new) in self.lengths.threads.iter_mut().zip(lengths.threads) {
            *mine = (*mine).max(new);
        }
    }

    fn conclude(mut self, mut findings: Findings) -> Outcome {
        for &conflict in &findings.conflicts {
            let _ = separate(self.program, &mut self.refinements, conflict);
        }
        findings.violations.sort_by_key(|&(run, ..)| run);
        let last = findings.stopped.as_ref().map_or(u64::MAX, |&(run, _)| run);
        findings.violations.retain(|&(run, ..)| run <= last);
        let mut last_run = u64::MAX;
        if !self.options.keep_going {
            findings.violations.truncate(1);
            last_run = findings.violations.first().map_or(last_run, |&(run, ..)| run);
        }
        let unmodelled = findings.unmodelled.into_iter().filter(|&(_, run)| run <= last_run);
        let mut unmodelled: Vec<Unmodelled> = unmodelled.map(|(it, _)| it).chain(self.unmodelled).collect();
        unmodelled.sort();
        unmodelled.dedup();
        let mut known: Vec<(program::FaultKind, base::Site)> = Vec::new();
        findings.violations.retain(|(_, found, _)| {
            let key = (found.kind, found.site);
            let new = !known.contains(&key);
            known.push(key);
            new
        });
        let violation = |(number, found, events)| unshortened(self.options, number, found, events);
        Outcome {
            seed: self.options.seed,
            numbers: findings.numbers,
            violations: findings.violations.into_iter().map(violation).collect(),
            standstill: findings.standstill,
            stopped: findings.stopped.map(|(_, reason)| reason),
            unmodelled,
            coverage: findings.coverage,
            lengths: self.lengths,
        }
    }
}

/// Make the violations of an outcome short, and give them replay strings. The program and the options are those of the
/// campaign, the program as the campaign has left it.
///
/// When it is stopped, a violation keeps the shortest replay so far, and one whose turn has not come keeps its seed
/// alone.
pub fn shorten<P: Hint>(program: &P, options: &Options, outcome: &mut Outcome, control: &Control) {
    let Some(rules) = rules_of(options.model) else { return };
    let is_stopped = || control.is_stopped();
    for violation in &mut outcome.violations {
        let choices = Choices::random(violation.seed, options.strategy, &outcome.lengths);
        let mut run = Run::new(program, rules, choices, options.limits());
        run.trail = Some(Box::new(Trail::with_text()));
        let end = run.run(&is_stopped);
        // Another end is possible only if runs before this one have split accesses that this one has not seen, or if
        // there is no time for the run.
        if matches!(&end, End::Violated(again) if *again == violation.found) {
            let (limits, found) = (options.limits(), &violation.found);
            let mut minimiser = Minimiser::new(program, rules, limits, &outcome.lengths, found, &is_stopped);
            let short = minimiser.minimise(Short::new(&mut run));
            violation.steps = short.events;
            let order = sections(program);
            let head = if order.is_empty() { String::new() } else { format!("s{}-", order.text()) };
            violation.replay = Some(head + &short.text);
        }
    }
}

/// All atomic sections exclude each other, if there are any.
fn sections<P: Hint>(program: &P) -> SectionOrder {
    if program.facts().has_sections { SectionOrder::total() } else { SectionOrder::default() }
}

/// Refine the program so that the accesses no longer conflict.
fn separate<P: Hint>(
    program: &mut P,
    refinements: &mut Refinements,
    conflict: Conflict,
) -> Result<(), program::Refusal> {
    refinements.conflicts.insert(conflict);
    program.refine(refinements)
}

fn refused(conflict: &Conflict, refusal: program::Refusal, thread: ThreadId) -> StopReason {
    let site = Some(refusal.site.unwrap_or(conflict.site));
    StopReason::Unsupported { message: refusal.message, site, thread }
}

struct Worker<'c, P> {
    program: P,
    refinements: Refinements,
    campaign: (&'c Options, &'static Rules, &'c Lengths),
    shared: &'c Shared<'c>,
    seen: Seen,
}

impl<P: Hint> Worker<'_, P> {
    fn work(&mut self) {
        loop {
            let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let enough = self.shared.enough.load(Ordering::Relaxed);
            if number >= enough || self.shared.control.is_stopped() {
                break;
            }
            self.run(number);
        }
        self.shared.found.lock().expect("no worker has panicked").coverage.merge(&self.seen);
    }

    fn run(&mut self, number: u64) {
        let (options, rules, lengths) = self.campaign;
        let seed = options.seed.wrapping_add(number);
        loop {
            let choices = Choices::random(seed, options.strategy, lengths);
            let mut run = Run::new(&self.program, rules, choices, options.limits());
            run.seen = Some(&mut self.seen);
            let shared = self.shared;
            let end = run.run(&|| {
                shared.control.events.fetch_add(PATIENCE, Ordering::Relaxed);
                shared.control.is_stopped() || number >= shared.enough.load(Ordering::Relaxed)
            });
            let done = Numbers {
                events: run.events,
                forgotten: run.memory.forgotten,
                kept: run.memory.locations.iter().map(|location| location.writes.len() as u64).sum(),
                ..Numbers::default()
            };
            let lengths: Vec<u32> = run.memory.threads.iter().map(|thread| thread.events).collect();
            let unmodelled = std::mem::take(&mut run.unmodelled);
            if let End::Conflict(conflict, thread) = end {
                match separate(&mut self.program, &mut self.refinements, conflict) {
                    Ok(()) => {
                        self.lock().conflicts.push(conflict);
                        continue;
                    }
                    Err(refusal) => return self.stop(number, refused(&conflict, refusal, thread)),
                }
            }
            if !unmodelled.is_empty() {
                let known = &mut self.lock().unmodelled;
                for it in unmodelled {
                    let first = known.entry(it).or_insert(number);
                    *first = number.min(*first);
                }
            }
            return self.note(number, end, done, &lengths);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Findings> {
        self.shared.found.lock().expect("no worker has panicked")
    }

    fn note(&mut self, number: u64, end: End, done: Numbers, lengths: &[u32]) {
        let (options, ..) = self.campaign;
        let shared = self.shared;
        let findings = &mut *shared.found.lock().expect("no worker has panicked");
        let numbers = &mut findings.numbers;
        numbers.events += done.events;
        numbers.forgotten += done.forgotten;
        numbers.kept = numbers.kept.max(done.kept);
        if end == End::Stopped {
            numbers.unfinished += 1;
            return;
        }
        numbers.runs += 1;
        findings.coverage.add(&mut self.seen, lengths.iter().copied());
        match end {
            End::Complete | End::Idle => numbers.complete += 1,
            End::Blocked => numbers.blocked += 1,
            End::Limit => numbers.cut += 1,
            End::Spinning(spinning) => {
                numbers.stuck += 1;
                if findings.standstill.as_ref().is_none_or(|earlier| number < earlier.number) {
                    let seed = options.seed.wrapping_add(number);
                    findings.standstill = Some(Standstill { number, seed, spinning });
                }
            }
            End::Violated(found) => {
                let violation = unshortened(options, number, found.clone(), done.events);
                shared.control.found.lock().expect("no worker has panicked").push(violation);
                findings.violations.push((number, found, done.events));
                if !options.keep_going {
                    shared.enough.fetch_min(number, Ordering::Relaxed);
                }
            }
            End::Unsupported { message, site, thread } => {
                let reason = StopReason::Unsupported { message, site, thread };
                note_stop(findings, shared, number, reason);
            }
            End::Conflict(..) | End::Over | End::Stopped => unreachable!("random runs do not end so"),
        }
        if options.until_saturated && findings.coverage.is_saturated() {
            shared.enough.fetch_min(number, Ordering::Relaxed);
        }
        shared.control.runs.store(findings.numbers.runs, Ordering::Relaxed);
        shared.control.events.store(findings.numbers.events, Ordering::Relaxed);
        shared.control.graphs.store(findings.coverage.graphs(), Ordering::Relaxed);
    }

    fn stop(&self, number: u64, reason: StopReason) {
        note_stop(&mut self.lock(), self.shared, number, reason);
    }
}

/// A violation as it was found, not yet shortened.
fn unshortened(options: &Options, number: u64, found: Found, events: u64) -> Violation {
    let seed = options.seed.wrapping_add(number);
    Violation { found, number, seed, events, steps: events, replay: None }
}

/// A run has reached a construct that is not modelled: no run after it is needed. The earliest one is reported.
fn note_stop(findings: &mut Findings, shared: &Shared<'_>, number: u64, reason: StopReason) {
    if findings.stopped.as_ref().is_none_or(|&(earlier, _)| number < earlier) {
        findings.stopped = Some((number, reason));
    }
    shared.enough.fetch_min(number, Ordering::Relaxed);
}
