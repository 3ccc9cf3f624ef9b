//! The table of a program: `NAME.expect` beside `NAME.c` or `NAME.cpp`, one run a row.
//!
//! A program without a table, a table without a program, a row that cannot be read, a row that is there twice, a macro that
//! the program does not know, and a table that is `long` from end to end are problems, each of which fails a test.

use crate::marks::{self, Mark};
use crate::row::{COLUMNS, Row};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How the name of a program ends: C, C++.
const ENDINGS: [&str; 2] = [".c", ".cpp"];
/// The flag for clang that is no macro.
const STANDARD: &str = "-std=";

/// A program and its expectations.
#[derive(Debug)]
pub(crate) struct Case {
    /// As the user names it, from the root of the workspace: `tests/bench/ainc.c`.
    pub(crate) file: String,
    pub(crate) marks: Vec<Mark>,
    pub(crate) rows: Vec<Row>,
    /// What is wrong with the table or the marks.
    pub(crate) problems: Vec<String>,
}

/// The programs of a directory.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) name: &'static str,
    pub(crate) cases: Vec<Case>,
    /// Files that do not belong here, or belong to a file that is not here.
    pub(crate) problems: Vec<String>,
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

impl Directory {
    /// All programs of a directory, by name. Folders in it hold tests of another kind.
    pub(crate) fn read(name: &'static str) -> Directory {
        let path = root().join("tests").join(name);
        let entries = std::fs::read_dir(&path).expect("the directory can be read");
        let files: BTreeSet<String> = entries
            .map(|entry| entry.expect("its entries, too"))
            .filter(|entry| !entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().expect("names are text"))
            .collect();
        let is_header = |file: &&String| file.ends_with(".h");
        let headers: String = files.iter().filter(is_header).map(|file| read(&path.join(file))).collect();
        let programs =
            files.iter().filter(|file| stem_of(file).is_some_and(|stem| files.contains(&table_of(stem))));
        let cases = programs.map(|file| Case::read(format!("tests/{name}/{file}"), &headers)).collect();
        Directory { name, cases, problems: strangers(&files) }
    }
}

/// The name of a program without its ending; `None` if it is no program.
fn stem_of(file: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| file.strip_suffix(ending))
}

fn table_of(stem: &str) -> String {
    format!("{stem}.expect")
}

/// The files that are neither header, nor program with a table, nor table with a program.
fn strangers(files: &BTreeSet<String>) -> Vec<String> {
    let is_known = |file: &str| match (stem_of(file), file.strip_suffix(".expect")) {
        (Some(stem), _) => files.contains(&table_of(stem)),
        (_, Some(stem)) => ENDINGS.iter().any(|ending| files.contains(&format!("{stem}{ending}"))),
        _ => file.ends_with(".h"),
    };
    let mut problems: Vec<String> = files
        .iter()
        .filter(|file| !is_known(file))
        .map(|file| format!("{file}: a program needs its table, a table its program"))
        .collect();
    if !files.iter().any(|file| stem_of(file).is_some()) {
        problems.push("there is no program here".to_owned());
    }
    problems
}

impl Case {
    fn read(file: String, headers: &str) -> Case {
        let source = read(&root().join(&file));
        let table = read(&table_path(&file));
        let mut case = Case::parse(file, &source, &table, |name| headers.contains(name));
        case.problems.sort();
        case
    }

    fn parse(file: String, source: &str, table: &str, in_header: impl Fn(&str) -> bool) -> Case {
        let (marks, mut problems) = marks::read(source);
        let mut rows: Vec<Row> = Vec::new();
        for (line, text) in (1..).zip(table.lines()).filter(|(_, text)| !text.starts_with('#')) {
            let mut problem = |text: String| problems.push(format!("row in line {line}: {text}"));
            let row = match Row::parse(text) {
                Ok(row) => row,
                Err(error) => {
                    problem(error);
                    continue;
                }
            };
            for flag in row.flags.iter().filter(|flag| !flag.starts_with(STANDARD)) {
                let name = flag.strip_prefix("-D").and_then(|it| it.split('=').next()).unwrap_or_default();
                if name.is_empty() || !(source.contains(name) || in_header(name)) {
                    problem(format!("the program knows no `{flag}`"));
                }
            }
            if rows.iter().any(|other| other.is_same_run(&row)) {
                problem("this run has a row already".to_owned());
            } else {
                rows.push(row);
            }
        }
        if rows.iter().all(|row| row.is_long) {
            problems.push("no row that `make test` runs".to_owned());
        }
        Case { file, marks, rows, problems }
    }

    /// As in the name of a test: `bench/ainc`.
    pub(crate) fn name(&self) -> &str {
        let name = self.file.trim_start_matches("tests/");
        stem_of(name).unwrap_or(name)
    }

    /// Writes the rows back, in columns.
    pub(crate) fn write(&self) {
        let path = table_path(&self.file);
        std::fs::write(&path, self.text()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    fn text(&self) -> String {
        let header = COLUMNS.map(str::to_owned);
        let rows: Vec<_> = std::iter::once(header).chain(self.rows.iter().map(Row::columns)).collect();
        let width = |i: usize| rows.iter().map(|row| row[i].len()).max().expect("there is a header");
        let widths: [usize; COLUMNS.len()] = std::array::from_fn(width);
        let mut text = String::new();
        for row in &rows {
            let cells: Vec<String> =
                row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            text += cells.join("  ").trim_end();
            text.push('\n');
        }
        text
    }
}

fn table_path(file: &str) -> PathBuf {
    root().join(file).with_extension("expect")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every kind of problem is found, and a table is written as it is read.
pub(crate) fn tables_are_read() {
    let case = |table| Case::parse("tests/x.c".to_owned(), "int x = N;", table, |name| name == "IN_HEADER");
    let problems = |table| case(table).problems;
    let table = "# args              model  verdict   complete  blocked\n\
                 -DN=2 -DIN_HEADER   rc11   verified  1         0\n\
                 -                   sc     verified  -         0        long\n";
    let case = case(table);
    assert_eq!((case.problems.len(), case.rows.len()), (0, 2));
    assert_eq!(
        case.text().split_whitespace().collect::<Vec<_>>(),
        table.split_whitespace().collect::<Vec<_>>()
    );
    assert_eq!(problems("- rc12 verified 1 0\n- sc verified 1 0"), ["row in line 1: unknown model `rc12`"]);
    assert_eq!(problems("-DM=2 sc verified 1 0"), ["row in line 1: the program knows no `-DM=2`"]);
    assert_eq!(problems("-O2 sc verified 1 0"), ["row in line 1: the program knows no `-O2`"]);
    assert_eq!(
        problems("- sc verified 1 0\n- sc violated 2 0"),
        ["row in line 2: this run has a row already"]
    );
    assert_eq!(problems("- sc verified 1 0 long"), ["no row that `make test` runs"]);
    assert_eq!(problems("# args"), ["no row that `make test` runs"]);
    let strangers = |files: &[&str]| strangers(&files.iter().map(|&file| file.to_owned()).collect()).len();
    assert_eq!(strangers(&["a.c", "a.expect", "b.h"]), 0);
    assert_eq!(strangers(&["a.c", "a.expect", "b.c"]), 1);
    assert_eq!(strangers(&["a.c", "a.expect", "b.expect"]), 1);
    assert_eq!(strangers(&["a.c", "a.expect", "b.txt"]), 1);
    assert_eq!(strangers(&["b.h"]), 1);
    assert_eq!(strangers(&["a.cpp", "a.expect"]), 0);
    assert_eq!(strangers(&["a.cpp"]), 1);
    assert!(problems("-std=c++20 c20 verified 1 0").is_empty());
}
