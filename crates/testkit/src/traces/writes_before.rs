//! Writes-before: the cubic algorithm for coherence orders, the reference for Algorithm 3 of \[RF\].
//!
//! Implements: the order wb of Lahav and Vafeiadis (ICALP 2015) as model checkers use it: bit matrices, `hb`
//! by transitive closure, then every write that is known to an access is before the chain that the access
//! reads, until no pair is added; consistent iff the result has no cycle. O(n³/64).

use crate::traces::brute_force::{Defined, orders_of_sc_fences};
use consistency::{Event, Op, PartialExecution, Source};
use model::Model;
use model::relation::Relation;

/// Whether there is a coherence order. For RA, RC20, Relaxed, and RC11 without SC events, whose declarative `hb` is
/// used.
///
/// # Panics
/// If there is more than one order of the SC fences and the model needs it.
pub fn is_consistent(execution: &PartialExecution, model: Model) -> bool {
    let orders = orders_of_sc_fences(execution, model);
    assert_eq!(orders.len(), 1, "one order of the SC fences");
    let hb = Defined::new(execution, model, &orders[0]).happens_before();
    is_porf(execution) && weakly_atomic(execution) && is_coherent(execution, hb)
}

fn is_porf(execution: &PartialExecution) -> bool {
    let mut porf = Relation::empty(execution.len());
    for e in execution.events() {
        if let Some(&before) = execution.po(execution.thread(e))[..execution.position(e) as usize].last() {
            porf.insert(before.index(), e.index());
        }
        if let Some(Source::Event(write)) = execution.source(e) {
            porf.insert(write.index(), e.index());
        }
    }
    porf.is_acyclic()
}

fn weakly_atomic(execution: &PartialExecution) -> bool {
    let updates = execution.events().filter(|&e| execution.op(e) == Op::Rmw);
    let mut sources: Vec<_> =
        updates.map(|e| (execution.location(e), number(execution, write_read(execution, e)))).collect();
    sources.sort_unstable();
    sources.windows(2).all(|pair| pair[0] != pair[1])
}

fn write_read(execution: &PartialExecution, e: Event) -> Source {
    execution.source(e).expect("it reads")
}

/// Events have their numbers, all initial writes the one after them: locations do not meet.
fn number(execution: &PartialExecution, write: Source) -> usize {
    match write {
        Source::Init => execution.len(),
        Source::Event(e) => e.index(),
    }
}

/// The first write of a chain, and how many are before a write in it.
fn place(execution: &PartialExecution, write: Source) -> (Source, usize) {
    match write {
        Source::Event(e) if execution.op(e) == Op::Rmw => {
            let (top, position) = place(execution, write_read(execution, e));
            (top, position + 1)
        }
        top => (top, 0),
    }
}

fn is_coherent(execution: &PartialExecution, hb: impl Fn(Event, Event) -> bool) -> bool {
    let known = |e: Event| if execution.writes(e) { Source::Event(e) } else { write_read(execution, e) };
    let mut wb = Relation::empty(execution.len() + 1);
    for e in execution.events().filter(|&e| execution.location(e).is_some()) {
        let read = execution.source(e).unwrap_or(Source::Event(e));
        let (second, limit) = place(execution, read);
        let same_location = execution.events().filter(|&a| execution.location(a) == execution.location(e));
        for access in same_location.filter(|&a| hb(a, e)) {
            let (first, position) = place(execution, known(access));
            match first == second {
                true if position > limit => return false,
                true => {}
                false if second == Source::Init => return false,
                false if first == Source::Init => {}
                false => wb.insert(number(execution, first), number(execution, second)),
            }
        }
    }
    wb.plus().is_irreflexive()
}
