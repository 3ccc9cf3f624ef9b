//! Loops that wait, with one exit and with several, and loops that give up.

use super::Statement;
use super::accesses::{access, see};
use super::scope::Scope;

/// A loop.
pub(super) fn waiting(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (x, y) = (scope.atomic(), scope.atomic());
    match scope.rng.below(8) {
        0 | 1 => awaits(scope, &x),
        2 => two_exits(scope, &x, &y),
        3 => gives_up(scope, &x),
        4 => agree(scope, &x, &y),
        5 => outer_and_inner(scope, &x, &y),
        6 => repeated(scope),
        _ => with_a_choice(scope, &x, &y),
    }
}

/// `while (x != 1) ;` and its like.
pub(super) fn awaits(scope: &mut Scope<'_>, x: &str) -> Vec<Statement> {
    let (v, value) = (scope.local(), scope.value());
    let test = scope.rng.pick(&["!=", "==", "<"]);
    let load = scope.load(x);
    match scope.rng.below(3) {
        0 => vec![Statement::line(format!("while ({load} {test} {value}) ;"))],
        1 => vec![Statement::line(format!("int {v}; while (({v} = {load}) {test} {value}) ;")), see(v)],
        _ => {
            let again = scope.load(x);
            vec![
                Statement::line(format!("int {v} = {load}; while ({v} {test} {value}) {v} = {again};")),
                see(v),
            ]
        }
    }
}

fn two_exits(scope: &mut Scope<'_>, x: &str, y: &str) -> Vec<Statement> {
    let (first, second) = (scope.load(x), scope.load(y));
    let (a, b) = (scope.value(), scope.value());
    let exits = vec![
        Statement::line(format!("if ({first} == {a}) {{ SEE(1); break; }}")),
        Statement::line(format!("if ({second} == {b}) {{ SEE(2); break; }}")),
    ];
    vec![Statement::block("for (;;) {", exits, "}")]
}

/// A loop that tries a few times, with something between the attempts.
fn gives_up(scope: &mut Scope<'_>, x: &str) -> Vec<Statement> {
    let (i, value) = (scope.local(), scope.value());
    let test = scope.load(x);
    let mut body = vec![Statement::line(format!("if ({test} == {value}) {{ SEE({i}); break; }}"))];
    if scope.rng.percent(50) {
        body.extend(access(scope));
    }
    vec![Statement::block(format!("for (int {i} = 0; {i} < 2; {i}++) {{"), body, "}")]
}

fn agree(scope: &mut Scope<'_>, x: &str, y: &str) -> Vec<Statement> {
    let (a, b) = (scope.local(), scope.local());
    let (first, second) = (scope.load(x), scope.load(y));
    let test = scope.rng.pick(&["!=", "==", ">"]);
    let line = format!("int {a}, {b}; do {{ {a} = {first}; {b} = {second}; }} while ({a} {test} {b});");
    vec![Statement::line(line), see(a), see(b)]
}

fn outer_and_inner(scope: &mut Scope<'_>, x: &str, y: &str) -> Vec<Statement> {
    let (inner, outer) = (scope.load(x), scope.load(y));
    let (a, b) = (scope.value(), scope.value());
    vec![Statement::line(format!("do {{ while ({inner} == {a}) ; }} while ({outer} == {b});"))]
}

fn repeated(scope: &mut Scope<'_>) -> Vec<Statement> {
    let i = scope.local();
    let body = access(scope);
    vec![Statement::block(format!("for (int {i} = 0; {i} < 2; {i}++) {{"), body, "}")]
}

/// A round that looks at a second location only if the first one tells it to.
fn with_a_choice(scope: &mut Scope<'_>, x: &str, y: &str) -> Vec<Statement> {
    let (v, first, second) = (scope.local(), scope.load(x), scope.load(y));
    let (a, b) = (scope.value(), scope.value());
    let line =
        format!("int {v}; do {{ {v} = {first}; if ({v} == {a}) {v} = {second}; }} while ({v} == {b});");
    vec![Statement::line(line), see(v)]
}
