//! Arithmetic, control flow, calls.

use super::driver::{Driver, End, fault, refusal, run, value};
use crate::builder::{Build, main_of, module};
use program::{FaultKind, Program};
use vm::Options;
use vm::bytecode::{BinOp, CmpOp, FloatCmp, FloatOp, FunctionId, Op, Operand, OverflowOp, Switch, UnaryOp};

#[test]
fn arithmetic_keeps_to_its_width() {
    let result = value(
        vec![main_of(|b| {
            let (x, y) = (b.number(0xff), b.number(2));
            let sum = b.bin(BinOp::Add, 8, x, y);
            let dst = b.register();
            b.op(Op::SignExtend { from: 8, to: 32, dst, a: x });
            let extended = Operand::Reg(dst);
            let low = b.register();
            b.op(Op::Trunc { width: 4, dst: low, a: extended });
            let product = b.bin(BinOp::Mul, 32, extended, y);
            let with_sum = b.bin(BinOp::Add, 64, product, sum);
            let shift = b.number(40);
            let high = b.bin(BinOp::Shl, 64, Operand::Reg(low), shift);
            b.bin(BinOp::Or, 64, with_sum, high)
        })],
        vec![],
    );
    assert_eq!(result, 0xf << 40 | 0xffff_ffff);
}

#[test]
fn the_other_operations_of_the_loop() {
    let result = value(
        vec![main_of(|b| {
            let (x, y, one) = (b.number(0xffff_ffff), b.number(1), b.number(1));
            let (dst, overflow) = (b.register(), b.register());
            b.op(Op::Overflow { op: OverflowOp::UAdd, width: 32, dst, overflow, a: x, b: y });
            let zeros = b.register();
            b.op(Op::Unary { op: UnaryOp::LeadingZeros, width: 32, dst: zeros, a: Operand::Reg(dst) });
            let chosen = b.register();
            let condition = Operand::Reg(overflow);
            b.op(Op::Select { dst: chosen, condition, a: Operand::Reg(zeros), b: x });
            let index = b.register();
            let minus_one = b.number(u64::MAX);
            b.op(Op::Index { dst: index, base: Operand::Reg(chosen), index: minus_one, scale: 8 });
            let float = b.register();
            let (two, three) = (b.number(2f64.to_bits()), b.number(3f64.to_bits()));
            b.op(Op::Float { op: FloatOp::Mul, width: 64, dst: float, a: two, b: three });
            let less = b.register();
            b.op(Op::FloatCmp { op: FloatCmp(4), width: 64, dst: less, a: two, b: Operand::Reg(float) });
            let both = b.bin(BinOp::Add, 64, Operand::Reg(index), Operand::Reg(less));
            let compared = b.cmp(CmpOp::Slt, 32, x, one);
            b.bin(BinOp::Add, 64, both, compared)
        })],
        vec![],
    );
    assert_eq!(result, 32 - 8 + 1 + 1);
}

#[test]
fn division_by_zero_is_a_fault() {
    let divide = |x: u64, y: u64| {
        main_of(|b| {
            let (x, y) = (b.number(x), b.number(y));
            b.bin(BinOp::SDiv, 32, x, y)
        })
    };
    assert_eq!(fault(vec![divide(1, 0)], vec![]), (FaultKind::Assertion, "division by zero".into()));
    let (kind, message) = fault(vec![divide(0x8000_0000, 0xffff_ffff)], vec![]);
    assert_eq!((kind, message.contains("overflow")), (FaultKind::Assertion, true));
}

/// `f(n) = n == 0 ? 0 : n + f(n - 1)`, as function 1.
fn sum() -> vm::bytecode::Function {
    let mut b = Build::new("sum", 1);
    let (n, zero, one) = (b.parameter(0), b.number(0), b.number(1));
    let is_zero = b.cmp(CmpOp::Eq, 64, n, zero);
    let branch = b.here();
    b.op(Op::Unreachable);
    let less = b.bin(BinOp::Sub, 64, n, one);
    let rest = b.call(1, &[less]);
    let total = b.bin(BinOp::Add, 64, n, rest);
    let dst = match total {
        Operand::Reg(dst) => dst,
        Operand::Const(_) => unreachable!("a result is in a register"),
    };
    let jump = b.here();
    b.op(Op::Unreachable);
    let base = b.here();
    b.op(Op::Move { dst, a: zero });
    let end = b.here();
    b.patch(branch, Op::Branch { condition: is_zero, then: base, otherwise: branch + 1 });
    b.patch(jump, Op::Jump(end));
    b.ret(total)
}

#[test]
fn recursion_returns_to_the_right_frames() {
    let main = main_of(|b| {
        let n = b.number(1000);
        b.call(1, &[n])
    });
    assert_eq!(value(vec![main, sum()], vec![]), 500_500);
}

#[test]
fn recursion_without_end_is_refused() {
    let main = main_of(|b| {
        let n = b.number(u64::MAX);
        b.call(1, &[n])
    });
    let message = refusal(vec![main, sum()], vec![]);
    assert!(message.contains("recursion deeper than") && message.contains("sum"), "{message}");
}

#[test]
fn calls_through_pointers_know_functions_only() {
    let call = |pick: fn(&mut Build) -> Operand| {
        main_of(|b| {
            let (callee, n) = (pick(b), b.number(4));
            b.call_indirect(callee, &[n])
        })
    };
    assert_eq!(value(vec![call(|b| b.function(1)), sum()], vec![]), 10);
    let message = refusal(vec![call(|b| b.external("frobnicate")), sum()], vec![]);
    assert!(message.contains("`frobnicate`"), "{message}");
    let (kind, message) = fault(vec![call(|b| b.number(0)), sum()], vec![]);
    assert_eq!((kind, &message[..]), (FaultKind::InvalidAccess, "call through a null pointer"));
    assert_eq!(fault(vec![call(|b| b.number(99_999)), sum()], vec![]).0, FaultKind::InvalidAccess);
    let (end, _) = run(vec![call(|b| b.external("malloc")), sum()], vec![]);
    assert!(
        matches!(end, End::Finish(address) if address != 0),
        "a function with a model can be called, too"
    );
}

#[test]
fn switches_go_where_they_say() {
    for (selector, expected) in [(3, 30), (7, 70), (8, 1)] {
        let mut b = Build::new("main", 0);
        let (value, a, c, d) = (b.number(selector), b.number(30), b.number(70), b.number(1));
        let dst = b.register();
        b.op(Op::Switch { value, table: 0 });
        for (target, constant) in [(1, a), (3, c), (5, d)] {
            assert_eq!(b.here(), target);
            b.op(Op::Move { dst, a: constant });
            b.op(Op::Jump(7));
        }
        let mut main = b.ret(Operand::Reg(dst));
        main.switches.push(Switch { cases: vec![(3, 1), (7, 3)], default: 5 });
        assert_eq!(super::driver::value(vec![main], vec![]), expected);
    }
}

#[test]
fn constructors_run_before_main_in_order() {
    let step = |name: &str, add: u64| {
        let mut b = Build::new(name, 0);
        let x = b.global(0);
        let (old, ten, add) = (b.load(4, x), b.number(10), b.number(add));
        let times = b.bin(BinOp::Mul, 32, old, ten);
        let new = b.bin(BinOp::Add, 32, times, add);
        b.store(4, x, new);
        b.ret_number(0)
    };
    let main = main_of(|b| {
        let x = b.global(0);
        b.load(4, x)
    });
    let mut module =
        module(vec![main, step("one", 1), step("two", 2)], vec![crate::builder::global("x", &[0; 4])]);
    module.constructors = vec![FunctionId(1), FunctionId(2)];
    let mut driver = Driver::new(module, Options::default());
    assert_eq!(driver.main(), End::Finish(12));
    assert_eq!(driver.machine.site(driver.last_state()), base::Site(0));
}

#[test]
fn main_gets_its_name_as_argument() {
    let mut b = Build::new("main", 2);
    let (argc, argv) = (b.parameter(0), b.parameter(1));
    let name = b.load(8, argv);
    let after = b.plus(argv, 8);
    let null = b.load(8, after);
    let first = b.load(1, name);
    let sum = b.bin(BinOp::Add, 64, argc, null);
    let sum = b.bin(BinOp::Add, 64, sum, first);
    assert_eq!(value(vec![b.ret(sum)], vec![]), 1 + u64::from(b'p'));
}

#[test]
fn undefined_and_unmodelled_ends_are_told() {
    let mut b = Build::new("main", 0);
    b.op(Op::Unreachable);
    assert_eq!(fault(vec![b.end()], vec![]).0, FaultKind::Assertion);
    let mut b = Build::new("main", 0);
    b.external("inline assembly");
    b.op(Op::Refuse(0));
    assert_eq!(refusal(vec![b.end()], vec![]), "inline assembly");
}
