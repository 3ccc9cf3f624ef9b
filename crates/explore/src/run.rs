//! Passes: exploring again and again, until no assumption that was relied on is wrong. From a program to an outcome.

use crate::control::Control;
use crate::core::explorer::{End, Explorer};
use crate::core::shape::{Shape, Total};
use crate::estimate::Estimator;
use crate::findings::Findings;
use crate::ledger::Ledger;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Executions, Outcome, StopReason};
use crate::sections;
use base::ThreadId;
use model::Rules;
use program::{Hint, Refusal};

/// An exploration that has come to its end, with the assumptions that its passes have refuted.
#[derive(Debug)]
pub(crate) struct Explored {
    pub(crate) outcome: Outcome,
    pub(crate) ledger: Ledger,
}

/// Explore every execution of the program under a model with the shape `C`.
pub(crate) fn explore_in<P: Hint, C: Shape>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Explored {
    let mut estimator = options.estimate.map(Estimator::new);
    let (mut findings, mut ledger, mut restarts) = (Findings::new(options), Ledger::default(), Vec::new());
    let mut end = refine(program, &ledger, ThreadId::MAIN);
    loop {
        let mut news = Ledger::default();
        if end.is_none() {
            observer.start();
            let mut pass =
                Explorer::<P, C>::new(&*program, rules, options, control, &mut *observer, &ledger, findings);
            end = match &mut estimator {
                None => pass.run(),
                Some(estimator) => {
                    pass.sample(estimator);
                    pass.take_end()
                }
            };
            news = pass.build.notes.news();
            findings = pass.findings;
        }
        end = match end {
            // Whether sections are left in one piece depends on the coherence order.
            Some(End::Mixed) if rules.isolation.is_some() => {
                let mut explored = explore_in::<P, Total>(program, rules, options, control, observer);
                explored.outcome.restarts.splice(0..0, restarts);
                return explored;
            }
            Some(End::Mixed) => Some(End::Stopped(sections::refusal())),
            Some(End::Refuted(_)) if control.cut().is_some() => {
                control.cut().map(|cut| End::Stopped(cut.into()))
            }
            Some(End::Refuted(thread)) => {
                restarts.push(format!("refuted: {news}"));
                ledger.merge(&news);
                estimator.iter_mut().for_each(Estimator::start_again);
                findings = findings.again(options);
                end = refine(program, &ledger, thread);
                continue;
            }
            None if estimator.as_ref().is_some_and(|it| !it.is_done() && control.cut().is_none()) => {
                findings = findings.again(options);
                continue;
            }
            end => end,
        };
        let stopped = match &estimator {
            None => stopped(end, &findings),
            Some(estimator) => estimated(estimator, end, control, &mut findings),
        };
        return Explored { outcome: conclude(findings, stopped, restarts), ledger };
    }
}

/// Let the program behave as the ledger says. Returns why that is not possible, if it is not, as found in a step of
/// this thread.
fn refine<P: Hint>(program: &mut P, ledger: &Ledger, thread: ThreadId) -> Option<End> {
    let Refusal { message, site, .. } = program.refine(&ledger.refinements()).err()?;
    Some(End::Stopped(StopReason::Unsupported { message, site, thread }))
}

/// The reason for which an exploration that ended like that has not explored everything, if it has not.
fn stopped(end: Option<End>, findings: &Findings) -> Option<StopReason> {
    match end {
        // There would be no verdict with more time either.
        None | Some(End::Stopped(StopReason::Timeout)) if findings.unbounded.is_some() => {
            findings.unbounded.clone()
        }
        Some(End::Stopped(reason)) => Some(reason),
        _ => None,
    }
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
        None | Some(End::Stopped(_)) => StopReason::Estimated(estimator.estimate()),
        _ => return None,
    };
    // Samples count executions more than once.
    findings.executions = Executions::default();
    Some(reason)
}

fn conclude(findings: Findings, stopped: Option<StopReason>, restarts: Vec<String>) -> Outcome {
    let is_vacuous = findings.are_vacuous();
    let Findings { executions, violations, cut, example, .. } = findings;
    let mut outcome = match stopped {
        Some(reason) => Outcome::cut_short(reason, executions, violations),
        None => Outcome::explored(executions, violations, cut.into_iter().collect(), is_vacuous),
    };
    outcome.restarts = restarts;
    outcome.with_example(example)
}
