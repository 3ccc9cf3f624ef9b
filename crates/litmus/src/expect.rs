//! Expected answers: a table beside the tests.
//!
//! `test,models,observation[,positive,negative[,flags[,states]]]`, one row per test and set of models that agree on it.
//! Models are names with spaces between, flags too; states are herd's lines with ` | ` between. Only the columns that are
//! there are compared. `positive` and `negative` are the numbers of herd's line `Positive: … Negative: …`.

use crate::csv::{self, CsvError};
use crate::run::Answer;
use crate::test::Test;
use model::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The columns after `test` and `models`, in the order in which they come.
pub const COLUMNS: [&str; 5] = ["observation", "positive", "negative", "flags", "states"];

/// Why a text is no table of expectations.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Not even a table.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// The first line does not name the columns.
    #[error("the first line is not `test,models,observation[,positive,negative[,flags[,states]]]`")]
    Header,
    /// A row with more or fewer fields than the first.
    #[error("line {0}: {1} fields, but the first line has {2}")]
    Width(usize, usize, usize),
    /// A row for no model, or for one that does not exist: it would never be looked at.
    #[error("line {line}: {what}; there is: {names}", names = model_names().join(", "))]
    Model {
        /// Where.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Two rows for the same test and model.
    #[error("line {line}: a second row for `{test}` under {model}")]
    Twice {
        /// Where.
        line: usize,
        /// The test.
        test: String,
        /// The model.
        model: String,
    },
}

/// What a test answered, as a row has it: one text per column of [`COLUMNS`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cells(pub [String; 5]);

impl Cells {
    /// Of an answer.
    pub fn new(test: &Test, answer: &Answer) -> Cells {
        let (positive, negative) = test.witnesses(answer);
        let flags: Vec<&str> = answer.flags().into_iter().collect();
        Cells([
            answer.observation().to_owned(),
            positive.to_string(),
            negative.to_string(),
            flags.join(" "),
            test.state_lines(answer).join(" | "),
        ])
    }
}

/// What tests should answer: by test and model, the cells of as many columns as the table has.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Table {
    rows: BTreeMap<(String, String), Vec<String>>,
}

/// Something that is not as expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// A value.
    Cell {
        /// The test.
        test: String,
        /// Which one.
        column: &'static str,
        /// By the table.
        expected: String,
        /// By the run.
        found: String,
    },
    /// A test that the table does not have.
    NoRow(String),
    /// A row whose test was not run.
    NoTest(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Cell { test, column, expected, found } => {
                write!(f, "{test}: {column}: expected `{expected}`, found `{found}`")
            }
            Difference::NoRow(test) => write!(f, "{test}: the table has no row for it"),
            Difference::NoTest(test) => write!(f, "{test}: the table has a row for it, but it was not run"),
        }
    }
}

impl Table {
    /// Reads a table.
    pub fn read(text: &str) -> Result<Table, TableError> {
        let rows = csv::read(text)?;
        let [(_, header), rows @ ..] = rows.as_slice() else { return Err(TableError::Header) };
        let columns: Vec<&str> = ["test", "models"].into_iter().chain(COLUMNS).collect();
        let known = [3, 5, 6, 7].contains(&header.len()) && header.iter().eq(&columns[..header.len()]);
        if !known {
            return Err(TableError::Header);
        }
        let mut table = Table::default();
        for (line, row) in rows {
            if row.len() != header.len() {
                return Err(TableError::Width(*line, row.len(), header.len()));
            }
            table.add(*line, row)?;
        }
        Ok(table)
    }

    fn add(&mut self, line: usize, row: &[String]) -> Result<(), TableError> {
        if row[1].trim().is_empty() {
            return Err(TableError::Model { line, what: "no model is named".to_owned() });
        }
        for model in row[1].split_whitespace() {
            if !model_names().contains(&model) {
                return Err(TableError::Model { line, what: format!("no model is called `{model}`") });
            }
            let key = (row[0].clone(), model.to_owned());
            if self.rows.insert(key, row[2..].to_vec()).is_some() {
                return Err(TableError::Twice { line, test: row[0].clone(), model: model.to_owned() });
            }
        }
        Ok(())
    }

    /// What is not as expected when these tests answered this under the model. Rows of other models say nothing.
    pub fn compare(&self, model: &str, answers: &BTreeMap<String, Cells>) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (test, found) in answers {
            match self.rows.get(&(test.clone(), model.to_owned())) {
                None => differences.push(Difference::NoRow(test.clone())),
                Some(expected) => differences.extend(cell_differences(test, expected, found)),
            }
        }
        let expected = self.rows.keys().filter(|(_, of)| of == model).map(|(test, _)| test);
        let missing = expected.filter(|test| !answers.contains_key(*test));
        differences.extend(missing.map(|test| Difference::NoTest(test.clone())));
        differences
    }

    /// The models that the table speaks of.
    pub fn models(&self) -> BTreeSet<&str> {
        self.rows.keys().map(|(_, model)| model.as_str()).collect()
    }

    /// The text of a table with all columns: by test, then in the order of the models; models that agree share a row.
    pub fn write(answers: &BTreeMap<String, Vec<(String, Cells)>>) -> String {
        let header: Vec<&str> = ["test", "models"].into_iter().chain(COLUMNS).collect();
        let mut text = csv::row(&header);
        for (test, by_model) in answers {
            for (models, Cells(cells)) in grouped(by_model) {
                let start = [test.clone(), models.join(" ")];
                let fields: Vec<String> = start.into_iter().chain(cells.iter().cloned()).collect();
                text += &csv::row(&fields);
            }
        }
        text
    }
}

/// What a row can be about.
fn model_names() -> Vec<&'static str> {
    Model::CATALOGUE.iter().map(|model| model.rules().name).collect()
}

fn cell_differences(test: &str, expected: &[String], Cells(found): &Cells) -> Vec<Difference> {
    let columns = COLUMNS.into_iter().zip(expected).zip(found);
    let different = columns.filter(|((_, expected), found)| expected != found);
    different
        .map(|((column, expected), found)| Difference::Cell {
            test: test.to_owned(),
            column,
            expected: expected.clone(),
            found: found.clone(),
        })
        .collect()
}

/// Models with the same answer together, the one that comes first first.
fn grouped(by_model: &[(String, Cells)]) -> Vec<(Vec<&str>, &Cells)> {
    let mut groups: Vec<(Vec<&str>, &Cells)> = Vec::new();
    for (model, cells) in by_model {
        match groups.iter_mut().find(|(_, known)| *known == cells) {
            Some((models, _)) => models.push(model),
            None => groups.push((vec![model], cells)),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(observation: &str, states: &str) -> Cells {
        Cells([observation, "1", "2", "", states].map(str::to_owned))
    }

    #[test]
    fn a_written_table_is_met_by_what_it_was_written_from() {
        let (weak, strong) = (cells("Sometimes", "0:r0=0; | 0:r0=1;"), cells("Never", "0:r0=0;"));
        let by_model = vec![
            ("sc".to_owned(), strong.clone()),
            ("rc11".to_owned(), weak.clone()),
            ("ra".to_owned(), strong),
        ];
        let text = Table::write(&BTreeMap::from([("SB".to_owned(), by_model)]));
        assert!(text.contains("\nSB,sc ra,Never,") && text.lines().count() == 3, "{text}");
        let table = Table::read(&text).expect("a table");
        assert_eq!(table.models(), BTreeSet::from(["ra", "rc11", "sc"]));
        let answers = BTreeMap::from([("SB".to_owned(), weak)]);
        assert_eq!(table.compare("rc11", &answers), []);
        let differences = table.compare("sc", &answers);
        let columns: Vec<String> = differences.iter().map(ToString::to_string).collect();
        let first = "SB: observation: expected `Never`, found `Sometimes`";
        assert!(columns.len() == 2 && columns[0] == first, "{columns:?}");
    }

    #[test]
    fn only_the_columns_that_are_there_are_compared() {
        let table = Table::read("test,models,observation\nSB,sc rc11,Sometimes\n").expect("a table");
        let answers = BTreeMap::from([("SB".to_owned(), cells("Sometimes", "whatever"))]);
        assert_eq!(table.compare("rc11", &answers), []);
        assert_eq!(table.compare("tso", &answers), [Difference::NoRow("SB".to_owned())]);
        assert_eq!(table.compare("sc", &BTreeMap::new()), [Difference::NoTest("SB".to_owned())]);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(Table::read(""), Err(TableError::Header));
        assert_eq!(Table::read("test,model\n"), Err(TableError::Header));
        let width = Table::read("test,models,observation\nSB,sc\n");
        assert_eq!(width, Err(TableError::Width(2, 2, 3)));
        let twice = Table::read("test,models,observation\nSB,sc,Never\nSB,ra sc,Never\n");
        assert!(matches!(twice, Err(TableError::Twice { line: 3, .. })), "{twice:?}");
    }

    #[test]
    fn a_row_that_no_run_would_look_at_is_refused() {
        let message = |models: &str| {
            let text = format!("test,models,observation\nMP,sc xmm,Never\nSB,{models},Never\n");
            Table::read(&text).expect_err("a wrong row").to_string()
        };
        assert!(message("sc rc12").starts_with("line 3: no model is called `rc12`; there is: sc, tso, "));
        assert!(message("").starts_with("line 3: no model is named; "));
    }
}
