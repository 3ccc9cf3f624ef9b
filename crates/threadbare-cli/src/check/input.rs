//! Where a trace comes from, and how far it has been read.

use super::fault;
use crate::output;
use crate::progress::Progress;
use anyhow::Context;
use consistency::Trace;
use consistency::trace::{self, Fault, MAX_LINE, ReadError};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file, or stdin if it is called `-`.
#[derive(Debug)]
pub(super) struct Input {
    path: PathBuf,
    /// `None` for stdin.
    file: Option<File>,
}

impl Input {
    pub(super) fn open(path: &Path) -> anyhow::Result<Input> {
        let open = || File::open(path).with_context(|| format!("cannot read {}", output::name(path)));
        let file = if path == Path::new("-") { None } else { Some(open()?) };
        Ok(Input { path: path.to_owned(), file })
    }

    /// The trace, or what is wrong with it, in words.
    pub(super) fn read(self, meter: &Arc<Meter>) -> anyhow::Result<Result<Trace, String>> {
        let name = self.path.display().to_string();
        let is_file = self.file.is_some();
        meter.start(self.file.as_ref());
        let source: Box<dyn Read> = match self.file {
            Some(file) => Box::new(file),
            None => Box::new(io::stdin().lock()),
        };
        let result = trace::read(Metered { source, meter });
        meter.done.store(1, Ordering::Relaxed);
        match result {
            Ok(trace) => Ok(Ok(trace)),
            Err(ReadError::Io(error)) => {
                Err(error).with_context(|| format!("cannot read {}", output::name(&self.path)))
            }
            Err(ReadError::Fault(fault)) => {
                let fault = if is_file { with_text(*fault, &self.path) } else { *fault };
                Ok(Err(fault::in_words(&name, &fault)))
            }
        }
    }
}

/// The fault with its line, which may have been read long ago.
fn with_text(fault: Fault, path: &Path) -> Fault {
    if !fault.lacks_text() {
        return fault;
    }
    match line(path, fault.line) {
        Ok(text) => fault.on_line(&text),
        // Then there is no excerpt: a pipe cannot be read again.
        Err(_) => fault,
    }
}

/// The line with this number. Its length was looked at when it was read first.
fn line(path: &Path, number: u64) -> io::Result<String> {
    let mut input = BufReader::new(File::open(path)?);
    for _ in 1..number {
        input.skip_until(b'\n')?;
    }
    let mut text = String::new();
    input.take(MAX_LINE as u64).read_line(&mut text)?;
    match text.is_empty() {
        true => Err(io::ErrorKind::UnexpectedEof.into()),
        false => Ok(text.trim_end().to_owned()),
    }
}

/// How far a trace has been read.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// How many bytes there are; 0 if the system does not know.
    size: AtomicU64,
    read: AtomicU64,
    done: AtomicU64,
}

impl Meter {
    fn start(&self, file: Option<&File>) {
        let metadata = file.and_then(|file| file.metadata().ok());
        self.size.store(metadata.map_or(0, |metadata| metadata.len()), Ordering::Relaxed);
    }

    /// A line on stderr, if anybody looks and it takes long.
    pub(super) fn show(self: &Arc<Meter>) -> Progress {
        let meter = Arc::clone(self);
        Progress::line(move |seconds| meter.text(seconds))
    }

    fn text(&self, seconds: u64) -> String {
        let read = self.read.load(Ordering::Relaxed);
        let megabytes = read >> 20;
        match self.size.load(Ordering::Relaxed) {
            _ if self.done.load(Ordering::Relaxed) > 0 => format!("checking: {megabytes} MB, {seconds} s"),
            0 => format!("reading: {megabytes} MB, {seconds} s"),
            size => {
                let width = 30;
                let bar = "#".repeat((width as u64 * read / size).min(width as u64) as usize);
                format!("reading: [{bar:width$}] {megabytes} of {} MB, {seconds} s", size >> 20)
            }
        }
    }
}

/// A source that counts what is read from it.
struct Metered<'a> {
    source: Box<dyn Read>,
    meter: &'a Meter,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.meter.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
