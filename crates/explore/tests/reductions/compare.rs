//! What explorations have in common with brute force.

use crate::campaign::{Found, Subject, orbits_of, whole};
use explore::{Reduction, ReductionSet};
use graph::ExecutionGraph;
use program::FaultKind;
use std::collections::BTreeSet;
use testkit::exchanges::has_idle_read;
use testkit::pairs::{Loads, with_pairs};
use testkit::program::{Instr, Modify, REGISTERS};
use testkit::states::{Registers, registers};
use testkit::twins::exchanges;
use testkit::{Blocked, Explored, Oracle, TestProgram, compare};

/// How an exploration is compared with brute force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    /// By [`executions`].
    Executions,
    /// By [`pairs`].
    Pairs,
    /// By [`orbits`].
    Orbits,
    /// By [`numbers`].
    Numbers,
    /// By [`states`].
    States,
}

impl Compare {
    /// What is wrong, or how many complete executions there are.
    pub(crate) fn compare(
        self,
        program: &TestProgram,
        subject: Subject,
        right: &Oracle,
        found: &Found,
        set: ReductionSet,
    ) -> Result<usize, String> {
        if let Some(graph) = &found.inconsistent {
            return Err(format!("this is inconsistent:\n{graph}"));
        }
        match self {
            Compare::Executions => executions(program, subject, right, found, set),
            Compare::Pairs => pairs(program, subject, right, found, set),
            Compare::Orbits => orbits(program, subject, right, found, set),
            Compare::Numbers => numbers(subject, right, found),
            Compare::States => states(program, subject, right, found, set),
        }
    }
}

/// The complete executions are those of brute force, each once; the blocked ones are some of its, unless an exchange that blocks its
/// thread is a mere read; the deadlocks and whether there is a race are the same.
fn executions(
    program: &TestProgram,
    subject: Subject,
    right: &Oracle,
    found: &Found,
    set: ReductionSet,
) -> Result<usize, String> {
    let idle = set.has(Reduction::Exchanges);
    let blocked = found.blocked.iter().filter(|graph| !(idle && has_idle_read(program, graph)));
    let explored = Explored {
        complete: found.complete.clone(),
        blocked: blocked.cloned().collect(),
        // Without an order of all writes it is unknown which one of a word is the last, unless it is a mutex.
        deadlocks: (!subject.lacks_co() || has_disciplined_locks(program)).then(|| found.deadlocks.clone()),
        spinning: None,
    };
    compare(right, &explored, Blocked::Subset).map_err(|it| it.to_string())?;
    races(subject, right, found)?;
    Ok(found.complete.len())
}

fn races(subject: Subject, right: &Oracle, found: &Found) -> Result<(), String> {
    let racy = found.faults.contains(&FaultKind::DataRace);
    if racy == right.is_racy(&subject.declarative()) { Ok(()) } else { Err(format!("racy is {racy}")) }
}

/// Whether mutexes are used as mutexes and words that threads await as such.
fn has_disciplined_locks(program: &TestProgram) -> bool {
    let instructions = || program.lists().flatten();
    let is_mutex = |loc: u8| instructions().any(|&it| it == Instr::Lock(loc));
    let is_awaited =
        |loc: u8| instructions().any(|it| matches!(*it, Instr::Await { loc: l, .. } if l == loc));
    let writes = |instr: &Instr| match *instr {
        Instr::Store { loc, .. } if is_awaited(loc) => true,
        Instr::Store { loc, .. } | Instr::Rmw { loc, op: Modify::Add(_) | Modify::Exchange(_), .. } => {
            is_mutex(loc)
        }
        _ => false,
    };
    !instructions().any(writes)
}

/// With pairs, those executions in which both events of a pair read the same; where words are stored to, there may be more.
fn pairs(
    program: &TestProgram,
    subject: Subject,
    right: &Oracle,
    found: &Found,
    set: ReductionSet,
) -> Result<usize, String> {
    if !set.has(Reduction::Pairs) {
        return executions(program, subject, right, found, set);
    }
    if Loads::of(program) == Loads::Stray {
        // A smaller program, of which it is not known which loads are pairs.
        return Ok(found.complete.len());
    }
    let mut paired = with_pairs(right.clone());
    let has_stores =
        program.lists().flatten().any(|instr| matches!(instr, Instr::Store { loc, .. } if *loc < 2));
    if has_stores {
        let others = found.complete.iter().map(|graph| graph.canonical());
        paired.complete.extend(others.filter(|graph| right.complete.contains(graph)));
    }
    executions(program, subject, &paired, found, set.without(Reduction::Exchanges))?;
    races(subject, right, found)?;
    Ok(found.complete.len())
}

/// With symmetry, of every orbit some execution, and none twice; and so for blocked ones and deadlocks. Without, every execution.
fn orbits(
    program: &TestProgram,
    subject: Subject,
    right: &Oracle,
    found: &Found,
    set: ReductionSet,
) -> Result<usize, String> {
    if found.faults.iter().any(|kind| !matches!(kind, FaultKind::DataRace | FaultKind::Deadlock)) {
        // A thread releases a mutex that it does not own: brute force does not know that this is wrong.
        return Ok(orbits_of(program, found, set));
    }
    if !set.has(Reduction::Symmetry) {
        return executions(program, subject, right, found, set);
    }
    let exchanges = exchanges(program);
    let of = |graphs: &BTreeSet<ExecutionGraph>| testkit::twins::orbits(graphs, &exchanges);
    let in_found = |graphs: &[ExecutionGraph]| testkit::twins::orbits(graphs, &exchanges);
    let complete: BTreeSet<ExecutionGraph> = found.complete.iter().map(ExecutionGraph::canonical).collect();
    if complete.len() < found.complete.len() {
        return Err("a complete execution was explored twice".to_owned());
    }
    contains("complete", &right.complete, &complete)?;
    contains("complete orbit", &in_found(&found.complete), &of(&right.complete))?;
    contains("blocked orbit", &of(&right.blocked), &in_found(&found.blocked))?;
    if !subject.lacks_co() || has_disciplined_locks(program) {
        contains("deadlock", &of(&right.deadlocks), &in_found(&found.deadlocks))?;
        contains("deadlock", &in_found(&found.deadlocks), &of(&right.deadlocks))?;
    }
    races(subject, right, found)?;
    Ok(in_found(&found.complete).len())
}

fn contains(
    list: &str,
    all: &BTreeSet<ExecutionGraph>,
    some: &BTreeSet<ExecutionGraph>,
) -> Result<(), String> {
    match some.difference(all).next() {
        Some(graph) => Err(format!("this {list} is on one side only:\n{graph}")),
        None => Ok(()),
    }
}

/// The number of complete executions is the same, there are no more blocked ones, and whether there is a race is the same. Nothing
/// else is known of an exploration that shows no execution. (`main` joins all threads.)
fn numbers(subject: Subject, right: &Oracle, found: &Found) -> Result<usize, String> {
    let (complete, blocked) = (found.executions.complete as usize, found.executions.blocked as usize);
    if complete != right.complete.len() || blocked > right.blocked.len() {
        let (all, most) = (right.complete.len(), right.blocked.len());
        return Err(format!("{complete} executions of {all}, {blocked} blocked ones of {most}"));
    }
    races(subject, right, found)?;
    Ok(complete)
}

/// The final states are those of the program that runs every round of its loops, and so is whether there is a race; no execution
/// is explored twice.
///
/// Executions cannot be compared, for rounds are left out of them. States can, whatever the bound on rounds: an execution that is
/// explored is one of the whole program; and an execution of the whole program without the rounds that make no difference is one that
/// ends in the same state, with no more rounds, so that the bound allows it.
fn states(
    program: &TestProgram,
    subject: Subject,
    right: &Oracle,
    found: &Found,
    set: ReductionSet,
) -> Result<usize, String> {
    if set.has(Reduction::Symmetry) {
        same_states(program, right, program, found)?;
    } else {
        let whole = whole(program);
        let all = right.complete.iter().map(|graph| registers(&whole, graph)).collect();
        is_same(&all, &found.states.iter().cloned().collect())?;
    }
    let complete: BTreeSet<ExecutionGraph> = found.complete.iter().map(ExecutionGraph::canonical).collect();
    if complete.len() < found.complete.len() {
        return Err("a complete execution was explored twice".to_owned());
    }
    races(subject, right, found)?;
    Ok(orbits_of(program, found, set))
}

/// The same of the program with its threads in another order, and up to an exchange of identical threads.
pub(crate) fn same_states(
    program: &TestProgram,
    right: &Oracle,
    other: &TestProgram,
    found: &Found,
) -> Result<(), String> {
    let whole = whole(program);
    let all = right.complete.iter().map(|graph| by_code(program, program, &registers(&whole, graph)));
    let states = found.states.iter().map(|state| by_code(program, other, state));
    is_same(&all.collect(), &states.collect())
}

/// The registers of a program whose threads are those of another one, sorted by what the threads do there.
fn by_code(
    program: &TestProgram,
    permuted: &TestProgram,
    state: &Registers,
) -> Vec<(usize, [u64; REGISTERS])> {
    let place = |code: &Vec<Instr>| program.codes.iter().position(|it| it == code).map_or(0, |it| it + 1);
    let places = std::iter::once(0).chain(permuted.codes.iter().map(place));
    let mut sorted: Vec<_> = places.zip(state.iter().copied()).collect();
    sorted.sort_unstable();
    sorted
}

fn is_same<S: Ord + std::fmt::Debug>(all: &BTreeSet<S>, states: &BTreeSet<S>) -> Result<(), String> {
    match all.symmetric_difference(states).next() {
        None => Ok(()),
        Some(state) if states.contains(state) => Err(format!("this state should not be there: {state:?}")),
        Some(state) => Err(format!("this state is missing: {state:?}")),
    }
}
