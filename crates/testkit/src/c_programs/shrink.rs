//! The smallest program that still fails.

use super::{CProgram, Statement};

/// Make a program smaller as long as it fails: leave out threads, copies and statements, put the inside of a statement in its
/// place, weaken orders.
pub fn shrink(program: &CProgram, fails: &mut dyn FnMut(&CProgram) -> bool) -> CProgram {
    let mut best = program.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(|candidate| fails(candidate)) {
        best = smaller;
    }
    best
}

/// Everything that is one step smaller, the largest steps first.
fn candidates(program: &CProgram) -> Vec<CProgram> {
    let mut all = Vec::new();
    for gone in 0..program.threads.len() {
        let mut smaller = program.clone();
        smaller.threads.remove(gone);
        all.push(smaller);
    }
    for thread in 0..program.threads.len() {
        if program.threads[thread].copies > 1 {
            let mut smaller = program.clone();
            smaller.threads[thread].copies -= 1;
            all.push(smaller);
        }
        for statements in smaller_lists(&program.threads[thread].statements) {
            let mut smaller = program.clone();
            smaller.threads[thread].statements = statements;
            all.push(smaller);
        }
    }
    all.extend(simpler_starts(program));
    all
}

/// What threads start with, made simpler.
fn simpler_starts(program: &CProgram) -> Vec<CProgram> {
    let mut all = Vec::new();
    for place in 0..program.initial.len() {
        if program.initial[place] != 0 {
            let mut simpler = program.clone();
            simpler.initial[place] = 0;
            all.push(simpler);
        }
    }
    if program.nodes > 0 {
        all.push(CProgram { nodes: program.nodes - 1, ..program.clone() });
    }
    all
}

/// Lists in which one statement is gone, opened, smaller inside, or weaker.
fn smaller_lists(statements: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for (place, statement) in statements.iter().enumerate() {
        let with = |instead: Vec<Statement>| {
            let mut list = statements.to_vec();
            list.splice(place..=place, instead);
            list
        };
        all.push(with(Vec::new()));
        if !statement.body.is_empty() {
            all.push(with(statement.body.clone()));
        }
        for body in smaller_lists(&statement.body) {
            all.push(with(vec![Statement { body, ..statement.clone() }]));
        }
        all.extend(weaker(statement).map(|weaker| with(vec![weaker])));
    }
    all
}

/// The statement with its strongest order made relaxed.
fn weaker(statement: &Statement) -> Option<Statement> {
    let order = [", SC)", ", AR)", ", REL)", ", ACQ)", ", SC,", ", AR,", ", REL,", ", ACQ,"]
        .into_iter()
        .find(|order| statement.open.contains(order) || statement.close.contains(order))?;
    let relaxed = if order.ends_with(')') { ", RLX)" } else { ", RLX," };
    let weaken = |text: &str| text.replace(order, relaxed);
    Some(Statement {
        open: weaken(&statement.open),
        body: statement.body.clone(),
        close: weaken(&statement.close),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c_programs::random_c_program;

    /// Whatever is asked for, the result has it and nothing else.
    #[test]
    fn what_is_not_needed_goes() {
        let has_a_fence = |program: &CProgram| program.text(&[]).contains("atomic_thread_fence(AR)");
        for seed in (0..300).filter(|&seed| has_a_fence(&random_c_program(seed))) {
            let small = shrink(&random_c_program(seed), &mut |program| has_a_fence(program));
            let threads: Vec<usize> = small.threads.iter().map(|thread| thread.statements.len()).collect();
            assert_eq!(threads, [1], "{}", small.text(&[]));
        }
    }

    #[test]
    fn a_seed_is_a_program() {
        assert!((0..100).all(|seed| random_c_program(seed) == random_c_program(seed)));
    }
}
