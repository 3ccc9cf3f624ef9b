//! The trace text that `threadbare check` reads and `verify --trace-out` writes.
//!
//! ```text
//! # threadbare trace 1
//! e0 t0 W rel x co=0
//! e1 t1 R acq x rf=e0
//! ```
//! One event a line, sources before their readers where `porf` has no cycle, so that it can be read as a stream;
//! `co=K` is the position among the location's writes, counted from 0 without the initial one.
//!
//! Not in the format: values, and events that are no accesses or fences. Those are written as comments; the order
//! that create and join give is lost.

use crate::execution::event_id;
use crate::{ExecutionGraph, Label, Source};
use base::{Access, EventId};
use std::collections::BTreeMap;
use std::fmt::Write;

impl ExecutionGraph {
    /// The trace text; `name` gives the locations their names (without blanks).
    pub fn to_trace(&self, name: impl Fn(Access) -> String) -> String {
        let order = self.linearise();
        let mut numbers = BTreeMap::new();
        for &event in &order {
            if self.threads[event.thread.index()][event.index as usize].order().is_some() {
                numbers.insert(event, numbers.len());
            }
        }
        let position: BTreeMap<EventId, usize> =
            self.co.values().flat_map(|writes| writes.iter().copied().zip(0..)).collect();
        let mut text = String::from("# threadbare trace 1\n");
        for event in order {
            let label = &self.threads[event.thread.index()][event.index as usize];
            let (Some(number), Some(operation), Some(order)) =
                (numbers.get(&event), operation(label), label.order())
            else {
                text += &format!("# t{} {label}\n", event.thread);
                continue;
            };
            text += &format!("e{number} t{} {operation} {order}", event.thread);
            if let Some(at) = label.at() {
                text += &format!(" {}", name(at));
            }
            match self.rf_of(event) {
                None => {}
                Some(Source::Init) => text += " rf=init",
                // A source that is not in the graph has no number: `check` refuses such a graph.
                Some(Source::Event(write)) => match numbers.get(&write) {
                    Some(source) => text += &format!(" rf=e{source}"),
                    None => text += " rf=?",
                },
            }
            if let Some(position) = position.get(&event) {
                write!(text, " co={position}").expect("strings can be written to");
            }
            text.push('\n');
        }
        text
    }

    /// The events in an order that `porf` agrees with; the rest in thread order if it has a cycle.
    pub fn linearise(&self) -> Vec<EventId> {
        let mut creators = vec![None; self.threads.len()];
        for (event, label) in self.events() {
            if let Label::Create(thread) = label
                && let Some(creator) = creators.get_mut(thread.index())
            {
                *creator = Some(event);
            }
        }
        let mut done = vec![0; self.threads.len()];
        let mut order = Vec::new();
        loop {
            let before = order.len();
            for thread in 0..self.threads.len() {
                while done[thread] < self.threads[thread].len() {
                    let event = event_id(thread, done[thread]);
                    if !self.is_ready(event, creators[thread], &done) {
                        break;
                    }
                    order.push(event);
                    done[thread] += 1;
                }
            }
            if order.len() == before {
                break;
            }
        }
        for (thread, &done) in done.iter().enumerate() {
            order.extend((done..self.threads[thread].len()).map(|index| event_id(thread, index)));
        }
        order
    }

    /// Whether all events right before the event in `porf`, but for `po`, are among the first `done` events.
    fn is_ready(&self, event: EventId, creator: Option<EventId>, done: &[usize]) -> bool {
        let is_done = |e: EventId| done.get(e.thread.index()).is_some_and(|&done| (e.index as usize) < done);
        let created = creator.is_none_or(is_done);
        let joined = match self.threads[event.thread.index()][event.index as usize] {
            Label::Join(child) => {
                self.threads.get(child.index()).is_none_or(|labels| done[child.index()] == labels.len())
            }
            _ => true,
        };
        created && joined && !matches!(self.rf_of(event), Some(Source::Event(write)) if !is_done(write))
    }
}

/// The operation's name, for what a trace has a line for.
fn operation(label: &Label) -> Option<&'static str> {
    match label {
        Label::Read { .. } => Some("R"),
        Label::Write { .. } => Some("W"),
        Label::Rmw { .. } => Some("RMW"),
        Label::Fence(_) => Some("F"),
        Label::Create(_) | Label::Join(_) | Label::Publish(_) | Label::Free(_) => None,
        Label::Choose(_) | Label::Sleep(..) | Label::Notify(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_come_before_their_readers() {
        let graph: ExecutionGraph = "thread 0\n  create 1\n  R acq 0x8/8 = 1 rf 1:0\n  F acq\n\
                                     thread 1\n  RMW rel 0x8/8 = 0 -> 1 rf init\n  W sc 0x8/8 = 2\n\
                                     co 0x8/8: 1:0 1:1\n"
            .parse()
            .unwrap();
        let trace = graph.to_trace(|at| format!("m{}", at.address));
        assert_eq!(
            trace,
            "# threadbare trace 1\n# t0 create 1\ne0 t1 RMW rel m8 rf=init co=0\ne1 t1 W sc m8 co=1\n\
             e2 t0 R acq m8 rf=e0\ne3 t0 F acq\n"
        );
    }

    #[test]
    fn a_cycle_is_written_all_the_same() {
        let graph: ExecutionGraph = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
                                     thread 1\n  R rlx 0x10/8 = 1 rf 0:1\n  W rlx 0x8/8 = 1\n\
                                     co 0x8/8: 1:1\nco 0x10/8: 0:1\n"
            .parse()
            .unwrap();
        assert_eq!(graph.to_trace(|_| "x".to_string()).lines().count(), 5);
    }
}
