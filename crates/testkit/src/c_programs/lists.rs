//! A stack of nodes: push, pop, look, take all, free.

use super::Statement;
use super::accesses::see;
use super::scope::Scope;

/// An operation.
pub(super) fn list(scope: &mut Scope<'_>) -> Vec<Statement> {
    let n = scope.local();
    match (scope.rng.below(3), scope.takes_first_part()) {
        (0 | 1, true) => push(scope, &n),
        (0 | 1, false) => pop(scope, &n),
        (_, true) => look(scope, &n),
        (_, false) => take(scope, &n),
    }
}

/// A new node on top; the order of the compare-exchange is what publishes it.
pub(super) fn push(scope: &mut Scope<'_>, n: &str) -> Vec<Statement> {
    let (top, value) = (scope.local(), scope.value());
    let load = format!("atomic_load_explicit(&h0, {})", scope.load_order());
    let cas = scope.cas("h0", &top, n);
    let set = format!("atomic_store_explicit(&{n}->next, {top}, RLX);");
    vec![
        Statement::line(format!("struct node *{n} = node({value}), *{top} = {load};")),
        Statement::line(format!("do {set} while (!{cas});")),
    ]
}

fn pop(scope: &mut Scope<'_>, n: &str) -> Vec<Statement> {
    let (load, next) = (scope.load("h0"), scope.load(&format!("{n}->next")));
    let cas = scope.cas("h0", n, next);
    let mut statements = vec![Statement::line(format!("struct node *{n} = {load}; while ({n} && !{cas}) ;"))];
    statements.push(see(format!("{n} ? {n}->value : 5")));
    if scope.rng.percent(40) {
        statements.push(Statement::line(format!("free({n});")));
    }
    statements
}

fn look(scope: &mut Scope<'_>, n: &str) -> Vec<Statement> {
    let load = scope.load("h0");
    vec![Statement::line(format!("struct node *{n} = {load}; if ({n}) SEE({n}->value);"))]
}

fn take(scope: &mut Scope<'_>, n: &str) -> Vec<Statement> {
    let exchange = scope.update("exchange", "h0", "(struct node *)0");
    let mut statements = vec![Statement::line(format!("struct node *{n} = {exchange};"))];
    statements.push(see(format!("{n} ? {n}->value : 5")));
    if scope.rng.percent(40) {
        let x = scope.atomic();
        let alone = if scope.rng.percent(50) { format!("{} == 1", scope.load(&x)) } else { "1".to_owned() };
        statements.push(Statement::line(format!("if ({alone}) free({n});")));
    }
    statements
}
