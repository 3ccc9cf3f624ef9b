//! An execution as a picture: a column per thread, a box per event, and the relations between them.
//!
//! The picture knows what is drawn and in which order, not how: [`dot`](crate::dot), [`svg`](crate::svg) and
//! [`html`](crate::html) lay out the same value. Of a long thread it has what the report has, too: the last events, and those
//! that somebody refers to. Everything in it is text as the user wrote it: who writes a file escapes it.

mod ends;
mod relations;
mod rows;
mod sources;
mod synchronisation;
#[cfg(test)]
mod tests;

use crate::cycle;
use crate::diagnostic::Diagnostic;
use crate::notation::Notation;
use crate::objects::Objects;
use crate::run::Run;
use crate::source_map::SourceMap;
use crate::stack::{Frame, caller};
use crate::threads::{ThreadLine, ThreadStory, stories};
use base::{EventId, ThreadId};
use explore::outcome::{Execution, Violation, ViolationPlace};
use graph::Source;
use std::collections::BTreeMap;

pub(crate) use relations::{Edge, Relation};
pub(crate) use sources::{SourceLine, SourceText};

/// An execution, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What it shows, in a line: `mp.c: data-race under RC11`.
    pub(crate) title: String,
    /// What is wrong, in words; empty if nothing is.
    pub(crate) message: String,
    /// The reasons, and what else the report says, each with a word for it.
    pub(crate) notes: Vec<(&'static str, String)>,
    /// One per thread that did something.
    pub(crate) columns: Vec<Column>,
    /// Column by column, each in program order.
    pub(crate) nodes: Vec<Node>,
    /// Sorted.
    pub(crate) edges: Vec<Edge>,
    /// The files that the events come from.
    pub(crate) sources: Vec<SourceText>,
}

/// A thread.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) thread: ThreadId,
    /// `thread 1 (writer)`
    pub(crate) title: String,
    /// Its boxes are those from here …
    pub(crate) first: usize,
    /// … up to, not including, this one.
    pub(crate) end: usize,
}

/// A box.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) what: What,
    /// The index of its column.
    pub(crate) column: usize,
    /// Later rows are further down. Of two boxes of a column the later one has the greater row.
    pub(crate) row: usize,
    /// What it does: `W.rel flag = 1`.
    pub(crate) text: String,
    /// The instruction, and the calls that led to it, the innermost one first.
    pub(crate) stack: Vec<Frame>,
    /// It reads what was there before the program started.
    pub(crate) reads_initial: bool,
    pub(crate) marks: Marks,
}

/// What a box stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Event(EventId),
    /// Events that are not shown.
    LeftOut,
    /// How far the thread got.
    End,
}

/// Why a box is to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Marks {
    /// It is part of what is wrong.
    pub(crate) wrong: bool,
    /// Its number among the places of the violation, if there are several.
    pub(crate) number: Option<usize>,
    /// It is on a cycle of program order and reads-from.
    pub(crate) on_cycle: bool,
    /// It is committed: the execution that justifies the cycle has it already.
    pub(crate) committed: bool,
}

impl Picture {
    /// The execution of a violation.
    pub fn new(violation: &Violation, run: &Run, map: &dyn SourceMap) -> Picture {
        let diagnostic = Diagnostic::new(violation, run, map);
        let objects = Objects::new(&violation.execution, map);
        let notation = Notation { execution: &violation.execution, map, objects: &objects };
        let title = format!("{}: {} under {}", run.program, diagnostic.code, run.model.title);
        let mut picture = Picture::lay_out(&notation, &diagnostic.threads, &violation.places, run, title);
        ends::mark_waiting(&mut picture, &notation, violation.kind);
        picture.forget_idle_waits();
        picture.message = diagnostic.message.clone();
        picture.notes = notes(&diagnostic);
        picture
    }

    /// An execution with which nothing is wrong.
    pub fn of_execution(execution: &Execution, run: &Run, map: &dyn SourceMap) -> Picture {
        let objects = Objects::new(execution, map);
        let notation = Notation { execution, map, objects: &objects };
        let title = format!("{}: an execution under {}", run.program, run.model.title);
        let mut picture = Picture::lay_out(&notation, &stories(&notation, &[]), &[], run, title);
        picture.forget_idle_waits();
        picture.notes = cycle::words(&notation);
        picture
    }

    /// Adds a line to what is said about the picture.
    #[must_use]
    pub fn with_note(mut self, key: &'static str, words: String) -> Picture {
        self.notes.push((key, words));
        self
    }

    /// That somebody waits is of interest where it is wrong.
    fn forget_idle_waits(&mut self) {
        let nodes = &self.nodes;
        self.edges.retain(|edge| edge.main() != Relation::Waits || nodes[edge.from].marks.wrong);
    }

    fn lay_out(
        notation: &Notation<'_>,
        threads: &[ThreadStory],
        places: &[ViolationPlace],
        run: &Run,
        title: String,
    ) -> Picture {
        let (message, notes, edges, sources) = (String::new(), Vec::new(), Vec::new(), Vec::new());
        let (columns, nodes) = (Vec::new(), Vec::new());
        let mut picture = Picture { title, message, notes, columns, nodes, edges, sources };
        for story in &with_silent(notation, threads, places) {
            picture.add_column(notation, story, places);
        }
        picture.edges = relations::edges(&picture, notation, run.model);
        rows::assign(&mut picture);
        picture.sources = sources::texts(&picture.nodes, notation.map);
        picture
    }

    fn add_column(&mut self, notation: &Notation<'_>, story: &ThreadStory, places: &[ViolationPlace]) {
        let (column, first) = (self.columns.len(), self.nodes.len());
        self.nodes.extend(story.lines.iter().map(|line| node(notation, story.thread, line, places, column)));
        ends::mark_instruction(&mut self.nodes, notation, (story.thread, column), places);
        let function =
            if story.function.is_empty() { String::new() } else { format!(" ({})", story.function) };
        let title = format!("thread {}{function}", story.thread);
        self.columns.push(Column { thread: story.thread, title, first, end: self.nodes.len() });
    }

    /// The boxes of events, by name.
    pub(crate) fn events(&self) -> BTreeMap<EventId, usize> {
        let named = self.nodes.iter().enumerate();
        named.filter_map(|(index, node)| node.what.event().map(|event| (event, index))).collect()
    }

    /// The column of a thread, if it has one.
    pub(crate) fn column_of(&self, thread: ThreadId) -> Option<&Column> {
        self.columns.iter().find(|column| column.thread == thread)
    }

    pub(crate) fn has_cycle(&self) -> bool {
        self.nodes.iter().any(|node| node.marks.on_cycle)
    }
}

impl What {
    pub(crate) fn event(self) -> Option<EventId> {
        match self {
            What::Event(event) => Some(event),
            What::LeftOut | What::End => None,
        }
    }
}

impl Node {
    /// The second line of a box: its name, where it is, and what it reads if no arrow says so.
    pub(crate) fn detail(&self) -> String {
        let name = self.what.event().map(|event| event.to_string());
        let line = |frame: &Frame| format!("{}:{}", short_name(&frame.place.file), frame.place.line);
        let caller = caller(&self.stack).map_or(String::new(), |caller| format!(" ← {}", line(caller)));
        let place = self.stack.first().map(|frame| line(frame) + &caller);
        let initial = self.reads_initial.then(|| "initial value".to_owned());
        name.into_iter().chain(place).chain(initial).collect::<Vec<_>>().join(" · ")
    }

    /// What the marks mean, in words.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let Marks { wrong, number, on_cycle, committed } = self.marks;
        let wrong = match number {
            Some(number) => Some(format!("({number})")),
            None => wrong.then(|| "here it goes wrong".to_owned()),
        };
        let cycle = on_cycle.then(|| "on the cycle".to_owned());
        wrong.into_iter().chain(cycle).chain(committed.then(|| "committed".to_owned())).collect()
    }
}

/// A thread that takes part without having made any event has a column, too.
fn with_silent(
    notation: &Notation<'_>,
    threads: &[ThreadStory],
    places: &[ViolationPlace],
) -> Vec<ThreadStory> {
    let mut all = threads.to_vec();
    for thread in places.iter().map(|place| place.thread) {
        let is_known = all.iter().any(|story| story.thread == thread);
        if !is_known && thread.index() < notation.execution.graph.threads.len() {
            let function = notation.thread_function(thread);
            all.push(ThreadStory { thread, function, lines: Vec::new() });
        }
    }
    all.sort_by_key(|story| story.thread);
    all
}

fn node(
    notation: &Notation<'_>,
    thread: ThreadId,
    line: &ThreadLine,
    places: &[ViolationPlace],
    column: usize,
) -> Node {
    let plain = |what, text: &str, stack| {
        let (row, reads_initial, marks) = (0, false, Marks::default());
        Node { what, column, row, text: text.to_owned(), stack, reads_initial, marks }
    };
    match line {
        ThreadLine::Event { event, text, participant, .. } => {
            let reads_initial = notation.execution.graph.rf.get(event) == Some(&Source::Init);
            let marks = marks(notation, *event, *participant, places);
            Node { reads_initial, marks, ..plain(What::Event(*event), text, notation.event_stack(*event)) }
        }
        ThreadLine::LeftOut(events) => {
            let text = format!("… {}", crate::notation::counted(*events as u64, "event"));
            plain(What::LeftOut, &text, Vec::new())
        }
        ThreadLine::End { text, .. } => plain(What::End, text, notation.end_stack(thread.index())),
    }
}

fn marks(notation: &Notation<'_>, event: EventId, number: Option<usize>, places: &[ViolationPlace]) -> Marks {
    let justification = notation.execution.justification.as_deref();
    Marks {
        wrong: places.iter().any(|place| place.event == Some(event)),
        number,
        on_cycle: justification.is_some_and(|why| why.cycle.contains(&event)),
        committed: justification.is_some_and(|why| why.committed.contains_key(&event)),
    }
}

fn notes(diagnostic: &Diagnostic) -> Vec<(&'static str, String)> {
    let objects = diagnostic.objects.iter().map(|object| ("object", object.clone()));
    let why = diagnostic.why.iter().map(|why| ("why", why.clone()));
    let mut notes: Vec<(&'static str, String)> = objects.chain(why).collect();
    notes.extend(diagnostic.cycle.iter().cloned());
    notes.push(("execution", format!("number {}", diagnostic.number)));
    notes.push(("replay", diagnostic.replay_command.clone()));
    notes.extend(diagnostic.help.iter().map(|help| ("help", help.clone())));
    notes
}

/// The file without its directories, and without the middle of a long name: boxes are narrow.
fn short_name(file: &str) -> String {
    let name: Vec<char> = file.rsplit('/').next().unwrap_or(file).chars().collect();
    match name.len() {
        0..=18 => name.into_iter().collect(),
        length => name[..10].iter().chain(&['…']).chain(&name[length - 6..]).collect(),
    }
}
