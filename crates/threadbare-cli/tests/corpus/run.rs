//! Running a row, and comparing the answer with the expectation.

use crate::marks;
use crate::row::{Counts, Row, XMM};
use crate::table::{Case, root};
use serde_json::Value;
use std::process::{Command, Output};

/// Seconds for one run: an exploration that does not end is a failure, not a test that hangs.
const TIMEOUT: &str = "300";

/// A row that is not as expected.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Expected and found, and how to run it by hand.
    pub(crate) text: String,
    /// The counts, if only they are not as expected.
    pub(crate) counts: Option<Counts>,
}

/// A run of the command.
struct Answer {
    /// `None` if the command did not write JSON.
    json: Option<Value>,
    output: Output,
}

impl Answer {
    fn of(case: &Case, row: &Row) -> Answer {
        Answer::within(TIMEOUT, case, row)
    }

    fn within(seconds: &str, case: &Case, row: &Row) -> Answer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(["verify", "--format", "json", "--timeout", seconds]).args(row.arguments());
        if row.counts_duplicates() {
            command.arg("--count-duplicates");
        }
        if let Some(jobs) = std::env::var_os("THREADBARE_JOBS") {
            command.arg("--jobs").arg(jobs);
        }
        command.env("THREADBARE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.arg(&case.file).arg("--").args(&row.flags).current_dir(root());
        let output = command.output().expect("the command runs");
        Answer { json: serde_json::from_slice(&output.stdout).ok(), output }
    }

    /// How many executions of this kind.
    fn executions(&self, kind: &str) -> u64 {
        let number = self.json.as_ref().map(|answer| answer["executions"][kind].as_u64());
        number.map_or(0, |number| number.expect("the JSON has numbers where they are documented"))
    }

    /// All but the counts.
    fn differences(&self, case: &Case, row: &Row) -> Vec<String> {
        let Some(answer) = &self.json else { return vec![format!("no JSON, {}", self.output.status)] };
        let mut differences = compare_verdict(case, row, answer, self.output.status.code());
        if self.executions("duplicate") != 0 && row.model != XMM {
            differences.push(format!("{} executions were explored again", self.executions("duplicate")));
        }
        differences
    }

    fn failure(&self, case: &Case, row: &Row, differences: Vec<String>, counts: Option<Counts>) -> Failure {
        let stderr = String::from_utf8_lossy(&self.output.stderr).into_owned();
        let said = stderr.lines().take(8).map(|line| format!("  {line}"));
        let lines: Vec<String> = differences.into_iter().chain(said).chain([by_hand(case, row)]).collect();
        Failure { text: lines.join("\n"), counts }
    }
}

fn by_hand(case: &Case, row: &Row) -> String {
    let flags = if row.flags.is_empty() { String::new() } else { format!(" -- {}", row.flags.join(" ")) };
    format!("by hand: target/debug/threadbare verify {} {}{flags}", row.arguments().join(" "), case.file)
}

/// Runs a row of a wrong program that lacks a reduction. Without some, loops do not end: then there may be no verdict, but
/// never a good one.
pub(crate) fn check_wrong(case: &Case, row: &Row) -> Result<(), Failure> {
    let answer = Answer::within("10", case, row);
    let verdict = answer.json.as_ref().map(|json| json["verdict"].as_str().unwrap_or_default());
    match verdict {
        Some("violated" | "inconclusive") => Ok(()),
        other => Err(answer.failure(case, row, vec![format!("it is wrong, but {other:?}")], None)),
    }
}

/// Verdict, places, counts and duplicates of a row.
pub(crate) fn check(case: &Case, row: &Row) -> Result<(), Failure> {
    let answer = Answer::of(case, row);
    let mut differences = answer.differences(case, row);
    let counts = (answer.executions("complete"), answer.executions("blocked"));
    let only_counts = differences.is_empty().then_some(counts);
    if !row.agrees(counts) {
        let (expected, (complete, blocked)) = (row.counts(), counts);
        differences.push(format!("complete, blocked: expected {expected}, found {complete} {blocked}"));
    }
    match differences.is_empty() {
        true => Ok(()),
        false => Err(answer.failure(case, row, differences, only_counts)),
    }
}

/// Races, faults and assertions depend on `po` and `rf` alone, and not on names of threads: explored up to `rf`, with
/// symmetry, or with critical sections without their order, the verdict is that of `row`, of no more executions.
pub(crate) fn check_fewer(case: &Case, row: &Row, fewer: &Row) -> Result<(), Failure> {
    let answer = Answer::of(case, fewer);
    let mut differences = answer.differences(case, fewer);
    let found = answer.executions("complete");
    // A count that is not pinned, or pinned wrongly, is found out first.
    if row.verdict == "verified" && row.complete.is_none_or(|most| found > most) {
        let most = Answer::of(case, row).executions("complete");
        if found > most {
            differences.push(format!("complete: expected at most {most}, found {found}"));
        }
    }
    match differences.is_empty() {
        true => Ok(()),
        false => Err(answer.failure(case, fewer, differences, None)),
    }
}

/// Verdict, exit status, and for a violation its code and places.
fn compare_verdict(case: &Case, row: &Row, answer: &Value, status: Option<i32>) -> Vec<String> {
    let verdict = answer["verdict"].as_str().unwrap_or("(none)");
    let violation = &answer["violations"][0];
    if verdict != row.verdict {
        let why = [&answer["reason"], &violation["code"], &violation["message"], &violation["places"]];
        let why = why.iter().filter(|it| !it.is_null()).map(|it| format!(" {it}")).collect::<String>();
        return vec![format!("verdict: expected {}, found {verdict}{why}", row.verdict)];
    }
    let mut differences = Vec::new();
    if status != row.status() {
        differences.push(format!("exit status: expected {:?}, found {status:?}", row.status()));
    }
    if verdict == "violated" {
        differences.extend(marks::compare(&case.file, &case.marks, violation));
    }
    differences
}
