//! Pictures of random executions: what is drawn as synchronisation, in which rows, and where.

use super::{Picture, Relation};
use crate::layout::{Layout, Rectangle};
use crate::run::Run;
use crate::source_map::NoSource;
use base::{Access, EventId, FenceOrder, ReadOrder, RmwOrder, Rng, Site, ThreadId, WriteOrder};
use explore::outcome::{Execution, ThreadEnd};
use graph::{ExecutionGraph, Label, Source};
use model::relation::Relation as Matrix;
use model::{Model, Relations};
use std::collections::BTreeMap;

const EVENTS: u64 = 5;

fn run(model: Model) -> Run {
    Run {
        program: "random.c".into(),
        files: "random.c".into(),
        model: model.rules(),
        equivalence: "co",
        options: String::new(),
        cflags: String::new(),
        frontend_seconds: 0.0,
        exploration_seconds: 0.0,
        peak_memory_bytes: 0,
    }
}

fn label(rng: &mut Rng) -> Label {
    let at = Access { address: 8 * (1 + rng.below(2)), size: 4 };
    let read = [ReadOrder::NotAtomic, ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst];
    let write = [WriteOrder::NotAtomic, WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst];
    let rmw = [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst];
    let fence = [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::SeqCst];
    match rng.below(8) {
        0..=2 => Label::Read { at, order: rng.pick(&read), value: 0 },
        3..=4 => Label::Write { at, order: rng.pick(&write), value: 0 },
        5..=6 => Label::Rmw { at, order: rng.pick(&rmw), read: 0, written: 0 },
        _ => Label::Fence(rng.pick(&fence)),
    }
}

/// `main` creates two threads, joins them or not, and everybody reads anything from anywhere: no model is asked.
fn random(rng: &mut Rng) -> Execution {
    let mut threads = vec![vec![Label::Create(ThreadId(1)), Label::Create(ThreadId(2))]];
    for _ in 1..3 {
        let events = 1 + rng.below(EVENTS);
        threads.push((0..events).map(|_| label(rng)).collect());
    }
    threads[0].extend((0..rng.below(3)).map(|_| label(rng)));
    let joins: Vec<Label> = [1, 2].map(|child| Label::Join(ThreadId(child))).into();
    threads[0].extend(joins.into_iter().filter(|_| rng.percent(50)));
    threads[0].extend((0..rng.below(2)).map(|_| label(rng)));
    let mut graph = ExecutionGraph { threads, rf: BTreeMap::new(), co: BTreeMap::new() };
    connect(&mut graph, rng);
    let sites = graph.threads.iter().map(|events| vec![Site(0); events.len()]).collect();
    let ends = vec![ThreadEnd::Finished; graph.threads.len()];
    Execution { graph, sites, ends, ..Execution::default() }
}

fn connect(graph: &mut ExecutionGraph, rng: &mut Rng) {
    let events: Vec<(EventId, Label)> = graph.events().map(|(event, label)| (event, label.clone())).collect();
    for (event, label) in &events {
        let Some(at) = label.at() else { continue };
        if label.is_write() {
            let writes = graph.co.entry(at).or_default();
            writes.insert(rng.index(writes.len() + 1), *event);
        }
        if label.is_read() {
            let is_source = |other: &&(EventId, Label)| {
                other.0 != *event && other.1.is_write() && other.1.at() == Some(at)
            };
            let mut sources: Vec<Source> =
                events.iter().filter(is_source).map(|other| Source::Event(other.0)).collect();
            sources.push(Source::Init);
            graph.rf.insert(*event, rng.pick(&sources));
        }
    }
}

/// What happens before what, according to the arrows.
fn drawn_hb(picture: &Picture) -> Matrix {
    let mut hb = Matrix::empty(picture.nodes.len());
    for edge in &picture.edges {
        let ordering = [Relation::Po, Relation::Sw, Relation::Create, Relation::Join];
        if edge.relations.iter().any(|relation| ordering.contains(relation)) {
            hb.insert(edge.from, edge.to);
        }
    }
    let hb = hb.plus();
    hb.minus(&diagonal(&hb))
}

/// Both parts of a read-modify-write are one box: that the one is before the other is not to be seen.
fn diagonal(relation: &Matrix) -> Matrix {
    let mut diagonal = Matrix::empty(relation.events());
    (0..relation.events()).for_each(|event| diagonal.insert(event, event));
    diagonal
}

/// The same according to the text of the model.
fn hb(picture: &Picture, graph: &ExecutionGraph, of_model: fn(&Relations) -> Matrix) -> Matrix {
    let relations = Relations::of(graph);
    let boxes = picture.events();
    let mut hb = Matrix::empty(picture.nodes.len());
    for (one, other) in of_model(&relations).pairs() {
        if let (Some(one), Some(other)) = (relations.events.ids[one], relations.events.ids[other]) {
            hb.insert(boxes[&one], boxes[&other]);
        }
    }
    hb.minus(&diagonal(&hb))
}

/// An arrow is left out only if others imply it, and none is drawn that the model does not have.
#[test]
fn the_arrows_are_the_happens_before_of_rc11() {
    let mut rng = Rng::new(9);
    let mut synchronising = 0;
    for _ in 0..10_000 {
        let execution = random(&mut rng);
        // No model has executions in which something happens before itself.
        if !model::rc11::hb(&Relations::of(&execution.graph)).is_irreflexive() {
            continue;
        }
        let picture = Picture::of_execution(&execution, &run(Model::Rc11), &NoSource);
        let is_sw = |edge: &&super::Edge| edge.relations.contains(&Relation::Sw);
        synchronising += picture.edges.iter().filter(is_sw).count();
        let text = execution.graph.to_string();
        assert_eq!(drawn_hb(&picture), hb(&picture, &execution.graph, model::rc11::hb), "{text}");
    }
    assert!(synchronising > 2_000, "{synchronising}");
}

/// Everything stands below what it comes from if that is possible, and nothing stands upon anything else.
#[test]
fn boxes_have_room_and_an_order() {
    let mut rng = Rng::new(10);
    let mut acyclic = 0;
    for _ in 0..2_000 {
        let execution = random(&mut rng);
        let picture = Picture::of_execution(&execution, &run(Model::Rc11), &NoSource);
        let mut porf = Matrix::empty(picture.nodes.len());
        let downwards =
            |relation| matches!(relation, Relation::Po | Relation::Rf | Relation::Create | Relation::Join);
        let ordered = || picture.edges.iter().filter(|edge| downwards(edge.main()));
        ordered().for_each(|edge| porf.insert(edge.from, edge.to));
        let is_acyclic = porf.is_acyclic();
        acyclic += usize::from(is_acyclic);
        for edge in ordered().filter(|edge| is_acyclic || edge.main() == Relation::Po) {
            assert!(picture.nodes[edge.from].row < picture.nodes[edge.to].row, "{edge:?} of {picture:#?}");
        }
        check_layout(&Layout::new(&picture));
    }
    assert!(acyclic > 300, "{acyclic}");
}

fn check_layout(layout: &Layout) {
    let page = Rectangle { x: 0.0, y: 0.0, width: layout.width, height: layout.height };
    for (index, node) in layout.nodes.iter().enumerate() {
        assert!(layout.nodes[..index].iter().all(|other| !other.overlaps(*node)), "{layout:#?}");
    }
    for arrow in &layout.arrows {
        assert!(arrow.curve.points().iter().all(|&point| page.contains(point)), "{arrow:?} of {layout:#?}");
        let inside = |node: &&Rectangle| arrow.label.is_some_and(|label| node.contains(label));
        assert!(!layout.nodes.iter().any(|node| inside(&node)), "{arrow:?} of {layout:#?}");
    }
}

/// C++20 has no later writes of the same thread in a release sequence.
#[test]
fn own_writes_release_under_rc11_but_not_under_rc20() {
    let text = "thread 0\n  W rel 0x8/4 = 1\n  W rlx 0x8/4 = 2\nthread 1\n  R acq 0x8/4 = 2 rf 0:1\nco 0x8/4: 0:0 0:1\n";
    let graph: ExecutionGraph = text.parse().expect("a graph");
    let (sites, ends) = (vec![vec![Site(0); 2], vec![Site(0)]], vec![ThreadEnd::Finished; 2]);
    let execution = Execution { graph, sites, ends, ..Execution::default() };
    let synchronises = |model| {
        let picture = Picture::of_execution(&execution, &run(model), &NoSource);
        let sw = picture.edges.iter().filter(|edge| edge.relations.contains(&Relation::Sw));
        sw.map(|edge| (edge.from, edge.to)).collect::<Vec<_>>()
    };
    assert_eq!(synchronises(Model::Rc11), [(0, 2)]);
    assert_eq!(synchronises(Model::Rc20), []);
    // There every write is a release.
    assert_eq!(synchronises(Model::Ra), [(1, 2)]);
}
