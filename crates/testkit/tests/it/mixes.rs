//! The mixes have what they promise.

use testkit::oracle::{Options, enumerate};
use testkit::program::{Instr, TestProgram};
use testkit::{Blocked, Explored, Mix, Model, compare, random_program, show};

fn count(mix: Mix, has: impl Fn(&TestProgram) -> bool) -> usize {
    (0..200).filter(|&seed| has(&random_program(mix, seed))).count()
}

#[test]
fn seeds_decide() {
    for mix in Mix::ORACLE.into_iter().chain([Mix::Big]) {
        assert_eq!(random_program(mix, 7), random_program(mix, 7));
        assert!((0..20).any(|seed| random_program(mix, seed) != random_program(mix, seed + 1)));
        assert!(random_program(mix, 3).codes.len() <= testkit::program::CODES);
    }
}

#[test]
fn spawn_creates_in_threads_joins_and_lets_main_take_part() {
    let creates = |code: &Vec<Instr>| code.iter().any(|instr| matches!(instr, Instr::Create(_)));
    assert!(count(Mix::Spawn, |program| program.codes.iter().any(creates)) > 50);
    let reads_after_join = |program: &TestProgram| {
        let join = program.main.iter().rposition(|instr| matches!(instr, Instr::Join(_)));
        join.is_some_and(|join| program.main[join..].iter().any(|instr| matches!(instr, Instr::Load { .. })))
    };
    assert!(count(Mix::Spawn, reads_after_join) > 15);
    assert!(count(Mix::Spawn, |p| p.lists().flatten().any(|i| matches!(i, Instr::Choose { .. }))) > 10);
}

#[test]
fn ties_have_writes_that_nothing_orders() {
    let find = |model, program: &TestProgram| enumerate(program, &Model::of(model), Options::default());
    let unordered = |program: &TestProgram| {
        let [strong, weak] = [model::Model::Ra, model::Model::Wra].map(|model| find(model, program));
        let (Some(strong), Some(weak)) = (strong, weak) else { return false };
        let seen: std::collections::BTreeSet<_> =
            strong.complete.into_iter().map(graph::ExecutionGraph::without_co).collect();
        seen.len() < weak.complete.len()
    };
    assert!((0..100).filter(|&seed| unordered(&random_program(Mix::Ties, seed))).count() >= 20);
}

#[test]
fn sequences_tell_the_release_sequences_apart() {
    let find = |model, program: &TestProgram| enumerate(program, &Model::of(model), Options::default());
    let differ = |program: &TestProgram| {
        let [rc11, c20] = [model::Model::Rc11, model::Model::C20].map(|model| find(model, program));
        rc11.zip(c20).is_some_and(|(rc11, c20)| rc11.complete != c20.complete)
    };
    assert!((0..100).filter(|&seed| differ(&random_program(Mix::Sequences, seed))).count() >= 20);
}

#[test]
fn locks_are_raceless_and_sometimes_deadlock() {
    let (mut deadlocks, mut tries) = (0, 0);
    for seed in 0..100 {
        let program = random_program(Mix::Locks, seed);
        let oracle =
            enumerate(&program, &Model::of(model::Model::Rc11), Options::default()).expect("is small");
        assert!(!oracle.is_racy(&Model::of(model::Model::Rc11)), "{}", show(&program));
        assert!(oracle.deadlocks.is_subset(&oracle.blocked));
        deadlocks += usize::from(!oracle.deadlocks.is_empty());
        tries += usize::from(program.lists().flatten().any(|instr| matches!(instr, Instr::Rmw { .. })));
    }
    assert!(deadlocks >= 3 && tries >= 15, "{deadlocks} {tries}");
}

#[test]
fn plain_accesses_race_in_most_programs_but_not_in_all() {
    let mut racy = 0;
    for seed in 0..100 {
        let program = random_program(Mix::NotAtomic, seed);
        let oracle =
            enumerate(&program, &Model::of(model::Model::Rc11), Options::default()).expect("is small");
        racy += usize::from(oracle.is_racy(&Model::of(model::Model::Rc11)));
    }
    assert!((40..100).contains(&racy), "{racy}");
}

/// Some threads hold two mutexes, some never release one, some look at the word.
#[test]
fn pure_programs_deadlock_more_often() {
    let model = Model::of(model::Model::Rc11);
    let oracles =
        (0..300).filter_map(|seed| enumerate(&random_program(Mix::Pure, seed), &model, Options::default()));
    let deadlocks = oracles.filter(|oracle| !oracle.deadlocks.is_empty()).count();
    assert!(deadlocks >= 24, "{deadlocks}");
    let loads = |i: &Instr| matches!(i, Instr::Load { loc: 0, .. });
    let looks =
        |p: &TestProgram| p.lists().flatten().any(loads) && p.lists().flatten().any(|&i| i == Instr::Lock(0));
    assert!(count(Mix::Pure, looks) >= 20);
    let stores = |i: &Instr| matches!(i, Instr::Store { loc: 0, .. });
    let spoils = |p: &TestProgram| {
        p.lists().flatten().any(stores) && p.lists().flatten().any(|&i| i == Instr::Lock(0))
    };
    assert!(count(Mix::Locky, spoils) >= 50 && count(Mix::Pure, spoils) == 0);
}

/// Two mutexes taken in opposite orders: one deadlock, and the rest as it must be.
#[test]
fn ab_ba_deadlocks() {
    let nested = |a, b| vec![Instr::Lock(a), Instr::Lock(b), Instr::Unlock(b), Instr::Unlock(a)];
    let program = TestProgram::parallel(2, vec![nested(0, 1), nested(1, 0)]);
    let oracle =
        enumerate(&program, &Model::of(model::Model::Rc11), Options { prune: false, limit: 1_000_000 })
            .expect("is small");
    assert_eq!((oracle.complete.len(), oracle.deadlocks.len()), (2, 1));
    assert!(oracle.blocked.len() > 1, "a thread may see a mutex taken that is free later");
}

#[test]
fn comparing_finds_what_is_missing_extra_or_twice() {
    let program = testkit::refuted::refuted().pop().expect("has rows").program;
    let oracle = enumerate(&program, &Model::of(model::Model::Rc11), Options::default()).expect("is small");
    let all = Explored {
        complete: oracle.complete.iter().cloned().collect(),
        blocked: oracle.blocked.iter().cloned().collect(),
        deadlocks: Some(oracle.deadlocks.iter().cloned().collect()),
        spinning: None,
    };
    assert!(all.complete.len() > 1 && all.blocked.len() > 1, "{}", show(&program));
    assert_eq!(compare(&oracle, &all, Blocked::Exact), Ok(()));
    let mut missing = all.clone();
    missing.complete.pop();
    let mut twice = all.clone();
    twice.complete.push(all.complete[0].clone());
    let mut extra = all.clone();
    extra.complete.push(all.blocked[0].clone());
    let mut fewer = all.clone();
    fewer.blocked.pop();
    let kind = |explored, blocked| {
        compare(&oracle, explored, blocked).map_err(|d| (d.list, format!("{:?}", d.kind)))
    };
    assert_eq!(kind(&missing, Blocked::Subset), Err(("complete", "Missing".into())));
    assert_eq!(kind(&twice, Blocked::Subset), Err(("complete", "Duplicate".into())));
    assert_eq!(kind(&extra, Blocked::Subset), Err(("complete", "Extra".into())));
    assert_eq!(kind(&fewer, Blocked::Exact), Err(("blocked", "Missing".into())));
    assert_eq!(kind(&fewer, Blocked::Subset), Ok(()));
}
