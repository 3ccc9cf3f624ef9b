//! Why there is no coherence order, step by step.
//!
//! An edge between two chains stands for an access that knows a write of the first and is before a read of
//! the second. These accesses were not kept; one more sweep over the orderings finds them.

use crate::answer::{Step, Why};
use crate::chains::{Chains, Place, Write};
use crate::coherence::is_edge;
use crate::execution::{Event, PartialExecution, Source};
use crate::ordering::{Ordering, Orderings, Prepared};
use std::ops::ControlFlow;

/// An ordering against a chain, or against the initial write being first: there and back.
pub(crate) fn backwards(prepared: &Prepared, ordering: Ordering) -> Vec<Step> {
    let known = known(prepared, ordering.access);
    let mut steps = steps_of(prepared, ordering);
    let top = prepared.chains.name(ordering.second.top);
    let why = if ordering.first.top == ordering.second.top { Why::Chain } else { Why::Hb };
    steps.push(Step { from: top, to: known, why });
    steps
}

/// A cycle of chains, given by their tops, or under strong-write-coherence of events.
pub(crate) fn cycle<O: Orderings>(prepared: &Prepared, orderings: &O, nodes: &[u32]) -> Vec<Step> {
    let next = |number: usize| nodes[(number + 1) % nodes.len()];
    let edges: Vec<(u32, u32)> = nodes.iter().enumerate().map(|(i, &node)| (node, next(i))).collect();
    let found = reasons(prepared, orderings, &edges);
    let mut steps: Vec<Step> = Vec::new();
    // Steps of po that follow each other are one, except one that is the second half of an ordering.
    let mut extends_po = false;
    for (&(from, to), found) in edges.iter().zip(found) {
        if let Some(ordering) = found {
            steps.extend(along_chain(prepared, from, ordering));
            steps.extend(steps_of(prepared, ordering));
            extends_po = false;
            continue;
        }
        let step = hb_step(prepared.execution, Event(from), Event(to));
        match steps.last_mut() {
            Some(last) if extends_po && step.why == Why::Po => last.to = step.to,
            _ => steps.push(step),
        }
        extends_po = step.why == Why::Po;
    }
    steps
}

/// For each edge an ordering that it stands for. There is none for an edge of `hb` alone.
fn reasons<O: Orderings>(prepared: &Prepared, orderings: &O, edges: &[(u32, u32)]) -> Vec<Option<Ordering>> {
    let mut found = vec![None; edges.len()];
    let _ = orderings.each(prepared, &mut |ordering| {
        if is_edge(prepared, ordering) {
            let edge = (ordering.first.top.0, ordering.second.top.0);
            let missing =
                edges.iter().zip(&mut found).filter(|(wanted, found)| **wanted == edge && found.is_none());
            missing.for_each(|(_, found)| *found = Some(ordering));
        }
        ControlFlow::Continue(())
    });
    found
}

/// From the top of a chain to the write of it that the next step begins with, if it is another one.
fn along_chain(prepared: &Prepared, top: u32, ordering: Ordering) -> Option<Step> {
    let from = prepared.chains.name(Write(top));
    let to = known(prepared, ordering.access);
    (from != to).then_some(Step { from, to, why: Why::Chain })
}

/// The write that an access is or reads.
fn known(prepared: &Prepared, access: Event) -> Source {
    match prepared.execution.writes(access) {
        true => Source::Event(access),
        false => prepared.execution.source(access).expect("it reads or writes"),
    }
}

/// From the write that is known to the top of the chain that it is before.
fn steps_of(prepared: &Prepared, ordering: Ordering) -> Vec<Step> {
    let Ordering { access, by, second, .. } = ordering;
    let (execution, from) = (prepared.execution, known(prepared, access));
    if is_plain_write(&prepared.chains, by, second) {
        let mut steps = Vec::new();
        if from != Source::Event(access) {
            steps.push(Step { from, to: Source::Event(access), why: Why::Rf });
        }
        steps.push(happens_before(execution, access, by));
        return steps;
    }
    let location = execution.location(by).expect("it is an access");
    let why = Why::Mo { location, access, read: by };
    vec![Step { from, to: prepared.chains.name(second.top), why }]
}

fn is_plain_write(chains: &Chains, by: Event, second: Place) -> bool {
    !chains.is_initial(second.top) && second.top.0 == by.0
}

fn happens_before(execution: &PartialExecution, from: Event, to: Event) -> Step {
    let why = if execution.thread(from) == execution.thread(to) { Why::Po } else { Why::Hb };
    Step { from: Source::Event(from), to: Source::Event(to), why }
}

/// An edge of `hb` that is `po` or `rf`.
fn hb_step(execution: &PartialExecution, from: Event, to: Event) -> Step {
    let why = if execution.thread(from) == execution.thread(to) { Why::Po } else { Why::Rf };
    Step { from: Source::Event(from), to: Source::Event(to), why }
}
