//! Which relations are drawn, and between which boxes.
//!
//! Only what helps: of `co` the steps that neither program order nor a read-modify-write shows already; of `fr` the step to
//! the first write that a read has missed; of `sw` what no other `sw` implies. What goes to events that are not shown is not
//! drawn, and two shown writes with others in between count as next to each other.

use super::synchronisation::synchronisation;
use super::{Picture, What};
use crate::notation::Notation;
use base::EventId;
use explore::outcome::ThreadEnd;
use graph::{Label, Source};
use model::Rules;
use std::collections::{BTreeMap, BTreeSet};

/// Why there is an arrow. In the order of importance, for arrows with more than one reason.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Relation {
    Po,
    Rf,
    Sw,
    Co,
    Fr,
    Create,
    Join,
    Waits,
}

/// An arrow. Program order is never together with anything else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Not empty, sorted.
    pub(crate) relations: Vec<Relation>,
    /// It is a step of the cycle.
    pub(crate) on_cycle: bool,
}

impl Relation {
    pub(crate) const ALL: [Relation; 8] = [
        Relation::Po,
        Relation::Rf,
        Relation::Sw,
        Relation::Co,
        Relation::Fr,
        Relation::Create,
        Relation::Join,
        Relation::Waits,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Relation::Po => "po",
            Relation::Rf => "rf",
            Relation::Sw => "sw",
            Relation::Co => "co",
            Relation::Fr => "fr",
            Relation::Create => "create",
            Relation::Join => "join",
            Relation::Waits => "waits for",
        }
    }

    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Relation::Po => "program order",
            Relation::Rf => "is read by",
            Relation::Sw => "synchronises with",
            Relation::Co => "is overwritten by",
            Relation::Fr => "reads what is overwritten by",
            Relation::Create => "creates the thread",
            Relation::Join => "is joined by",
            Relation::Waits => "waits for",
        }
    }
}

impl Edge {
    /// What it is drawn as.
    pub(crate) fn main(&self) -> Relation {
        self.relations[0]
    }

    /// What is written beside it: `rf, sw`. Program order, creation and join need no word: the boxes say it.
    pub(crate) fn label(&self) -> String {
        let is_said =
            |relation: &&Relation| !matches!(relation, Relation::Po | Relation::Create | Relation::Join);
        let names: Vec<&str> =
            self.relations.iter().filter(is_said).map(|relation| relation.name()).collect();
        names.join(", ")
    }
}

/// All arrows, sorted.
pub(super) fn edges(picture: &Picture, notation: &Notation<'_>, rules: &Rules) -> Vec<Edge> {
    let shown = picture.events();
    let mut drawn = Drawn::default();
    reads_from(&mut drawn, notation, &shown);
    coherence(&mut drawn, notation, &shown);
    threads(&mut drawn, picture, notation, &shown);
    waiting(&mut drawn, picture, notation, &shown);
    for (from, to) in synchronisation(notation, &shown, rules) {
        drawn.add(from, to, Relation::Sw);
    }
    let steps = cycle_steps(notation);
    let mut edges: Vec<Edge> = program_order(picture, &steps);
    let on_cycle = |from: usize, to: usize, relations: &BTreeSet<Relation>| {
        let ends = picture.nodes[from].what.event().zip(picture.nodes[to].what.event());
        relations.contains(&Relation::Rf) && ends.is_some_and(|ends| steps.contains(&ends))
    };
    edges.extend(drawn.0.into_iter().map(|((from, to), relations)| Edge {
        from,
        to,
        on_cycle: on_cycle(from, to, &relations),
        relations: relations.into_iter().collect(),
    }));
    edges.sort_by_key(|edge| (edge.from, edge.to, edge.main()));
    edges
}

/// What is to be drawn between two boxes.
#[derive(Default)]
struct Drawn(BTreeMap<(usize, usize), BTreeSet<Relation>>);

impl Drawn {
    fn add(&mut self, from: usize, to: usize, relation: Relation) {
        self.0.entry((from, to)).or_default().insert(relation);
    }

    /// If both are shown.
    fn add_events(
        &mut self,
        shown: &BTreeMap<EventId, usize>,
        from: EventId,
        to: EventId,
        relation: Relation,
    ) {
        if let (Some(&from), Some(&to)) = (shown.get(&from), shown.get(&to)) {
            self.add(from, to, relation);
        }
    }
}

fn reads_from(drawn: &mut Drawn, notation: &Notation<'_>, shown: &BTreeMap<EventId, usize>) {
    for (&read, &source) in &notation.execution.graph.rf {
        if let Source::Event(write) = source {
            drawn.add_events(shown, write, read, Relation::Rf);
        }
    }
}

/// `co` and `fr` of each location.
fn coherence(drawn: &mut Drawn, notation: &Notation<'_>, shown: &BTreeMap<EventId, usize>) {
    let graph = &notation.execution.graph;
    for writes in graph.co.values() {
        let writes: Vec<EventId> = writes.iter().copied().filter(|write| shown.contains_key(write)).collect();
        for pair in writes.windows(2) {
            let is_read = graph.rf.get(&pair[1]) == Some(&Source::Event(pair[0]));
            if pair[0].thread != pair[1].thread && !is_read {
                drawn.add_events(shown, pair[0], pair[1], Relation::Co);
            }
        }
    }
    for (&read, &source) in graph.rf.iter().filter(|(read, _)| shown.contains_key(read)) {
        if let Some(write) = first_missed(notation, read, source, shown)
            && write.thread != read.thread
        {
            drawn.add_events(shown, read, write, Relation::Fr);
        }
    }
}

/// The first shown write that is co-after the one that is read.
fn first_missed(
    notation: &Notation<'_>,
    read: EventId,
    source: Source,
    shown: &BTreeMap<EventId, usize>,
) -> Option<EventId> {
    let writes = notation.execution.graph.co.get(&notation.label(read)?.at()?)?;
    let after = match source {
        Source::Init => 0,
        Source::Event(write) => 1 + writes.iter().position(|&other| other == write)?,
    };
    writes[after..].iter().copied().find(|write| shown.contains_key(write)).filter(|&write| write != read)
}

/// Creation goes to the first box of a thread, and join comes from its last event.
fn threads(drawn: &mut Drawn, picture: &Picture, notation: &Notation<'_>, shown: &BTreeMap<EventId, usize>) {
    for (&event, &index) in shown {
        match notation.label(event) {
            Some(&Label::Create(child)) => {
                if let Some(column) = picture.column_of(child) {
                    drawn.add(index, column.first, Relation::Create);
                }
            }
            Some(&Label::Join(child)) => {
                let events = picture.column_of(child).map_or(0..0, |column| column.first..column.end);
                let last = events.rev().find(|&node| picture.nodes[node].what != What::End);
                last.into_iter().for_each(|last| drawn.add(last, index, Relation::Join));
            }
            _ => {}
        }
    }
}

/// From the box of a thread that waits to what it waits for: the thread, or the event that took its mutex.
fn waiting(drawn: &mut Drawn, picture: &Picture, notation: &Notation<'_>, shown: &BTreeMap<EventId, usize>) {
    for (index, node) in picture.nodes.iter().enumerate().filter(|(_, node)| node.what == What::End) {
        let thread = picture.columns[node.column].thread;
        let awaited = match notation.execution.ends.get(thread.index()) {
            Some(&ThreadEnd::WaitsForThread(_, other)) => {
                picture.column_of(other).filter(|_| other != thread).map(|column| column.end - 1)
            }
            Some(ThreadEnd::WaitsForLock(_)) => {
                let events = notation.execution.graph.threads[thread.index()].len() as u32;
                let attempt = events.checked_sub(1).map(|index| EventId { thread, index });
                match attempt.and_then(|attempt| notation.execution.graph.rf.get(&attempt)) {
                    Some(Source::Event(taken)) => shown.get(taken).copied(),
                    Some(Source::Init) | None => None,
                }
            }
            _ => None,
        };
        awaited.into_iter().for_each(|awaited| drawn.add(index, awaited, Relation::Waits));
    }
}

/// The steps of the cycle, if there is one: from reads to later writes of the thread, and from writes to their readers.
fn cycle_steps(notation: &Notation<'_>) -> BTreeSet<(EventId, EventId)> {
    let Some(justification) = &notation.execution.justification else { return BTreeSet::new() };
    let cycle = &justification.cycle;
    cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1)).collect()
}

fn program_order(picture: &Picture, steps: &BTreeSet<(EventId, EventId)>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for column in &picture.columns {
        for from in column.first..column.end.saturating_sub(1) {
            let index = |node: usize| picture.nodes[node].what.event().map(|event| event.index);
            // Where events are left out, those around the gap tell.
            let starts = (column.first..=from).rev().find_map(index);
            let ends = (from + 1..column.end).find_map(index);
            let on_cycle = steps.iter().any(|(one, other)| {
                (one.thread, other.thread) == (column.thread, column.thread)
                    && starts.is_some_and(|starts| one.index <= starts)
                    && ends.is_some_and(|ends| ends <= other.index)
            });
            edges.push(Edge { from, to: from + 1, relations: vec![Relation::Po], on_cycle });
        }
    }
    edges
}
