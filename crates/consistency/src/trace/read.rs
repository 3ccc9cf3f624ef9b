//! Reading a trace, as a stream: each line is looked at once.
//!
//! A source that comes after its reader is noted, and looked up when everything has been read; so are the positions in
//! `co`, of which only the last write tells whether they are all there.

use super::coherence;
use super::error::{Fault, OpName, ReadError, What};
use super::ids::Id;
use super::line::{self, Line};
use super::{HEADER, MAX_LINE, Trace};
use crate::execution::{Event, Location, Malformed, Op, Source, Thread};
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;

/// Reads a trace.
///
/// ```
/// let text = "# threadbare trace 1\ne0 t0 W rel x\ne1 t1 R acq x rf=e0\n";
/// let trace = consistency::trace::read(text.as_bytes()).unwrap();
/// assert_eq!((trace.execution().len(), trace.execution().thread_count()), (2, 2));
/// ```
pub fn read(input: impl Read) -> Result<Trace, ReadError> {
    let mut input = BufReader::with_capacity(1 << 18, input);
    let mut reader = Reader::default();
    let mut bytes = Vec::new();
    while next_line(&mut input, &mut bytes)? {
        reader.line += 1;
        reader.trace.ends_in_a_line = bytes.pop_if(|&mut byte| byte == b'\n').is_none();
        bytes.pop_if(|&mut byte| byte == b'\r');
        reader.read_line(&bytes)?;
    }
    if reader.line == 0 {
        return Err(reader.fault("", 0..0, What::NoHeader).into());
    }
    Ok(reader.finish()?)
}

/// The next line with its end; not much more of it than may be. False after the last one.
fn next_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> std::io::Result<bool> {
    bytes.clear();
    input.take(MAX_LINE as u64 + 3).read_until(b'\n', bytes)?;
    Ok(!bytes.is_empty())
}

#[derive(Default)]
struct Reader {
    trace: Trace,
    /// How many lines were read.
    line: u64,
    /// The reads whose source had not come yet.
    pending: Vec<(Event, Id)>,
    /// Per event its position in `co`, as far as the last one that has one.
    positions: Vec<u32>,
}

impl Reader {
    fn read_line(&mut self, bytes: &[u8]) -> Result<(), Box<Fault>> {
        if self.line == 1 {
            return self.read_header(bytes);
        }
        let text = self.text(bytes)?;
        match line::parse(text) {
            Ok(None) => Ok(()),
            Ok(Some(event)) => self.add(text, event),
            Err((what, span)) => Err(self.fault(text, span, what)),
        }
    }

    /// What is on the line, if it can be shown.
    fn text<'a>(&self, bytes: &'a [u8]) -> Result<&'a str, Box<Fault>> {
        let shown = |end: usize| String::from_utf8_lossy(&bytes[..end.min(120)]).into_owned();
        if bytes.len() > MAX_LINE {
            return Err(self.fault(&shown(bytes.len()), 0..0, What::TooLong));
        }
        let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
        let control = bytes.iter().position(is_control);
        let no_text = match std::str::from_utf8(bytes) {
            Ok(text) if control.is_none() => return Ok(text),
            Ok(_) => control.unwrap_or_default(),
            Err(error) => error.valid_up_to().min(control.unwrap_or(usize::MAX)),
        };
        let before = shown(no_text);
        Err(self.fault(&before, before.len()..before.len(), What::NotText(bytes[no_text])))
    }

    fn read_header(&self, bytes: &[u8]) -> Result<(), Box<Fault>> {
        let text = self.text(bytes).map_err(|fault| Box::new(Fault { what: What::NoHeader, ..*fault }))?;
        let (start, version) = HEADER.split_at(HEADER.len() - 1);
        match text.trim_ascii_end().strip_prefix(start) {
            Some(found) if found == version => Ok(()),
            Some(found) => {
                let span = start.len()..start.len() + found.len();
                Err(self.fault(text, span, What::Version(found.to_owned())))
            }
            None => Err(self.fault(text, 0..text.len(), What::NoHeader)),
        }
    }

    fn add(&mut self, text: &str, line: Line<'_>) -> Result<(), Box<Fault>> {
        // The two largest numbers of 32 bits stand for no source and the initial write.
        if self.trace.execution.len() >= u32::MAX as usize - 2 {
            return Err(self.fault(text, 0..text.len(), What::TooMany));
        }
        let thread = Thread(self.trace.threads.intern(line.thread));
        let location = line.location.map(|name| Location(self.trace.locations.intern(name)));
        let event = match location {
            None => self.trace.execution.fence(thread, line.order),
            Some(location) => self.trace.execution.access(thread, line.op, line.order, location),
        };
        let id = self.trace.ids.id(line.id);
        if let Err(other) = self.trace.ids.define(id, event) {
            return Err(self.id_twice(text, line, other));
        }
        self.trace.lines.push(event, self.line);
        if let Some(source) = line.source {
            self.add_source(event, source);
        }
        if let Some(position) = line.position {
            self.positions.resize(event.index(), coherence::NONE);
            self.positions.push(position);
        }
        Ok(())
    }

    fn add_source(&mut self, read: Event, source: &str) {
        if source == "init" {
            return self.trace.execution.set_source(read, Source::Init);
        }
        let id = self.trace.ids.id(source);
        match self.trace.ids.event(id) {
            Some(write) => self.trace.execution.set_source(read, Source::Event(write)),
            None => self.pending.push((read, id)),
        }
    }

    fn finish(mut self) -> Result<Trace, Box<Fault>> {
        for &(read, id) in &self.pending {
            let Some(write) = self.trace.ids.event(id) else {
                let what = What::UnknownSource(self.trace.ids.text(id));
                return Err(self.trace.late_fault(read, what));
            };
            self.trace.execution.set_source(read, Source::Event(write));
        }
        if let Some(malformed) = self.trace.execution.malformed() {
            return Err(self.trace.malformed(malformed));
        }
        self.trace.co = self.trace.co_from(&self.positions)?;
        Ok(self.trace)
    }

    fn id_twice(&self, text: &str, line: Line<'_>, other: Event) -> Box<Fault> {
        let trace = &self.trace;
        let what = What::IdTwice {
            id: line.id.to_owned(),
            thread: trace.thread(trace.execution.thread(other)).to_owned(),
            line: trace.line(other),
        };
        self.fault(text, line.id_span.0..line.id_span.1, what)
    }

    fn fault(&self, text: &str, span: Range<usize>, what: What) -> Box<Fault> {
        Box::new(Fault { line: self.line.max(1), text: Some(text.to_owned()), span, what })
    }
}

impl Trace {
    fn malformed(&self, malformed: Malformed) -> Box<Fault> {
        let (Malformed::NoSource(read) | Malformed::SourceNotAWrite(read) | Malformed::SourceElsewhere(read)) =
            malformed;
        let Some(Source::Event(source)) = self.execution.source(read) else {
            return self.late_fault(read, What::NoSource(OpName(Op::Read)));
        };
        let (id, line) = (self.id(source), self.line(source));
        let what = match malformed {
            Malformed::SourceElsewhere(_) => {
                let (here, there) = (self.location_of(read), self.location_of(source));
                What::SourceElsewhere { id, line, here, there }
            }
            Malformed::NoSource(_) | Malformed::SourceNotAWrite(_) => {
                What::SourceNotAWrite { id, line, op: OpName(self.execution.op(source)) }
            }
        };
        self.late_fault(read, what)
    }
}
