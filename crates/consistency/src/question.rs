//! The question of a trace, and the algorithm that answers it.
//!
//! Without `co=`, whether there is a coherence order; with it, whether it is this one. Locations may differ in that.
//! Creation and join of threads are brought into the form that the checks understand. What no fast check answers, the
//! declarative texts do if the trace is small.

use crate::answer::{Answer, Unsupported};
use crate::check::check;
use crate::execution::{Event, PartialExecution};
use crate::trace::Trace;
use crate::{given, small, threads};
use model::{Model, Orders};
use thiserror::Error;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Undecided {
    /// There is no algorithm for that, and the trace is too large to try all orders.
    #[error("{0}, and the trace is too large to try every order of the writes")]
    Unsupported(Unsupported),
    /// The trace gives `co`, and is too large for the declarative text.
    #[error(
        "a trace of more than {} events with `co=` is not checked under {}; without `co=` it may be",
        small::MAX_EVENTS, .0.rules().title
    )]
    GivenCo(Model),
    /// The clocks of so many threads need too much memory.
    #[error(
        "{0} threads are more than the {MAX_THREADS} that can be checked under this model; relaxed has no limit"
    )]
    TooManyThreads(usize),
}

/// A check keeps a clock per thread with a place per thread: this makes 400 MB. Under Relaxed there are no clocks.
const MAX_THREADS: usize = 10_000;

/// Whether the trace is consistent under the model, with the `co` that it gives.
pub fn check_trace(trace: &Trace, model: Model) -> Result<Answer, Undecided> {
    let (execution, model) = threads::understood(trace, model);
    let co = if model.rules().has_co() { trace.co() } else { &[] };
    match fast(&execution, co, model) {
        Ok(answer) => Ok(answer),
        Err(undecided) => small::check(&execution, co, model).ok_or(undecided),
    }
}

fn fast(execution: &PartialExecution, co: &[Vec<Event>], model: Model) -> Result<Answer, Undecided> {
    if execution.thread_count() > MAX_THREADS && model.rules().orders != Orders::Ignored {
        return Err(Undecided::TooManyThreads(execution.thread_count()));
    }
    let answer = if co.iter().all(|writes| writes.len() <= 1) {
        check(execution, model)
    } else if given::observable(model) {
        check(&given::with_observer(execution, co), model)
    } else {
        return Err(Undecided::GivenCo(model));
    };
    answer.map_err(Undecided::Unsupported)
}
