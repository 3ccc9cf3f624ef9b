//! Condition variables: waits in loops, without loops, with a time limit; signals and broadcasts.

use super::Statement;
use super::accesses::{access, see};
use super::scope::Scope;

/// A wait or a notification.
pub(super) fn condition(scope: &mut Scope<'_>) -> Vec<Statement> {
    if !scope.takes_first_part() {
        return notify(scope);
    }
    let mut statements = if scope.rng.percent(20) { vec![timed(scope)] } else { vec![wait(scope)] };
    if scope.rng.percent(25) {
        let x = scope.atomic();
        statements.push(scope.store(&x, 1));
    }
    statements
}

fn section(body: Vec<Statement>) -> Statement {
    Statement::block("pthread_mutex_lock(&m0);", body, "pthread_mutex_unlock(&m0);")
}

fn wait(scope: &mut Scope<'_>) -> Statement {
    let test = scope.rng.pick(&["while (!g0)", "while (!g0)", "while (g0 < 2)", "if (!g0)"]);
    let mut body = vec![Statement::line(format!("{test} pthread_cond_wait(&c0, &m0);"))];
    if scope.rng.percent(25) {
        let (extra, y) = (scope.plain(), scope.atomic());
        let what = match scope.rng.below(3) {
            0 => format!("SEE({extra})"),
            1 => format!("(void)*(volatile int *)&{extra}"),
            _ => format!("(void){}", scope.load(&y)),
        };
        body = vec![Statement::line(format!("{test} {{ pthread_cond_wait(&c0, &m0); if (!g0) {what}; }}"))];
    }
    body.push(see("g0"));
    if scope.rng.percent(40) {
        body.push(Statement::line("g0--;"));
    }
    section(body)
}

fn timed(scope: &mut Scope<'_>) -> Statement {
    let test = scope.rng.pick(&["while", "if"]);
    let leave = if test == "while" { "break;" } else { "" };
    let wait = "pthread_cond_timedwait(&c0, &m0, &soon)";
    section(vec![Statement::line(format!("{test} (!g0) if ({wait}) {{ SEE(6); {leave} }}")), see("g0")])
}

fn notify(scope: &mut Scope<'_>) -> Vec<Statement> {
    let set = Statement::line(scope.rng.pick(&["g0 = 1;", "g0++;", "g0 = 2;"]));
    let call = scope.rng.pick(&["signal", "broadcast"]);
    let tell = Statement::line(format!("pthread_cond_{call}(&c0);"));
    let mut statements = match scope.rng.below(3) {
        0 => vec![section(vec![set]), tell],
        _ => vec![section(vec![set, tell])],
    };
    if scope.rng.percent(25) {
        statements.extend(access(scope));
    }
    statements
}
