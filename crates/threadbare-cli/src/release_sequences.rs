//! Violations under C20 that RC11 does not have: a note says so.
//!
//! RC11 is stronger: its release sequences include later stores of the same thread, and there are compilers and programs of C
//! from before C++20 that count on it. A violation is not one of RC11 if RC11 forbids its execution, whatever the coherence
//! order is, or, for a data race, if its happens-before orders the two accesses.

use consistency::trace::read;
use consistency::{Answer, check_trace};
use engine::{Execution, Model, Outcome, Violation};
use model::{Relations, races};
use program::FaultKind;
use report::{NoSource, Report};

/// Executions of more events are not looked at: the relations of one of these take a few tenths of a second.
const EVENTS: usize = 1_000;

/// Adds to each violation of a report what RC11 says, where that is something else.
pub(crate) fn note(report: &mut Report, outcome: &Outcome, model: Model) {
    if model != Model::C20 {
        return;
    }
    for (diagnostic, violation) in report.diagnostics.iter_mut().zip(&outcome.violations) {
        diagnostic.why.extend(difference(violation).map(|what| {
            format!(
                "under RC11 (`--model rc11`), whose release sequences include later stores of the same thread, {what}"
            )
        }));
    }
}

/// What is not so under RC11; `None` if it is the same, or if that is not known.
fn difference(violation: &Violation) -> Option<&'static str> {
    let Execution { graph, .. } = &violation.execution;
    if graph.threads.iter().map(Vec::len).sum::<usize>() > EVENTS {
        return None;
    }
    if violation.kind == FaultKind::DataRace && are_ordered(violation) {
        return Some("the two accesses are ordered");
    }
    is_forbidden(&violation.execution).then_some("this execution is not possible")
}

/// Whether RC11 orders the accesses of a race.
fn are_ordered(violation: &Violation) -> bool {
    let mut events: Vec<_> = violation.places.iter().filter_map(|place| place.event).collect();
    events.sort();
    let [first, second] = events[..] else { return false };
    let relations = Relations::of(&violation.execution.graph);
    let race_under =
        |model: Model| races::races(&relations, &(model.rules().hb)(&relations)).contains(&(first, second));
    race_under(Model::C20) && !race_under(Model::Rc11)
}

/// Whether there is no coherence order with which RC11 allows the execution, though C20 does.
fn is_forbidden(execution: &Execution) -> bool {
    let graph = execution.graph.clone().without_co();
    let text = report::trace(&Execution { graph, ..execution.clone() }, &NoSource);
    let Ok(trace) = read(text.as_bytes()) else { return false };
    let allows = |model| check_trace(&trace, model).map(|answer| matches!(answer, Answer::Consistent(_)));
    matches!((allows(Model::C20), allows(Model::Rc11)), (Ok(true), Ok(false)))
}
