//! Bounds: loops, steps, memory; and modules that are not well-formed.

use super::driver::{Driver, End, refusal};
use crate::builder::{Build, global, main_of, module};
use base::{ReadOrder, Site, WriteOrder};
use program::{Blocker, Program, Refinements, Request, Role};
use vm::bytecode::{
    BinOp, CmpOp, FloatCast, FloatCmp, Function, FunctionId, List, Op, Operand, Reg, Switch, Watch,
};
use vm::{BuildError, Builtin, Machine, Options};

/// Counts to `n`, with an `Unroll` on the back edge.
fn count_to(n: u64) -> Function {
    count(n, |_| {})
}

/// The same, and each round does something more.
fn count(n: u64, more_to_do: impl FnOnce(&mut Build)) -> Function {
    let mut b = Build::new("main", 0);
    let (zero, one, n) = (b.number(0), b.number(1), b.number(n));
    let (i, counter) = (b.register(), b.register());
    b.op(Op::Move { dst: i, a: zero });
    b.op(Op::Move { dst: counter, a: zero });
    let head = b.here();
    let more = b.cmp(CmpOp::Ult, 64, Operand::Reg(i), n);
    let branch = b.here();
    b.op(Op::Branch { condition: more, then: branch + 1, otherwise: branch + 1 });
    more_to_do(&mut b);
    b.op(Op::Bin { op: BinOp::Add, width: 64, dst: i, a: Operand::Reg(i), b: one });
    b.op(Op::Unroll { counter });
    b.op(Op::Jump(head));
    let end = b.here();
    b.patch(branch, Op::Branch { condition: more, then: branch + 1, otherwise: end });
    b.ret(Operand::Reg(i))
}

#[test]
fn a_loop_may_start_as_many_iterations_as_the_bound_says() {
    for (unroll, end) in [
        // The eighth finds that there is nothing left to count.
        (Some(8), End::Finish(7)),
        (Some(7), End::Block(Blocker::Unroll)),
        (Some(0), End::Block(Blocker::Unroll)),
        (None, End::Finish(7)),
    ] {
        let options = Options { unroll, ..Options::default() };
        let choosing = count(7, |b| _ = b.builtin(Builtin::NondetBool, &[]));
        let mut driver = Driver::new(module(vec![choosing], vec![]), options);
        driver.choices = vec![0; 7];
        assert_eq!(driver.main(), end);
    }
}

/// A thread that is told nothing goes on to the end of its loop.
#[test]
fn rounds_that_nobody_else_decides_about_do_not_count() {
    let options = Options { unroll: Some(2), ..Options::default() };
    assert_eq!(Driver::new(module(vec![count_to(1000)], vec![]), options.clone()).main(), End::Finish(1000));
    let few = Options { step_limit: 1000, ..options };
    let end = Driver::new(module(vec![count_to(1000)], vec![]), few).main();
    assert_eq!(end, End::Block(Blocker::Unroll));
}

#[test]
fn a_loop_without_end_is_refused_with_its_site() {
    let mut b = Build::new("main", 0);
    b.op(Op::Jump(1));
    b.op(Op::Jump(1));
    let options = Options { step_limit: 1000, ..Options::default() };
    let machine = Machine::new(module(vec![b.end()], vec![]), options).unwrap();
    let mut state = machine.main();
    let Request::Refuse(refusal) = machine.resume(&mut state, 0) else { panic!("no refusal") };
    assert_eq!(refusal.site, Some(Site(1)));
    assert!(refusal.message.contains("1000 steps") && refusal.message.contains("--unroll"));
}

/// Once a loop was found to be endless, its thread is blocked there after a few steps; others run as long as before.
#[test]
fn a_loop_that_was_found_to_be_endless_is_bounded() {
    let mut b = Build::new("main", 0);
    b.op(Op::Jump(1));
    b.op(Op::Jump(1));
    let endless = b.end();
    let options = Options { step_limit: 1_000_000, ..Options::default() };
    let mut machine = Machine::new(module(vec![endless], vec![]), options.clone()).unwrap();
    let Request::Refuse(refusal) = machine.resume(&mut machine.main(), 0) else { panic!("no refusal") };
    assert!(refusal.endless);
    let bounded = |site| Refinements { endless: [site].into(), ..Refinements::default() };
    machine.refine(&bounded(refusal.site.expect("a site"))).unwrap();
    assert!(matches!(machine.resume(&mut machine.main(), 0), Request::Block(Blocker::Unroll)));

    let mut b = Build::new("main", 0);
    b.call(1, &[]);
    let main = b.ret_number(7);
    let mut machine = Machine::new(module(vec![main, count_to(150_000)], vec![]), options).unwrap();
    machine.refine(&bounded(Site(0))).unwrap();
    let end = machine.resume(&mut machine.main(), 0);
    assert!(matches!(end, Request::Finish { value: 7 }), "`main` is bounded, what it calls is not: {end:?}");
}

#[test]
fn calls_count_as_steps_too() {
    let mut b = Build::new("main", 0);
    b.call(1, &[]);
    b.op(Op::Jump(0));
    let nothing = Build::new("nothing", 0).ret_number(0);
    let options = Options { step_limit: 10_000, ..Options::default() };
    let end = Driver::new(module(vec![b.end(), nothing], vec![]), options).main();
    assert!(matches!(end, End::Refuse(_)));
}

#[test]
fn huge_allocations_are_refused() {
    for size in [u64::MAX, 1 << 40, 1 << 31, (1 << 31) - 1] {
        let malloc = main_of(|b| b.malloc(size));
        assert!(refusal(vec![malloc], vec![]).contains(&format!("allocation of {size} bytes")));
        let local = main_of(|b| {
            let (dst, count) = (b.register(), b.number(size));
            b.op(Op::Alloca { dst, size: 1024, align: 1, count });
            Operand::Reg(dst)
        });
        assert!(refusal(vec![local], vec![]).contains("local variables"));
    }
    let large = main_of(|b| {
        let p = b.malloc(1 << 28);
        let last = b.plus(p, (1 << 28) - 4);
        b.store_number(4, last, 5);
        b.load(4, last)
    });
    assert_eq!(super::driver::value(vec![large], vec![]), 5, "what fits costs only what is used");
}

#[test]
fn allocations_that_are_each_small_are_refused_in_the_end() {
    let mut b = Build::new("main", 0);
    b.malloc(1 << 20);
    b.op(Op::Jump(0));
    assert!(refusal(vec![b.end()], vec![]).contains("more memory than is modelled"));
}

#[test]
fn deep_recursion_is_cloned_and_dropped() {
    let mut b = Build::new("main", 0);
    b.call(1, &[]);
    let main = b.ret_number(0);
    let mut b = Build::new("down", 0);
    b.call(1, &[]);
    let mut driver = Driver::new(module(vec![main, b.ret_number(0)], vec![]), Options::default());
    let End::Refuse(message) = driver.main() else { panic!("no refusal") };
    assert!(message.contains("recursion deeper than"), "{message}");
}

#[test]
fn too_many_threads_are_refused() {
    let machine = Machine::new(module(vec![main_of(|b| b.function(0))], vec![]), Options::default()).unwrap();
    let mut main = machine.main();
    let Request::Finish { value: function } = machine.resume(&mut main, 0) else { panic!("main ends") };
    let mut state = machine.start(base::ThreadId(1 << 20), function, 0);
    assert!(matches!(machine.resume(&mut state, 0), Request::Refuse(_)));
}

#[test]
fn malformed_modules_are_told_and_never_run() {
    let build = |functions, globals| Machine::new(module(functions, globals), Options::default()).err();
    assert_eq!(
        Machine::new(vm::bytecode::Module::default(), Options::default()).err(),
        Some(BuildError::NoMain)
    );
    let bad: [fn(&mut Build); 6] = [
        |b| b.op(Op::Move { dst: Reg(9), a: Operand::Reg(Reg(0)) }),
        |b| b.op(Op::Jump(99)),
        |b| b.op(Op::Trunc { width: 65, dst: Reg(0), a: Operand::Reg(Reg(0)) }),
        |b| {
            b.global(7);
        },
        |b| {
            b.call(3, &[]);
        },
        |b| b.op(Op::Switch { value: Operand::Reg(Reg(0)), table: 0 }),
    ];
    for bad in bad {
        let mut b = Build::new("main", 0);
        b.register();
        bad(&mut b);
        assert!(matches!(build(vec![b.ret_number(0)], vec![]), Some(BuildError::Malformed(_))));
    }
    let mut unfinished = Build::new("main", 0);
    unfinished.malloc(1);
    assert!(matches!(build(vec![unfinished.end()], vec![]), Some(BuildError::Malformed(_))));
    let mut huge = global("huge", &[]);
    huge.bytes = vec![0; 1 << 29];
    let error = build(vec![Build::new("main", 0).ret_number(0)], vec![huge]).unwrap();
    assert_eq!(error, BuildError::TooLarge { global: "huge".into(), size: 1 << 29 });
    assert!(error.to_string().contains("`huge`"));
}

/// The passes want a register for each loop that they cut, and look at all of those that are live.
#[test]
fn a_function_may_have_as_many_registers_as_have_a_number() {
    let mut b = Build::new("main", 0);
    let x = b.global(0);
    let dst = b.register();
    b.op(Op::Load { size: 4, order: ReadOrder::Acquire, partial: false, dst, address: x });
    let wait = b.here();
    b.op(Op::Branch { condition: Operand::Reg(dst), then: wait + 1, otherwise: 0 });
    let mut main = b.ret_number(7);
    for registers in [u16::MAX, u16::MAX - 1, u16::MAX - 64] {
        main.registers = registers;
        let module = module(vec![main.clone()], vec![global("x", &[1, 0, 0, 0])]);
        assert_eq!(Driver::new(module, Options::default()).main(), End::Finish(7));
    }
}

/// What only a damaged file could have.
#[test]
fn odd_modules_are_told_and_never_run() {
    let reg = |number| Operand::Reg(Reg(number));
    let outside = List { first: 99, len: 0 };
    let (dst, address, three) = (Reg(0), reg(0), 3);
    let switch = Op::Switch { value: reg(0), table: 0 };
    let bad: [Vec<Op>; 9] = [
        vec![Op::Call { function: FunctionId(0), arguments: outside, results: List::default() }],
        vec![Op::CallIndirect { callee: reg(0), arguments: List::default(), results: outside }],
        vec![switch, switch],
        vec![Op::Load { size: three, order: ReadOrder::Relaxed, partial: false, dst, address }],
        vec![Op::Store { size: three, order: WriteOrder::SeqCst, address, value: reg(0) }],
        vec![Op::FloatCast { op: FloatCast::ToSigned, from: 16, to: 32, dst, a: reg(0) }],
        vec![Op::FloatCast { op: FloatCast::FromUnsigned, from: 16, to: 16, dst, a: reg(0) }],
        vec![Op::FloatCmp { op: FloatCmp(16), width: 32, dst, a: reg(0), b: reg(0) }],
        vec![Op::Builtin { builtin: Builtin::Returned, arguments: List { first: 0, len: 2 }, result: None }],
    ];
    let main = |bad: &[Op]| {
        let mut b = Build::new("main", 0);
        b.register();
        let nine = b.number(9);
        b.builtin_without_result(Builtin::Nothing, &[reg(0), nine]);
        bad.iter().for_each(|&op| b.op(op));
        let mut main = b.ret_number(0);
        main.switches.push(Switch::default());
        main
    };
    let refused = |main: Function| {
        matches!(Machine::new(module(vec![main], vec![]), Options::default()), Err(BuildError::Malformed(_)))
    };
    assert!(!refused(main(&[switch])), "and this is nothing bad");
    for bad in bad {
        assert!(refused(main(&bad)), "{bad:?}");
    }
    assert!(refused(Function { roles: vec![(1, Role::Blind), (0, Role::Blind)], ..main(&[]) }));
    assert!(refused(Function { roles: vec![(9, Role::Blind)], ..main(&[]) }));
    let watch = Watch { live: vec![Reg(9)], ..Watch::default() };
    assert!(refused(Function { watches: vec![watch], ..main(&[]) }));
}

#[test]
fn assumptions_block() {
    let assume = |value: u64| {
        main_of(|b| {
            let value = b.number(value);
            b.builtin(Builtin::Assume, &[value])
        })
    };
    let end = |main| Driver::new(module(vec![main], vec![]), Options::default()).main();
    assert_eq!(end(assume(1)), End::Finish(0));
    assert_eq!(end(assume(0)), End::Block(Blocker::Assume));
}
