//! Passes: exploring again and again, until no assumption that was relied on is wrong. From a program to an outcome.

use crate::bounds::Bounds;
use crate::control::Control;
use crate::core::explorer::{End, Explorer, Others};
use crate::core::shape::{Shape, Total, Unlocked};
use crate::core::threads::ThreadName;
use crate::crew::explore_together;
use crate::estimate::{Estimator, Sampling};
use crate::findings::Findings;
use crate::ledger::Ledger;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Executions, Limits, Outcome, StopReason};
use crate::pass::{Common, Folded, Pass};
use crate::sections;
use crate::subtree::Subtree;
use base::{Site, ThreadId};
use model::Rules;
use program::{Hint, Refusal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An exploration under way: a value that can be written down between passes, and within one that is explored in parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exploration {
    /// The assumptions that its passes have refuted.
    pub(crate) ledger: Ledger,
    /// Why it started again, each time that it did.
    pub(crate) restarts: Vec<String>,
    /// The pass under way.
    pub(crate) pass: Pass,
}

impl Exploration {
    /// One that has not begun.
    pub fn new(options: &Options) -> Exploration {
        Exploration {
            ledger: Ledger::default(),
            restarts: Vec::new(),
            pass: Pass::new(Findings::new(options)),
        }
    }

    /// The subtrees that are left of the pass under way.
    pub fn left(&self) -> &[Subtree] {
        self.pass.left()
    }

    /// The instructions that an outcome of it may name, besides those of violations.
    pub fn sites(&self) -> BTreeSet<Site> {
        self.pass.sites()
    }

    /// The executions that were explored in the pass under way.
    pub fn executions(&self) -> Executions {
        self.pass.executions()
    }

    /// Put the subtrees that are left in the order of the exploration.
    pub fn sort(&mut self) {
        self.pass.sort();
    }

    /// The same exploration, of which nothing was explored but these subtrees are left: what a unit of it was taken from.
    #[must_use]
    pub fn whole(&self, left: Vec<Subtree>) -> Exploration {
        let mut whole = self.unit(left);
        whole.pass.set_whole();
        whole
    }

    /// Whether it is only a part of one.
    pub fn is_unit(&self) -> bool {
        self.pass.is_unit()
    }

    /// The part of it that these subtrees are, to be explored elsewhere.
    #[must_use]
    pub fn unit(&self, left: Vec<Subtree>) -> Exploration {
        let Exploration { ledger, restarts, pass } = self;
        Exploration { ledger: ledger.clone(), restarts: restarts.clone(), pass: pass.unit(left) }
    }

    /// The subtrees `taken` were explored elsewhere, as far as it says. False if that is of no use: it is known, or belongs to
    /// another pass.
    pub fn absorb(&mut self, taken: &[Subtree], unit: Exploration) -> bool {
        self.ledger == unit.ledger && self.pass.absorb(taken, unit.pass)
    }

    /// Put together what was absorbed. Returns the outcome; if something is left, it is one that is cut short. If an assumption
    /// was refuted, the next pass begins.
    pub fn settle(&mut self, options: &Options) -> Outcome {
        let rules = &model::rc11::RULES;
        let control = Control::new();
        loop {
            let common = Common { rules, options, control: &control, ledger: &self.ledger };
            let end = match self.pass.fold(None, common, |_| {}) {
                Folded::Ended(end) => self.pass.end(end, options),
                Folded::Again => continue,
                Folded::GoesOn => Some(End::Paused),
            };
            if matches!(end, Some(End::Refuted(_))) {
                self.start_again(options);
                continue;
            }
            let is_over = !matches!(end, Some(End::Paused));
            let before = (!is_over).then(|| self.clone());
            return Explored::new(before, self.clone(), end).outcome;
        }
    }

    /// Begin the next pass, with the assumptions that this one has refuted in the ledger.
    pub(crate) fn start_again(&mut self, options: &Options) {
        let news = self.pass.news();
        self.restarts.push(format!("refuted: {news}"));
        let grows = self.ledger.merge(news);
        assert!(grows, "an assumption was refuted that was refuted before: {news}");
        self.pass = Pass::new(self.pass.take_findings().again(options));
    }
}

/// A way to explore a pass.
pub(crate) trait Explorers<P: Hint> {
    /// Explore what is left of the pass. Returns its end; [`End::Paused`] if it is not over.
    fn explore<C: Shape>(
        &self,
        program: &P,
        common: Common<'_>,
        pass: &mut Pass,
        observer: &mut dyn Observer<P::State>,
    ) -> Option<End>;
}

/// One explorer for the whole pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alone;

impl<P: Hint> Explorers<P> for Alone {
    fn explore<C: Shape>(
        &self,
        program: &P,
        common: Common<'_>,
        pass: &mut Pass,
        observer: &mut dyn Observer<P::State>,
    ) -> Option<End> {
        let Common { rules, options, control, ledger } = common;
        let findings = std::mem::replace(&mut pass.findings, Findings::new(options));
        let mut explorer =
            Explorer::<P, C>::new(program, rules, options, control, observer, ledger, findings);
        let end = explorer.run();
        pass.end_alone(explorer.build.notes.news(), explorer.findings);
        end
    }
}

/// Several explorers, where a pass can be explored in parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Together;

impl<P> Explorers<P> for Together
where
    P: Hint + Clone + Send,
    P::State: Send,
{
    fn explore<C: Shape>(
        &self,
        program: &P,
        common: Common<'_>,
        pass: &mut Pass,
        observer: &mut dyn Observer<P::State>,
    ) -> Option<End> {
        let is_divisible = is_divisible(program, common.ledger, common.options);
        match observer.for_part().filter(|_| is_divisible) {
            Some(part) => explore_together::<P, C>(program, common, pass, observer, part),
            None if pass.is_unit() => Some(End::Stopped(is_indivisible())),
            None => Alone.explore::<C>(program, common, pass, observer),
        }
    }
}

/// Whether a pass can be explored in parts. Sections that conflict are found in all executions together, and loops that met
/// the step limit are explored for so many visits.
pub(crate) fn is_divisible<P: Hint>(program: &P, ledger: &Ledger, options: &Options) -> bool {
    let has_bounds = !Bounds::of(ledger).is_empty() && options.visits_with_bounds < u64::MAX;
    !program.facts().has_sections && !has_bounds
}

/// Why there are no units of a program.
pub(crate) fn is_indivisible() -> StopReason {
    let message = "atomic sections, and loops that met the step limit, are explored as a whole: this program has no parts";
    StopReason::Unsupported { message: message.to_owned(), site: None, thread: ThreadId::MAIN }
}

/// Explore every execution of the program under a model with the shape `C`, from this state of the exploration on.
pub(crate) fn explore_in<P: Hint, C: Shape>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
    explorers: &impl Explorers<P>,
    mut exploration: Exploration,
) -> Explored {
    let mut end = refine(program, &exploration.ledger, ThreadId::MAIN);
    loop {
        let mut before = None;
        if end.is_none() {
            observer.start();
            before = Some(exploration.clone());
            control.begin_count(exploration.pass.executions());
            control.count_restarts(exploration.restarts.len());
            let Exploration { ledger, pass, .. } = &mut exploration;
            let common = Common { rules, options, control, ledger };
            end = match C::HAS_BLOCKS && ledger.opens_locks() {
                true => explorers.explore::<Unlocked>(program, common, pass, observer),
                false => explorers.explore::<C>(program, common, pass, observer),
            };
        }
        end = match end {
            // Whether sections are left in one piece depends on the coherence order.
            Some(End::Mixed) if rules.isolation.is_some() => {
                let anew = Exploration { restarts: exploration.restarts, ..Exploration::new(options) };
                return explore_in::<P, Total>(program, rules, options, control, observer, explorers, anew);
            }
            Some(End::Mixed) => Some(End::Stopped(sections::refusal())),
            Some(End::Refuted(_)) if control.cut().is_some() => {
                control.cut().map(|cut| End::Stopped(cut.into()))
            }
            Some(End::Refuted(thread)) => {
                exploration.start_again(options);
                end = refine(program, &exploration.ledger, thread);
                continue;
            }
            Some(End::Stopped(reason)) if exploration.is_unit() && control.cut().is_none() => {
                exploration.pass.fail(reason);
                Some(End::Paused)
            }
            end => end,
        };
        let before = before.filter(|_| control.cut().is_some() || matches!(end, Some(End::Paused)));
        return Explored::new(before, exploration, end);
    }
}

/// Estimate how many executions of the program there are under a model with the shape `C`.
pub(crate) fn estimate_in<P: Hint, C: Shape>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    sampling: Sampling,
) -> Explored {
    let mut estimator = Estimator::new(sampling);
    let (mut findings, mut ledger, mut restarts) = (Findings::new(options), Ledger::default(), Vec::new());
    let mut is_measured = false;
    let mut end = refine(program, &ledger, ThreadId::MAIN);
    while end.is_none() && !estimator.is_done() && control.cut().is_none() {
        findings = findings.again(options);
        let common = Common { rules, options, control, ledger: &ledger };
        let news;
        (end, news, findings) = match C::HAS_BLOCKS && ledger.opens_locks() {
            true if !std::mem::replace(&mut is_measured, true) => measure(&*program, common, findings),
            true => sample_in::<P, Unlocked>(&*program, common, findings, &mut estimator),
            false => sample_in::<P, C>(&*program, common, findings, &mut estimator),
        };
        if let Some(End::Refuted(thread)) = end {
            restarts.push(format!("refuted: {news}"));
            ledger.merge(&news);
            estimator.start_again();
            end = refine(program, &ledger, thread);
        }
    }
    let stopped = estimated(&estimator, end, control, &mut findings);
    Explored { outcome: conclude(findings, stopped, restarts), ledger, left: None }
}

/// The first classes of a pass that leaves the order of sections open, until it is known whether that pays. They do not count.
fn measure<P: Hint>(
    program: &P,
    Common { rules, options, control, ledger }: Common<'_>,
    findings: Findings,
) -> (Option<End>, Ledger, Findings) {
    let (mut nothing, unused) = ((), Findings::new(options));
    let mut pass =
        Explorer::<P, Unlocked>::new(program, rules, options, control, &mut nothing, ledger, unused);
    pass.meet(&UntilMeasured, Some(1));
    pass.explore_rest(true);
    let end = pass.take_end().filter(|end| !matches!(end, End::Paused));
    (end, pass.build.notes.news(), findings)
}

/// Lets an explorer pause as soon as it can.
struct UntilMeasured;

impl Others for UntilMeasured {
    fn let_pause(&self) -> bool {
        true
    }

    fn are_waiting(&self) -> bool {
        false
    }

    fn take(&self, _subtree: Subtree, _names: Vec<ThreadName>) {}
}

/// One sample of a pass: its end, the assumptions that it has refuted, and the findings.
fn sample_in<P: Hint, C: Shape>(
    program: &P,
    Common { rules, options, control, ledger }: Common<'_>,
    findings: Findings,
    estimator: &mut Estimator,
) -> (Option<End>, Ledger, Findings) {
    let mut nothing = ();
    let mut pass = Explorer::<P, C>::new(program, rules, options, control, &mut nothing, ledger, findings);
    pass.sample(estimator);
    let end = pass.take_end();
    (end, pass.build.notes.news(), pass.findings)
}

/// An exploration that has come to its end, or has paused.
#[derive(Debug)]
pub(crate) struct Explored {
    pub(crate) outcome: Outcome,
    pub(crate) ledger: Ledger,
    /// What is left, if anything is.
    pub(crate) left: Option<Exploration>,
}

impl Explored {
    /// The end of an exploration. Its last pass began like that, if it was cut short.
    fn new(before: Option<Exploration>, mut exploration: Exploration, end: Option<End>) -> Explored {
        let is_in_parts = exploration.is_unit() || !exploration.pass.left().is_empty();
        let left = before.map(|before| if is_in_parts { exploration.clone() } else { before });
        let end = match (end, exploration.pass.stop_reason()) {
            (Some(End::Paused), Some(reason)) => Some(End::Stopped(reason.clone())),
            (end, _) => end,
        };
        exploration.pass.give_up();
        let Exploration { ledger, restarts, mut pass } = exploration;
        let findings = pass.take_findings();
        let stopped = stopped(end, &findings);
        Explored { outcome: conclude(findings, stopped, restarts), ledger, left }
    }
}

/// Let the program behave as the ledger says. Returns why that is not possible, if it is not, as found in a step of
/// this thread.
pub(crate) fn refine<P: Hint>(program: &mut P, ledger: &Ledger, thread: ThreadId) -> Option<End> {
    let Refusal { message, site, .. } = program.refine(&ledger.refinements()).err()?;
    Some(End::Stopped(StopReason::Unsupported { message, site, thread }))
}

/// The reason for which an exploration that ended like that has not explored everything, if it has not.
fn stopped(end: Option<End>, findings: &Findings) -> Option<StopReason> {
    let reason = match end {
        // There would be no verdict with more time either.
        None | Some(End::Stopped(StopReason::Timeout)) if findings.unbounded.is_some() => {
            findings.unbounded.clone()
        }
        Some(End::Stopped(reason)) => Some(reason),
        Some(End::Paused) => return Some(StopReason::Paused),
        _ => None,
    };
    findings.unmodelled(reason.clone()).or(reason)
}

/// The estimate of the samples. If there was no time for all of them, those that were made count.
fn estimated(
    estimator: &Estimator,
    end: Option<End>,
    control: &Control,
    findings: &mut Findings,
) -> Option<StopReason> {
    let cut = control.cut().map(StopReason::from);
    let reason = match end {
        Some(End::Stopped(reason)) if estimator.has_none() || cut.as_ref() != Some(&reason) => reason,
        // What is estimated are the executions of the program as it is.
        None | Some(End::Stopped(_)) if !findings.unmodelled.is_empty() => findings.unmodelled(None)?,
        None | Some(End::Stopped(_)) => StopReason::Estimated(estimator.estimate()),
        _ => return None,
    };
    // Samples count executions more than once.
    findings.executions = Executions::default();
    Some(reason)
}

fn conclude(findings: Findings, stopped: Option<StopReason>, restarts: Vec<String>) -> Outcome {
    let is_vacuous = findings.are_vacuous();
    let Findings { executions, violations, cut, clocks, example, .. } = findings;
    let mut outcome = match stopped {
        Some(reason) => Outcome::cut_short(reason, executions, violations),
        None => {
            let limits = Limits { cut: Vec::from_iter(cut), clocks: Vec::from_iter(clocks) };
            Outcome::explored(executions, violations, limits, is_vacuous)
        }
    };
    outcome.restarts = restarts;
    outcome.with_example(example)
}
