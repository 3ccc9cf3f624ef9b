//! The formats of results: which there are, and a report in each.

use crate::output;
use anyhow::bail;
use clap::ValueEnum;
use report::Report;
use serde::Serialize;

/// What `--format` understands.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Format {
    Full,
    Concise,
    Json,
    Sarif,
}

impl Format {
    /// Those that every command has in this version. `litmus` and `check`, which have no reports, write these themselves.
    const USUAL: [Format; 3] = [Format::Full, Format::Concise, Format::Json];

    /// Refuses a format that is not there, in these words.
    pub(crate) fn refuse_unless_usual(self, there: &str) -> anyhow::Result<()> {
        if Format::USUAL.contains(&self) {
            return Ok(());
        }
        let names = Format::USUAL.map(Format::name).join(", ");
        bail!("`--format {}` is not {there}; there is: {names}", self.name())
    }

    /// Do people read it? Then a command may add lines.
    pub(crate) fn is_for_people(self) -> bool {
        matches!(self, Format::Full | Format::Concise)
    }

    /// A report of a command. Machines are told more.
    pub(crate) fn of(self, report: &Report, command: &str, more: &impl Serialize) -> String {
        match self {
            Format::Full => report::full(report, output::colour()),
            Format::Concise => report::concise(report),
            Format::Json => report::json_with(report, command, more),
            Format::Sarif => unreachable!("refused before anything was run"),
        }
    }

    fn name(self) -> String {
        let value = self.to_possible_value().expect("no format is hidden");
        value.get_name().to_owned()
    }
}
