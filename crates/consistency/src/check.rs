//! Which algorithm answers for which model.
//!
//! Where the problem is NP-hard there is a search, and a value that says so when it was given up: for SC, TSO
//! and SRA with read-modify-writes (`downward`), RC11 and C20 with SC events (`psc`), and SC fences where these are
//! read-modify-writes (`sc_fences`).
//!
//! Not modelled: WRC11.

use crate::answer::{Answer, Reason, Step, Unsupported, Why, Witness};
use crate::chains::Chains;
use crate::coherence::decide;
use crate::execution::{Event, Op, PartialExecution, Source};
use crate::ordering::Prepared;
use crate::rc20::Rc20;
use crate::relaxed::Relaxed;
use crate::slots::Slots;
use crate::sra::Sra;
use crate::timestamps::Synchronisation;
use crate::{downward, porf, psc, sc_fences, wra};
use base::Order;
use model::{Coherence, Cycles, GlobalAxiom, Model, Orders, Rules};

/// Whether there is a coherence order with which the execution is consistent under the model.
///
/// ```
/// use base::Order::{Acquire, Release};
/// use consistency::{Answer, Location, Numbers, Op, PartialExecution, Source, Thread, check};
///
/// // Message passing: who sees the flag does not see the data.
/// let mut execution = PartialExecution::new();
/// let (data, flag) = (Location(0), Location(1));
/// execution.access(Thread(0), Op::Write, Release, data);
/// let set = execution.access(Thread(0), Op::Write, Release, flag);
/// let see = execution.access(Thread(1), Op::Read, Acquire, flag);
/// execution.set_source(see, Source::Event(set));
/// let stale = execution.access(Thread(1), Op::Read, Acquire, data);
/// execution.set_source(stale, Source::Init);
///
/// assert!(matches!(check(&execution, model::Model::Relaxed)?, Answer::Consistent(_)));
/// let Answer::Inconsistent(reason) = check(&execution, model::Model::Rc20)? else { panic!() };
/// assert_eq!(
///     reason.in_words(&execution, &Numbers).to_string(),
///     "e0 is before the initial write of x0 in coherence order: \
///      it happens before e3, which reads the initial write of x0\n\
///      the initial write of x0 happens before e0"
/// );
/// # Ok::<(), consistency::Unsupported>(())
/// ```
///
/// # Panics
/// If the execution is malformed ([`PartialExecution::malformed`]).
pub fn check(execution: &PartialExecution, model: Model) -> Result<Answer, Unsupported> {
    if model.rules().sc_fence_is_update() && sc_fences::are_in_several_threads(execution) {
        return sc_fences::check(execution, model);
    }
    check_as_it_is(execution, model)
}

/// The same, where no order of SC fences has to be found.
pub(crate) fn check_as_it_is(execution: &PartialExecution, model: Model) -> Result<Answer, Unsupported> {
    let rules = model.rules();
    match (rules.cycles, rules.coherence, rules.global) {
        (Cycles::Justified, ..) => Err(Unsupported::OtherExecutions),
        (_, Coherence::MoWeak, _) => Err(Unsupported::Model),
        (_, _, GlobalAxiom::Sc | GlobalAxiom::Tso) => {
            downward::check(execution, model, downward::limit(execution))
        }
        (_, _, GlobalAxiom::Sra) if any(execution, |e| execution.op(e) == Op::Rmw) => {
            downward::check(execution, model, downward::limit(execution))
        }
        (_, _, GlobalAxiom::Sra | GlobalAxiom::None | GlobalAxiom::Psc) => {
            check_by_orderings(execution, rules)
        }
    }
}

/// The same, where the orderings of lemma 3.2 decide, or almost.
fn check_by_orderings(execution: &PartialExecution, rules: &Rules) -> Result<Answer, Unsupported> {
    match porf::linearise(execution) {
        Err(cycle) => Ok(Answer::Inconsistent(Reason::Cycle(cycle))),
        Ok(None) => check_in_order(execution, rules),
        Ok(Some(order)) => Ok(renamed(check_in_order(&execution.in_order(&order), rules)?, &order)),
    }
}

/// The same for an execution in which sources come before their readers.
fn check_in_order(execution: &PartialExecution, rules: &Rules) -> Result<Answer, Unsupported> {
    let chains = match Chains::of(execution) {
        Ok(chains) => chains,
        Err(shared_source) => return Ok(Answer::Inconsistent(shared_source)),
    };
    let prepared = &Prepared { execution, slots: Slots::of(execution), chains };
    if rules.coherence == Coherence::HappensBefore {
        return Ok(wra::check(prepared));
    }
    if rules.orders == Orders::Ignored {
        return Ok(decide(prepared, &Relaxed));
    }
    let synchronisation = Synchronisation::of(rules);
    Ok(match rules.global {
        GlobalAxiom::Sra => decide(prepared, &Sra::new(prepared)),
        GlobalAxiom::Psc if any(execution, |e| execution.order(e) == Order::SeqCst) => {
            psc::check(prepared, synchronisation)?
        }
        GlobalAxiom::Psc | GlobalAxiom::None => decide(prepared, &Rc20::new(prepared, synchronisation)),
        GlobalAxiom::Sc | GlobalAxiom::Tso => unreachable!("not by orderings"),
    })
}

fn any(execution: &PartialExecution, is: impl Fn(Event) -> bool) -> bool {
    execution.events().any(is)
}

/// The answer about the events in this order, in terms of the original ones.
fn renamed(answer: Answer, order: &[Event]) -> Answer {
    let event = |e: Event| order[e.index()];
    let source = |source| match source {
        Source::Init => Source::Init,
        Source::Event(e) => Source::Event(event(e)),
    };
    let why = |why| match why {
        Why::Mo { location, access, read } => Why::Mo { location, access: event(access), read: event(read) },
        Why::Overwritten { source: overwritten } => Why::Overwritten { source: source(overwritten) },
        other => other,
    };
    let step = |step: Step| Step { from: source(step.from), to: source(step.to), why: why(step.why) };
    match answer {
        Answer::Consistent(Witness { mut co }) => {
            co.iter_mut().flatten().for_each(|e| *e = event(*e));
            Answer::Consistent(Witness { co })
        }
        Answer::Inconsistent(Reason::Cycle(steps)) => {
            Answer::Inconsistent(Reason::Cycle(steps.into_iter().map(step).collect()))
        }
        Answer::Inconsistent(Reason::SharedSource { location, source: shared, first, second }) => {
            let (first, second) = (event(first), event(second));
            Answer::Inconsistent(Reason::SharedSource { location, source: source(shared), first, second })
        }
        Answer::Inconsistent(reason @ (Reason::Exhausted | Reason::Axioms { .. })) => {
            Answer::Inconsistent(reason)
        }
    }
}
