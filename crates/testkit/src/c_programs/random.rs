//! From a seed to a program.

use super::scope::Scope;
use super::{CProgram, CThread, Record, Statement};
use super::{
    accesses, cas_loops, conditions, flags, lists, locks, loops, references, seqlocks, undone, waits,
};
use base::Rng;

type Family = fn(&mut Scope<'_>) -> Vec<Statement>;

const FAMILIES: [Family; 10] = [
    loops::waiting,
    cas_loops::cas_loop,
    seqlocks::seqlock,
    flags::flag,
    undone::undone,
    locks::locked,
    lists::list,
    references::reference,
    conditions::condition,
    waits::wait,
];

/// The program of a seed: one to three families of idioms, so that they meet, and single accesses between them.
pub fn random_c_program(seed: u64) -> CProgram {
    let mut rng = Rng::new(seed);
    let families: Vec<Family> = (0..1 + rng.below(3)).map(|_| rng.pick(&FAMILIES)).collect();
    let atomics = 1 + rng.below(3) as usize;
    let initial = (0..4).map(|_| rng.pick(&[0, 0, 0, 1, 2])).collect();
    let (permits, nodes, strong) = (rng.below(3), rng.below(3) as usize, rng.percent(25));
    let count = rng.pick(&[2, 2, 2, 3, 3, 4]);
    let mut scope = Scope::new(&mut rng, atomics, strong);
    let mut threads = Vec::new();
    let mut left = count;
    while left > 0 {
        let copies = if left > 1 && scope.rng.percent(20) { 2 + scope.rng.below(left - 1) } else { 1 };
        scope.side = left.is_multiple_of(2);
        threads.push(thread(&mut scope, &families, copies as usize, count));
        left -= copies;
    }
    CProgram { initial, permits, nodes, threads }
}

fn thread(scope: &mut Scope<'_>, families: &[Family], copies: usize, threads: u64) -> CThread {
    let most = if threads > 2 || copies > 1 { 2 } else { 4 };
    let mut statements = Vec::new();
    for _ in 0..1 + scope.rng.below(most) {
        let family = if scope.rng.percent(35) { accesses::access } else { scope.rng.pick(families) };
        statements.extend(under_a_condition(scope, family));
    }
    let record = match (copies, scope.rng.below(3)) {
        (1, 0 | 1) => Record::Slot,
        (_, 0) => Record::Tally,
        _ => Record::Return,
    };
    CThread { statements, copies, record }
}

/// An idiom; sometimes only if a location has a value.
fn under_a_condition(scope: &mut Scope<'_>, family: Family) -> Vec<Statement> {
    let statements = family(scope);
    if !scope.rng.percent(12) {
        return statements;
    }
    let (x, value) = (scope.atomic(), scope.value());
    let (test, load) = (scope.rng.pick(&["==", "!="]), scope.load(&x));
    vec![Statement::block(format!("if ({load} {test} {value}) {{"), statements, "}")]
}
