//! The library of litmus tests: every test of every family under every model, compared with the table beside it.
//!
//! `THREADBARE_BLESS=1` rewrites the tables.

use engine::{Control, Verdict};
use litmus::Test;
use litmus::expect::{Cells, Table};
use model::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Answers = BTreeMap<String, Vec<(String, Cells)>>;

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn is_test(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "litmus")
}

/// The families of the library, and our own tests of the dialect beyond herd's.
fn families() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut families = vec![here.join("tests/dialect")];
    families.extend(entries(&here.join("../../tests/litmus")).into_iter().filter(|path| path.is_dir()));
    families
}

/// What the tests of a family answer under every model.
fn answers(family: &Path, failures: &mut Vec<String>) -> Answers {
    let mut answers = Answers::new();
    for file in entries(family).into_iter().filter(|path| is_test(path)) {
        let bytes = std::fs::read(&file).expect("a test can be read");
        let test = match Test::parse(&file.display().to_string(), &bytes) {
            Ok(test) => test,
            Err(error) => {
                failures.push(error.to_string());
                continue;
            }
        };
        let by_model = Model::CATALOGUE.map(|model| {
            let answer = test.run(model, vm::Options::default(), &Control::new());
            if let Verdict::Inconclusive(reason) = &answer.outcome.verdict() {
                failures.push(format!("{}: inconclusive: {reason:?}", test.file()));
            }
            (model.rules().name.to_owned(), Cells::new(&test, &answer))
        });
        if answers.insert(test.name().to_owned(), by_model.to_vec()).is_some() {
            failures.push(format!("{}: a second test called {}", test.file(), test.name()));
        }
    }
    answers
}

fn compare(table: &Table, answers: &Answers, failures: &mut Vec<String>) {
    let known: BTreeSet<&str> = Model::CATALOGUE.iter().map(|model| model.rules().name).collect();
    let unknown = table.models().into_iter().filter(|model| !known.contains(model));
    failures.extend(unknown.map(|model| format!("the table has rows of `{model}`, which is no model")));
    for model in Model::CATALOGUE {
        let model = model.rules().name;
        let of_model = |(test, by_model): (&String, &Vec<(String, Cells)>)| {
            let (_, cells) = by_model.iter().find(|(name, _)| name == model).expect("every model was run");
            (test.clone(), cells.clone())
        };
        let differences = table.compare(model, &answers.iter().map(of_model).collect());
        failures.extend(differences.iter().map(|difference| format!("{model}: {difference}")));
    }
}

#[test]
fn every_test_answers_what_its_table_says() {
    let bless = std::env::var_os("THREADBARE_BLESS").is_some();
    let mut failures = Vec::new();
    for family in families() {
        let start = failures.len();
        let answers = answers(&family, &mut failures);
        let file = family.join("expect.csv");
        if answers.is_empty() {
            failures.push("there is no test".to_owned());
        } else if bless {
            std::fs::write(&file, Table::write(&answers)).expect("the table can be written");
        } else {
            let text = std::fs::read_to_string(&file).map_err(|error| error.to_string());
            match text.and_then(|text| Table::read(&text).map_err(|error| error.to_string())) {
                Ok(table) => compare(&table, &answers, &mut failures),
                Err(error) => failures.push(format!("{}: {error}", file.display())),
            }
        }
        for failure in &mut failures[start..] {
            *failure = format!("{}: {failure}", family.display());
        }
    }
    assert!(failures.is_empty(), "THREADBARE_BLESS=1 rewrites the tables\n{}", failures.join("\n"));
}
