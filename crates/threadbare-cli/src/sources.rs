//! The way back from the machine to the source, and the lines of source files.
//!
//! The names of files in debug information are whatever the program says (`#line 1 "/etc/shadow"`), and reports are
//! passed on. So a file is shown only if it is the one that was compiled: a regular file with the MD5 checksum that the
//! debug information has. Clang writes one for every file that it reads, and none for a name in a directive. To get
//! another file shown, a program would have to know its contents.

use base::{Access, Site};
use md5::{Digest, Md5};
use report::{SiteInfo, SourceMap};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::rc::Rc;

/// Larger files are not read.
const LARGEST: u64 = 16 << 20;

/// Linux's `O_NONBLOCK`: to open a pipe, or to read from one, does not wait.
const NO_WAITING: i32 = 0o4000;

/// The machine's source map, and the source files as far as they were asked for.
#[derive(Debug)]
pub(crate) struct Sources<'a> {
    machine: &'a vm::Machine,
    files: RefCell<BTreeMap<String, Rc<Result<Text, Unseen>>>>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(machine: &'a vm::Machine) -> Sources<'a> {
        Sources { machine, files: RefCell::default() }
    }

    fn file(&self, name: &str) -> Rc<Result<Text, Unseen>> {
        let mut files = self.files.borrow_mut();
        let md5 = || self.machine.source_file(name).and_then(|file| file.md5);
        Rc::clone(files.entry(name.to_owned()).or_insert_with(|| Rc::new(read(name, md5()))))
    }
}

impl SourceMap for Sources<'_> {
    fn site(&self, site: Site) -> SiteInfo {
        self.machine.site_info(site).cloned().unwrap_or_default()
    }

    fn samples(&self, site: Site) -> bool {
        self.machine.samples(site)
    }

    fn has_bound(&self, site: Site) -> bool {
        self.machine.has_bound(site)
    }

    fn address(&self, address: u64) -> Option<String> {
        self.machine.describe_address(address)
    }

    fn location(&self, at: Access) -> Option<String> {
        self.machine.describe_bytes(at.address, at.size)
    }

    fn object(&self, site: Site) -> Option<String> {
        Some(self.machine.object_info(site)?.name.clone())
    }

    fn path(&self, site: Site, object_size: u64, at: Access) -> Option<String> {
        let shape = self.machine.object_info(site)?.shape?;
        Some(self.machine.module().path(shape, object_size, at.address, at.size.into()))
    }

    fn line(&self, file: &str, line: u32) -> Option<String> {
        let file = self.file(file);
        Some(file.as_ref().as_ref().ok()?.line(line)?.to_owned())
    }

    fn why_no_line(&self, file: &str, line: u32) -> Option<String> {
        match self.file(file).as_ref() {
            Err(unseen) => Some(unseen.to_string()),
            Ok(text) if text.line(line).is_none() => Some(format!("it has no line {line}")),
            Ok(_) => None,
        }
    }
}

/// The text of a file, and where its lines start.
#[derive(Debug)]
struct Text {
    text: String,
    starts: Vec<u32>,
}

impl Text {
    fn new(bytes: &[u8]) -> Text {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = [0].into_iter().chain(ends.map(|(index, _)| index as u32 + 1)).collect();
        Text { text, starts }
    }

    /// The line with this number, counted from 1, without its end.
    fn line(&self, number: u32) -> Option<&str> {
        let start = *self.starts.get(number.checked_sub(1)? as usize)?;
        self.text[start as usize..].lines().next()
    }
}

/// Why no line of a file is shown.
#[derive(Debug)]
enum Unseen {
    NoChecksum,
    Unreadable(io::Error),
    NotRegular,
    TooLarge,
    Changed,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unseen::NoChecksum => write!(f, "the debug information has no MD5 checksum of it"),
            Unseen::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            Unseen::NotRegular => write!(f, "it is no regular file"),
            Unseen::TooLarge => write!(f, "it has more than {} MiB", LARGEST >> 20),
            Unseen::Changed => write!(f, "it has changed since it was compiled"),
        }
    }
}

/// The text of the file, if it has this checksum.
fn read(name: &str, md5: Option<[u8; 16]>) -> Result<Text, Unseen> {
    let md5 = md5.ok_or(Unseen::NoChecksum)?;
    let mut bytes = Vec::new();
    open(name)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(Unseen::Unreadable)?;
    match () {
        () if bytes.len() as u64 > LARGEST => Err(Unseen::TooLarge),
        () if Md5::digest(&bytes)[..] != md5 => Err(Unseen::Changed),
        () => Ok(Text::new(&bytes)),
    }
}

/// The file, if it is a regular one. To open another one may already do something.
fn open(name: &str) -> Result<File, Unseen> {
    check(&std::fs::metadata(name).map_err(Unseen::Unreadable)?)?;
    let file = OpenOptions::new().read(true).custom_flags(NO_WAITING).open(name);
    let file = file.map_err(Unseen::Unreadable)?;
    // It may be another one by now.
    check(&file.metadata().map_err(Unseen::Unreadable)?)?;
    Ok(file)
}

fn check(metadata: &std::fs::Metadata) -> Result<(), Unseen> {
    match () {
        () if !metadata.is_file() => Err(Unseen::NotRegular),
        () if metadata.len() > LARGEST => Err(Unseen::TooLarge),
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let text = Text::new(b"one\r\n\ntwo \xff\n");
        let lines: Vec<Option<&str>> = (0..=5).map(|number| text.line(number)).collect();
        assert_eq!(lines, [None, Some("one"), Some(""), Some("two \u{fffd}"), None, None]);
        assert_eq!(Text::new(b"").line(1), None);
        assert_eq!(Text::new(b"a").line(1), Some("a"));
        assert_eq!(Text::new(b"a").line(u32::MAX), None);
    }
}
