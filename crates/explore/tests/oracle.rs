//! The exploration against brute force: on random programs it finds exactly the oracle's executions, each once.
//!
//! `THREADBARE_ORACLE_PROGRAMS=200000 cargo test --release -p threadbare-explore --test oracle -- --nocapture` is the
//! long run: that many programs for RC11, a quarter for each of the others, from other seeds. `THREADBARE_ORACLE_MIX=scf`
//! takes one mix only.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a long test says how far it is")]

use explore::{Control, Ending, Model, Observer, Options, Policy, View};
use program::FaultKind;
use testkit::{Blocked, Explored, Mix, Oracle, TestProgram, compare, oracle, random_program, show, shrink};

const POLICIES: [Policy; 7] = [
    Policy::LeftToRight,
    Policy::RightToLeft,
    Policy::WritesFirst,
    Policy::ReadsFirst,
    Policy::RoundRobin,
    Policy::Newest,
    Policy::Random(0x5eed),
];

/// Keeps every execution.
#[derive(Default)]
struct Keeper {
    explored: Explored,
    checked: bool,
    has_co: bool,
}

impl<S> Observer<S> for Keeper {
    fn start(&mut self) {
        self.explored = Explored { deadlocks: Some(Vec::new()), ..Explored::default() };
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        let graph = execution.graph();
        if self.checked {
            let check = if self.has_co { graph.check() } else { graph.check_without_co() };
            assert_eq!(check, Ok(()), "{graph}");
        }
        match ending {
            Ending::Complete => self.explored.complete.push(graph),
            Ending::Blocked => self.explored.blocked.push(graph),
            Ending::Deadlock => {
                self.explored.blocked.push(graph.clone());
                self.explored.deadlocks.get_or_insert_default().push(graph);
            }
        }
    }
}

fn declarative(model: Model) -> testkit::Model {
    testkit::Model::of(model)
}

/// Everything that is wrong with the exploration of one program.
fn differences(
    program: &TestProgram,
    model: Model,
    oracle: &Oracle,
    policy: Policy,
) -> Result<usize, String> {
    for drop_blocked in [false, true] {
        let options = Options { keep_going: true, drop_blocked, policy, ..Options::default() };
        let mut keeper = Keeper { checked: !drop_blocked, has_co: model.text().has_co, ..Keeper::default() };
        let outcome =
            explore::explore_with(&mut program.clone(), model, &options, &Control::new(), &mut keeper);
        let blocked = if drop_blocked { Blocked::Subset } else { Blocked::Exact };
        compare(oracle, &keeper.explored, blocked)
            .map_err(|difference| format!("{policy:?}, drop_blocked {drop_blocked}: {difference}"))?;
        let racy = outcome.violations.iter().any(|v| v.kind == FaultKind::DataRace);
        if racy != oracle.is_racy(&declarative(model)) {
            return Err(format!("{policy:?}, drop_blocked {drop_blocked}: racy is {racy}"));
        }
    }
    Ok(oracle.complete.len())
}

/// One program; `None` if it is too big for the oracle.
fn check(program: &TestProgram, model: Model, policy: Policy) -> Option<Result<usize, String>> {
    let oracle = oracle::enumerate(program, &declarative(model), oracle::Options::default())?;
    Some(differences(program, model, &oracle, policy))
}

/// The number of programs for this model: what the long run asks for, or the number for CI.
fn programs(model: Model, standard: u64) -> u64 {
    let asked = std::env::var("THREADBARE_ORACLE_PROGRAMS").ok().and_then(|n| n.parse::<u64>().ok());
    match (asked, model) {
        (Some(n), Model::Rc11) => n,
        (Some(n), _) => n / 4,
        (None, _) => standard,
    }
}

/// `standard` random programs over all mixes, on two threads.
fn campaign(model: Model, standard: u64) {
    let count = programs(model, standard);
    let seed = if count == standard { 0 } else { 1 << 32 };
    let halves: Vec<_> =
        (0..2).map(|half| std::thread::spawn(move || run(model, seed, half, count))).collect();
    let totals = halves.into_iter().map(|half| half.join().expect("no difference"));
    let (checked, skipped, executions) = totals.fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
    println!("{model:?}: {checked} programs, {executions} executions, {skipped} too big for the oracle");
    assert!(checked >= count, "{checked} of {count} programs were checked");
}

fn run(model: Model, seed: u64, half: u64, count: u64) -> (u64, u64, usize) {
    let (mut checked, mut skipped, mut executions) = (0, 0, 0);
    let mixes: Vec<Mix> = match std::env::var("THREADBARE_ORACLE_MIX") {
        Ok(name) => Mix::ORACLE.into_iter().filter(|mix| mix.name() == name).collect(),
        Err(_) => Mix::ORACLE.to_vec(),
    };
    let mut i = half;
    while checked < count.div_ceil(2) {
        let mix = mixes[(i / 2) as usize % mixes.len()];
        let policy = POLICIES[(i / 2) as usize / mixes.len() % POLICIES.len()];
        let program = random_program(mix, seed + i);
        match check(&program, model, policy) {
            None => skipped += 1,
            Some(Ok(n)) => {
                checked += 1;
                executions += n;
            }
            Some(Err(difference)) => {
                let small = shrink(&program, &mut |p| matches!(check(p, model, policy), Some(Err(_))));
                let why = check(&small, model, policy).and_then(Result::err).unwrap_or(difference);
                panic!("{model:?}, mix {}, seed {}:\n{}\n{why}", mix.name(), seed + i, show(&small));
            }
        }
        i += 2;
    }
    (checked, skipped, executions)
}

/// The programs with names, under every model, whatever the schedule: they need rules that random programs hardly ever
/// need.
#[test]
fn named_programs() {
    for row in testkit::separating::all_named() {
        for model in Model::ALL {
            let options = oracle::Options { limit: 200_000, ..oracle::Options::default() };
            let right = oracle::enumerate(&row.program, &declarative(model), options).expect(row.name);
            for policy in POLICIES {
                let found = differences(&row.program, model, &right, policy);
                assert!(found.is_ok(), "{}, {model:?}: {}", row.name, found.unwrap_err());
            }
        }
    }
}

#[test]
fn rc11() {
    campaign(Model::Rc11, 20_000);
}

#[test]
fn sc() {
    campaign(Model::Sc, 5_000);
}

#[test]
fn tso() {
    campaign(Model::Tso, 5_000);
}

#[test]
fn sra() {
    campaign(Model::Sra, 5_000);
}

#[test]
fn ra() {
    campaign(Model::Ra, 5_000);
}

#[test]
fn wra() {
    campaign(Model::Wra, 5_000);
}

#[test]
fn rc20() {
    campaign(Model::Rc20, 5_000);
}

#[test]
fn relaxed() {
    campaign(Model::Relaxed, 5_000);
}

#[test]
fn wrc11() {
    campaign(Model::Wrc11, 5_000);
}
