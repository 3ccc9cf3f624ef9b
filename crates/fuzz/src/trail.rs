//! The trail of a run, where one is wanted: its decisions, its replay string, its graph.
//!
//! The replay string is that of `explore/replay.rs`, so that `verify --replay` shows, and checks, the violations found
//! here.

use crate::choices::Decision;
use crate::memory::LocationIndex;
use base::{Access, EventId, Site, ThreadId, Value};
use graph::{ExecutionGraph, Label, Source};
use std::fmt::Write;

/// The trail of a run.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    pub(crate) decisions: Vec<Decision>,
    /// Per decision, whether the thread has read the same value again, in the same place: most likely it waits there.
    pub(crate) idle: Vec<bool>,
    /// Per thread, its last event if that was a read that changed nothing.
    last: Vec<Option<LastRead>>,
    is_idle: bool,
    text: Option<Text>,
    graph: Option<ExecutionGraph>,
    list: Option<List>,
}

#[derive(Debug, Default)]
struct List {
    /// Per thread, how many events it has made.
    made: Vec<u32>,
    events: Vec<Recorded>,
}

/// An event of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Its name.
    pub id: EventId,
    /// Its label.
    pub label: Label,
    /// Its source, if it reads.
    pub source: Option<Source>,
}

/// An instruction, a location and a value.
type LastRead = (Site, LocationIndex, Value);

/// The choice of a step, in the words of a replay string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chosen {
    /// The co-last write, the end of `co`, 0.
    Greedy,
    /// This write.
    From(Source),
    /// The place right after this write.
    After(Source),
    /// This number.
    Number(u64),
}

#[derive(Debug, Default)]
struct Text {
    words: String,
    /// The last steps, all greedy and of one thread: the thread, and how many.
    last: Option<(usize, usize)>,
}

impl Trail {
    /// With a replay string.
    pub(crate) fn with_text() -> Trail {
        Trail { text: Some(Text::default()), ..Trail::default() }
    }

    /// With a graph.
    pub(crate) fn with_graph() -> Trail {
        Trail { graph: Some(ExecutionGraph::default()), ..Trail::default() }
    }

    /// With a list of all events.
    pub(crate) fn with_list() -> Trail {
        Trail { list: Some(List::default()), ..Trail::default() }
    }

    pub(crate) fn add_thread(&mut self) {
        self.last.push(None);
        if let Some(list) = &mut self.list {
            list.made.push(0);
        }
        if let Some(graph) = &mut self.graph {
            graph.threads.push(Vec::new());
        }
    }

    /// Note a step of a thread.
    pub(crate) fn step(&mut self, thread: usize, chosen: Chosen) {
        if let Some(text) = &mut self.text {
            text.step(thread, chosen);
        }
    }

    /// Note a decision. The events of its step have been noted before.
    pub(crate) fn decide(&mut self, decision: Decision) {
        self.decisions.push(decision);
        let is_idle = std::mem::take(&mut self.is_idle);
        self.idle.push(is_idle);
    }

    /// Note that the last event of a thread was a read.
    pub(crate) fn read(&mut self, thread: usize, read: LastRead, changed: bool) {
        let again = !changed && self.last[thread] == Some(read);
        self.is_idle = again;
        self.last[thread] = (!changed).then_some(read);
    }

    /// Note an event of a thread, and its source.
    pub(crate) fn event(&mut self, thread: usize, label: Label, source: Option<Source>) {
        if source.is_none() {
            self.last[thread] = None;
        }
        if let Some(list) = &mut self.list {
            list.made[thread] += 1;
            let id = event_id(thread as u32, list.made[thread]);
            list.events.push(Recorded { id, label: label.clone(), source });
        }
        let Some(graph) = &mut self.graph else { return };
        let id = event_id(thread as u32, graph.threads[thread].len() as u32 + 1);
        graph.threads[thread].push(label);
        if let Some(source) = source {
            graph.rf.insert(id, source);
        }
    }

    /// Note that the last event of a thread is a write, right after another one in `co`.
    pub(crate) fn place(&mut self, thread: usize, at: Access, after: Source) {
        let Some(graph) = &mut self.graph else { return };
        let id = event_id(thread as u32, graph.threads[thread].len() as u32);
        let co = graph.co.entry(at).or_default();
        let place = match after {
            Source::Init => 0,
            Source::Event(write) => co.iter().position(|&other| other == write).map_or(0, |place| place + 1),
        };
        co.insert(place, id);
    }

    pub(crate) fn into_text(self) -> String {
        self.text.map(Text::finish).unwrap_or_default()
    }

    pub(crate) fn into_list(self) -> Vec<Recorded> {
        self.list.map(|list| list.events).unwrap_or_default()
    }

    #[cfg(test)]
    pub(crate) fn graph(&self) -> Option<&ExecutionGraph> {
        self.graph.as_ref()
    }

    pub(crate) fn into_graph(self) -> ExecutionGraph {
        self.graph.unwrap_or_default()
    }
}

/// The event at a position, from 1.
pub(crate) fn event_id(thread: u32, position: u32) -> EventId {
    EventId { thread: ThreadId(thread), index: position - 1 }
}

impl Text {
    fn step(&mut self, thread: usize, chosen: Chosen) {
        match (chosen, &mut self.last) {
            (Chosen::Greedy, Some((last, times))) if *last == thread => *times += 1,
            (Chosen::Greedy, _) => {
                self.flush();
                self.last = Some((thread, 1));
            }
            _ => {
                self.flush();
                self.word(&match chosen {
                    Chosen::Greedy => unreachable!("seen above"),
                    Chosen::From(source) => format!("{thread}r{}", target(source)),
                    Chosen::After(source) => format!("{thread}w{}", target(source)),
                    Chosen::Number(number) => format!("{thread}c{number}"),
                });
            }
        }
    }

    fn flush(&mut self) {
        match self.last.take() {
            None => {}
            Some((thread, 1)) => self.word(&format!("{thread}")),
            Some((thread, times)) => self.word(&format!("{thread}*{times}")),
        }
    }

    fn word(&mut self, word: &str) {
        let joint = if self.words.is_empty() { "" } else { "-" };
        let _ = write!(self.words, "{joint}{word}");
    }

    fn finish(mut self) -> String {
        self.flush();
        self.words
    }
}

fn target(source: Source) -> String {
    match source {
        Source::Init => "i".to_owned(),
        Source::Event(write) => format!("{}.{}", write.thread, write.index),
    }
}
