//! Graphs for the tests of this crate.

use crate::{ExecutionGraph, Label, Source};
use base::{Access, EventId, FenceOrder, ReadOrder, RmwOrder, ThreadId, WriteOrder};

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
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    };
    let mut graph = ExecutionGraph::default();
    for _ in 0..below(4) {
        let mut labels = Vec::new();
        for _ in 0..below(5) {
            let label = random_label(&mut below);
            if label.is_read() && below(8) > 0 {
                let event = crate::execution::event_id(graph.threads.len(), labels.len());
                graph.rf.insert(event, random_source(&mut below));
            }
            labels.push(label);
        }
        graph.threads.push(labels);
    }
    for _ in 0..below(3) {
        let writes = (0..below(4)).map(|_| random_event(&mut below)).collect();
        graph.co.insert(random_access(&mut below), writes);
    }
    if below(8) == 0 {
        graph.rf.insert(random_event(&mut below), Source::Init);
    }
    graph
}

fn random_label(below: &mut dyn FnMut(u64) -> u64) -> Label {
    let at = random_access(below);
    let value = if below(9) == 0 { u64::MAX } else { below(3) };
    match below(11) {
        0 => Label::Read {
            at,
            value,
            order: [ReadOrder::NotAtomic, ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst]
                [below(4) as usize],
        },
        1 => Label::Write {
            at,
            value,
            order: [WriteOrder::NotAtomic, WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst]
                [below(4) as usize],
        },
        2 => Label::Rmw {
            at,
            read: value,
            written: below(3),
            order: [
                RmwOrder::Relaxed,
                RmwOrder::Acquire,
                RmwOrder::Release,
                RmwOrder::AcqRel,
                RmwOrder::SeqCst,
            ][below(5) as usize],
        },
        3 => Label::Fence(
            [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::SeqCst]
                [below(4) as usize],
        ),
        4 => Label::Create(ThreadId(below(4) as u32)),
        5 => Label::Join(ThreadId(below(4) as u32)),
        6 => Label::Publish((0..below(3)).map(|_| (below(1 << 20), below(64))).collect()),
        7 => Label::Free(below(1 << 20)),
        8 => Label::Sleep(below(1 << 20), below(2)),
        9 => Label::Notify(below(1 << 20)),
        _ => Label::Choose(value),
    }
}

fn random_access(below: &mut dyn FnMut(u64) -> u64) -> Access {
    Access { address: 0x1000 + 8 * below(3), size: 1 << below(4) }
}

fn random_event(below: &mut dyn FnMut(u64) -> u64) -> EventId {
    EventId { thread: ThreadId(below(4) as u32), index: below(5) as u32 }
}

fn random_source(below: &mut dyn FnMut(u64) -> u64) -> Source {
    if below(3) == 0 { Source::Init } else { Source::Event(random_event(below)) }
}
