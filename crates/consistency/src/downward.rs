//! Consistency for models where it is NP-hard: SRA with read-modify-writes, SC and TSO, by a search over prefixes.
//!
//! Implements: \[RF\] section 4.2, reachability in the graph of downward-closed sets: an execution is consistent iff its
//! events can be executed one after the other, each when it is executable in the set of those before it. A set is a
//! frontier, how far each thread has come; what it was reached by does not matter for what can follow. The order in
//! which the writes were executed is the coherence order.
//!
//! * SRA (`steps`): the writes of a location are executed in coherence order, and the writes of a chain one after the
//!   other (2b); a write only after those that lemma 3.2 puts before its chain (2a, `forced`).
//! * SC: a read is executed while what it reads is the last write; so a chain is followed by all its reads before
//!   another write of the location is executed. \[RF\] has no algorithm for SC; this is the usual one (Gibbons, Korach).
//! * TSO: as SC, but each thread has two positions, what it has executed and what has left its store buffer. A read of
//!   its thread's last write to the location may be executed before the write leaves the buffer.
//!
//! Before the search the orderings of lemma 3.2 together with `po` and `rf` are tested for cycles: few inconsistent executions
//! are left after that, and those that are have a cycle as a reason that can be looked up.
//!
//! Differs: \[RF\] tries every executable event. We only branch where it matters (`search`): at the first write of a chain,
//! and only until the chain is complete. Executions without read-modify-writes (SRA) need no branch at all, which gives
//! \[RF\] theorem 1.4, and executions of real programs hardly any.
//!
//! Not modelled: under SRA, an order of SC fences that `po` does not give; `sc_fences` looks for one.
//!
//! Cost: O(n · k) without branches; O(k · n^(k+1)) in the worst case, cut short by the caller's limit.

mod cycle;
mod forced;
mod search;
mod steps;

use crate::answer::{Answer, Reason, Unsupported, Witness};
use crate::execution::{Event, PartialExecution, Source};
use crate::incremental::hb::Notion;
use crate::saturation;
use forced::Forced;
use model::{GlobalAxiom, Model};
use search::Search;
use steps::Streams;

/// How many branching states a search may visit: one for each event, and some that turn out to be wrong.
pub(crate) fn limit(execution: &PartialExecution) -> u64 {
    1_000_000 + execution.len() as u64
}

/// Whether there is a coherence order. At most `states` branching states are visited to find out.
///
/// # Errors
/// Models other than SC, TSO and SRA; more states.
pub(crate) fn check(execution: &PartialExecution, model: Model, states: u64) -> Result<Answer, Unsupported> {
    debug_assert_eq!(execution.malformed(), None, "every read has a source");
    let axiom = model.rules().global;
    let notion = match axiom {
        GlobalAxiom::Sc | GlobalAxiom::Tso => Notion::Porf,
        GlobalAxiom::Sra => Notion::Atomic,
        GlobalAxiom::None | GlobalAxiom::Psc => return Err(Unsupported::Model),
    };
    if let Some(witness) = as_it_arrived(execution) {
        return Ok(Answer::Consistent(witness));
    }
    let forced = Forced::of(execution, notion)
        .and_then(|forced| cycle::acyclic(execution, &forced, notion).map(|()| forced));
    match forced {
        Err(reason) => Ok(Answer::Inconsistent(reason)),
        Ok(forced) => search(execution, &forced, axiom, states),
    }
}

/// The order of arrival, if every read reads the last write before it. Then the execution is sequentially consistent as
/// it was recorded, and so consistent under all three models; a trace of any length of a program that ran under SC is.
fn as_it_arrived(execution: &PartialExecution) -> Option<Witness> {
    let mut co: Vec<Vec<Event>> = vec![Vec::new(); execution.location_count()];
    for e in execution.events() {
        let Some(location) = execution.location(e) else { continue };
        let writes = &mut co[location.0 as usize];
        let last = writes.last().map_or(Source::Init, |&last| Source::Event(last));
        if execution.source(e).is_some_and(|source| source != last) {
            return None;
        }
        if execution.writes(e) {
            writes.push(e);
        }
    }
    Some(Witness { co })
}

fn search(
    execution: &PartialExecution,
    forced: &Forced,
    axiom: GlobalAxiom,
    states: u64,
) -> Result<Answer, Unsupported> {
    let streams = match axiom {
        GlobalAxiom::Sc => Streams::sc(execution, forced),
        GlobalAxiom::Tso => Streams::tso(execution, forced),
        _ => Streams::sra(execution, forced, Notion::Atomic),
    };
    Ok(match Search::new(execution, forced, &streams, states).run()? {
        Some(co) => Answer::Consistent(Witness { co }),
        None => Answer::Inconsistent(exhausted(execution, axiom)),
    })
}

/// The reason, once every order was tried: one that can be looked up, if there is one.
fn exhausted(execution: &PartialExecution, axiom: GlobalAxiom) -> Reason {
    let cycle = match axiom {
        GlobalAxiom::Sc | GlobalAxiom::Tso => saturation::cycle(execution, axiom),
        _ => None,
    };
    cycle.map_or(Reason::Exhausted, Reason::Cycle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Location, Op, Thread};
    use base::Order;

    /// A write that others force into the middle of a chain, by way of orders of writes that only a search finds.
    fn in_the_middle() -> PartialExecution {
        let mut execution = PartialExecution::new();
        let [x, y, z] = [0, 1, 2].map(Location);
        let write = |execution: &mut PartialExecution, thread, at| {
            execution.access(Thread(thread), Op::Write, Order::Relaxed, at)
        };
        let top = write(&mut execution, 0, x);
        let y1 = write(&mut execution, 0, y);
        let y2 = write(&mut execution, 1, y);
        write(&mut execution, 1, x);
        let z1 = write(&mut execution, 1, z);
        let z2 = write(&mut execution, 2, z);
        let update = execution.access(Thread(2), Op::Rmw, Order::Relaxed, x);
        execution.set_source(update, Source::Event(top));
        for (source, at) in [(y1, y), (y2, y), (z1, z), (z2, z)] {
            let read = execution.access(Thread(3), Op::Read, Order::Relaxed, at);
            execution.set_source(read, Source::Event(source));
        }
        execution
    }

    #[test]
    fn a_search_that_is_given_up_says_so() {
        for model in [Model::Sra, Model::Sc, Model::Tso] {
            let answer = |states| check(&in_the_middle(), model, states);
            assert_eq!(answer(0), Err(Unsupported::Budget { states: 0 }), "{model:?}");
            assert!(matches!(answer(limit(&in_the_middle())), Ok(Answer::Inconsistent(_))), "{model:?}");
        }
        assert_eq!(check(&PartialExecution::new(), Model::Rc11, 0), Err(Unsupported::Model));
    }
}
