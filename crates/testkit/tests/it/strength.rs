//! Which model is weaker than which: the order that the catalogue states, on random programs and on named ones.
//!
//! Executions of two models are compared as far as both have them (`testkit::common`).

use graph::ExecutionGraph;
use model::{Model, Scope};
use std::collections::{BTreeMap, BTreeSet};
use testkit::common::{in_common, is_in};
use testkit::oracle::{Options, enumerate};
use testkit::program::TestProgram;
use testkit::separating::{all_named, named};
use testkit::{Mix, Oracle, random_program, show};

fn oracle(program: &TestProgram, model: Model, limit: usize) -> Option<Oracle> {
    enumerate(program, &testkit::Model::of(model), Options { limit, ..Options::default() })
}

/// All edges of the catalogue.
fn edges() -> impl Iterator<Item = (Model, Model, Scope)> {
    Model::ALL.into_iter().flat_map(|from| from.weaker().iter().map(move |&(to, scope)| (from, to, scope)))
}

/// How the executions of one model relate to those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relates {
    Same,
    Fewer,
    Others,
}

fn lists(oracle: &Oracle) -> [&BTreeSet<ExecutionGraph>; 3] {
    [&oracle.complete, &oracle.blocked, &oracle.deadlocks]
}

fn relates(stronger: (Model, &Oracle), weaker: (Model, &Oracle)) -> Relates {
    let (from, to) = (stronger.0.rules(), weaker.0.rules());
    let mut relates = Relates::Same;
    for (own, other) in lists(stronger.1).into_iter().zip(lists(weaker.1)) {
        let (own, other) = (in_common(own, from, to), in_common(other, to, from));
        if !own.is_subset(&other) {
            return Relates::Others;
        }
        if own != other {
            relates = Relates::Fewer;
        }
    }
    relates
}

/// On random programs of the scope, the executions of the stronger model are among those of the weaker, the blocked ones
/// and the deadlocks, too. Some inclusion is strict for each edge, and each is tried often.
#[test]
fn stronger_models_have_fewer_executions() {
    let mut tried: BTreeMap<(Model, Model), (usize, usize)> = BTreeMap::new();
    for seed in 0..30 * Mix::ORACLE.len() as u64 {
        let program = random_program(Mix::ORACLE[seed as usize % Mix::ORACLE.len()], seed + 5000);
        let oracles: BTreeMap<Model, Oracle> = Model::ALL
            .into_iter()
            .filter_map(|model| Some((model, oracle(&program, model, 2_000)?)))
            .collect();
        for (from, to, scope) in edges().filter(|edge| is_in(edge.2, &program)) {
            let (Some(stronger), Some(weaker)) = (oracles.get(&from), oracles.get(&to)) else { continue };
            let relates = relates((from, stronger), (to, weaker));
            assert!(relates != Relates::Others, "{from:?} to {to:?} ({scope:?}): {}", show(&program));
            let (programs, strict) = tried.entry((from, to)).or_default();
            *programs += 1;
            *strict += usize::from(relates == Relates::Fewer);
        }
    }
    for (from, to, _) in edges() {
        let &(programs, strict) = tried.get(&(from, to)).unwrap_or(&(0, 0));
        assert!(programs >= 80 && strict >= 1, "{from:?} to {to:?}: {programs} programs, {strict} strict");
    }
}

/// Is every execution of `from` one of `to`, on this program?
fn is_included(from: Model, to: Model, program: &TestProgram) -> bool {
    let find = |model| oracle(program, model, 50_000).expect("is small");
    relates((from, &find(from)), (to, &find(to))) != Relates::Others
}

/// For each edge of the catalogue a program that is in its scope and on which the weaker model allows more.
#[test]
fn every_inclusion_is_strict() {
    let strict = [
        (Model::Sc, Model::Tso, "SB rlx"),
        (Model::Tso, Model::Sra, "IRIW rel acq"),
        (Model::Tso, Model::Rc11, "MP rlx"),
        (Model::Sra, Model::Ra, "2+2W rlx"),
        (Model::Ra, Model::Wra, "ww3r"),
        (Model::Ra, Model::Rc20, "MP rlx"),
        (Model::Ra, Model::Rc11, "MP rlx"),
        (Model::Wra, Model::Wrc11, "MP rlx"),
        (Model::Rc11, Model::Wrc11, "ww3r"),
        (Model::Rc11, Model::C20, "MP release sequence"),
        (Model::C20, Model::Rc20, "SB sc"),
        (Model::C20, Model::Relaxed, "MP rel acq"),
        (Model::Rc20, Model::Relaxed, "MP rel acq"),
    ];
    for (from, to, name) in strict {
        assert!(
            is_included(from, to, &named(name)) && !is_included(to, from, &named(name)),
            "{from:?} {to:?}"
        );
    }
    for (from, to, scope) in edges() {
        let row = strict.iter().find(|row| (row.0, row.1) == (from, to));
        assert!(row.is_some_and(|row| is_in(scope, &named(row.2))), "{from:?} {to:?}");
    }
}

/// Outside of its scope an inclusion does not hold: the counterexamples.
#[test]
fn every_scope_is_needed() {
    for (from, to, name) in [
        (Model::Ra, Model::Rc11, "SB sc"),
        (Model::C20, Model::Rc20, "ISA2 fences at the ends"),
        (Model::Wra, Model::Wrc11, "SB sc"),
        (Model::Wra, Model::Wrc11, "CoRR plain"),
    ] {
        let (_, _, scope) = edges().find(|edge| (edge.0, edge.1) == (from, to)).expect("is an edge");
        assert!(!is_in(scope, &named(name)), "{name}");
        assert!(!is_included(from, to, &named(name)), "{from:?} to {to:?} on {name}");
    }
}

/// Without SC accesses and SC fences, C20 is RC20.
#[test]
fn c20_without_sc_events_is_rc20() {
    let mut compared = 0;
    for seed in 0..10 * Mix::ORACLE.len() as u64 {
        let program = random_program(Mix::ORACLE[seed as usize % Mix::ORACLE.len()], seed + 7000);
        let has_sc_events = [Scope::NoScAccesses, Scope::NoScFences].iter().any(|&it| !is_in(it, &program));
        let find = |model| oracle(&program, model, 2_000);
        let (false, Some(c20), Some(rc20)) = (has_sc_events, find(Model::C20), find(Model::Rc20)) else {
            continue;
        };
        assert_eq!(lists(&c20), lists(&rc20), "{}", show(&program));
        compared += 1;
    }
    assert!(compared >= 30, "{compared} programs");
}

/// Where the catalogue has no way from a model to another, there is none: some named program has an execution that
/// only the first allows, though it has neither SC nor plain accesses.
#[test]
fn no_inclusion_is_missing() {
    let mut reaches: BTreeMap<Model, Vec<Model>> = BTreeMap::new();
    for model in Model::ALL.into_iter().rev() {
        let next = model.weaker().iter().map(|&(to, _)| to);
        let reached = next.clone().chain(next.flat_map(|to| reaches[&to].clone())).collect();
        reaches.insert(model, reached);
    }
    let separate = |from, to| {
        let programs =
            all_named().into_iter().filter(|row| is_in(Scope::NoScAndNoPlainAccesses, &row.program));
        programs.map(|row| row.program).any(|program| !is_included(from, to, &program))
    };
    for from in Model::ALL {
        for to in Model::ALL.into_iter().filter(|to| *to != from && !reaches[&from].contains(to)) {
            assert!(separate(from, to), "{from:?} to {to:?}");
        }
    }
}
