//! One small program for each side condition of carried values and of faint counters: without the
//! condition a final state is lost, or one is found that no execution has.

use super::program::{New, Orders, Statement, Test, Thread};
use super::run;
use base::{ReadOrder, RmwOrder, Value, WriteOrder};
use model::Model;
use vm::Spin;
use vm::bytecode::CmpOp;

const X: u32 = 0;
const Y: u32 = 1;
const ACQUIRING: Orders = Orders {
    load: ReadOrder::Acquire,
    store: WriteOrder::Relaxed,
    rmw: RmwOrder::Acquire,
    failure: ReadOrder::Relaxed,
    weak: false,
};
const RELAXED: Orders = Orders { load: ReadOrder::Relaxed, rmw: RmwOrder::Relaxed, ..ACQUIRING };

fn is(register: u16, value: u64) -> Test {
    Test { register, op: CmpOp::Eq, value }
}

fn exit_if(test: Test) -> Statement {
    Statement::If(test, vec![Statement::Break])
}

/// `success = CAS(x, expected, new)`; `expected` becomes what was there.
fn attempt(success: u16, expected: u16, new: u64) -> Statement {
    Statement::CompareExchange { success, expected, global: X, new: New::Number(new), updates: true }
}

fn thread(orders: Orders, statements: &[Statement]) -> Thread {
    Thread { statements: statements.to_vec(), returns: vec![0, 1, 2, 3], orders }
}

/// `y = 1`, and then these values to `x`, with release.
fn publishes(values: &[u64]) -> Thread {
    let stores = values.iter().map(|&value| Statement::Store(X, value));
    let statements: Vec<Statement> = std::iter::once(Statement::Store(Y, 1)).chain(stores).collect();
    Thread { returns: Vec::new(), ..thread(Orders { store: WriteOrder::Release, ..RELAXED }, &statements) }
}

fn stores(value: u64) -> Thread {
    Thread { returns: Vec::new(), ..thread(RELAXED, &[Statement::Store(X, value)]) }
}

/// Cutting finds what no cutting finds, among it a state in which the first thread has returned this; `found`: it does.
fn check(threads: &[Thread], returned: [Value; 4], found: bool) {
    let [none, all] = [Spin::None, Spin::All]
        .map(|spin| run(threads, Model::Rc11, spin).unwrap_or_else(|reason| panic!("{reason:?}")));
    let has = none.states.iter().any(|state| state[..4] == returned);
    assert_eq!(has, found, "{:?}", none.states);
    assert_eq!(all.states, none.states, "{threads:#?}");
    assert_eq!(all.errors, none.errors, "{threads:#?}");
}

/// The value that was found is looked at: a load that found it would have synchronised.
#[test]
fn a_load_that_acquires_is_no_failed_attempt_that_does_not() {
    let rounds = vec![exit_if(is(0, 1)), attempt(1, 0, 2), exit_if(is(1, 1))];
    let first =
        thread(ACQUIRING, &[Statement::Load(0, X), Statement::Forever(rounds), Statement::Load(2, Y)]);
    check(&[first, publishes(&[1])], [1, 0, 0, 0], true);
}

/// `CAS(x, 1, 5); for (;;) if (CAS(x, old, 7)) break;`: with what the second finds, the first would have written.
#[test]
fn a_compare_exchange_that_would_have_succeeded_is_no_load() {
    let rounds = vec![attempt(1, 0, 7), exit_if(is(1, 1))];
    let start = [Statement::Set(0, 1), attempt(2, 0, 5), Statement::Set(2, 0), Statement::Forever(rounds)];
    check(&[thread(RELAXED, &start), stores(1)], [1, 1, 0, 0], true);
}

/// The count is looked at after the loop, or at once.
#[test]
fn a_count_that_is_looked_at_is_kept() {
    let look = [None, Some(Statement::StoreRegister(Y, 3)), Some(Statement::Copy(1, 3))];
    for look in look {
        let rounds = [Statement::Load(0, X), exit_if(is(0, 1)), Statement::Count(3)];
        let rounds: Vec<Statement> = rounds.into_iter().chain(look).collect();
        let twice = Statement::While(Test { register: 3, op: CmpOp::Ult, value: 2 }, rounds);
        let statements = [Statement::Set(3, 0), twice];
        let [none, all] = [Spin::None, Spin::All].map(|spin| {
            run(&[thread(RELAXED, &statements), stores(1)], Model::Rc11, spin).expect("it is small")
        });
        assert!(none.states.iter().any(|state| state[3] == 2), "{:?}", none.states);
        assert_eq!(all.states, none.states);
    }
}

/// `if (n == 1) r = 1` is no pause.
#[test]
fn a_count_that_decides_something_is_kept() {
    let decides = Statement::If(is(3, 1), vec![Statement::Set(1, 1)]);
    let rounds = vec![Statement::Load(0, X), exit_if(is(0, 1)), Statement::Count(3), decides];
    let statements = [Statement::Set(3, 0), Statement::Forever(rounds), Statement::Set(3, 0)];
    let threads = [thread(RELAXED, &statements), stores(1)];
    check(&threads, [1, 0, 0, 0], true);
    check(&threads, [1, 1, 0, 0], true);
}
