//! Flags that are set, reset and set again, and threads that answer each other.

use super::Statement;
use super::accesses::see;
use super::loops::awaits;
use super::scope::Scope;

/// A part of a conversation.
pub(super) fn flag(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (x, y) = (scope.atomic(), scope.atomic());
    match (scope.rng.below(3), scope.takes_first_part()) {
        (0, true) => [1, 0, 1].map(|value| scope.store(&x, value)).to_vec(),
        (1, true) => call(scope, &x, &y),
        (1, false) => answer(scope, &x, &y),
        _ => {
            let mut statements = awaits(scope, &x);
            statements.push(scope.store(&x, 0));
            statements
        }
    }
}

fn call(scope: &mut Scope<'_>, x: &str, y: &str) -> Vec<Statement> {
    let wait = scope.load(y);
    vec![scope.store(x, 1), Statement::line(format!("while ({wait} == 0) ;")), scope.store(x, 2)]
}

fn answer(scope: &mut Scope<'_>, x: &str, y: &str) -> Vec<Statement> {
    let (wait, look) = (scope.load(x), scope.load(x));
    vec![Statement::line(format!("while ({wait} == 0) ;")), scope.store(y, 1), see(look)]
}
