//! The corpus: every C program under `tests/`, verified as its table of expectations says.
//!
//! Beside `NAME.c` there is `NAME.expect`, a table with one run a row: options of the command (`--spin=…`, `--unroll=…`;
//! without `--symmetry` it is `--no-symmetry`, since most counts are those of papers) and flags for clang (`-`: none of both), model (`rc11/rf`: explored up to `rf`), verdict, complete executions,
//! blocked executions (`-`: not pinned). A program that is wrong marks the lines that the first
//! violation must name: `//~ ERROR[code]` is its first place, `//~ ALSO` another one; which side of a race or of a
//! deadlock comes first is left open, and which of the threads that spin. A program without a table, a table without a program, an unknown model, a row
//! that is there twice or a macro that the program does not know is an error, not ignored.
//!
//! `THREADBARE_BLESS=1` rewrites pinned counts that differ, never verdicts.
//! Cost: a run of clang for each of the 1,000 rows, two at a time.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

const MODELS: [&str; 10] = ["sc", "tso", "sra", "ra", "wra", "rc11", "wrc11", "rc20", "relaxed", XMM];
/// The one that is explored up to `co` only, and may find the cyclic part of an execution more than once.
const XMM: &str = "xmm";
/// Those that have `rf` only.
const WITHOUT_CO: [&str; 2] = ["wra", "wrc11"];
/// What follows the model in a row that is explored up to reads-from.
const UP_TO_RF: &str = "/rf";
/// Every verdict with its exit status.
const VERDICTS: [(&str, i32); 4] = [("verified", 0), ("bounded", 0), ("violated", 1), ("inconclusive", 3)];
/// Up to this many executions are searched for duplicates, which takes memory for each.
const DUPLICATES_COUNTED: u64 = 50_000;
/// Up to this many executions, the verdict up to `rf` is compared with that up to `co`.
const COMPARED_UP_TO_RF: u64 = 2_000;
/// Up to this many executions, the verdict with symmetry is compared with that without.
const COMPARED_WITH_SYMMETRY: u64 = 50_000;
/// Seconds for one run: an exploration that does not end is a failure, not a test that hangs.
const TIMEOUT: &str = "300";
/// How loops are bounded that nothing cuts: this and a number.
const BOUND: &str = "--unroll=";
/// The other options that a row may have, the kinds of cutting: each cuts all that those before it cut.
const KINDS: [&str; 4] = ["--spin=none", "--spin=static", "--spin=dynamic", "--spin=all"];
/// Explored up to `co` only.
const LIVENESS: &str = "--check-liveness";
/// No option of the command: the default, which rows do without unless they have this.
const SYMMETRY: &str = "--symmetry";
/// What the thesis' tool finds under XMM.
const HEURISTIC: &str = "--xmm=heuristic";

#[test]
fn bench() {
    check_directory("bench");
}

#[test]
fn tracer() {
    check_directory("tracer");
}

#[test]
fn long() {
    check_directory("long");
}

#[test]
fn litmus() {
    check_directory("litmus");
}

/// The large programs of `threadbare fuzz`, small: so that they are known to be right.
#[test]
fn fuzz() {
    check_directory("fuzz");
}

#[test]
fn wrong() {
    let programs = check_directory("wrong");
    for program in programs {
        let is_wrong = program.rows.iter().any(|row| row.model == "rc11" && row.verdict == "violated");
        assert!(is_wrong, "{}: a wrong program has a row `rc11 violated`", program.name);
    }
}

#[test]
fn right() {
    let programs = check_directory("right");
    for program in programs {
        let is_right = program.rows.iter().any(|row| row.model == "rc11" && row.verdict == "verified");
        assert!(is_right, "{}: a right program has a row `rc11 verified`", program.name);
    }
}

/// Programs without a verdict: nothing runs to its end, or a loop does not end.
#[test]
fn inconclusive() {
    for program in check_directory("inconclusive") {
        let is_open = program.rows.iter().any(|row| row.model == "rc11" && row.verdict == "inconclusive");
        assert!(is_open, "{}: an inconclusive program has a row `rc11 inconclusive`", program.name);
    }
}

#[test]
fn xmm() {
    check_directory("xmm");
}

#[test]
fn spin() {
    for program in check_directory("spin") {
        check_kinds(&program);
    }
}

/// Every structure keeps its promise, and does not with one order weakened, which the uniform models do not see.
#[test]
fn locks() {
    for program in check_directory("locks") {
        check_kinds(&program);
        let rc11 = program.rows.iter().filter(|row| row.model == "rc11");
        let (wrong, right): (Vec<&Row>, Vec<&Row>) = rc11.partition(|row| row.flags == ["-DBUG"]);
        let is_wrong = !wrong.is_empty() && wrong.iter().all(|row| row.verdict == "violated");
        assert!(is_wrong, "{}: the rows with -DBUG are violated", program.name);
        let is_right = right.iter().all(|row| ["verified", "bounded"].contains(&row.verdict.as_str()));
        assert!(is_right, "{}: the rows without -DBUG are not violated", program.name);
        let mut under_sc = program.rows.iter().filter(|row| row.model == "sc" && row.flags == ["-DBUG"]);
        let bug_is_order = under_sc.any(|row| row.verdict != "violated");
        assert!(bug_is_order, "{}: a row `-DBUG sc` that is not violated", program.name);
    }
}

/// The program under every kind of cutting, and the more kinds the fewer executions.
fn check_kinds(program: &Case) {
    let mut counts = Vec::new();
    for kind in KINDS {
        let rows = program.rows.iter().filter(|row| row.model == "rc11" && row.verdict != "violated");
        let mut of_kind = rows.filter(|row| row.options.iter().any(|option| option == kind));
        let first = of_kind.find_map(|row| row.complete);
        counts.push(first.unwrap_or_else(|| panic!("{}: no row for rc11 with {kind}", program.name)));
    }
    assert!(counts.is_sorted_by(|a, b| a >= b), "{}: {counts:?}", program.name);
}

/// A program and what is expected of it.
#[derive(Debug)]
struct Case {
    /// As the user names it, from the root of the workspace: `tests/bench/ainc.c`.
    name: String,
    marks: Vec<Mark>,
    rows: Vec<Row>,
}

/// A line of a program that a violation must name.
#[derive(Debug)]
struct Mark {
    line: u64,
    /// The code, if it is the first place.
    code: Option<String>,
}

/// One run.
#[derive(Clone, Debug)]
struct Row {
    options: Vec<String>,
    flags: Vec<String>,
    model: String,
    verdict: String,
    complete: Option<u64>,
    blocked: Option<u64>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Runs every row of every program of the directory, and fails with all that is not as expected.
fn check_directory(directory: &str) -> Vec<Case> {
    let mut cases = read_directory(directory);
    let runs: Vec<(usize, usize)> = cases
        .iter()
        .enumerate()
        .flat_map(|(case, it)| (0..it.rows.len()).map(move |row| (case, row)))
        .collect();
    let results = two_at_a_time(&runs, |&(case, row)| check_row(&cases[case], &cases[case].rows[row]));
    let mut failures = String::new();
    let mut blessed = BTreeSet::new();
    for ((case, row), result) in runs.iter().zip(results) {
        if result.only_counts_differ && std::env::var_os("THREADBARE_BLESS").is_some() {
            cases[*case].rows[*row].pin(result.counts);
            blessed.insert(*case);
        } else {
            failures += &result.difference;
        }
    }
    for case in blessed {
        write_table(&cases[case]);
    }
    assert!(failures.is_empty(), "not as expected:\n{failures}");
    cases
}

/// What became of a row.
#[derive(Debug, Default)]
struct RowResult {
    /// In words, for the reader of a failed test. Empty if all is as expected.
    difference: String,
    only_counts_differ: bool,
    counts: (u64, u64),
}

/// `check` for every item, in the order of the items, by two threads.
fn two_at_a_time<T: Sync, R: Send>(items: &[T], check: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // One for all tests: the test harness runs several directories at once.
    static PERMITS: [Mutex<()>; 2] = [Mutex::new(()), Mutex::new(())];
    let next = Mutex::new(items.iter().enumerate());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for permit in &PERMITS {
            let (next, results, check) = (&next, &results, &check);
            scope.spawn(move || {
                loop {
                    let Some((index, item)) = next.lock().expect("no panic").next() else { break };
                    let _running = permit.lock().expect("no panic");
                    let result = check(item);
                    results.lock().expect("no panic").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Runs one row and compares.
fn check_row(case: &Case, row: &Row) -> RowResult {
    let output = run(case, row);
    let mut counts = (0, 0);
    let mut differences = Vec::new();
    match serde_json::from_slice::<serde_json::Value>(&output.stdout) {
        Ok(answer) => {
            let executions = &answer["executions"];
            counts = (number(&executions["complete"]), number(&executions["blocked"]));
            differences.extend(compare_verdict(case, row, &answer, output.status.code()));
            if executions["duplicate"] != 0 && row.model != XMM {
                differences.push(format!("{} executions were explored again", executions["duplicate"]));
            }
        }
        Err(_) => differences.push(format!("no JSON, {}", output.status)),
    }
    let rf = row.up_to_rf().map(|rf| ("up to rf", rf));
    let symmetry = row.with_symmetry().map(|symmetric| ("with symmetry", symmetric));
    for (how, fewer) in rf.into_iter().chain(symmetry) {
        differences.extend(check_verdict_of_fewer(case, how, &fewer, counts.0));
    }
    let only_counts_differ = differences.is_empty() && !row.agrees(counts);
    if !row.agrees(counts) {
        differences.push(format!(
            "complete, blocked: expected {}, got {} {}",
            row.counts(),
            counts.0,
            counts.1
        ));
    }
    let difference = explain(case, row, &differences, &String::from_utf8_lossy(&output.stderr));
    RowResult { difference, only_counts_differ, counts }
}

fn run(case: &Case, row: &Row) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args(["verify", "--format", "json", "--timeout", TIMEOUT]).args(row.model_flags());
    if row.complete.is_some_and(|complete| complete <= DUPLICATES_COUNTED) {
        command.arg("--count-duplicates");
    }
    if !row.is_symmetric() {
        command.arg("--no-symmetry");
    }
    command.args(row.options.iter().filter(|option| *option != SYMMETRY));
    command.arg(&case.name).arg("--").args(&row.flags).current_dir(root());
    command.output().expect("the command runs")
}

/// Races, faults and assertions depend on `po` and `rf` alone, and not on names of threads: the verdict is the same, of no
/// more executions.
fn check_verdict_of_fewer(case: &Case, how: &str, fewer: &Row, complete: u64) -> Vec<String> {
    let output = run(case, fewer);
    let Ok(answer) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
        return vec![format!("{how}: no JSON, {}", output.status)];
    };
    let mut differences = compare_verdict(case, fewer, &answer, output.status.code());
    let executions = &answer["executions"];
    if executions["duplicate"] != 0 {
        differences.push(format!("{} executions were explored again", executions["duplicate"]));
    }
    if fewer.verdict == "verified" && number(&executions["complete"]) > complete {
        differences.push(format!("{} executions, and {complete} otherwise", executions["complete"]));
    }
    differences.into_iter().map(|difference| format!("{how}: {difference}")).collect()
}

fn explain(case: &Case, row: &Row, differences: &[String], stderr: &str) -> String {
    let mut text = String::new();
    if differences.is_empty() {
        return text;
    }
    let options: Vec<_> =
        row.model_flags().into_iter().chain(row.options.iter().map(String::as_str)).collect();
    writeln!(text, "threadbare verify {} {} -- {}", options.join(" "), case.name, row.flags.join(" "))
        .expect("a string takes all");
    for line in differences.iter().map(String::as_str).chain(stderr.lines().take(8)) {
        writeln!(text, "    {line}").expect("a string takes all");
    }
    text
}

/// Verdict, exit status, and for a violation its code and places.
fn compare_verdict(case: &Case, row: &Row, answer: &serde_json::Value, status: Option<i32>) -> Vec<String> {
    let mut differences = Vec::new();
    let verdict = answer["verdict"].as_str().unwrap_or("(none)");
    let violation = &answer["violations"][0];
    if verdict != row.verdict {
        let why = [&answer["reason"], &violation["code"], &violation["message"], &violation["places"]];
        let why = why.iter().filter(|it| !it.is_null()).map(|it| format!(" {it}")).collect::<String>();
        differences.push(format!("verdict: expected {}, got {verdict}{why}", row.verdict));
        return differences;
    }
    let expected_status = VERDICTS.iter().find(|(name, _)| *name == verdict).map(|&(_, status)| status);
    if status != expected_status {
        differences.push(format!("exit status: expected {expected_status:?}, got {status:?}"));
    }
    if verdict == "violated" {
        differences.extend(compare_places(case, violation));
    }
    differences
}

fn compare_places(case: &Case, violation: &serde_json::Value) -> Vec<String> {
    let Some((first, code)) = case.marks.iter().find_map(|mark| Some((mark.line, mark.code.as_deref()?)))
    else {
        return vec!["violated, but no line is marked with `//~ ERROR[code]`".to_owned()];
    };
    let mut differences = Vec::new();
    if violation["code"] != code {
        differences
            .push(format!("code: expected {code}, got {} {}", violation["code"], violation["message"]));
    }
    let no_places = Vec::new();
    let places = violation["places"].as_array().unwrap_or(&no_places);
    // A place in a header has no line in the program.
    let in_program = |place: &serde_json::Value| {
        let file = Path::new(place["file"].as_str().unwrap_or_default()).file_name();
        if file == Path::new(&case.name).file_name() { number(&place["line"]) } else { 0 }
    };
    let lines: Vec<u64> = places.iter().map(in_program).collect();
    let is_symmetric = ["data-race", "deadlock", "liveness"].contains(&code);
    if !is_symmetric && lines.first() != Some(&first) {
        differences.push(format!("first place: expected line {first}, got lines {lines:?}"));
    }
    for mark in case.marks.iter().filter(|mark| !lines.contains(&mark.line)) {
        differences.push(format!("line {} is not among the places, which are {lines:?}", mark.line));
    }
    differences
}

fn number(value: &serde_json::Value) -> u64 {
    value.as_u64().expect("the JSON has numbers where they are documented")
}

impl Row {
    /// Reads a row of the table; the flags are all before the last four columns.
    fn parse(text: &str) -> Result<Row, String> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.len() < 5 {
            return Err("a row has five columns".to_owned());
        }
        let columns = words.split_off(words.len() - 4);
        let (model, verdict) = (columns[0], columns[1]);
        if !MODELS.contains(&model.strip_suffix(UP_TO_RF).unwrap_or(model)) {
            return Err(format!("unknown model `{model}`"));
        }
        if !VERDICTS.iter().any(|(name, _)| *name == verdict) {
            return Err(format!("unknown verdict `{verdict}`"));
        }
        let words = words.into_iter().filter(|word| *word != "-").map(str::to_owned);
        let (options, flags): (Vec<String>, Vec<String>) = words.partition(|word| word.starts_with("--"));
        if let Some(option) = options.iter().find(|option| !is_known(option)) {
            return Err(format!("unknown option `{option}`"));
        }
        Ok(Row {
            options,
            flags,
            model: model.to_owned(),
            verdict: verdict.to_owned(),
            complete: pinned(columns[2])?,
            blocked: pinned(columns[3])?,
        })
    }

    fn model_flags(&self) -> Vec<&str> {
        match self.model.strip_suffix(UP_TO_RF) {
            Some(model) => vec!["--model", model, "--equivalence", "rf"],
            None if WITHOUT_CO.contains(&self.model.as_str()) => vec!["--model", &self.model],
            None => vec!["--model", &self.model, "--equivalence", "co"],
        }
    }

    /// The same up to `rf`, if it is up to `co` and not too large.
    fn up_to_rf(&self) -> Option<Row> {
        let has_co = !self.model.ends_with(UP_TO_RF) && !WITHOUT_CO.contains(&self.model.as_str());
        let has_both = has_co && self.model != XMM;
        let small = self.complete.is_none_or(|complete| complete <= COMPARED_UP_TO_RF);
        // With symmetry there may be more up to `rf`: less of it is seen there.
        let is_possible = self.options.iter().all(|option| option != LIVENESS && option != SYMMETRY);
        (has_both && small && is_possible)
            .then(|| Row { model: format!("{}{UP_TO_RF}", self.model), ..self.clone() })
    }

    fn is_symmetric(&self) -> bool {
        self.options.iter().any(|option| option == SYMMETRY)
    }

    /// The same with symmetry, if it is without and not too large.
    fn with_symmetry(&self) -> Option<Row> {
        let has_co = !self.model.ends_with(UP_TO_RF) && !WITHOUT_CO.contains(&self.model.as_str());
        let small = self.complete.is_none_or(|complete| complete <= COMPARED_WITH_SYMMETRY);
        let mut row = self.clone();
        row.options.push(SYMMETRY.to_owned());
        (has_co && self.model != XMM && small && !self.is_symmetric()).then_some(row)
    }

    fn agrees(&self, (complete, blocked): (u64, u64)) -> bool {
        self.complete.is_none_or(|it| it == complete) && self.blocked.is_none_or(|it| it == blocked)
    }

    fn pin(&mut self, (complete, blocked): (u64, u64)) {
        self.complete = self.complete.map(|_| complete);
        self.blocked = self.blocked.map(|_| blocked);
    }

    fn counts(&self) -> String {
        format!("{} {}", column(self.complete), column(self.blocked))
    }

    fn columns(&self) -> [String; 5] {
        let words: Vec<&str> = self.options.iter().chain(&self.flags).map(String::as_str).collect();
        let words = if words.is_empty() { "-".to_owned() } else { words.join(" ") };
        [words, self.model.clone(), self.verdict.clone(), column(self.complete), column(self.blocked)]
    }
}

fn is_known(option: &str) -> bool {
    let bound = option.strip_prefix(BOUND).map(str::parse::<u32>);
    option == LIVENESS
        || option == SYMMETRY
        || option == HEURISTIC
        || KINDS.contains(&option)
        || bound.is_some_and(|bound| bound.is_ok())
}

fn pinned(word: &str) -> Result<Option<u64>, String> {
    match word {
        "-" => Ok(None),
        _ => word.parse().map(Some).map_err(|_| format!("`{word}` is neither a number nor `-`")),
    }
}

fn column(count: Option<u64>) -> String {
    count.map_or("-".to_owned(), |count| count.to_string())
}

/// All programs of a directory, by name. Folders in it hold tests of another kind.
fn read_directory(directory: &str) -> Vec<Case> {
    let path = root().join("tests").join(directory);
    let entries = std::fs::read_dir(&path).expect("the directory can be read");
    let names: BTreeSet<String> = entries
        .map(|entry| entry.expect("its entries, too"))
        .filter(|entry| !entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().expect("names are text"))
        .collect();
    let headers = names.iter().filter(|name| name.ends_with(".h")).map(|name| read(&path.join(name)));
    let headers: String = headers.collect();
    let mut cases = Vec::new();
    for name in names.iter().filter(|name| !name.ends_with(".h")) {
        let known = match (name.strip_suffix(".c"), name.strip_suffix(".expect")) {
            (Some(stem), _) => names.contains(&format!("{stem}.expect")),
            (_, Some(stem)) => names.contains(&format!("{stem}.c")),
            _ => false,
        };
        assert!(known, "tests/{directory}/{name}: a program needs its table, a table its program");
        if name.ends_with(".c") {
            cases.push(read_case(&format!("tests/{directory}/{name}"), &headers));
        }
    }
    assert!(!cases.is_empty(), "the test looks in the right place");
    cases
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_case(name: &str, headers: &str) -> Case {
    let source = read(&root().join(name));
    let table = table_path(name);
    let mut rows: Vec<Row> = Vec::new();
    let lines = read(&table);
    for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let place = format!("{}:{}", table.display(), number + 1);
        let row = Row::parse(line).unwrap_or_else(|error| panic!("{place}: {error}"));
        for flag in &row.flags {
            let macro_name = flag.strip_prefix("-D").and_then(|it| it.split('=').next()).unwrap_or_default();
            let is_known = source.contains(macro_name) || headers.contains(macro_name);
            assert!(!macro_name.is_empty() && is_known, "{place}: the program knows no `{flag}`");
        }
        let run = |row: &Row| (row.options.clone(), row.flags.clone(), row.model.clone());
        let is_new = rows.iter().all(|other| run(other) != run(&row));
        assert!(is_new, "{place}: this run has a row already");
        rows.push(row);
    }
    assert!(!rows.is_empty(), "{}: no rows", table.display());
    let marks = (1..).zip(source.lines()).filter_map(|(line, text)| read_mark(line, text)).collect();
    Case { name: name.to_owned(), marks, rows }
}

fn read_mark(line: u64, text: &str) -> Option<Mark> {
    let (_, mark) = text.split_once("//~ ")?;
    let code = mark.strip_prefix("ERROR[").and_then(|it| it.strip_suffix(']')).map(str::to_owned);
    assert!(code.is_some() || mark == "ALSO", "line {line}: unknown mark `{mark}`");
    Some(Mark { line, code })
}

fn table_path(name: &str) -> PathBuf {
    root().join(name).with_extension("expect")
}

fn write_table(case: &Case) {
    let header = ["# args", "model", "verdict", "complete", "blocked"].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(header).chain(case.rows.iter().map(Row::columns)).collect();
    let widths: Vec<usize> =
        (0..5).map(|i| rows.iter().map(|row| row[i].len()).max().expect("there is a header")).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    let path = table_path(&case.name);
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

#[test]
fn a_row_is_read_and_written_back() {
    let row = Row::parse("-DN=5 -DREVERSED  rc11  verified  64  -").expect("a row");
    assert_eq!(row.columns().join(" "), "-DN=5 -DREVERSED rc11 verified 64 -");
    assert!(row.agrees((64, 3)) && !row.agrees((65, 0)));
    let row = Row::parse("-  rc11/rf  verified  5  0").expect("a row");
    assert_eq!(row.model_flags(), ["--model", "rc11", "--equivalence", "rf"]);
    let row = Row::parse("--spin=none --unroll=4 -DN=2  rc11  bounded  1  2").expect("a row");
    assert_eq!((row.options.len(), row.flags.len()), (2, 1));
    assert!(Row::parse("--spin=some  rc11  verified  1  0").is_err(), "unknown option");
    assert!(Row::parse("--unroll=few  rc11  bounded  1  0").is_err(), "no number");
    assert!(Row::parse("-  power  verified  1  0").is_err(), "unknown model");
    assert!(Row::parse("-  rc11  fine  1  0").is_err(), "unknown verdict");
    assert!(Row::parse("rc11  verified  1  0").is_err(), "a column is missing");
}

#[test]
fn a_mark_is_read() {
    assert!(read_mark(3, "\tx = 1;").is_none());
    assert_eq!(
        read_mark(3, "\tx = 1; //~ ERROR[data-race]").expect("a mark").code.as_deref(),
        Some("data-race")
    );
    assert!(read_mark(3, "\tx = 2; //~ ALSO").expect("a mark").code.is_none());
}
