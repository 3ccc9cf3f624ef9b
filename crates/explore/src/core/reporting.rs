//! Reports of a pass: races, faults, deadlocks, executions.

use crate::Ending;
use crate::core::explorer::{End, Explorer};
use crate::core::shape::Shape;
use crate::core::stuck;
use crate::reductions::Rooms;
use crate::sections::Race;
use live::EventRef;
use program::{Check, Hint};

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    #[inline(always)]
    pub(super) fn check_race(&mut self, e: EventRef) {
        if let Some(other) = self.build.race(e)
            && self.may_report()
        {
            let found = self.findings.race(&self.build, other, e);
            self.after(found);
        }
    }

    #[cold]
    pub(super) fn check_free(&mut self, e: EventRef, address: u64) {
        if let Some(other) = self.build.race_of_free(e, address)
            && self.may_report()
        {
            let found = self.findings.free_race(&self.build, other, e);
            self.after(found);
        }
    }

    /// Some thread is stopped: report why. True if that is the end.
    #[cold]
    pub(super) fn report_stopped(&mut self) -> bool {
        if self.may_report() { self.report_faults() } else { self.end.is_some() }
    }

    fn report_faults(&mut self) -> bool {
        if let Some((thread, site, reason)) = self.findings.refusals(&self.build) {
            self.bound(thread, site, reason, Some(site));
            return true;
        }
        let found = self.findings.faults(&self.build);
        self.after(found);
        self.end.is_some()
    }

    /// Whether an error in this graph is to be reported now. Not if sections conflict that are not ordered, and not
    /// before the end of an execution that may be none (`sections.rs`).
    #[cold]
    fn may_report(&mut self) -> bool {
        self.build.sections().refute_unrelated();
        if self.end.is_none() {
            self.is_refuted();
        }
        self.build.sections.are_settled() && !self.build.notes.are_refuting()
    }

    /// No thread can step: whether atomic sections allow this execution and no error ends the pass; reports errors held
    /// back until now.
    #[cold]
    fn leaves_sections_whole(&mut self) -> bool {
        if self.may_report() {
            return true;
        }
        if self.end.is_some() {
            return false;
        }
        let Some(isolation) = self.build.sections().isolation() else {
            self.end = Some(End::Mixed);
            return false;
        };
        if !self.build.sections().is_isolated(isolation) {
            return false;
        }
        for race in self.build.sections().races() {
            let found = match race {
                Race::Accesses(a, b) => self.findings.race(&self.build, a, b),
                Race::WithFree(access, free) => self.findings.free_race(&self.build, access, free),
            };
            self.after(found);
        }
        !(self.build.threads.any_stopped() && self.report_faults()) && self.end.is_none()
    }

    fn after(&mut self, found: bool) {
        if !found {
            return;
        }
        self.findings.violations.last().into_iter().for_each(|violation| self.control.note(violation));
        if !self.options.keep_going {
            self.end = Some(End::Violated);
        }
    }

    #[inline(always)]
    pub(super) fn look_for_lb_race(&mut self) {
        if self.lb_races && self.build.graph.may_have_lb_race() {
            self.observer.load_buffering(&self.build);
            self.lb_races = self.observer.wants_races();
        }
    }

    /// No thread can take a step: count and report the execution, if it is one.
    #[inline(always)]
    pub(super) fn emit(&mut self) {
        if !self.build.hooks().is_possible() {
            self.is_refuted();
            return;
        }
        if self.build.facts.has_sections && !self.leaves_sections_whole() {
            return;
        }
        let complete = self.build.threads.unfinished() == 0;
        let ending = self.findings.count(&self.build, complete);
        self.look_for_lb_race();
        self.observer.execution(ending, &self.build);
        if stuck::is_deadlock(&self.build, ending) {
            let found = self.findings.deadlock(&self.build);
            self.after(found);
        } else if ending == Ending::Spinning && self.options.checks.has(Check::Liveness) {
            let found = self.findings.liveness(&self.build);
            self.after(found);
        } else if self.options.checks.has(Check::Leak) && (complete || stuck::is_over(&self.build)) {
            let found = self.findings.leaks(&self.build);
            self.after(found);
        }
    }
}
