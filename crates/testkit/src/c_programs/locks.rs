//! Mutexes, with ways round them, recursive ones, read-write locks, and locks made of one word.

use super::Statement;
use super::accesses::{access, see};
use super::scope::Scope;

/// A critical section of some kind.
pub(super) fn locked(scope: &mut Scope<'_>) -> Vec<Statement> {
    let body = match scope.rng.below(4) {
        0 => access(scope),
        1 => vec![Statement::line("SEE(d0); d0 = d0 + 1;")],
        _ => vec![Statement::line("SEE(d0++);")],
    };
    let m = scope.rng.pick(&["m0", "m0", "m1"]);
    let lock = |name: &str, of: &str| format!("pthread_{name}(&{of});");
    vec![match scope.rng.below(12) {
        0..=2 => Statement::block(lock("mutex_lock", m), body, lock("mutex_unlock", m)),
        3 => fall_back(body, &format!("pthread_mutex_trylock(&{m})"), &lock("mutex_unlock", m)),
        4 => fall_back(body, &format!("pthread_mutex_timedlock(&{m}, &soon)"), &lock("mutex_unlock", m)),
        5 => recursive(body),
        6 => Statement::block(lock("rwlock_wrlock", "w0"), body, lock("rwlock_unlock", "w0")),
        7 => Statement::block(lock("rwlock_rdlock", "w0"), vec![see("d0")], lock("rwlock_unlock", "w0")),
        8 => fall_back(body, "pthread_rwlock_trywrlock(&w0)", &lock("rwlock_unlock", "w0")),
        _ => of_one_word(scope, body),
    }]
}

fn fall_back(body: Vec<Statement>, attempt: &str, unlock: &str) -> Statement {
    Statement::block(format!("if (!{attempt}) {{"), body, format!("{unlock} }} else SEE(7);"))
}

fn recursive(body: Vec<Statement>) -> Statement {
    let inner = Statement::block("pthread_mutex_lock(&q0);", body, "pthread_mutex_unlock(&q0);");
    Statement::block("pthread_mutex_lock(&q0);", vec![inner], "pthread_mutex_unlock(&q0);")
}

/// A spinlock, taken by a compare-exchange or an exchange, or tried.
fn of_one_word(scope: &mut Scope<'_>, body: Vec<Statement>) -> Statement {
    let (x, e) = (scope.atomic(), scope.local());
    let release = match scope.rng.below(4) {
        0 => format!("{};", scope.update("fetch_sub", &x, 1)),
        _ => scope.store(&x, 0).open,
    };
    let cas = scope.cas(&x, &e, 1);
    let (exchange, look) = (scope.update("exchange", &x, 1), scope.load(&x));
    let open = match scope.rng.below(5) {
        0 => format!("int {e} = 0; if ({cas}) {{"),
        1 => format!("while ({exchange}) ; {{"),
        2 => format!("do while ({look}) ; while ({exchange}); {{"),
        _ => format!("int {e}; do {e} = 0; while (!{cas}); {{"),
    };
    Statement::block(open, body, format!("{release} }}"))
}
