//! What can be wrong with a test: what, where, and what to do about it.

use crate::source::{At, Source};
use base::{Place, escaped, is_hidden};
use std::fmt;

/// A test that cannot be run. Its text is the file, line and column, the source line and a caret below.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Error {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
    /// The line, or the part of it around the place, and how many characters of it are before the place.
    excerpt: Box<(String, usize)>,
}

/// What is wrong with a test.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what they are about")]
pub enum Problem {
    #[error("the file has more than {limit} bytes: no litmus test is that long", limit = crate::MAX_BYTES)]
    TooLarge,
    #[error("the file is not UTF-8 text")]
    NotText,
    #[error("a litmus test starts with `C NAME`, found {0}")]
    Header(String),
    #[error("a test for {0}: only C litmus tests (`C NAME`) can be run")]
    Architecture(String),
    #[error("the initial state `{{ … }}` is missing before the processes")]
    NoInit,
    #[error("there is no process: expected `P0(…) {{ … }}`")]
    NoProcess,
    #[error("unexpected character {0:?}")]
    Character(char),
    #[error("this comment does not end: `{0}` is missing")]
    OpenComment(&'static str),
    #[error("this string does not end")]
    OpenString,
    #[error("this `{{` is never closed")]
    OpenBrace,
    #[error("expected {expected}, found {found}")]
    Expected { expected: String, found: String },
    #[error("`{0}` is no type that is modelled")]
    UnknownType(String),
    #[error("nested more than {0} deep")]
    TooDeep(u16),
    #[error("`{0}` is no number that fits 64 bits")]
    Number(String),
    #[error("unknown function `{name}`")]
    UnknownFunction { name: String, nearest: Option<String> },
    #[error("`{0}` takes {1} arguments, found {2}")]
    Arguments(String, usize, usize),
    #[error("expected a memory order, found {0}")]
    NoOrder(String),
    #[error("{order} is no order for {operation}")]
    WrongOrder { order: &'static str, operation: &'static str, allowed: &'static str },
    #[error("`{name}` is not declared in P{thread}")]
    Undeclared { name: String, thread: usize },
    #[error("`{0}` is declared twice")]
    Twice(String),
    #[error("`{name}` was declared as `{before}` before, and as `{now}` here")]
    OtherType { name: String, before: String, now: String },
    #[error("there is no process P{0}")]
    UnknownThread(u64),
    #[error("P{thread} has no register `{name}`")]
    UnknownRegister { thread: usize, name: String },
    #[error("there is no location `{0}`")]
    UnknownLocation(String),
    #[error("process P{0} is defined twice")]
    DuplicateProcess(u64),
    #[error("processes are P0, P1, … in this order: expected P{expected}, found P{found}")]
    ProcessOrder { expected: usize, found: u64 },
    #[error("a parameter is a pointer to a shared location: `{0}` is none")]
    Parameter(String),
    #[error("P{thread}'s parameter `{name}` is the address of the location `{name}`: it has no other value")]
    ParameterInit { thread: usize, name: String },
    #[error("`{from}` cannot be used as `{to}`")]
    Mismatch { from: String, to: String },
    #[error("`{0}` is no pointer")]
    NotAPointer(String),
    #[error("this cannot be assigned to")]
    NotAssignable,
    #[error("{0}")]
    Unsupported(String),
    #[error("`{0}` outside of a loop")]
    OutsideLoop(&'static str),
    #[error("too many {what}: at most {limit}")]
    TooMany { what: &'static str, limit: usize },
}

impl Problem {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Problem::Header(_) => "the first line names the language and the test: `C MP`".to_owned(),
            Problem::NoInit => "write `{ }` if everything starts as 0".to_owned(),
            Problem::UnknownFunction { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Problem::UnknownFunction { nearest: None, .. } => {
                "there are atomic_{load,store,exchange,fetch_*,compare_exchange_*} and atomic_thread_fence, each with \
                 and without _explicit"
                    .to_owned()
            }
            Problem::NoOrder(_) => "memory_order_relaxed, …_acquire, …_release, …_acq_rel or …_seq_cst".to_owned(),
            Problem::WrongOrder { allowed, .. } => format!("use {allowed}"),
            Problem::Undeclared { name, thread } => {
                format!(
                    "declare it as a register (`int {name};`), or as a parameter of P{thread} if it is shared \
                     (`atomic_int* {name}`)"
                )
            }
            Problem::UnknownType(_) => {
                "there are char, short, int, long and _Bool, unsigned, atomic_…, _Atomic(…) and the names of stdint.h"
                    .to_owned()
            }
            Problem::Parameter(_) => "write `atomic_int* x` or `int* x`".to_owned(),
            Problem::UnknownLocation(name) => {
                format!("give it a value in the initial state (`{name} = 0;`) or pass it to a process")
            }
            Problem::Mismatch { from, .. } if from.starts_with('&') => {
                "a location or register that holds an address is declared with one more star: `int** p`".to_owned()
            }
            Problem::Mismatch { from, to } if from.ends_with('*') && !to.ends_with('*') => {
                "a register that holds an address is declared as a pointer: `int* r0`".to_owned()
            }
            Problem::OpenBrace => "add the missing `}`".to_owned(),
            _ => return None,
        })
    }

    /// With its place.
    pub(crate) fn at(self, at: At, source: &Source<'_>) -> Error {
        let place = source.place(at);
        let excerpt = excerpt(source.line(at), place.column as usize - 1);
        Error { place, problem: self, excerpt: Box::new(excerpt) }
    }
}

/// The part of a line that is worth showing, and how many of its characters are before byte `at`.
fn excerpt(line: &str, at: usize) -> (String, usize) {
    let before: Vec<char> = line.get(..at).unwrap_or(line).chars().collect();
    let skipped = before.len().saturating_sub(60);
    let shown = line.chars().skip(skipped).take(100);
    // What a terminal would not show as one character is shown as one that it does.
    let visible = |c: char| if is_hidden(c) { '\u{fffd}' } else { c };
    (shown.map(visible).collect(), before.len() - skipped)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, before) = &*self.excerpt;
        let number = self.place.line.to_string();
        let blank = " ".repeat(number.len());
        // A tab stays a tab, so that the caret stays below its character.
        let padding: String =
            line.chars().take(*before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let (place, problem) = (self.place.to_string(), self.problem.to_string());
        write!(f, "{}: error: {}", escaped(&place), escaped(&problem))?;
        // What is too large is wrong as a whole: no line of it says more.
        if self.problem != Problem::TooLarge {
            write!(f, "\n  {number} | {line}\n  {blank} | {padding}^")?;
        }
        match self.problem.help() {
            Some(help) => write!(f, "\n  = help: {help}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_line_with_a_caret() {
        let source = Source::new("t.litmus", "C t\n\tint x;");
        let error = Problem::Undeclared { name: "x".into(), thread: 0 }.at(At(9), &source);
        let text =
            "t.litmus:2:6: error: `x` is not declared in P0\n  2 | \tint x;\n    | \t    ^\n  = help: ";
        assert!(error.to_string().starts_with(text), "{error}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}!{}", "a".repeat(1000), "b".repeat(1000));
        let (text, before) = excerpt(&line, 1000);
        assert_eq!((text.chars().count(), text.chars().nth(before)), (100, Some('!')));
    }
}
