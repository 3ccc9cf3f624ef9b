//! Semaphores, barriers, things that are done once, and values that belong to a thread.

use super::Statement;
use super::accesses::{access, see};
use super::scope::Scope;

/// One of them.
pub(super) fn wait(scope: &mut Scope<'_>) -> Vec<Statement> {
    match scope.rng.below(9) {
        0 | 1 => vec![Statement::block("sem_wait(&s0);", access(scope), "sem_post(&s0);")],
        2 => vec![Statement::line("sem_post(&s0);")],
        3 => vec![Statement::line("sem_wait(&s0);")],
        4 => vec![Statement::line("if (sem_trywait(&s0)) SEE(1); else sem_post(&s0);")],
        5 => vec![Statement::line("if (sem_timedwait(&s0, &soon)) SEE(1);")],
        6 => {
            let mut statements = access(scope);
            statements.push(Statement::line("pthread_barrier_wait(&b0);"));
            statements.extend(access(scope));
            statements
        }
        7 => vec![Statement::line("pthread_once(&o0, once);"), see("d1")],
        _ => key(scope),
    }
}

/// The destructor of `k0` adds the value to `x0`.
fn key(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (x, value) = (scope.atomic(), scope.value());
    let load = scope.load(&x);
    vec![
        Statement::line(format!("pthread_setspecific(k0, (void *)(long)({value} + {load}));")),
        see("(long)pthread_getspecific(k0)"),
    ]
}
