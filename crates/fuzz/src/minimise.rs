//! From a run with a violation to a shorter one with the same violation.
//!
//! Implements: delta debugging (\[DD\], ddmin) on the list of decisions. Parts of the list are left out, half of it first, then
//! ever smaller ones; what is not possible any more is skipped; a list is kept if it leads to the same violation. What is
//! left of the choices is then made simpler: the newest write, the end of `co`.
//!
//! The effort is bounded by a number of events, not by a clock, so that the result is always the same.

use crate::choices::{Choices, Decision};
use crate::rules::Rules;
use crate::run::{End, Found, Limits, Run};
use crate::trail::Trail;
use program::Program;

/// So many events are worth a shorter run: a few seconds.
const EFFORT: u64 = 4_000_000;

/// A run with a violation.
#[derive(Debug)]
pub(crate) struct Short {
    pub(crate) decisions: Vec<Decision>,
    pub(crate) events: u64,
}

/// Looks for shorter runs.
pub(crate) struct Minimiser<'p, P> {
    program: &'p P,
    rules: Rules,
    limits: Limits,
    found: &'p Found,
    effort: u64,
}

impl<'p, P: Program> Minimiser<'p, P> {
    pub(crate) fn new(program: &'p P, rules: Rules, limits: Limits, found: &'p Found) -> Minimiser<'p, P> {
        Minimiser { program, rules, limits, found, effort: EFFORT }
    }

    /// A run that is as short as can be found.
    pub(crate) fn minimise(&mut self, mut best: Short) -> Short {
        let mut parts = 2;
        while self.effort > 0 && best.decisions.len() >= 2 {
            let before = best.decisions.len();
            self.leave_out(&mut best, parts);
            let shorter = best.decisions.len() < before;
            if !shorter && parts >= best.decisions.len() {
                break;
            }
            parts = if shorter { parts.max(2) } else { (2 * parts).min(best.decisions.len()) };
        }
        self.simplify(&mut best);
        best
    }

    /// Leave out each of that many parts, the last one first.
    fn leave_out(&mut self, best: &mut Short, parts: usize) {
        let size = best.decisions.len().div_ceil(parts);
        let mut end = best.decisions.len();
        while end > 0 && self.effort > 0 {
            let start = end.saturating_sub(size);
            let mut rest = best.decisions[..start].to_vec();
            rest.extend_from_slice(&best.decisions[end..]);
            if let Some(shorter) = self.attempt(rest).filter(|s| s.decisions.len() < best.decisions.len()) {
                *best = shorter;
            }
            end = start.min(best.decisions.len());
        }
    }

    /// Make simple choices, all that can be at once, then one by one.
    fn simplify(&mut self, best: &mut Short) {
        let mut simple = best.decisions.clone();
        simple.iter_mut().for_each(|decision| decision.choice = 0);
        if simple == best.decisions {
            return;
        }
        if let Some(simpler) = self.attempt(simple) {
            *best = simpler;
            return;
        }
        let mut place = 0;
        while place < best.decisions.len() && self.effort > 0 {
            if best.decisions[place].choice != 0 {
                let mut simple = best.decisions.clone();
                simple[place].choice = 0;
                let simpler = self.attempt(simple);
                if let Some(simpler) = simpler.filter(|s| s.decisions.len() <= best.decisions.len()) {
                    *best = simpler;
                }
            }
            place += 1;
        }
    }

    /// Does this list lead to the violation? If so, what is left of it.
    fn attempt(&mut self, decisions: Vec<Decision>) -> Option<Short> {
        let mut run = Run::new(self.program, self.rules, Choices::script(decisions), self.limits);
        run.trail = Some(Box::default());
        let end = run.run(&|| false);
        self.effort = self.effort.saturating_sub(run.events + 1);
        let is_same = matches!(&end, End::Violated(found)
            if found.kind == self.found.kind && found.site == self.found.site);
        let events = run.events;
        let trail = run.trail.take().expect("it was there");
        is_same.then_some(Short { decisions: trail.decisions, events })
    }

    /// The replay string of a list.
    pub(crate) fn replay(&self, decisions: Vec<Decision>) -> (End, String) {
        let mut run = Run::new(self.program, self.rules, Choices::script(decisions), self.limits);
        run.trail = Some(Box::new(Trail::with_text()));
        let end = run.run(&|| false);
        let trail = run.trail.take().expect("it was there");
        (end, trail.into_text())
    }
}
