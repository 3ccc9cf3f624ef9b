//! Compare-exchange loops: with guards, with exits, with reads and writes in each round, counted.

use super::Statement;
use super::accesses::see;
use super::scope::Scope;

/// A loop.
pub(super) fn cas_loop(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (x, e) = (scope.atomic(), scope.local());
    let new = scope.rng.pick(&["{e} + 1", "{e} + 1", "1 - {e}", "2", "{e} | 2"]).replace("{e}", &e);
    match scope.rng.below(7) {
        0 => carried(scope, &x, &e, &new, ""),
        1 => {
            let value = scope.value();
            carried(scope, &x, &e, &new, &format!("{e} != {value} && "))
        }
        2 => guarded(scope, &x, &e, &new),
        3 => reading(scope, &x, &e, &new),
        4 => writing(scope, &x, &e),
        5 => counted(scope, &x, &e),
        _ => from_a_value(scope, &x, &e),
    }
}

/// The next attempt goes on with what the last one has found.
fn carried(scope: &mut Scope<'_>, x: &str, e: &str, new: &str, guard: &str) -> Vec<Statement> {
    let (load, cas) = (scope.load(x), scope.cas(x, e, new));
    vec![Statement::line(format!("int {e} = {load}; while ({guard}!{cas}) ;")), see(e)]
}

/// Each attempt starts with a load and a test.
fn guarded(scope: &mut Scope<'_>, x: &str, e: &str, new: &str) -> Vec<Statement> {
    let (load, cas, value) = (scope.load(x), scope.cas(x, e, new), scope.value());
    vec![Statement::line(format!("int {e}; do {e} = {load}; while ({e} == {value} || !{cas});")), see(e)]
}

/// Each attempt reads something else before it tries.
fn reading(scope: &mut Scope<'_>, x: &str, e: &str, new: &str) -> Vec<Statement> {
    let (seen, y) = (scope.local(), scope.atomic());
    let what = if scope.rng.percent(30) { scope.plain().to_owned() } else { scope.load(&y) };
    let (load, cas) = (scope.load(x), scope.cas(x, e, new));
    vec![
        Statement::line(format!("int {e}, {seen}; do {{ {e} = {load}; {seen} = {what}; }} while (!{cas});")),
        see(e),
        see(seen),
    ]
}

/// Each attempt leaves a trace.
fn writing(scope: &mut Scope<'_>, x: &str, e: &str) -> Vec<Statement> {
    let y = scope.atomic();
    let (load, cas) = (scope.load(x), scope.cas_of("strong", x, e, format!("{e} + 1")));
    let trace = scope.store(&y, format!("{e} + 1"));
    vec![Statement::block(
        format!("int {e}; do {{ {e} = {load};"),
        vec![trace],
        format!("}} while (!{cas});"),
    )]
}

/// The thread knows how often it has tried.
fn counted(scope: &mut Scope<'_>, x: &str, e: &str) -> Vec<Statement> {
    let tries = scope.local();
    let (load, cas) = (scope.load(x), scope.cas_of("strong", x, e, format!("{e} + 1")));
    vec![
        Statement::line(format!("int {e} = {load}, {tries} = 0; while (!{cas}) {tries}++;")),
        see(e),
        see(tries),
    ]
}

/// From one value to another: a lock that is never given back, or a turn.
fn from_a_value(scope: &mut Scope<'_>, x: &str, e: &str) -> Vec<Statement> {
    let (from, to) = (scope.value(), scope.value());
    let cas = scope.cas(x, e, to);
    vec![Statement::line(format!("int {e}; do {e} = {from}; while (!{cas});"))]
}
