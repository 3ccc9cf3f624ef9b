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
    /// Those in which reports are written: by `verify` and `fuzz`.
    const OF_REPORTS: [Format; 3] = [Format::Full, Format::Concise, Format::Json];
    /// Those that `litmus` and `check` write themselves.
    const OF_OTHERS: [Format; 3] = [Format::Full, Format::Concise, Format::Json];

    /// Refuses a format in which there are no reports yet.
    pub(crate) fn refuse_unless_of_reports(self) -> anyhow::Result<()> {
        self.refuse_unless(&Format::OF_REPORTS, "in this version")
    }

    /// Refuses a format that is only for reports, and this is for something else.
    pub(crate) fn refuse_for(self, others: &str) -> anyhow::Result<()> {
        self.refuse_unless(&Format::OF_OTHERS, &format!("there for {others}"))
    }

    fn refuse_unless(self, there_are: &[Format], there: &str) -> anyhow::Result<()> {
        if there_are.contains(&self) {
            return Ok(());
        }
        let names: Vec<String> = there_are.iter().map(|format| format.name()).collect();
        bail!("`--format {}` is not {there}; there is: {}", self.name(), names.join(", "))
    }

    /// Whether people read it. Then a command may add lines.
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
