//! What becomes of the loops of [SAVER]: how many backedges are cut beforehand, and how many loops are watched.

use crate::program::{Statement, Test, Thread, module};
use vm::bytecode::{CmpOp, Op, RmwKind};
use vm::{Machine, Options, Spin};

const ZERO: Test = Test { register: 1, op: CmpOp::Eq, value: 0 };

/// The numbers of `SpinAssume` and `LoopHead` instructions of a thread that does only this.
fn cut_and_watched(statements: &[Statement], spin: Spin) -> (usize, usize) {
    let options = Options { spin, unroll: Some(2), ..Options::default() };
    let machine = Machine::new(module(&[Thread::new(statements)]), options).expect("it is well-formed");
    let code = &machine.module().functions[1].code;
    let count = |is: fn(&&Op) -> bool| code.iter().filter(is).count();
    (count(|op| matches!(op, Op::SpinAssume { .. })), count(|op| matches!(op, Op::LoopHead { .. })))
}

fn check(statements: &[Statement], expected: [(usize, usize); 4]) {
    let found =
        [Spin::None, Spin::Static, Spin::Dynamic, Spin::All].map(|spin| cut_and_watched(statements, spin));
    assert_eq!(found, expected, "{statements:?}");
}

fn cas(success: u16, expected: u16) -> Statement {
    Statement::CompareExchange { success, expected, global: 0, new: 1, updates: false }
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
    let exchange = Statement::Rmw(1, 0, RmwKind::Exchange, 1);
    check(&[Statement::DoWhile(vec![exchange], ZERO)], [(0, 0); 4]);
    let counts = vec![Statement::Load(0, 0), Statement::Increment(1)];
    check(&[Statement::While(ZERO, counts)], [(0, 0); 4]);
    // One that does not read what others write is none of ours, whatever it does.
    check(&[Statement::While(ZERO, vec![Statement::Copy(0, 2)])], [(0, 0); 4]);
}

#[test]
fn a_round_that_may_write_is_watched() {
    let body = vec![Statement::Load(1, 0), Statement::If(ZERO, vec![Statement::Store(1, 1)])];
    check(&[Statement::DoWhile(body, ZERO)], [(0, 0), (0, 0), (0, 1), (0, 1)]);
    // Register 1 is live around the loop, and changes in it, but not in each round.
    let keeps = vec![Statement::Copy(2, 1), Statement::Load(1, 0)];
    check(&[Statement::DoWhile(keeps, ZERO), Statement::AssertNot(2, 2)], [(0, 0), (0, 0), (0, 0), (0, 1)]);
}
