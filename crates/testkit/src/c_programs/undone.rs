//! Additions that are undone if they were in vain.

use super::Statement;
use super::accesses::{access, see};
use super::scope::Scope;

/// A lock by addition, or something in its way.
pub(super) fn undone(scope: &mut Scope<'_>) -> Vec<Statement> {
    let x = scope.atomic();
    if scope.rng.percent(15) {
        let value = scope.value();
        return vec![scope.store(&x, value)];
    }
    let mut statements = attempt(scope, &x);
    if scope.rng.percent(50) {
        statements.extend(access(scope));
    }
    if scope.rng.percent(70) {
        let release = scope.rng.below(4);
        statements.push(match release {
            0 => scope.store(&x, 0),
            _ => Statement::line(format!("{};", scope.update("fetch_sub", &x, 1))),
        });
    }
    statements
}

fn attempt(scope: &mut Scope<'_>, x: &str) -> Vec<Statement> {
    let test = scope.rng.pick(&["!= 0", "!= 0", ">= 2", "> 0"]);
    let (add, undo) = (scope.update("fetch_add", x, 1), scope.update("fetch_sub", x, 1));
    if scope.rng.percent(25) {
        let line = format!("if ({add} {test}) {{ {undo}; SEE(1); }}");
        return vec![Statement::line(line)];
    }
    let mut statements = vec![Statement::line(format!("while ({add} {test}) {undo};"))];
    if scope.rng.percent(20) {
        statements.push(see(scope.load(x)));
    }
    statements
}
