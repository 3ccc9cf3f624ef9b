//! What is wrong with a trace, and where.

use crate::execution::Op;
use std::fmt;
use std::ops::Range;
use thiserror::Error;

/// Why a trace cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file, not the text.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The text.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
}

/// What is wrong with the text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what}")]
pub struct Fault {
    /// Where, from 1.
    pub line: u64,
    /// What is on that line. `None` if the fault came up when the line had been read long ago: who can read the file
    /// again gives it to [`Fault::on_line`].
    pub text: Option<String>,
    /// The bytes of the line that it is about; past the end if something is missing there.
    pub span: Range<usize>,
    /// What is wrong.
    pub what: What,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what they are")]
pub enum What {
    #[error("this is no trace: the first line is not `{}`", super::HEADER)]
    NoHeader,
    #[error("version `{0}` of the trace format is not known; there is: 1")]
    Version(String),
    #[error("this is no text: byte {0:#04x}")]
    NotText(u8),
    #[error("the line is longer than {} bytes", super::MAX_LINE)]
    TooLong,
    #[error("more than four thousand million events")]
    TooMany,
    #[error("{0} is missing: an event is written `id thread operation order location`")]
    Missing(&'static str),
    #[error("`{0}` is no id of an event")]
    NotAnId(String),
    #[error("`{0}` is no thread: write a t and a number, as in t0")]
    NotAThread(String),
    #[error("`{0}` is no operation; there is: W, R, RMW, F")]
    NotAnOp(String),
    #[error("`{word}` is no order of {op}; there is: {}", orders(*.op))]
    NotAnOrder { op: OpName, word: String },
    #[error("a fence has no location")]
    FenceLocation,
    #[error("`{0}` is not understood: after the location there are rf= and co= only")]
    NotUnderstood(String),
    #[error("`{0}` is there twice")]
    Twice(&'static str),
    #[error("{0} reads from somewhere: `rf=ID` or `rf=init` is missing")]
    NoSource(OpName),
    #[error("{0} does not read: it has no `rf=`")]
    DoesNotRead(OpName),
    #[error("{0} does not write: it has no `co=`")]
    DoesNotWrite(OpName),
    #[error("`{0}` is no position: `co=K` has a number, from 0")]
    NotAPosition(String),
    #[error("`{id}` is the id of another event already, in {thread} on line {line}")]
    IdTwice { id: String, thread: String, line: u64 },
    #[error("there is no event `{0}`; is the trace complete?")]
    UnknownSource(String),
    #[error("`{id}` (line {line}) is {op}, which writes nothing")]
    SourceNotAWrite { id: String, line: u64, op: OpName },
    #[error("`{id}` (line {line}) writes `{there}`, this reads `{here}`")]
    SourceElsewhere { id: String, line: u64, here: String, there: String },
    #[error("`co=` is missing here: other writes to `{location}` have it (line {line})")]
    CoMissing { location: String, line: u64 },
    #[error("position {position} of {writes}: the writes to `{location}` have the positions 0 to {}", .writes - 1)]
    CoTooLarge { location: String, position: u32, writes: usize },
    #[error("position {position} of `{location}` is that of another write already (line {line})")]
    CoTwice { location: String, position: u32, line: u64 },
}

/// An operation, as the trace names it, in a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpName(pub Op);

impl fmt::Display for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Op::Read => "an R",
            Op::Write => "a W",
            Op::Rmw => "an RMW",
            Op::Fence => "an F",
        })
    }
}

fn orders(op: OpName) -> &'static str {
    match op.0 {
        Op::Read => "na, rlx, acq, sc",
        Op::Write => "na, rlx, rel, sc",
        Op::Rmw => "rlx, acq, rel, acq_rel, sc",
        Op::Fence => "acq, rel, acq_rel, sc",
    }
}

impl Fault {
    /// Whether the fault needs its line's text.
    pub fn lacks_text(&self) -> bool {
        self.text.is_none()
    }

    /// The fault on the line whose text this is.
    pub fn on_line(self, text: &str) -> Fault {
        let span = self.what.word().and_then(|word| find(text, word)).unwrap_or(0..text.len());
        Fault { text: Some(text.to_owned()), span, ..self }
    }
}

impl What {
    /// How the word begins that a late fault is about.
    fn word(&self) -> Option<&'static str> {
        match self {
            What::UnknownSource(_) | What::SourceNotAWrite { .. } | What::SourceElsewhere { .. } => {
                Some("rf=")
            }
            What::CoTooLarge { .. } | What::CoTwice { .. } => Some("co="),
            _ => None,
        }
    }
}

/// The word of the text that begins like this.
fn find(text: &str, start: &str) -> Option<Range<usize>> {
    let starts_a_word = |at: usize| text[..at].ends_with([' ', '\t']);
    let (at, _) = text.match_indices(start).find(|&(at, _)| starts_a_word(at))?;
    let length = text[at..].find(char::is_whitespace).unwrap_or(text.len() - at);
    Some(at..at + length)
}
