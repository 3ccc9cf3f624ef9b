//! Marks: the lines of a wrong program that the first violation must name.
//!
//! `//~ ERROR[code]` is its first place, `//~ ALSO` another one. Which side of a race or of a deadlock comes first is left
//! open, and which of the threads that spin.

use serde_json::Value;
use std::path::Path;

/// A line of a program that a violation must name.
#[derive(Debug)]
pub(crate) struct Mark {
    line: u64,
    /// The code, if it is the first place.
    code: Option<String>,
}

/// The marks of a program, and the marks that nobody knows.
pub(crate) fn read(source: &str) -> (Vec<Mark>, Vec<String>) {
    let (mut marks, mut problems) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(source.lines()) {
        match Mark::parse(line, text) {
            Some(Ok(mark)) => marks.push(mark),
            Some(Err(problem)) => problems.push(problem),
            None => {}
        }
    }
    (marks, problems)
}

impl Mark {
    fn parse(line: u64, text: &str) -> Option<Result<Mark, String>> {
        let (_, mark) = text.split_once("//~ ")?;
        let code = mark.strip_prefix("ERROR[").and_then(|it| it.strip_suffix(']')).map(str::to_owned);
        if code.is_none() && mark != "ALSO" {
            return Some(Err(format!("line {line}: unknown mark `{mark}`")));
        }
        Some(Ok(Mark { line, code }))
    }
}

/// The differences between the marks of this program and its violation.
pub(crate) fn compare(program: &str, marks: &[Mark], violation: &Value) -> Vec<String> {
    let Some((first, code)) = marks.iter().find_map(|mark| Some((mark.line, mark.code.as_deref()?))) else {
        return vec!["violated, but no line is marked with `//~ ERROR[code]`".to_owned()];
    };
    let mut differences = Vec::new();
    if violation["code"] != code {
        differences
            .push(format!("code: expected {code}, found {} {}", violation["code"], violation["message"]));
    }
    let lines = lines(program, violation);
    let is_symmetric = ["data-race", "deadlock", "liveness"].contains(&code);
    if !is_symmetric && lines.first() != Some(&first) {
        differences.push(format!("first place: expected line {first}, found lines {lines:?}"));
    }
    for mark in marks.iter().filter(|mark| !lines.contains(&mark.line)) {
        differences.push(format!("line {} is not among the places, which are {lines:?}", mark.line));
    }
    differences
}

/// The lines of the program that the violation names. A place in a header has no line in the program, and gives 0.
fn lines(program: &str, violation: &Value) -> Vec<u64> {
    let line = |place: &Value| {
        let file = Path::new(place["file"].as_str().unwrap_or_default()).file_name();
        if file == Path::new(program).file_name() { place["line"].as_u64().unwrap_or_default() } else { 0 }
    };
    violation["places"].as_array().into_iter().flatten().map(line).collect()
}

/// Marks are read, and a violation elsewhere is noticed.
pub(crate) fn marks_are_read() {
    let (marks, problems) =
        read("int x;\n\tx = 1; //~ ERROR[data-race]\n\tx = 2; //~ ALSO\n\tx = 3; //~ ERORR\n");
    assert_eq!(problems, ["line 4: unknown mark `ERORR`"]);
    assert_eq!(marks.iter().map(|mark| mark.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(marks[0].code.as_deref(), Some("data-race"));
    assert!(marks[1].code.is_none());
    let violation = |code, lines: &[u64]| {
        let places: Vec<Value> =
            lines.iter().map(|line| serde_json::json!({"file": "x.c", "line": line})).collect();
        serde_json::json!({"code": code, "places": places})
    };
    let differences = |code, lines| compare("tests/x.c", &marks, &violation(code, lines)).len();
    assert_eq!(differences("data-race", &[3, 2]), 0);
    assert_eq!(differences("deadlock", &[3, 2]), 1);
    assert_eq!(differences("data-race", &[3, 4]), 1);
    assert_eq!(compare("tests/y.c", &marks, &violation("data-race", &[3, 2])).len(), 2, "another file");
    assert_eq!(compare("tests/x.c", &[], &violation("data-race", &[3, 2])).len(), 1, "no marks");
}
