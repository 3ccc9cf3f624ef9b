//! Exploring again and again, until nothing that was relied on is wrong: from a program to an outcome.

use crate::control::Control;
use crate::estimate::Estimator;
use crate::explorer::{End, Explorer, Lost};
use crate::findings::Findings;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Executions, Outcome, StopReason, Verdict};
use base::ThreadId;
use model::MemoryModel;
use program::{Conflict, Program};

pub(crate) fn explore_in<P: Program, M: MemoryModel + Default>(
    program: &mut P,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    let mut lost = Lost::default();
    let mut estimator = options.estimate.map(Estimator::new);
    loop {
        observer.start();
        let mut explorer = Explorer::new(&*program, M::default(), options, control, &mut *observer, &lost);
        let end = match &mut estimator {
            None => explorer.run(),
            Some(estimator) => {
                explorer.walk(estimator);
                explorer.take_end()
            }
        };
        let mut findings = explorer.findings;
        let stopped = match end {
            Some(End::Conflict(conflict, thread)) => match refine(program, conflict, thread) {
                None if control.is_stopped() => Some(StopReason::Timeout),
                None => continue,
                Some(reason) => Some(reason),
            },
            Some(End::Refuted | End::Habits | End::Attempts | End::GlobalOrder | End::Asymmetric)
                if control.is_stopped() =>
            {
                Some(StopReason::Timeout)
            }
            Some(End::Refuted) => {
                lost.ledger = explorer.build.waiting.assumptions.corrected();
                program.keep_rounds(&lost.ledger.endangered().collect::<Vec<_>>());
                continue;
            }
            Some(End::Habits) => {
                lost.habits = explorer.build.waiting.habits.corrected();
                continue;
            }
            Some(End::Attempts) => {
                lost.attempts = explorer.build.waiting.attempts.corrected();
                continue;
            }
            Some(End::GlobalOrder) => {
                lost.awaits = true;
                continue;
            }
            Some(End::Asymmetric) => {
                lost.symmetry = true;
                continue;
            }
            Some(End::Stopped(reason)) => Some(reason),
            Some(End::Violated) => None,
            None => match &estimator {
                Some(estimator) if !estimator.is_done() => continue,
                Some(estimator) => {
                    // Walks count executions more than once.
                    findings.executions = Executions::default();
                    Some(StopReason::Estimated(estimator.estimate()))
                }
                None => None,
            },
        };
        return conclude(findings, stopped);
    }
}

/// Refine the accesses of the program, or say why that is not possible.
fn refine<P: Program>(program: &mut P, conflict: Conflict, thread: ThreadId) -> Option<StopReason> {
    let refusal = program.refine(conflict).err()?;
    let site = Some(refusal.site.unwrap_or(conflict.site));
    Some(StopReason::Unsupported { message: refusal.message, site, thread })
}

fn conclude(findings: Findings, stopped: Option<StopReason>) -> Outcome {
    let Findings { executions, violations, cut, example, .. } = findings;
    let verdict = match &stopped {
        _ if !violations.is_empty() => Verdict::Violated,
        Some(reason) => Verdict::Inconclusive(reason.clone()),
        None if !cut.is_empty() => Verdict::Bounded { cut: cut.into_iter().collect() },
        None => Verdict::Verified,
    };
    Outcome { verdict, executions, violations, stopped, example }
}
