//! Graphs for the tests of this crate.

use crate::{ExecutionGraph, Label, Source};
use base::{Access, EventId, FenceOrder, ReadOrder, RmwOrder, Rng, ThreadId, WriteOrder};

/// The graph of the picture in the crate's documentation.
pub(crate) fn message_passing() -> ExecutionGraph {
    let (x, y) = (Access { address: 0x10, size: 4 }, Access { address: 0x14, size: 4 });
    let e = |thread, index| EventId { thread: ThreadId(thread), index };
    ExecutionGraph {
        threads: vec![
            vec![
                Label::Write { at: x, order: WriteOrder::Relaxed, value: 1 },
                Label::Write { at: y, order: WriteOrder::Release, value: 1 },
            ],
            vec![
                Label::Read { at: y, order: ReadOrder::Acquire, value: 1 },
                Label::Read { at: x, order: ReadOrder::Relaxed, value: 1 },
            ],
        ],
        rf: [(e(1, 0), Source::Event(e(0, 1))), (e(1, 1), Source::Event(e(0, 0)))].into(),
        co: [(x, vec![e(0, 0)]), (y, vec![e(0, 1)])].into(),
    }
}

/// Any value of the type, well-formed or not.
pub(crate) fn random_graph(seed: u64) -> ExecutionGraph {
    let rng = &mut Rng::new(seed);
    let mut graph = ExecutionGraph::default();
    for _ in 0..rng.below(4) {
        let mut labels = Vec::new();
        for _ in 0..rng.below(5) {
            let label = random_label(rng);
            if label.is_read() && rng.below(8) > 0 {
                let event = crate::execution::event_id(graph.threads.len(), labels.len());
                graph.rf.insert(event, random_source(rng));
            }
            labels.push(label);
        }
        graph.threads.push(labels);
    }
    for _ in 0..rng.below(3) {
        let writes = (0..rng.below(4)).map(|_| random_event(rng)).collect();
        graph.co.insert(random_access(rng), writes);
    }
    if rng.below(8) == 0 {
        graph.rf.insert(random_event(rng), Source::Init);
    }
    graph
}

fn random_label(rng: &mut Rng) -> Label {
    let at = random_access(rng);
    let value = if rng.below(9) == 0 { u64::MAX } else { rng.below(3) };
    match rng.below(11) {
        0 => Label::Read {
            at,
            value,
            order: rng.pick(&[
                ReadOrder::NotAtomic,
                ReadOrder::Relaxed,
                ReadOrder::Acquire,
                ReadOrder::SeqCst,
            ]),
        },
        1 => Label::Write {
            at,
            value,
            order: rng.pick(&[
                WriteOrder::NotAtomic,
                WriteOrder::Relaxed,
                WriteOrder::Release,
                WriteOrder::SeqCst,
            ]),
        },
        2 => Label::Rmw {
            at,
            read: value,
            written: rng.below(3),
            order: rng.pick(&[
                RmwOrder::Relaxed,
                RmwOrder::Acquire,
                RmwOrder::Release,
                RmwOrder::AcqRel,
                RmwOrder::SeqCst,
            ]),
        },
        3 => Label::Fence(rng.pick(&[
            FenceOrder::Acquire,
            FenceOrder::Release,
            FenceOrder::AcqRel,
            FenceOrder::SeqCst,
        ])),
        4 => Label::Create(ThreadId(rng.below(4) as u32)),
        5 => Label::Join(ThreadId(rng.below(4) as u32)),
        6 => Label::Publish((0..rng.below(3)).map(|_| (rng.below(1 << 20), rng.below(64))).collect()),
        7 => Label::Free(rng.below(1 << 20)),
        8 => Label::Sleep(rng.below(1 << 20), rng.below(2)),
        9 => Label::Notify(rng.below(1 << 20)),
        _ => Label::Choose(value),
    }
}

fn random_access(rng: &mut Rng) -> Access {
    Access { address: 0x1000 + 8 * rng.below(3), size: 1 << rng.below(4) }
}

fn random_event(rng: &mut Rng) -> EventId {
    EventId { thread: ThreadId(rng.below(4) as u32), index: rng.below(5) as u32 }
}

fn random_source(rng: &mut Rng) -> Source {
    if rng.below(3) == 0 { Source::Init } else { Source::Event(random_event(rng)) }
}
