//! A cycle of `psc`, step by step.
//!
//! Each edge of `psc` is taken apart along its definition into steps of `po`, `rf`, `hb`, `co` and `fr`.

use crate::answer::{Step, Why};
use crate::execution::{Event, Source};
use crate::extension::{Graph, linear_extension};
use crate::psc::{Fixed, Psc};

/// The steps of a cycle of `psc`.
pub(crate) fn cycle(fixed: &Fixed, psc: &Psc) -> Vec<Step> {
    let nodes = events_of_a_cycle(psc);
    let next = nodes.iter().cycle().skip(1);
    nodes.iter().zip(next).flat_map(|(&a, &b)| edge(fixed, psc, a as usize, b as usize)).collect()
}

fn events_of_a_cycle(psc: &Psc) -> Vec<u32> {
    let mut capacities = vec![0; psc.all.events()];
    psc.all.pairs().for_each(|(_, to)| capacities[to] += 1);
    let mut graph = Graph::with_capacities(&capacities);
    psc.all.pairs().for_each(|(from, to)| graph.insert(from as u32, to as u32));
    linear_extension(&graph).expect_err("it has a cycle")
}

fn edge(fixed: &Fixed, psc: &Psc, a: usize, b: usize) -> Vec<Step> {
    let (from, to) = (around(fixed, a, true), around(fixed, b, false));
    let pairs = || from.iter().flat_map(|&x| to.iter().map(move |&y| (x, y)));
    let middle = pairs().find_map(|(x, y)| Some((x, y, scb(fixed, psc, x, y)?)));
    let middle = middle.or_else(|| pairs().find_map(|(x, y)| Some((x, y, eco(fixed, psc, x, y)?))));
    match middle {
        Some((x, y, middle)) => hb(a, x).into_iter().chain(middle).chain(hb(y, b)).collect(),
        None => vec![step(a, b, Why::Hb)],
    }
}

/// The event itself, and if it is an SC fence, what happens after it, or before it.
fn around(fixed: &Fixed, e: usize, after: bool) -> Vec<usize> {
    let related = |&other: &usize| match after {
        true => fixed.hb.contains(e, other),
        false => fixed.hb.contains(other, e),
    };
    let others = (0..fixed.hb.events()).filter(related).filter(|_| fixed.sc_fences.contains(e));
    std::iter::once(e).chain(others).collect()
}

fn step(from: usize, to: usize, why: Why) -> Step {
    let event = |e: usize| Source::Event(Event(e as u32));
    Step { from: event(from), to: event(to), why }
}

fn hb(from: usize, to: usize) -> Option<Step> {
    (from != to).then(|| step(from, to, Why::Hb))
}

fn scb(fixed: &Fixed, psc: &Psc, x: usize, y: usize) -> Option<Vec<Step>> {
    let why = match () {
        () if fixed.po.contains(x, y) => Why::Po,
        () if fixed.scb.contains(x, y) => Why::Hb,
        () if psc.co.contains(x, y) => Why::Co,
        () if psc.fr.contains(x, y) => Why::Fr,
        () => return None,
    };
    Some(vec![step(x, y, why)])
}

/// `eco` is `rf`, or `co` or `fr`, and perhaps `rf` after that.
fn eco(fixed: &Fixed, psc: &Psc, x: usize, y: usize) -> Option<Vec<Step>> {
    if !psc.eco.contains(x, y) {
        return None;
    }
    if fixed.rf.contains(x, y) {
        return Some(vec![step(x, y, Why::Rf)]);
    }
    let order = |x, y| match () {
        () if psc.co.contains(x, y) => Some(step(x, y, Why::Co)),
        () if psc.fr.contains(x, y) => Some(step(x, y, Why::Fr)),
        () => None,
    };
    order(x, y).map(|step| vec![step]).or_else(|| {
        let sources = (0..fixed.rf.events()).filter(|&write| fixed.rf.contains(write, y));
        sources.into_iter().find_map(|write| Some(vec![order(x, write)?, step(write, y, Why::Rf)]))
    })
}
