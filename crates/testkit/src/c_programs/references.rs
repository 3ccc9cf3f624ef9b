//! Reference counts, and what rounds that fail have read of nodes that others free.

use super::Statement;
use super::accesses::see;
use super::scope::Scope;

/// A use of a node that another thread frees.
pub(super) fn reference(scope: &mut Scope<'_>) -> Vec<Statement> {
    match (scope.rng.below(5), scope.takes_first_part()) {
        (0, _) => counted(scope),
        (1, _) => reclaiming_pop(scope),
        (2, true) => confirmed(scope),
        (3, true) => looks_while_it_waits(scope),
        (_, true) => publish(scope),
        (_, false) => freed_when_told(scope),
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
        Statement::line(format!(
            "do {{ {n} = {load}; {v} = {n} ? {next} != 0 : 2; }} while ({again} != {n});"
        )),
        see(v),
        scope.store(&x, 1),
    ]
}

/// Each round of a loop that waits looks at the node; afterwards the thread says that it is done.
fn looks_while_it_waits(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (n, x, y) = (scope.local(), scope.atomic(), scope.atomic());
    let (load, next, wait) = (scope.load("h0"), scope.load(&format!("{n}->next")), scope.load(&x));
    vec![
        Statement::line(format!(
            "while ({wait} == 0) {{ struct node *{n} = {load}; if ({n}) (void){next}; }}"
        )),
        scope.store(&y, 1),
    ]
}

/// A new node, with whatever order.
fn publish(scope: &mut Scope<'_>) -> Vec<Statement> {
    let new = format!("node({})", scope.value());
    vec![scope.store("h0", new)]
}

/// Takes the node, and frees it or writes it plainly once it was told something.
fn freed_when_told(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (n, x, y) = (scope.local(), scope.atomic(), scope.atomic());
    let (take, told) = (scope.update("exchange", "h0", "(struct node *)0"), scope.load(&x));
    let end = match scope.rng.below(3) {
        0 => format!("if ({n}) {n}->value = 4;"),
        _ => format!("free({n});"),
    };
    let mut statements = vec![Statement::line(format!("struct node *{n} = {take};"))];
    if scope.rng.percent(40) {
        statements.push(scope.store(&y, 1));
    }
    statements.push(Statement::line(match scope.rng.below(3) {
        0 => format!("while ({told} == 0) ; {end}"),
        _ => format!("if ({told} == 1) {{ {end} }}"),
    }));
    statements
}
