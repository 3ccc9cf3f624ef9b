//! SC fences where a model takes them for read-modify-writes of one more location: their order.
//!
//! Under RA, SRA, WRA and RC20 the SC fences of an execution are a chain of `rf`, which no trace has. As long
//! as only one thread has SC fences, the chain is `po`. Else the order of arrival is tried first: a tool that records
//! a trace while the program runs has the fences in the right order. If the execution is inconsistent without
//! any such order, it is with every one. What is left is a search for the order, fence by fence: more of it
//! only makes more happen before, so an order whose beginning is inconsistent is given up.
//!
//! Cost: exponential in the number of SC fences, if neither of the two says; the search ends after [`LIMIT`]
//! checks.

use crate::answer::{Answer, Reason, Unsupported};
use crate::check::check_as_it_is;
use crate::execution::{Event, Op, PartialExecution, Thread};
use crate::porf::linearise;
use base::Order;
use model::Model;

/// So many beginnings of an order are checked.
const LIMIT: usize = 5_000;

/// Whether several threads have SC fences.
pub(crate) fn are_in_several_threads(execution: &PartialExecution) -> bool {
    let mut threads = execution.events().filter(|&e| is_sc_fence(execution, e)).map(|e| execution.thread(e));
    let first = threads.next();
    threads.any(|thread| Some(thread) != first)
}

fn is_sc_fence(execution: &PartialExecution, e: Event) -> bool {
    execution.op(e) == Op::Fence && execution.order(e) == Order::SeqCst
}

/// Whether there is an order of the SC fences with which the execution is consistent.
pub(crate) fn check(execution: &PartialExecution, model: Model) -> Result<Answer, Unsupported> {
    let mut search = Search { execution, model, order: Vec::new(), checks: 0 };
    if let inconsistent @ Answer::Inconsistent(_) = check_as_it_is(execution, model)? {
        return Ok(inconsistent);
    }
    search.order = in_order_of_arrival(execution);
    if let consistent @ Answer::Consistent(_) = search.answer()? {
        return Ok(consistent);
    }
    search.order.clear();
    Ok(search.extend()?.unwrap_or(Answer::Inconsistent(Reason::Exhausted)))
}

/// The SC fences in an order that agrees with `po` and `rf`.
fn in_order_of_arrival(execution: &PartialExecution) -> Vec<Event> {
    let is_sc_fence = |&e: &Event| is_sc_fence(execution, e);
    match linearise(execution).expect("it was consistent without an order") {
        None => execution.events().filter(is_sc_fence).collect(),
        Some(order) => order.into_iter().filter(is_sc_fence).collect(),
    }
}

struct Search<'a> {
    execution: &'a PartialExecution,
    model: Model,
    /// The first SC fences.
    order: Vec<Event>,
    checks: usize,
}

impl Search<'_> {
    /// The answer if those fences come first in this order, and the others do nothing.
    fn answer(&mut self) -> Result<Answer, Unsupported> {
        self.checks += 1;
        Ok(match check_as_it_is(&self.execution.with_updates(&self.order), self.model)? {
            Answer::Consistent(mut witness) => {
                witness.co.truncate(self.execution.location_count());
                Answer::Consistent(witness)
            }
            inconsistent @ Answer::Inconsistent(_) => inconsistent,
        })
    }

    /// Every way to go on with the order.
    fn extend(&mut self) -> Result<Option<Answer>, Unsupported> {
        let candidates = self.candidates();
        for &fence in &candidates {
            if self.checks >= LIMIT {
                return Err(Unsupported::ScFences);
            }
            self.order.push(fence);
            match self.answer()? {
                Answer::Inconsistent(_) => {}
                consistent if self.candidates().is_empty() => return Ok(Some(consistent)),
                Answer::Consistent(_) => {
                    if let Some(consistent) = self.extend()? {
                        return Ok(Some(consistent));
                    }
                }
            }
            self.order.pop();
        }
        Ok(None)
    }

    /// Per thread its first SC fence that is not in the order.
    fn candidates(&self) -> Vec<Event> {
        let threads = (0..self.execution.thread_count() as u32).map(Thread);
        let is_next = |e: &&Event| is_sc_fence(self.execution, **e) && !self.order.contains(e);
        threads.filter_map(|thread| self.execution.po(thread).iter().find(is_next).copied()).collect()
    }
}
