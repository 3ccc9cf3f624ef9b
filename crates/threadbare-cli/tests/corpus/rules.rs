//! Rules about the table of a program that depend on its directory: a wrong program is wrong, a lock with a bug as well.

use crate::row::{KINDS, Row};
use crate::table::Case;

/// A rule, and its name in the name of a test.
pub(crate) type Rule = (&'static str, fn(&Case) -> Result<(), String>);

/// The rules for the programs of this directory.
pub(crate) fn of(directory: &str) -> &'static [Rule] {
    match directory {
        "wrong" => &[("is wrong", |case| has_row(case, "violated"))],
        "right" => &[("is right", |case| has_row(case, "verified"))],
        "inconclusive" => &[("is inconclusive", |case| has_row(case, "inconclusive"))],
        "spin" => &[("kinds of cutting", kinds)],
        "locks" => &[
            ("kinds of cutting", kinds),
            ("bug is found", bug_is_found),
            ("bug is of orders", bug_is_of_orders),
        ],
        "cxx" => &[("bug is found", weakened_is_found)],
        _ => &[],
    }
}

fn ensure(holds: bool, rule: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule.to_owned()) }
}

fn has_row(case: &Case, verdict: &str) -> Result<(), String> {
    let has_it = case.rows.iter().any(|row| row.model == "rc11" && row.verdict == verdict);
    ensure(has_it, &format!("there must be a row `rc11 {verdict}`"))
}

/// The program is verified under every kind of cutting, and the more kinds the fewer executions.
fn kinds(case: &Case) -> Result<(), String> {
    let mut counts = Vec::new();
    for kind in KINDS {
        let rows = case.rows.iter().filter(|row| row.model == "rc11" && row.verdict != "violated");
        let mut of_kind = rows.filter(|row| row.options.iter().any(|option| option == kind));
        let first = of_kind.find_map(|row| row.complete);
        counts.push(first.ok_or_else(|| format!("there must be a row for rc11 with {kind}"))?);
    }
    ensure(counts.is_sorted_by(|a, b| a >= b), &format!("more cutting, more executions: {counts:?}"))
}

/// Every structure keeps its promise, and does not with one order weakened.
fn bug_is_found(case: &Case) -> Result<(), String> {
    let rc11 = case.rows.iter().filter(|row| row.model == "rc11");
    let (wrong, right): (Vec<&Row>, Vec<&Row>) = rc11.partition(|row| row.flags == ["-DBUG"]);
    let is_wrong = !wrong.is_empty() && wrong.iter().all(|row| row.verdict == "violated");
    ensure(is_wrong, "the rows with -DBUG must be violated")?;
    let is_right = right.iter().all(|row| ["verified", "bounded"].contains(&row.verdict.as_str()));
    ensure(is_right, "the rows without -DBUG must not be violated")
}

/// The uniform models do not see the order that is weakened.
fn bug_is_of_orders(case: &Case) -> Result<(), String> {
    let mut under_sc = case.rows.iter().filter(|row| row.model == "sc" && row.flags == ["-DBUG"]);
    ensure(
        under_sc.any(|row| row.verdict != "violated"),
        "there must be a row `-DBUG sc` that is not violated",
    )
}

/// A program of the C++ library is right as it is, and not with the order that its macro weakens.
fn weakened_is_found(case: &Case) -> Result<(), String> {
    let is_weakened = |row: &&Row| row.flags.iter().any(|flag| flag == "-DBUG");
    let (wrong, right): (Vec<&Row>, Vec<&Row>) = case.rows.iter().partition(is_weakened);
    let is_found = !wrong.is_empty() && wrong.iter().all(|row| row.verdict == "violated");
    ensure(is_found, "there must be rows with -DBUG, all violated")?;
    let is_right = |row: &&Row| ["verified", "bounded"].contains(&row.verdict.as_str());
    ensure(!right.is_empty() && right.iter().all(is_right), "the rows without -DBUG must not be violated")
}
