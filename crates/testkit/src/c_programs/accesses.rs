//! Single accesses, fences, and plain data next to atomics.

use super::Statement;
use super::scope::Scope;

/// One access or two.
pub(super) fn access(scope: &mut Scope<'_>) -> Vec<Statement> {
    let x = scope.atomic();
    vec![match scope.rng.below(13) {
        0..=2 => see(scope.load(&x)),
        3..=5 => {
            let value = scope.value();
            scope.store(&x, value)
        }
        6 => update(scope, &x),
        7 => compare_exchange(scope, &x),
        8 => fence(scope),
        9 => Statement::line(format!("{} = {};", scope.plain(), scope.value())),
        10 => see(scope.plain()),
        11 => plainly_written(scope, &x),
        _ => message(scope, &x),
    }]
}

/// The thread records a value.
pub(super) fn see(value: impl std::fmt::Display) -> Statement {
    Statement::line(format!("SEE({value});"))
}

fn update(scope: &mut Scope<'_>, x: &str) -> Statement {
    let operation = scope.rng.pick(&["fetch_add", "fetch_sub", "exchange", "fetch_or", "fetch_and"]);
    let value = scope.value();
    see(scope.update(operation, x, value))
}

fn compare_exchange(scope: &mut Scope<'_>, x: &str) -> Statement {
    let (e, expected, new) = (scope.local(), scope.value(), scope.value());
    let cas = scope.cas(x, &e, new);
    Statement::line(format!("{{ int {e} = {expected}; SEE({cas}); SEE({e}); }}"))
}

fn fence(scope: &mut Scope<'_>) -> Statement {
    let order = if scope.strong { "SC" } else { scope.rng.pick(&["ACQ", "REL", "AR"]) };
    Statement::line(format!("atomic_thread_fence({order});"))
}

/// A plain write of plain data, or of an atomic; sometimes only after another thread has said something.
fn plainly_written(scope: &mut Scope<'_>, x: &str) -> Statement {
    let y = scope.atomic();
    let what = if scope.rng.percent(40) { format!("*(int *)&{y}") } else { scope.plain().to_owned() };
    let write = Statement::line(format!("{what} = {};", scope.value()));
    if scope.rng.percent(25) {
        return write;
    }
    let (told, value) = (scope.load(x), scope.value());
    Statement::block(format!("if ({told} == {value}) {{"), vec![write], "}")
}

/// Plain data behind a flag.
fn message(scope: &mut Scope<'_>, x: &str) -> Statement {
    let (data, value) = (scope.plain(), scope.value());
    if scope.rng.percent(50) {
        let body = vec![Statement::line(format!("{data} = {value};")), scope.store(x, 1)];
        return Statement::block("{", body, "}");
    }
    let flag = scope.load(x);
    Statement::block(format!("if ({flag} == 1) {{"), vec![see(data)], "}")
}
