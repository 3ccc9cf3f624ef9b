//! A test: parsed and lowered once, run under any model.

use crate::condition::{Condition, Proposition, Quantifier};
use crate::error::{Error, Problem};
use crate::lower::{Lowered, lower};
use crate::parse::parse;
use crate::source::{At, Source};
use crate::state::Variable;

/// A litmus test is a page; what is longer is something else.
pub const MAX_BYTES: usize = 1 << 18;

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    name: String,
    file: String,
    /// The lines of the file, for reports.
    lines: Vec<String>,
    pub(crate) lowered: Lowered,
}

impl Test {
    /// Parses and checks a test; `file` is what errors call it.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Test, Error> {
        if bytes.len() > MAX_BYTES {
            return Err(Problem::TooLarge.at(At(0), &Source::new(file, "")));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            Problem::NotText.at(At(valid.len() as u32), &Source::new(file, valid))
        })?;
        // Editors on Windows put a byte order mark in front, which is no part of the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Source::new(file, text);
        let syntax = parse(text).map_err(|(problem, at)| problem.at(at, &source))?;
        let lowered = lower(&syntax, &source).map_err(|(problem, at)| problem.at(at, &source))?;
        let lines = text.lines().map(str::to_owned).collect();
        Ok(Test { name: syntax.name, file: file.to_owned(), lines, lowered })
    }

    /// Its name, from the first line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file, as it was called.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What is read otherwise than written, one line each, with its place.
    pub fn warnings(&self) -> &[String] {
        &self.lowered.warnings
    }

    /// Whether there is an access of the order `seq_cst`.
    pub fn has_sc_access(&self) -> bool {
        self.lowered.module.has_sc_access()
    }

    /// What its condition asks: some, no or every final state.
    pub fn quantifier(&self) -> Quantifier {
        self.lowered.condition.quantifier
    }

    /// Its condition, as herd prints it.
    pub fn condition(&self) -> String {
        self.lowered.condition.to_string()
    }

    /// The variables that states show, in this order: those of the condition and of `locations`.
    pub fn variables(&self) -> Vec<Variable> {
        self.lowered.shown.iter().map(|&index| self.lowered.observed[index].variable.clone()).collect()
    }

    /// A line of its file, from 1.
    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        self.lines.get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    pub(crate) fn resolved(&self) -> (&Option<Proposition<Variable>>, &Condition<Variable>) {
        (&self.lowered.filter, &self.lowered.condition)
    }
}
