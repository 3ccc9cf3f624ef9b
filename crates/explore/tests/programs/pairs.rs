//! Loads that are one event with the compare-exchange after them, against brute force: the executions in which both read the
//! same, each once, and no blocked one that could still go on.

use crate::any_model;
use crate::campaign::{Keeper, Subject, check_random};
use explore::{Control, Equivalence, Model, Options, Policy};
use program::FaultKind;
use testkit::pairs::{Loads, random_pairs, with_pairs};
use testkit::program::Instr;
use testkit::{Blocked, Explored, TestProgram, compare, oracle};

/// Random programs for each model and equivalence.
const PROGRAMS: usize = 600;

/// What was compared: how many executions, and how many there are with two events.
struct Compared {
    explored: usize,
    all: usize,
}

/// One program; `None` if it is too big for the oracle.
fn check(program: &TestProgram, subject: Subject, policy: Policy) -> Option<Result<Compared, String>> {
    let loads = Loads::of(program);
    if loads == Loads::Stray {
        return None;
    }
    let all = subject.oracle(program, oracle::Options::default())?;
    let options =
        Options { keep_going: true, policy, equivalence: subject.equivalence, ..Options::default() };
    let mut keeper = Keeper { explored: Explored::default(), checked: true, subject };
    let mut paired = program.clone();
    let outcome = any_model::explore_with(&mut paired, subject.model, &options, &Control::new(), &mut keeper);
    let mut explored = keeper.explored;
    (explored.deadlocks, explored.spinning) = (None, None);
    let compared = Compared { explored: explored.complete.len(), all: all.complete.len() };
    let is_racy = all.is_racy(&subject.declarative());
    let (spinning, mut right) = (all.spinning.clone(), with_pairs(all.clone()));
    if has_stores(program) {
        // Where a word is stored to, there may be no pairs.
        let others = explored.complete.iter().map(|graph| graph.canonical());
        right.complete.extend(others.filter(|graph| all.complete.contains(graph)));
    } else if !subject.lacks_co() && loads == Loads::Paired {
        // Who waits for a word that nobody will change any more.
        right.blocked = spinning;
    }
    let differs = compare(&right, &explored, Blocked::Subset).map_err(|it| format!("{policy:?}: {it}"));
    let finds_race = outcome.violations.iter().any(|it| it.kind == FaultKind::DataRace);
    Some(match differs {
        Ok(()) if finds_race != is_racy => Err(format!("{policy:?}: racy is {finds_race}")),
        other => other.map(|()| compared),
    })
}

fn has_stores(program: &TestProgram) -> bool {
    program.lists().flatten().any(|instr| matches!(instr, Instr::Store { loc, .. } if *loc < 2))
}

fn campaign(subject: Subject) {
    let compared = check_random(subject, PROGRAMS, random_pairs, check);
    let explored: usize = compared.iter().map(|it| it.explored).sum();
    let all: usize = compared.iter().map(|it| it.all).sum();
    assert!(explored > PROGRAMS && explored * 10 < all * 9, "{subject:?}: {explored} of {all}");
}

#[test]
fn up_to_co() {
    for model in Model::ALL {
        campaign(Subject { model, equivalence: Equivalence::Co });
    }
}

#[test]
fn up_to_rf() {
    for model in Model::ALL {
        campaign(Subject { model, equivalence: Equivalence::Rf });
    }
}
