//! Reference counts, and what rounds that fail have read of nodes that others free.

use super::Statement;
use super::accesses::see;
use super::scope::Scope;

/// A use of a node that somebody frees.
pub(super) fn reference(scope: &mut Scope<'_>) -> Vec<Statement> {
    match scope.rng.below(5) {
        0 | 1 => counted(scope),
        2 => reclaiming_pop(scope),
        3 => confirmed(scope),
        _ => freed_when_told(scope),
    }
}

/// The last one frees. (`rc` starts with the number of threads that mention it.)
fn counted(scope: &mut Scope<'_>) -> Vec<Statement> {
    let release = scope.update("fetch_sub", "rc", 1);
    let free = match scope.rng.below(3) {
        0 => format!("if ({release} == 1) {{ atomic_thread_fence(ACQ); free(shared); }}"),
        _ => format!("if ({release} == 1) free(shared);"),
    };
    vec![see("shared->value"), Statement::line(free)]
}

/// Whoever is alone frees what it has taken; failed attempts have looked at it, too.
fn reclaiming_pop(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (n, x) = (scope.local(), scope.atomic());
    let (enter, leave) = (scope.update("fetch_add", &x, 1), scope.update("fetch_sub", &x, 1));
    let (load, next) = (scope.load("h0"), scope.load(&format!("{n}->next")));
    let (cas, alone) = (scope.cas("h0", &n, next), scope.update("fetch_add", &x, 0));
    vec![Statement::block(
        format!("{enter};"),
        vec![
            Statement::line(format!("struct node *{n} = {load}; while ({n} && !{cas}) ;")),
            Statement::line(format!("if ({n} && {alone} == 1) {{ SEE(3); free({n}); }}")),
        ],
        format!("{leave};"),
    )]
}

/// A round looks at the node and then whether it is still there; afterwards the thread says that it is done.
fn confirmed(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (n, v, x) = (scope.local(), scope.local(), scope.atomic());
    let (load, next, again) = (scope.load("h0"), scope.load(&format!("{n}->next")), scope.load("h0"));
    vec![
        Statement::line(format!("struct node *{n}; int {v};")),
        Statement::line(format!("do {{ {n} = {load}; {v} = {n} ? {next} != 0 : 2; }} while ({again} != {n});")),
        see(v),
        scope.store(&x, 1),
    ]
}

fn freed_when_told(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (n, x) = (scope.local(), scope.atomic());
    let (take, told) = (scope.update("exchange", "h0", "(struct node *)0"), scope.load(&x));
    vec![Statement::line(format!("struct node *{n} = {take}; if ({told} == 1) free({n});"))]
}
