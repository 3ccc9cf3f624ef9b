//! From a run with a violation to a shorter one with the same violation.
//!
//! These are tried, in this order: other random runs with few changes from thread to thread (*pct*), which must be
//! shorter; leaving out the rounds of loops that wait; leaving out the steps of one thread; delta debugging (\[DD\],
//! ddmin) on the list of decisions: parts of the list are left out, half of it first, then ever smaller ones, and
//! decisions that are not possible any more are skipped. A list is kept if it leads to the same violation. The
//! remaining choices are then made simpler: the newest write, the end of `co`.
//!
//! The effort is bounded by a number of events, not by a clock, so that the result is always the same. A caller without
//! time for that stops it, and gets the shortest run so far; that is why every attempt writes its replay string on the
//! way.

use crate::choices::{Choices, Decision};
use crate::run::{End, Found, Limits, Run};
use crate::strategy::{Lengths, Strategy};
use crate::trail::Trail;
use model::Rules;
use program::Hint;

/// How many events the search for a shorter run may take: a few seconds.
const EFFORT: u64 = 4_000_000;
/// How many runs with few changes of threads are tried.
const SEEDS: u64 = 2000;

/// A run with a violation.
#[derive(Debug)]
pub(crate) struct Short {
    pub(crate) decisions: Vec<Decision>,
    /// Per decision, whether the thread most likely waits there.
    pub(crate) idle: Vec<bool>,
    pub(crate) events: u64,
    /// Its replay string, but for the order of sections.
    pub(crate) text: String,
}

impl Short {
    /// The decisions and the replay string of a run, from its trail.
    pub(crate) fn new<P: Hint>(run: &mut Run<'_, P>) -> Short {
        let mut trail = *run.trail.take().expect("attempts leave a trail");
        let (decisions, idle) = (std::mem::take(&mut trail.decisions), std::mem::take(&mut trail.idle));
        Short { decisions, idle, events: run.events, text: trail.into_text() }
    }
}

/// Looks for shorter runs.
pub(crate) struct Minimiser<'p, P> {
    program: &'p P,
    rules: &'static Rules,
    limits: Limits,
    found: &'p Found,
    lengths: &'p Lengths,
    is_stopped: &'p dyn Fn() -> bool,
    effort: u64,
}

impl<'p, P: Hint> Minimiser<'p, P> {
    pub(crate) fn new(
        program: &'p P,
        rules: &'static Rules,
        limits: Limits,
        lengths: &'p Lengths,
        found: &'p Found,
        is_stopped: &'p dyn Fn() -> bool,
    ) -> Minimiser<'p, P> {
        Minimiser { program, rules, limits, found, lengths, is_stopped, effort: EFFORT }
    }

    /// The shortest run that is found, within the effort or until it is stopped.
    pub(crate) fn minimise(&mut self, mut best: Short) -> Short {
        self.look_elsewhere(&mut best);
        self.leave_out_waiting(&mut best);
        self.leave_out_threads(&mut best);
        self.leave_out_waiting(&mut best);
        self.leave_out_threads(&mut best);
        self.leave_out_waiting(&mut best);
        let mut parts = 2;
        while self.may_go_on() && best.decisions.len() >= 2 {
            let before = best.events;
            self.leave_out(&mut best, parts);
            let shorter = best.events < before;
            if !shorter && parts >= best.decisions.len() {
                break;
            }
            parts = if shorter { parts.max(2) } else { (2 * parts).min(best.decisions.len()) };
        }
        self.simplify(&mut best);
        best
    }

    /// Whether there is effort left, and the search is not stopped.
    fn may_go_on(&self) -> bool {
        self.effort > 0 && !(self.is_stopped)()
    }

    /// Try runs with few changes from thread to thread that end before the best one does; for half of the effort.
    fn look_elsewhere(&mut self, best: &mut Short) {
        let mut seed = 0;
        while self.effort > EFFORT / 2 && seed < SEEDS && self.may_go_on() {
            let strategy = Strategy::Pct { depth: 1 + seed as u32 % 4 };
            let choices = Choices::random(seed, strategy, self.lengths);
            seed += 1;
            if let Some(shorter) = self.attempt(choices, best.events.saturating_sub(1)) {
                *best = shorter;
            }
        }
    }

    /// Leave out the reads with which a thread reads the same value again, in the same place.
    fn leave_out_waiting(&mut self, best: &mut Short) {
        let busy = best.decisions.iter().zip(&best.idle).filter(|&(_, idle)| !idle);
        let rest: Vec<Decision> = busy.map(|(&decision, _)| decision).collect();
        if rest.len() < best.decisions.len() {
            self.keep_if_shorter(best, rest);
        }
    }

    /// Leave out the steps of one thread from some point on: they may not matter, or the random end of the run may make
    /// them differently.
    fn leave_out_threads(&mut self, best: &mut Short) {
        let mut threads: Vec<u32> = best.decisions.iter().map(|decision| decision.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        for &thread in &threads {
            for quarters in 0..4 {
                if (self.is_stopped)() {
                    return;
                }
                let from = best.decisions.len() * quarters / 4;
                let keep =
                    |&(place, decision): &(usize, &Decision)| place < from || decision.thread != thread;
                let rest =
                    best.decisions.iter().enumerate().filter(keep).map(|(_, &decision)| decision).collect();
                self.keep_if_shorter(best, rest);
            }
        }
    }

    /// Take these decisions, and any after them, if the violation comes sooner then.
    fn keep_if_shorter(&mut self, best: &mut Short, decisions: Vec<Decision>) {
        let fewer = best.events.saturating_sub(1);
        if let Some(shorter) = self.attempt(Choices::script_then_any(decisions), fewer) {
            *best = shorter;
        }
    }

    /// Leave out each of this many parts, the last one first.
    fn leave_out(&mut self, best: &mut Short, parts: usize) {
        let size = best.decisions.len().div_ceil(parts);
        let mut end = best.decisions.len();
        while end > 0 && self.may_go_on() {
            let start = end.saturating_sub(size);
            let mut rest = best.decisions[..start].to_vec();
            rest.extend_from_slice(&best.decisions[end..]);
            self.keep_if_shorter(best, rest);
            end = start.min(best.decisions.len());
        }
    }

    /// Make simple choices: all at once, or else one by one.
    fn simplify(&mut self, best: &mut Short) {
        let mut simple = best.decisions.clone();
        simple.iter_mut().for_each(|decision| decision.choice = 0);
        if simple == best.decisions {
            return;
        }
        if let Some(simpler) = self.attempt(Choices::script(simple), self.limits.events) {
            *best = simpler;
            return;
        }
        let mut place = 0;
        while place < best.decisions.len() && self.may_go_on() {
            if best.decisions[place].choice != 0 {
                let mut simple = best.decisions.clone();
                simple[place].choice = 0;
                let simpler = self.attempt(Choices::script(simple), self.limits.events);
                if let Some(simpler) = simpler.filter(|s| s.decisions.len() <= best.decisions.len()) {
                    *best = simpler;
                }
            }
            place += 1;
        }
    }

    /// The run with these choices, if it leads to the violation within this many events.
    fn attempt(&mut self, choices: Choices, events: u64) -> Option<Short> {
        let limits = Limits { events, ..self.limits };
        let mut run = Run::new(self.program, self.rules, choices, limits);
        run.trail = Some(Box::new(Trail::with_text()));
        let end = run.run(self.is_stopped);
        self.effort = self.effort.saturating_sub(run.events + 1);
        let is_same = matches!(&end, End::Violated(found)
            if found.kind == self.found.kind && found.site == self.found.site);
        is_same.then(|| Short::new(&mut run))
    }
}
