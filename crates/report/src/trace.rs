//! The trace text of an execution, as `threadbare check` reads it, with the names of the source.
//!
//! The format has accesses and fences only. So that the order of thread creation and join is not lost, it is written
//! as a release and an acquire of a location of its own: `create.1` and `end.1` for thread 1.
//! Not written, but for a comment: publications, frees, open choices.

use crate::notation::Notation;
use crate::objects::Objects;
use crate::source_map::SourceMap;
use base::{Access, EventId, ReadOrder, ThreadId, WriteOrder};
use explore::outcome::Execution;
use graph::{ExecutionGraph, Label, Source};
use std::collections::{BTreeMap, BTreeSet};

/// The execution as trace text.
pub fn trace(execution: &Execution, map: &dyn SourceMap) -> String {
    let mut names = location_names(execution, map);
    let graph = with_accesses_for_threads(&execution.graph, &mut names);
    graph.to_trace(|at| names[&at].clone())
}

/// Each location's name, one word; where the source has no name for it, or one for several, its address.
fn location_names(execution: &Execution, map: &dyn SourceMap) -> BTreeMap<Access, String> {
    let objects = Objects::new(execution, map);
    let accesses: BTreeSet<Access> = execution.graph.threads.iter().flatten().filter_map(Label::at).collect();
    let mut taken = BTreeSet::new();
    let mut names = BTreeMap::new();
    for at in accesses {
        let name = Notation { execution, map, objects: &objects }.location(at);
        let name = name.filter(|name| is_a_word(name) && !stands_for_a_thread(name) && !taken.contains(name));
        let name = name.unwrap_or_else(|| format!("{:#x}/{}", at.address, at.size));
        taken.insert(name.clone());
        names.insert(at, name);
    }
    names
}

/// Whether a trace can have this name. `#` starts a comment there, and the word after the location has a `=`.
fn is_a_word(name: &str) -> bool {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    !name.is_empty() && !name.contains(blank) && !name.starts_with(['#']) && !name.contains('=')
}

/// `create.N` and `end.N` have a meaning of their own: nothing of the program may be called so.
fn stands_for_a_thread(name: &str) -> bool {
    let number = name.strip_prefix("create.").or_else(|| name.strip_prefix("end."));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The graph with a release for each creation and each end of a thread that is joined, and acquires that read them.
fn with_accesses_for_threads(graph: &ExecutionGraph, names: &mut BTreeMap<Access, String>) -> ExecutionGraph {
    let children = |wanted: fn(&Label) -> Option<ThreadId>| -> BTreeSet<ThreadId> {
        graph
            .threads
            .iter()
            .flatten()
            .filter_map(wanted)
            .filter(|child| child.index() < graph.threads.len())
            .collect()
    };
    let created = children(|label| if let Label::Create(child) = label { Some(*child) } else { None });
    let joined = children(|label| if let Label::Join(child) = label { Some(*child) } else { None });
    for &child in &created {
        names.insert(creation_of(child), format!("create.{child}"));
    }
    for &child in &joined {
        names.insert(end_of(child), format!("end.{child}"));
    }
    // A created thread starts with one more event.
    let moved =
        |event: EventId| EventId { index: event.index + u32::from(created.contains(&event.thread)), ..event };
    let mut result = ExecutionGraph {
        threads: graph.threads.clone(),
        rf: graph.rf.iter().map(|(&read, &source)| (moved(read), moved_source(source, moved))).collect(),
        co: graph.co.iter().map(|(&at, writes)| (at, writes.iter().copied().map(moved).collect())).collect(),
    };
    for &child in &created {
        result.threads[child.index()].insert(0, acquire(creation_of(child)));
    }
    for &child in &joined {
        result.threads[child.index()].push(release(end_of(child)));
    }
    connect(&mut result, &created, &joined);
    result
}

fn moved_source(source: Source, moved: impl Fn(EventId) -> EventId) -> Source {
    match source {
        Source::Init => Source::Init,
        Source::Event(write) => Source::Event(moved(write)),
    }
}

/// Creations become releases and joins acquires; the acquires read from the releases.
fn connect(graph: &mut ExecutionGraph, created: &BTreeSet<ThreadId>, joined: &BTreeSet<ThreadId>) {
    let last: Vec<u32> = graph.threads.iter().map(|events| (events.len() as u32).saturating_sub(1)).collect();
    for (thread, events) in graph.threads.iter_mut().enumerate() {
        for (index, label) in events.iter_mut().enumerate() {
            let event = EventId { thread: ThreadId(thread as u32), index: index as u32 };
            match *label {
                Label::Create(child) if created.contains(&child) => {
                    *label = release(creation_of(child));
                    let first = EventId { thread: child, index: 0 };
                    graph.rf.insert(first, Source::Event(event));
                }
                Label::Join(child) if joined.contains(&child) => {
                    *label = acquire(end_of(child));
                    let end = EventId { thread: child, index: last[child.index()] };
                    graph.rf.insert(event, Source::Event(end));
                }
                _ => {}
            }
        }
    }
}

fn release(at: Access) -> Label {
    Label::Write { at, order: WriteOrder::Release, value: 1 }
}

fn acquire(at: Access) -> Label {
    Label::Read { at, order: ReadOrder::Acquire, value: 1 }
}

/// Addresses at the very end, where no program has any.
fn creation_of(thread: ThreadId) -> Access {
    Access { address: u64::MAX - 8 - 16 * u64::from(thread.0), size: 1 }
}

fn end_of(thread: ThreadId) -> Access {
    Access { address: u64::MAX - 16 - 16 * u64::from(thread.0), size: 1 }
}
