//! The text form of a graph: `Display` prints it, `FromStr` reads exactly that back.
//!
//! ```text
//! thread 0
//!   W rlx 0x10/4 = 1
//!   RMW acq_rel 0x14/4 = 0 -> 1 rf init
//! thread 1
//!   R acq 0x14/4 = 1 rf 0:1
//! co 0x10/4: 0:0
//! co 0x14/4: 0:1
//! ```
//! One event a line in program order, `rf` at the end of reads, then `co`. Values that are no graphs have a text,
//! too, so that a broken graph can be shown: an `rf` entry for something that is not a read is a line of its own,
//! `rf 0:0 from init`. Empty lines are skipped when reading.

use crate::{ExecutionGraph, Label, Source};
use base::{Access, EventId, FenceOrder, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Init => f.write_str("init"),
            Source::Event(event) => event.fmt(f),
        }
    }
}

impl fmt::Display for ExecutionGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (thread, labels) in self.threads.iter().enumerate() {
            writeln!(f, "thread {thread}")?;
            for (index, label) in labels.iter().enumerate() {
                let source =
                    self.rf_of(crate::execution::event_id(thread, index)).filter(|_| label.is_read());
                match source {
                    Some(source) => writeln!(f, "  {label} rf {source}")?,
                    None => writeln!(f, "  {label}")?,
                }
            }
        }
        for (event, source) in self.rf.iter().filter(|&(&e, _)| !self.label(e).is_some_and(Label::is_read)) {
            writeln!(f, "rf {event} from {source}")?;
        }
        for (at, writes) in &self.co {
            write!(f, "co {at}:")?;
            writes.iter().try_for_each(|write| write!(f, " {write}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A line that is not part of the text form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: expected {expected}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What was expected.
    pub expected: &'static str,
}

impl FromStr for ExecutionGraph {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<ExecutionGraph, ParseError> {
        let mut graph = ExecutionGraph::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut words = Words { words: line.split_whitespace() };
            words.line(&mut graph).map_err(|expected| ParseError { line: number + 1, expected })?;
        }
        Ok(graph)
    }
}

impl From<ExecutionGraph> for String {
    fn from(graph: ExecutionGraph) -> String {
        graph.to_string()
    }
}

impl TryFrom<String> for ExecutionGraph {
    type Error = ParseError;

    fn try_from(text: String) -> Result<ExecutionGraph, ParseError> {
        text.parse()
    }
}

/// What is left of a line. The methods take words off its front; an error says what was expected.
struct Words<'a> {
    words: std::str::SplitWhitespace<'a>,
}

type Parsed<T> = Result<T, &'static str>;

impl<'a> Words<'a> {
    fn line(&mut self, graph: &mut ExecutionGraph) -> Parsed<()> {
        let expected = "`thread`, `rf`, `co` or an event";
        match self.word(expected)? {
            "thread" => {
                let next = graph.threads.len();
                (self.number()? == next as Value).then_some(()).ok_or("the threads in order")?;
                graph.threads.push(Vec::new());
            }
            "rf" => {
                let event = self.event()?;
                self.keyword("from", "`from`")?;
                graph.rf.insert(event, self.source()?);
            }
            "co" => {
                let at = self.word("a location and `:`")?.strip_suffix(':').ok_or("a location and `:`")?;
                graph.co.insert(access(at)?, self.rest(event)?);
            }
            operation => self.event_line(operation, graph)?,
        }
        self.end()
    }

    fn event_line(&mut self, operation: &str, graph: &mut ExecutionGraph) -> Parsed<()> {
        let label = self.label(operation)?;
        let thread = graph.threads.len().checked_sub(1).ok_or("`thread 0` before the first event")?;
        let event = crate::execution::event_id(thread, graph.threads[thread].len());
        if label.is_read() && self.words.clone().next().is_some() {
            self.keyword("rf", "`rf`")?;
            graph.rf.insert(event, self.source()?);
        }
        graph.threads[thread].push(label);
        Ok(())
    }

    fn label(&mut self, operation: &str) -> Parsed<Label> {
        Ok(match operation {
            "R" => Label::Read { order: self.read_order()?, at: self.access()?, value: self.equals()? },
            "W" => Label::Write { order: self.write_order()?, at: self.access()?, value: self.equals()? },
            "RMW" => Label::Rmw {
                order: self.rmw_order()?,
                at: self.access()?,
                read: self.equals()?,
                written: {
                    self.keyword("->", "`->`")?;
                    self.number()?
                },
            },
            "F" => Label::Fence(self.fence_order()?),
            "create" => Label::Create(self.thread()?),
            "join" => Label::Join(self.thread()?),
            "publish" => Label::Publish(self.rest(object)?),
            "free" => Label::Free(hexadecimal(self.word("an address")?)?),
            "choose" => Label::Choose(self.number()?),
            "sleep" => Label::Sleep(hexadecimal(self.word("an address")?)?, self.number()?),
            "notify" => Label::Notify(hexadecimal(self.word("an address")?)?),
            _ => return Err("an event"),
        })
    }

    fn word(&mut self, expected: &'static str) -> Parsed<&'a str> {
        self.words.next().ok_or(expected)
    }

    fn keyword(&mut self, keyword: &str, expected: &'static str) -> Parsed<()> {
        if self.word(expected)? == keyword { Ok(()) } else { Err(expected) }
    }

    fn rest<T>(&mut self, parse: impl Fn(&str) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.words.by_ref().map(parse).collect()
    }

    fn end(&mut self) -> Parsed<()> {
        self.words.next().map_or(Ok(()), |_| Err("the end of the line"))
    }

    fn number(&mut self) -> Parsed<Value> {
        decimal(self.word("a number")?)
    }

    fn equals(&mut self) -> Parsed<Value> {
        self.keyword("=", "`=`")?;
        self.number()
    }

    fn thread(&mut self) -> Parsed<ThreadId> {
        self.number()?.try_into().map(ThreadId).map_err(|_| "a thread")
    }

    fn event(&mut self) -> Parsed<EventId> {
        event(self.word("an event")?)
    }

    fn access(&mut self) -> Parsed<Access> {
        access(self.word("a location")?)
    }

    fn source(&mut self) -> Parsed<Source> {
        match self.word("`init` or an event")? {
            "init" => Ok(Source::Init),
            word => event(word).map(Source::Event),
        }
    }

    fn read_order(&mut self) -> Parsed<ReadOrder> {
        Ok(match self.word("an order")? {
            "na" => ReadOrder::NotAtomic,
            "rlx" => ReadOrder::Relaxed,
            "acq" => ReadOrder::Acquire,
            "sc" => ReadOrder::SeqCst,
            _ => return Err("the order of a read"),
        })
    }

    fn write_order(&mut self) -> Parsed<WriteOrder> {
        Ok(match self.word("an order")? {
            "na" => WriteOrder::NotAtomic,
            "rlx" => WriteOrder::Relaxed,
            "rel" => WriteOrder::Release,
            "sc" => WriteOrder::SeqCst,
            _ => return Err("the order of a write"),
        })
    }

    fn rmw_order(&mut self) -> Parsed<RmwOrder> {
        Ok(match self.word("an order")? {
            "rlx" => RmwOrder::Relaxed,
            "acq" => RmwOrder::Acquire,
            "rel" => RmwOrder::Release,
            "acq_rel" => RmwOrder::AcqRel,
            "sc" => RmwOrder::SeqCst,
            _ => return Err("the order of a read-modify-write"),
        })
    }

    fn fence_order(&mut self) -> Parsed<FenceOrder> {
        Ok(match self.word("an order")? {
            "acq" => FenceOrder::Acquire,
            "rel" => FenceOrder::Release,
            "acq_rel" => FenceOrder::AcqRel,
            "sc" => FenceOrder::SeqCst,
            _ => return Err("the order of a fence"),
        })
    }
}

fn decimal(word: &str) -> Parsed<u64> {
    word.parse().map_err(|_| "a number")
}

fn hexadecimal(word: &str) -> Parsed<u64> {
    let digits = word.strip_prefix("0x").ok_or("an address")?;
    u64::from_str_radix(digits, 16).map_err(|_| "an address")
}

/// `0x10/4`
fn access(word: &str) -> Parsed<Access> {
    let (address, size) = word.split_once('/').ok_or("a location")?;
    Ok(Access { address: hexadecimal(address)?, size: size.parse().map_err(|_| "a size")? })
}

/// `1:0`
fn event(word: &str) -> Parsed<EventId> {
    let (thread, index) = word.split_once(':').ok_or("an event")?;
    let number = |digits: &str| digits.parse().map_err(|_| "an event");
    Ok(EventId { thread: ThreadId(number(thread)?), index: number(index)? })
}

/// `0x10+24`
fn object(word: &str) -> Parsed<(u64, u64)> {
    let (address, size) = word.split_once('+').ok_or("an object")?;
    Ok((hexadecimal(address)?, decimal(size)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{message_passing, random_graph};

    #[test]
    fn random_graphs_are_read_back_exactly() {
        for seed in 0..2000 {
            let graph = random_graph(seed);
            let text = graph.to_string();
            assert_eq!(text.parse(), Ok(graph), "{text}");
        }
    }

    #[test]
    fn message_passing_prints() {
        assert_eq!(
            message_passing().to_string(),
            "thread 0\n  W rlx 0x10/4 = 1\n  W rel 0x14/4 = 1\n\
             thread 1\n  R acq 0x14/4 = 1 rf 0:1\n  R rlx 0x10/4 = 1 rf 0:0\n\
             co 0x10/4: 0:0\nco 0x14/4: 0:1\n"
        );
    }

    #[test]
    fn errors_name_the_line_and_what_is_missing() {
        let error = |text: &str| text.parse::<ExecutionGraph>().unwrap_err().to_string();
        assert_eq!(error("W rlx 0x10/4 = 1"), "line 1: expected `thread 0` before the first event");
        assert_eq!(error("thread 1"), "line 1: expected the threads in order");
        assert_eq!(error("thread 0\n\n  R rel 0x10/4 = 1"), "line 3: expected the order of a read");
        assert_eq!(error("thread 0\n  W rlx 0x10/4 1"), "line 2: expected `=`");
        assert_eq!(error("thread 0\n  W rlx 10/4 = 1"), "line 2: expected an address");
        assert_eq!(error("thread 0\n  F sc sc"), "line 2: expected the end of the line");
        assert_eq!(error("co 0x10/4 0:0"), "line 1: expected a location and `:`");
    }
}
