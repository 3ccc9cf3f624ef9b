//! Exploring again and again, until nothing that was relied on is wrong: from a program to an outcome.

use crate::construction::Construction;
use crate::control::Control;
use crate::estimate::Estimator;
use crate::explorer::{End, Explorer, Lost};
use crate::findings::Findings;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Executions, Outcome, StopReason};
use crate::sections;
use crate::shape::{Shape, Total};
use base::ThreadId;
use model::Rules;
use program::{Conflict, Program, Refinement, Refusal};

/// Explore every execution of the program under a model with the shape `C`.
pub(crate) fn explore_in<P: Program, C: Shape>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    let mut lost = Lost::default();
    program.keep_rounds(&[]);
    let mut estimator = options.estimate.map(Estimator::new);
    let (mut findings, mut restarts) = (Findings::new(options), Vec::new());
    loop {
        observer.start();
        let mut explorer =
            Explorer::<P, C>::new(&*program, rules, options, control, &mut *observer, &lost, findings);
        let end = match &mut estimator {
            None => explorer.run(),
            Some(estimator) => {
                explorer.walk(estimator);
                explorer.take_end()
            }
        };
        // Whether sections are left in one piece depends on the coherence order.
        if let (Some(End::Mixed), Some(_)) = (&end, rules.isolation) {
            return explore_in::<P, Total>(program, rules, options, control, observer);
        }
        learn(&mut lost, end.as_ref(), &explorer.build);
        let mut found = explorer.findings;
        let end = settle(end, program, control, &lost);
        let Some(reason) = end.as_ref().and_then(End::restart) else {
            let stopped = match (end, &estimator) {
                // There would be no verdict with more time either.
                (Some(End::Stopped(StopReason::Timeout)) | None, None) if lost.bounds.reason().is_some() => {
                    lost.bounds.reason().cloned()
                }
                (Some(End::Stopped(reason)), None) => Some(reason),
                (None, Some(estimator)) if !estimator.is_done() && control.cut().is_none() => {
                    findings = found.again(options);
                    continue;
                }
                (end @ (None | Some(End::Stopped(_))), Some(estimator)) => {
                    // Walks count executions more than once.
                    found.executions = Executions::default();
                    Some(estimated(estimator, end, control))
                }
                _ => None,
            };
            return conclude(found, stopped, restarts);
        };
        restarts.push(reason);
        findings = found.again(options);
    }
}

/// What walks come to. If there was no time for all of them, those that were made count.
fn estimated(estimator: &Estimator, end: Option<End>, control: &Control) -> StopReason {
    let cut = control.cut().map(StopReason::from);
    match end {
        Some(End::Stopped(reason)) if estimator.has_none() || cut.as_ref() != Some(&reason) => reason,
        _ => StopReason::Estimated(estimator.estimate()),
    }
}

/// The exploration has ended like that: what the next one must not rely on.
fn learn<P: Program, C>(lost: &mut Lost, end: Option<&End>, build: &Construction<'_, P, C>) {
    let waiting = &build.waiting;
    match end {
        Some(End::Refuted) => lost.ledger = waiting.assumptions.corrected(),
        Some(End::Habits) => lost.habits = waiting.habits.corrected(),
        Some(End::Attempts) => lost.attempts = waiting.attempts.corrected(),
        Some(End::GlobalOrder) => lost.awaits = true,
        Some(End::Asymmetric) => lost.symmetry = true,
        Some(End::Endless(_)) => lost.bounds = build.bounds.clone(),
        Some(End::Sections) => {
            lost.symmetry |= !build.sections.suit_twins();
            lost.sections = build.sections.corrected(build.program.section_order());
        }
        Some(End::Conflict(..) | End::Reuse | End::Mixed | End::Violated | End::Stopped(_)) | None => {}
    }
}

/// Nothing starts again when the run is cut short, or when the accesses of the program cannot be refined.
fn settle<P: Program>(end: Option<End>, program: &mut P, control: &Control, lost: &Lost) -> Option<End> {
    let end = match end? {
        End::Conflict(conflict, thread) => match refine(program, conflict, thread) {
            None => End::Conflict(conflict, thread),
            Some(reason) => End::Stopped(reason),
        },
        End::Refuted => {
            program.keep_rounds(&lost.ledger.endangered().collect::<Vec<_>>());
            End::Refuted
        }
        End::Reuse => {
            program.reuse();
            End::Reuse
        }
        End::Sections => match program.refine(Refinement::Sections(lost.sections.clone())) {
            Ok(()) => End::Sections,
            Err(refusal) => End::Stopped(refused(refusal)),
        },
        End::Mixed => End::Stopped(sections::refusal()),
        End::Endless(alone) => {
            alone.into_iter().for_each(|site| program.bound(site));
            End::Endless(alone)
        }
        end => end,
    };
    match control.cut().filter(|_| end.restart().is_some()) {
        Some(cut) => Some(End::Stopped(cut.into())),
        None => Some(end),
    }
}

/// Refine the accesses of the program, or say why that is not possible.
fn refine<P: Program>(program: &mut P, conflict: Conflict, thread: ThreadId) -> Option<StopReason> {
    let refusal = program.refine(conflict.into()).err()?;
    let site = Some(refusal.site.unwrap_or(conflict.site));
    Some(StopReason::Unsupported { message: refusal.message, site, thread })
}

fn refused(refusal: Refusal) -> StopReason {
    StopReason::Unsupported { message: refusal.message, site: refusal.site, thread: ThreadId::MAIN }
}

fn conclude(findings: Findings, stopped: Option<StopReason>, restarts: Vec<&'static str>) -> Outcome {
    let is_vacuous = findings.are_vacuous();
    let Findings { executions, violations, cut, example, .. } = findings;
    let mut outcome = match stopped {
        Some(reason) => Outcome::cut_short(reason, executions, violations),
        None => Outcome::explored(executions, violations, cut.into_iter().collect(), is_vacuous),
    };
    outcome.restarts = restarts;
    outcome.with_example(example)
}
