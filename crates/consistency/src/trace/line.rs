//! One line of a trace.

use super::error::{OpName, What};
use crate::execution::Op;
use base::Order;
use std::ops::Range;

/// An event as its line has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) id: &'a str,
    pub(crate) thread: &'a str,
    pub(crate) op: Op,
    pub(crate) order: Order,
    /// All but fences have one.
    pub(crate) location: Option<&'a str>,
    /// Reads and read-modify-writes have one: `init` or an id.
    pub(crate) source: Option<&'a str>,
    /// The position in `co`.
    pub(crate) position: Option<u32>,
    /// Where the id is.
    pub(crate) id_span: (usize, usize),
}

/// What is wrong with a line, and with which bytes of it.
pub(crate) type LineFault = (What, Range<usize>);

/// The event of a line; `None` for a blank line and for a comment.
pub(crate) fn parse(text: &str) -> Result<Option<Line<'_>>, LineFault> {
    let mut words = Words { text, at: 0 };
    let Some(id) = words.next() else { return Ok(None) };
    if id.text == "init" || id.text.contains('=') {
        return Err(id.fault(What::NotAnId(id.text.to_owned())));
    }
    let thread = words.need("the thread")?;
    if !is_thread(thread.text) {
        return Err(thread.fault(What::NotAThread(thread.text.to_owned())));
    }
    let op = operation(words.need("the operation")?)?;
    let order = order(words.need("the order")?, op)?;
    let location = location(&mut words, op)?;
    let (source, position) = rest(&mut words, op)?;
    let id_span = (id.at, id.at + id.text.len());
    Ok(Some(Line { id: id.text, thread: thread.text, op, order, location, source, position, id_span }))
}

fn is_thread(word: &str) -> bool {
    word.strip_prefix('t').is_some_and(|number| {
        !number.is_empty() && number.len() <= 18 && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn operation(word: Word<'_>) -> Result<Op, LineFault> {
    match word.text {
        "W" => Ok(Op::Write),
        "R" => Ok(Op::Read),
        "RMW" => Ok(Op::Rmw),
        "F" => Ok(Op::Fence),
        other => Err(word.fault(What::NotAnOp(other.to_owned()))),
    }
}

/// The order, if the operation can have it: those that C11 allows.
fn order(word: Word<'_>, op: Op) -> Result<Order, LineFault> {
    let order = match word.text {
        "na" => Some(Order::NotAtomic),
        "rlx" => Some(Order::Relaxed),
        "acq" => Some(Order::Acquire),
        "rel" => Some(Order::Release),
        "acq_rel" => Some(Order::AcqRel),
        "sc" => Some(Order::SeqCst),
        _ => None,
    };
    let fits = |&order: &Order| match op {
        Op::Read => !matches!(order, Order::Release | Order::AcqRel),
        Op::Write => !matches!(order, Order::Acquire | Order::AcqRel),
        Op::Rmw => order != Order::NotAtomic,
        Op::Fence => !matches!(order, Order::NotAtomic | Order::Relaxed),
    };
    order
        .filter(fits)
        .ok_or_else(|| word.fault(What::NotAnOrder { op: OpName(op), word: word.text.to_owned() }))
}

fn location<'a>(words: &mut Words<'a>, op: Op) -> Result<Option<&'a str>, LineFault> {
    let is_option = |word: &Word<'_>| word.text.starts_with("rf=") || word.text.starts_with("co=");
    let next = words.clone().next().filter(|word| !is_option(word));
    match (op, next) {
        (Op::Fence, None) => Ok(None),
        (Op::Fence, Some(word)) => Err(word.fault(What::FenceLocation)),
        (_, None) => Err(words.missing("the location")),
        (_, Some(word)) => {
            words.next();
            Ok(Some(word.text))
        }
    }
}

/// What comes after the location: where it reads from, and its position in `co`.
fn rest<'a>(words: &mut Words<'a>, op: Op) -> Result<(Option<&'a str>, Option<u32>), LineFault> {
    let (mut source, mut position) = (None, None);
    while let Some(word) = words.next() {
        if let Some(id) = word.text.strip_prefix("rf=") {
            let reads = matches!(op, Op::Read | Op::Rmw);
            check(reads, word, || What::DoesNotRead(OpName(op)))?;
            check(source.is_none(), word, || What::Twice("rf="))?;
            check(!id.is_empty(), word, || What::NotAnId(String::new()))?;
            source = Some(id);
        } else if let Some(number) = word.text.strip_prefix("co=") {
            let writes = matches!(op, Op::Write | Op::Rmw);
            check(writes, word, || What::DoesNotWrite(OpName(op)))?;
            check(position.is_none(), word, || What::Twice("co="))?;
            position = Some(place(number).ok_or_else(|| word.fault(What::NotAPosition(number.to_owned())))?);
        } else {
            return Err(word.fault(What::NotUnderstood(word.text.to_owned())));
        }
    }
    if source.is_none() && matches!(op, Op::Read | Op::Rmw) {
        return Err((What::NoSource(OpName(op)), words.end()));
    }
    Ok((source, position))
}

fn check(holds: bool, word: Word<'_>, what: impl FnOnce() -> What) -> Result<(), LineFault> {
    if holds { Ok(()) } else { Err(word.fault(what())) }
}

/// A position: digits only, without a sign. The largest number is none: it stands for no position.
fn place(digits: &str) -> Option<u32> {
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&number| all_digits && number != u32::MAX)
}

/// A word and where it starts.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    at: usize,
}

impl Word<'_> {
    fn fault(self, what: What) -> LineFault {
        (what, self.at..self.at + self.text.len())
    }
}

/// The words of a line, up to a comment.
#[derive(Clone)]
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        let bytes = self.text.as_bytes();
        let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
        while self.at < bytes.len() && is_blank(bytes[self.at]) {
            self.at += 1;
        }
        let start = self.at;
        if start == bytes.len() || bytes[start] == b'#' {
            return None;
        }
        while self.at < bytes.len() && !is_blank(bytes[self.at]) {
            self.at += 1;
        }
        Some(Word { text: &self.text[start..self.at], at: start })
    }

    fn need(&mut self, what: &'static str) -> Result<Word<'a>, LineFault> {
        self.next().ok_or_else(|| self.missing(what))
    }

    fn missing(&self, what: &'static str) -> LineFault {
        (What::Missing(what), self.end())
    }

    /// Right after the last word that was looked at.
    fn end(&self) -> Range<usize> {
        let end = self.text[..self.at].trim_ascii_end().len();
        end..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (String, &str) {
        let (what, span) = parse(text).expect_err(text);
        (what.to_string(), text.get(span.clone()).unwrap_or_else(|| panic!("{span:?} of {text:?}")))
    }

    #[test]
    fn the_lines_of_the_format() {
        let line = parse("e2 t1 RMW acq_rel x  rf=init co=3 # a lock").unwrap().unwrap();
        assert_eq!((line.id, line.thread, line.op, line.order), ("e2", "t1", Op::Rmw, Order::AcqRel));
        assert_eq!((line.location, line.source, line.position), (Some("x"), Some("init"), Some(3)));
        let line = parse("\te3  t1 F   acq").unwrap().unwrap();
        assert_eq!((line.op, line.location, line.source, line.id_span), (Op::Fence, None, None, (1, 3)));
        assert_eq!(parse("e0 t0 W rel #x").map_err(|(what, _)| what), Err(What::Missing("the location")));
        for nothing in ["", "  \t", "# t0 create 1", "  # indented"] {
            assert_eq!(parse(nothing), Ok(None), "{nothing:?}");
        }
    }

    /// Which orders an operation has is in the message, so that one list is checked by the other.
    #[test]
    fn every_operation_has_its_orders_and_no_others() {
        for (op, rest) in [("R", " x rf=init"), ("W", " x"), ("RMW", " x rf=init"), ("F", "")] {
            let (message, _) = fault(&format!("e0 t0 {op} nonsense{rest}"));
            let (_, list) = message.split_once("there is: ").unwrap();
            let allowed: Vec<&str> = list.split(", ").collect();
            for order in ["na", "rlx", "acq", "rel", "acq_rel", "sc"] {
                let line = format!("e0 t0 {op} {order}{rest}");
                assert_eq!(parse(&line).is_ok(), allowed.contains(&order), "{line}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (text, message, word) in [
            ("e0", "the thread is missing", ""),
            ("e0 t0", "the operation is missing", ""),
            ("e0 t0 W", "the order is missing", ""),
            ("e0 t0 W rel", "the location is missing", ""),
            ("e0 t0 R acq rf=init", "the location is missing", ""),
            ("e0 t0 W x", "`x` is no order of a W", "x"),
            ("e0 t0 R rel x rf=init", "`rel` is no order of an R", "rel"),
            ("e0 0 W rel x", "`0` is no thread", "0"),
            ("e0 t W rel x", "`t` is no thread", "t"),
            ("e0 W rel x", "`W` is no thread", "W"),
            ("e0 t0 X rel x", "`X` is no operation", "X"),
            ("e0 t0 F sc x", "a fence has no location", "x"),
            ("e0 t0 R acq x", "`rf=ID` or `rf=init` is missing", ""),
            ("e0 t0 R acq x rf=", "is no id", "rf="),
            ("e0 t0 W rel x rf=e1", "a W does not read", "rf=e1"),
            ("e0 t0 F acq rf=e1", "an F does not read", "rf=e1"),
            ("e0 t0 R acq x rf=e1 co=0", "an R does not write", "co=0"),
            ("e0 t0 W rel x co=-1", "`-1` is no position", "co=-1"),
            ("e0 t0 W rel x co=+1", "`+1` is no position", "co=+1"),
            ("e0 t0 W rel x co=4294967296", "is no position", "co=4294967296"),
            ("e0 t0 W rel x co=0 co=0", "`co=` is there twice", "co=0"),
            ("e0 t0 R acq x rf=e1 rf=e1", "`rf=` is there twice", "rf=e1"),
            ("e0 t0 W rel x = 1", "`=` is not understood", "="),
            ("init t0 W rel x", "`init` is no id", "init"),
            ("a=b t0 W rel x", "`a=b` is no id", "a=b"),
        ] {
            let (found, at) = fault(text);
            assert!(found.contains(message) && at == word, "{text}: {found} at {at:?}");
        }
    }
}
