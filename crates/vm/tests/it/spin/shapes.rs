//! What becomes of the loops of [SAVER]: how many backedges are cut beforehand, and how many loops are watched.

use super::program::{New, Orders, Statement, Test, Thread, module};
use base::ReadOrder;
use std::slice::from_ref;
use vm::bytecode::{CmpOp, Op, RmwKind};
use vm::{Machine, Options, Spin};

const ZERO: Test = Test { register: 1, op: CmpOp::Eq, value: 0 };

/// The numbers of `SpinAssume` and `LoopHead` instructions of a thread that does only this.
fn cut_and_watched(thread: &Thread, spin: Spin) -> (usize, usize) {
    let options = Options { spin, unroll: Some(2), ..Options::default() };
    let machine = Machine::new(module(from_ref(thread)), options).expect("it is well-formed");
    let code = &machine.module().functions[1].code;
    let count = |is: fn(&&Op) -> bool| code.iter().filter(is).count();
    (count(|op| matches!(op, Op::SpinAssume { .. })), count(|op| matches!(op, Op::LoopHead { .. })))
}

fn check(statements: &[Statement], expected: [(usize, usize); 4]) {
    let thread = Thread::new(statements);
    let found =
        [Spin::None, Spin::Static, Spin::Dynamic, Spin::All].map(|spin| cut_and_watched(&thread, spin));
    assert_eq!(found, expected, "{statements:?}");
}

fn cas(success: u16, expected: u16) -> Statement {
    Statement::CompareExchange { success, expected, global: 0, new: New::Number(1), updates: false }
}

#[test]
fn a_compare_exchange_that_fails_is_no_effect() {
    // CAS-LOOP.
    check(
        &[Statement::DoWhile(vec![Statement::Load(0, 0), cas(1, 0)], ZERO)],
        [(0, 0), (1, 0), (1, 0), (1, 0)],
    );
    // The same, and the loop goes on when it succeeds.
    let nonzero = Test { op: CmpOp::Ne, ..ZERO };
    check(
        &[Statement::DoWhile(vec![Statement::Load(0, 0), cas(1, 0)], nonzero)],
        [(0, 0), (0, 0), (0, 1), (0, 1)],
    );
}

/// `old = x; do { success = CAS(x, old, old + 1) } while (!success)`.
fn carrying(more: Option<Statement>) -> Vec<Statement> {
    let attempt =
        Statement::CompareExchange { success: 1, expected: 0, global: 0, new: New::Next, updates: true };
    let body = [attempt].into_iter().chain(more).collect();
    vec![Statement::Load(0, 0), Statement::DoWhile(body, ZERO)]
}

#[test]
fn a_failed_attempt_is_as_good_as_a_load() {
    check(&carrying(None), [(0, 0), (1, 0), (1, 0), (1, 0)]);
    // It counts its attempts, which only `all` sees to be of no use.
    check(&carrying(Some(Statement::Increment(2))), [(0, 0), (0, 0), (0, 0), (1, 0)]);
    // It expects something else than what it has read.
    check(&carrying(Some(Statement::Set(0, 1))), [(0, 0), (0, 0), (0, 0), (0, 1)]);
    // The load was of another place.
    let mut elsewhere = carrying(None);
    elsewhere[0] = Statement::Load(0, 1);
    check(&elsewhere, [(0, 0), (0, 0), (0, 0), (0, 1)]);
}

#[test]
fn a_load_that_is_stronger_than_the_failed_attempt_is_not_replaced() {
    for (load, failure, cut) in [
        (ReadOrder::Relaxed, ReadOrder::Relaxed, 1),
        (ReadOrder::Relaxed, ReadOrder::Acquire, 1),
        (ReadOrder::Acquire, ReadOrder::Relaxed, 0),
        (ReadOrder::SeqCst, ReadOrder::Acquire, 0),
    ] {
        let orders = Orders { load, failure, ..Orders::default() };
        let thread = Thread { orders, ..Thread::new(&carrying(None)) };
        assert_eq!(cut_and_watched(&thread, Spin::Static).0, cut, "{load:?} {failure:?}");
    }
}

#[test]
fn a_flag_that_is_tested_first_needs_rotation() {
    // CAS-LOOP2.
    check(
        &[Statement::Set(1, 0), Statement::While(ZERO, vec![Statement::Load(0, 0), cas(1, 0)])],
        [(0, 0), (1, 0), (1, 0), (1, 0)],
    );
}

#[test]
fn a_peeled_load_is_merged() {
    // LOOP-PEEL: one load is left.
    let peeled = [Statement::Load(1, 0), Statement::While(ZERO, vec![Statement::Load(1, 0)])];
    check(&peeled, [(0, 0), (1, 0), (1, 0), (1, 0)]);
    let options = Options { spin: Spin::Static, ..Options::default() };
    let machine = Machine::new(module(&[Thread::new(&peeled)]), options).expect("it is well-formed");
    let loads = machine.module().functions[1].code.iter().filter(|op| matches!(op, Op::Load { .. }));
    assert_eq!(loads.count(), 1);
}

#[test]
fn loops_that_write_or_count_in_each_round_are_not_watched() {
    let add = Statement::Rmw(1, 0, RmwKind::Add, 1);
    check(&[Statement::DoWhile(vec![add], ZERO)], [(0, 0); 4]);
    let counts = vec![Statement::Load(0, 0), Statement::Increment(1)];
    check(&[Statement::While(ZERO, counts)], [(0, 0); 4]);
    // One that does not read what others write is none of ours, whatever it does.
    check(&[Statement::While(ZERO, vec![Statement::Copy(0, 2)])], [(0, 0); 4]);
}

#[test]
fn a_round_that_may_write_is_watched() {
    // An exchange may write what is there already.
    let exchange = Statement::Rmw(1, 0, RmwKind::Exchange, 1);
    check(&[Statement::DoWhile(vec![exchange], ZERO)], [(0, 0), (0, 0), (0, 1), (0, 1)]);
    let body = vec![Statement::Load(1, 0), Statement::If(ZERO, vec![Statement::Store(1, 1)])];
    check(&[Statement::DoWhile(body, ZERO)], [(0, 0), (0, 0), (0, 1), (0, 1)]);
    // Register 1 is live around the loop, and changes in it, but not in each round.
    let keeps = vec![Statement::Copy(2, 1), Statement::Load(1, 0)];
    check(&[Statement::DoWhile(keeps, ZERO), Statement::AssertNot(2, 2)], [(0, 0), (0, 0), (0, 0), (0, 1)]);
}

/// How many loads and how many cuts of rounds the first of these threads has, if its rounds are cut where they end, and if
/// they are cut where they are futile.
fn loads_and_cuts(threads: &[Thread], spin: Spin) -> [(usize, usize); 2] {
    [true, false].map(|whole_rounds| {
        let options = Options { spin, whole_rounds, ..Options::default() };
        let machine = Machine::new(module(threads), options).expect("it is well-formed");
        let code = &machine.module().functions[1].code;
        let count = |is: fn(&&Op) -> bool| code.iter().filter(is).count();
        let cuts = count(|op| matches!(op, Op::SpinAssume { .. } | Op::SpinCheck { .. }));
        (count(|op| matches!(op, Op::Load { .. })), cuts)
    })
}

/// `for (;;) { before; r1 = x; if (r1 == 0) break; then }`, with a thread that does something else beside it.
fn decided(before: &[Statement], then: &[Statement], beside: &[Statement]) -> [Thread; 2] {
    let decision = [Statement::Load(1, 0), Statement::If(ZERO, vec![Statement::Break])];
    let rounds = [before, &decision, then].concat();
    [Thread::new(&[Statement::Forever(rounds)]), Thread::new(beside)]
}

#[test]
fn a_round_is_cut_where_it_is_futile() {
    let static_cuts = |before: &[Statement], then: &[Statement], beside: &[Statement]| {
        loads_and_cuts(&decided(before, then, beside), Spin::Static)
    };
    let (look, clobber) = (Statement::Load(2, 1), Statement::Clobber(1, 1));
    let waits = Statement::DoWhile(vec![look.clone()], Test { register: 2, op: CmpOp::Eq, value: 1 });
    assert_eq!(static_cuts(&[], from_ref(&look), &[]), [(2, 1), (1, 1)]);
    assert_eq!(static_cuts(&[], &[waits, Statement::Fence], &[]), [(2, 2), (1, 1)]);
    // What is looked at is written plainly: it must be looked at once.
    assert_eq!(static_cuts(&[], from_ref(&look), from_ref(&clobber)), [(2, 1), (2, 1)]);
    assert_eq!(static_cuts(from_ref(&look), from_ref(&look), from_ref(&clobber)), [(3, 1), (2, 1)]);
    let maybe = Statement::If(Test { register: 3, ..ZERO }, vec![look.clone()]);
    assert_eq!(static_cuts(&[maybe], from_ref(&look), &[clobber]), [(3, 1), (3, 1)]);
    // The same for something that is reached by a pointer.
    let peek = Statement::PeekNode(2);
    assert_eq!(static_cuts(&[], from_ref(&peek), &[]), [(2, 1), (2, 1)]);
    assert_eq!(static_cuts(from_ref(&peek), from_ref(&peek), &[]), [(3, 1), (2, 1)]);
    // Something may be wrong there.
    let wrong = Statement::AssertNot(2, 2);
    assert_eq!(static_cuts(&[], &[look, wrong], &[]), [(2, 1), (2, 1)]);
}

#[test]
fn a_round_that_may_write_is_compared_where_it_is_futile() {
    let exchange = Statement::Rmw(1, 0, RmwKind::Exchange, 2);
    let round = |then: Statement| {
        let decision = [exchange.clone(), Statement::If(ZERO, vec![Statement::Break])];
        Thread::new(&[Statement::Forever(decision.into_iter().chain([then]).collect())])
    };
    let look = round(Statement::Load(2, 1));
    assert_eq!(loads_and_cuts(from_ref(&look), Spin::Static), [(1, 0); 2]);
    assert_eq!(loads_and_cuts(from_ref(&look), Spin::Dynamic), [(1, 1), (1, 2)]);
    // What it reads is live at the start of the next round.
    let live = Thread { returns: vec![2], ..look };
    assert_eq!(loads_and_cuts(&[live], Spin::All), [(1, 1); 2]);
    // It writes.
    assert_eq!(loads_and_cuts(&[round(Statement::Store(1, 1))], Spin::All), [(0, 1); 2]);
}

#[test]
fn a_round_under_a_mutex_is_watched() {
    let look = Statement::Locked { inner: vec![Statement::LoadGuarded(1)], turned: false };
    check(&[Statement::DoWhile(vec![look], ZERO)], [(0, 0), (0, 0), (0, 1), (0, 1)]);
}
