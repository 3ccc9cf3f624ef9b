//! Exceptions: landing pads by hand, and where threads land.

use super::driver::{Driver, End, refusal, value};
use crate::builder::{Build, global, main_of, module};
use vm::bytecode::{BinOp, Function, Op, Operand, Reg};
use vm::{BuildError, Builtin, Machine, Options, UnwindCall};

const CLAUSES: Builtin = Builtin::Unwind(UnwindCall::Clauses);
const LAND: Builtin = Builtin::Unwind(UnwindCall::Land);

/// Calls a function. If that returns, so does this one, with 1; an exception that lands here gives what `pad` says.
fn guarded(
    name: &str,
    callee: u32,
    clauses: u64,
    pad: impl FnOnce(&mut Build, Operand, Operand) -> Operand,
) -> Function {
    let mut b = Build::new(name, 0);
    let (exception, selector, clauses) = (b.register(), b.register(), b.number(clauses));
    b.call(callee, &[]);
    let landing = b.here();
    let (normal, pad_at) = (landing + 1, landing + 1);
    b.op(Op::Landing { normal, pad: pad_at, clauses, exception, selector });
    let (one, out) = (b.number(1), b.register());
    b.op(Op::Move { dst: out, a: one });
    let skip = b.here();
    b.op(Op::Jump(skip));
    let pad_at = b.here();
    let result = pad(&mut b, Operand::Reg(exception), Operand::Reg(selector));
    b.op(Op::Move { dst: out, a: result });
    let end = b.here();
    b.patch(landing, Op::Landing { normal, pad: pad_at, clauses, exception, selector });
    b.patch(skip, Op::Jump(end));
    b.ret(Operand::Reg(out))
}

/// A function that lands at the pad of this number with exception 7 and selector -2.
fn throws(number: u64) -> Function {
    let mut b = Build::new("throws", 0);
    let (number, exception, selector) = (b.number(number), b.number(7), b.number(u64::MAX - 1));
    b.builtin_without_result(LAND, &[number, exception, selector]);
    b.op(Op::Unreachable);
    b.end()
}

/// A selector of four bytes, less 7.
const LANDED: u64 = 0xffff_fffe - 7;

fn difference(b: &mut Build, exception: Operand, selector: Operand) -> Operand {
    b.bin(BinOp::Sub, 64, selector, exception)
}

#[test]
fn a_thread_lands_at_the_pad_that_is_chosen() {
    let nowhere = |b: &mut Build, _, _| b.number(3);
    let main = || guarded("main", 1, 40, difference);
    let middle = || guarded("middle", 2, 50, nowhere);
    assert_eq!(value(vec![main(), middle(), throws(1)], vec![]), LANDED);
    let inner = value(
        vec![guarded("main", 1, 40, difference), guarded("middle", 2, 50, difference), throws(0)],
        vec![],
    );
    assert_eq!(inner, 1, "`main` is returned to");
    let end = refusal(vec![main(), middle(), throws(2)], vec![]);
    assert!(end.contains("nowhere to go"), "{end}");
}

#[test]
fn clauses_are_handed_out_from_the_inside() {
    let ask = |number: u64| {
        let mut b = Build::new("asks", 0);
        let number = b.number(number);
        let clauses = b.builtin(CLAUSES, &[number]);
        let (out, exception, selector) = (b.number(1), clauses, b.number(0));
        b.builtin_without_result(LAND, &[out, exception, selector]);
        b.op(Op::Unreachable);
        b.end()
    };
    for (number, clauses) in [(0, 50), (1, 40), (2, 0)] {
        let main = guarded("main", 1, 40, |_, exception, _| exception);
        let middle = guarded("middle", 2, 50, |_, exception, _| exception);
        // One without a landing in between.
        let plain = main_of(|b| b.call(3, &[]));
        assert_eq!(value(vec![main, middle, plain, ask(number)], vec![]), clauses, "{number}");
    }
}

#[test]
fn variables_that_others_know_end_before_the_thread_lands() {
    let main = guarded("main", 1, 40, difference);
    let mut b = Build::new("publishes", 0);
    let (local, x) = (b.alloca(8), b.global(0));
    b.store_number(8, local, 5);
    let argument = b.number(0);
    b.create(3, argument);
    b.store(8, x, local);
    b.call(2, &[]);
    let publishes = b.ret_number(0);
    let other = Build::new("other", 0).ret_number(0);
    let functions = vec![main, publishes, throws(0), other];
    let mut driver = Driver::new(module(functions, vec![global("x", &[0; 8])]), Options::default());
    assert_eq!(driver.main(), End::Finish(LANDED));
    assert_eq!(
        driver.log.iter().filter(|line| line.starts_with("free Stack")).count(),
        1,
        "{:?}",
        driver.log
    );
}

#[test]
fn an_exception_does_not_leave_an_atomic_section() {
    let main = guarded("main", 1, 40, difference);
    let mut b = Build::new("section", 0);
    b.builtin_without_result(Builtin::AtomicBegin, &[]);
    b.call(2, &[]);
    let end = refusal(vec![main, b.ret_number(0), throws(0)], vec![]);
    assert!(end.contains("atomic section"), "{end}");
}

#[test]
fn pthread_exit_refuses_where_an_exception_could_land() {
    let exits = || {
        let mut b = Build::new("exits", 0);
        let value = b.number(5);
        b.builtin_without_result(Builtin::PthreadExit, &[value]);
        b.ret_number(0)
    };
    let end = refusal(vec![guarded("main", 1, 40, difference), exits()], vec![]);
    assert!(end.contains("destructors or handlers"), "{end}");
    let mut driver =
        Driver::new(module(vec![main_of(|b| b.call(1, &[])), exits()], vec![]), Options::default());
    assert_eq!(driver.main(), End::Finish(5));
}

#[test]
fn a_landing_follows_a_call_and_nothing_else() {
    let (exception, selector) = (Reg(0), Reg(0));
    let refused = |code: &dyn Fn(&mut Build)| {
        let mut b = Build::new("main", 0);
        b.register();
        code(&mut b);
        let main = b.ret_number(0);
        matches!(Machine::new(module(vec![main], vec![]), Options::default()), Err(BuildError::Malformed(_)))
    };
    let landing = |b: &mut Build, clauses: Operand| {
        let next = b.here() + 1;
        b.op(Op::Landing { normal: next, pad: next, clauses, exception, selector });
    };
    let hint = |b: &mut Build| b.builtin_without_result(Builtin::Hint, &[]);
    let right = |b: &mut Build| {
        let clauses = b.number(9);
        hint(b);
        landing(b, clauses);
    };
    assert!(!refused(&right));
    assert!(refused(&|b| {
        let clauses = b.number(9);
        landing(b, clauses);
    }));
    assert!(refused(&|b| {
        hint(b);
        landing(b, Operand::Reg(Reg(0)));
    }));
    assert!(
        refused(&|b| {
            let next = b.here() + 2;
            b.op(Op::Jump(next));
            right(b);
        }),
        "a jump leads there"
    );
}
