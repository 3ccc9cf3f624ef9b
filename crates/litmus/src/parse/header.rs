//! The first line, and what comes before the initial state.

use crate::error::Problem;
use crate::lexer::{Located, blank, process_number};
use crate::source::At;

/// The name of a test and where its initial state starts.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) end: usize,
}

/// Reads the header. Herd skips everything up to the first brace, and so do we, except that comments and strings may
/// have braces, and that a process must not come before it.
pub(super) fn header(text: &str) -> Result<Header, Located> {
    let start = blank(text, true).map_err(|(problem, at)| (problem, At(at as u32)))?;
    let (language, after) = word(&text[start..], |c| c.is_ascii_alphanumeric() || c == '_');
    if language != "C" {
        return Err((wrong_language(language, after), At(start as u32)));
    }
    let gap = after.len() - after.trim_start_matches([' ', '\t', '\r']).len();
    let (name, rest) = word(&after[gap..], |c| c.is_ascii_alphanumeric() || "_/.-+[]:".contains(c));
    let at = start + language.len() + gap;
    if name.is_empty() || gap == 0 {
        return Err((Problem::Header(found(after)), At(at as u32)));
    }
    let skipped = text.len() - rest.len();
    Ok(Header {
        name: name.to_owned(),
        end: skipped + to_brace(rest).map_err(|(p, at)| (p, At((skipped + at) as u32)))?,
    })
}

fn word(text: &str, part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !part(c)).unwrap_or(text.len()))
}

fn wrong_language(language: &str, after: &str) -> Problem {
    const OTHERS: [&str; 12] =
        ["AArch64", "ARM", "ASL", "BPF", "CPP", "JAVA", "LISA", "MIPS", "PPC", "RISCV", "X86", "X86_64"];
    match language {
        "" => Problem::Header(found(after)),
        _ if OTHERS.contains(&language) => Problem::Architecture(language.to_owned()),
        _ => Problem::Header(format!("`{}`", super::shortened(language))),
    }
}

fn found(text: &str) -> String {
    match text.trim_start_matches([' ', '\t', '\r']).chars().next() {
        None => "the end of the file".to_owned(),
        Some('\n') => "the end of the line".to_owned(),
        Some(c) => format!("{c:?}"),
    }
}

/// How far it is to the brace that opens the initial state.
fn to_brace(text: &str) -> Result<usize, (Problem, usize)> {
    let mut position = 0;
    loop {
        position += blank(&text[position..], true).map_err(|(problem, at)| (problem, position + at))?;
        let rest = &text[position..];
        match rest.chars().next() {
            None => return Err((Problem::NoInit, position)),
            Some('{') => return Ok(position),
            Some('"') => {
                let end = rest[1..].find('"').ok_or((Problem::OpenString, position))?;
                position += end + 2;
            }
            Some(_) => {
                let (name, after) = word(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                if process_number(name).is_some() && after.trim_start().starts_with('(') {
                    return Err((Problem::NoInit, position));
                }
                position += name.len().max(rest.chars().next().map_or(0, char::len_utf8));
            }
        }
    }
}
