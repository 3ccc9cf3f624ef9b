//! Escape: what is published, when, and what happens to it later.

use super::driver::{End, STACK, fault, refusal, run};
use crate::builder::{Build, global, main_of};
use base::{ReadOrder, RmwOrder, WriteOrder};
use program::{FaultKind, Program, Storage};
use vm::Builtin;
use vm::bytecode::{BinOp, CmpOp, Function, Op, Operand, Relocation, RmwKind};

fn nothing() -> Function {
    Build::new("nothing", 1).ret_number(0)
}

/// `main` creates a thread that does nothing, and then does this.
fn after_create(body: impl FnOnce(&mut Build) -> Operand) -> Function {
    main_of(|b| {
        let null = b.number(0);
        b.create(1, null);
        body(b)
    })
}

#[test]
fn globals_are_private_before_the_first_thread_and_shared_after() {
    let main = main_of(|b| {
        let x = b.global(0);
        let five = b.number(5);
        b.store(4, x, five);
        b.create(1, five);
        b.create(1, five);
        b.load(4, x)
    });
    let (end, driver) = run(vec![main, nothing()], vec![global("x", &[0; 4])]);
    assert_eq!(end, End::Finish(5));
    let log =
        ["publish x (4 bytes), __VERIFIER_atomic (40 bytes)", "create 1", "create 2", "read NotAtomic x/4"];
    assert_eq!(driver.log, log);
    assert_eq!(driver.published[0].bytes[..], [5, 0, 0, 0]);
    assert_eq!((driver.published[0].storage, &driver.published[0].defined), (Storage::Static, &None));
}

#[test]
fn many_increments_of_a_private_global_ask_nothing() {
    let mut b = Build::new("main", 0);
    let (x, one, many) = (b.global(0), b.number(1), b.number(40_000));
    let head = b.here();
    let old = b.load(4, x);
    let new = b.bin(BinOp::Add, 32, old, one);
    b.store(4, x, new);
    let more = b.cmp(CmpOp::Ult, 32, new, many);
    let next = b.here() + 1;
    b.op(Op::Branch { condition: more, then: head, otherwise: next });
    let (end, driver) = run(vec![b.ret(new)], vec![global("x", &[0; 4])]);
    assert_eq!((end, driver.log.len()), (End::Finish(40_000), 0));
}

#[test]
fn a_stored_pointer_publishes_all_that_it_reaches() {
    let main = after_create(|b| {
        let head = b.global(0);
        let (first, second, third) = (b.malloc(16), b.malloc(16), b.malloc(16));
        b.store(8, first, second);
        let at = b.plus(second, 8);
        let tagged = b.number(0x8001_0000_0000_0000);
        let tagged = b.bin(BinOp::Or, 64, third, tagged);
        b.store(8, at, tagged);
        b.malloc(16);
        let end = b.plus(first, 16);
        b.store(8, head, end);
        let x = b.load(8, first);
        b.cmp(CmpOp::Eq, 64, x, second)
    });
    let (end, driver) = run(vec![main, nothing()], vec![global("head", &[0; 8])]);
    assert_eq!(end, End::Finish(1));
    let node = "heap object of thread 0 (16 bytes)";
    assert_eq!(driver.log[2], format!("publish {node}, {node}, {node}"), "not the fourth");
    assert!(driver.log[3].starts_with("write NotAtomic head/8"));
    assert_eq!(driver.log[4], "read NotAtomic heap object of thread 0/8");
    let defined = driver.published[2].defined.as_ref().unwrap();
    assert!(defined[..8].iter().all(|&d| d) && !defined[8..].iter().any(|&d| d));
}

#[test]
fn every_way_to_store_a_pointer_publishes_it() {
    type Store = fn(&mut Build, Operand, Operand);
    let ways: [Store; 4] = [
        |b, address, value| b.op(Op::Store { size: 8, order: WriteOrder::Release, address, value }),
        |b, address, value| {
            let (dst, order) = (b.register(), RmwOrder::AcqRel);
            b.op(Op::Rmw { kind: RmwKind::Exchange, size: 8, order, dst, address, value });
        },
        |b, address, new| {
            let (dst, success, expected) = (b.register(), b.register(), b.number(0));
            let (order, failure) = (RmwOrder::AcqRel, ReadOrder::Relaxed);
            b.op(Op::CompareExchange {
                size: 8,
                order,
                failure,
                weak: false,
                dst,
                success,
                address,
                expected,
                new,
            });
        },
        |b, address, value| {
            let (cell, len) = (b.alloca(8), b.number(8));
            b.store(8, cell, value);
            b.builtin(Builtin::MemCopy, &[address, cell, len]);
        },
    ];
    for way in ways {
        let main = after_create(|b| {
            let (x, p) = (b.global(0), b.malloc(8));
            b.store_number(8, p, 3);
            way(b, x, p);
            let p = b.load(8, x);
            b.load(8, p)
        });
        let (end, driver) = run(vec![main, nothing()], vec![global("x", &[0; 8])]);
        assert_eq!(end, End::Finish(3));
        assert_eq!(driver.log[2], "publish heap object of thread 0 (8 bytes)");
    }
}

#[test]
fn a_stored_pointer_to_a_published_object_publishes_nothing() {
    let main = after_create(|b| {
        let (x, p) = (b.global(0), b.malloc(8));
        b.malloc(8);
        b.store(8, x, p);
        b.store(8, x, p);
        p
    });
    let (_, driver) = run(vec![main, nothing()], vec![global("x", &[0; 8])]);
    assert_eq!(
        driver.log.iter().filter(|line| line.starts_with("publish")).count(),
        2,
        "globals, and p once"
    );
}

#[test]
fn what_a_thread_gets_and_returns_is_published() {
    let mut thread = Build::new("thread", 1);
    let p = thread.parameter(0);
    let x = thread.load(8, p);
    let q = thread.malloc(8);
    thread.store(8, q, x);
    let thread = thread.ret(q);
    let main = main_of(|b| {
        let (p, result) = (b.alloca(8), b.alloca(8));
        b.store_number(8, p, 17);
        let handle = b.create(1, p);
        b.builtin(Builtin::PthreadJoin, &[handle, result]);
        let q = b.load(8, result);
        b.load(8, q)
    });
    let (end, driver) = run(vec![main, thread], vec![]);
    assert_eq!(end, End::Finish(17));
    assert_eq!(
        driver.log,
        [
            "publish __VERIFIER_atomic (40 bytes), local variable of thread 0 (8 bytes)",
            "create 1",
            "read NotAtomic local variable of thread 0/8",
            "publish heap object of thread 1 (8 bytes)",
            "join 1",
            "read NotAtomic heap object of thread 1/8",
        ]
    );
}

#[test]
fn globals_publish_what_they_point_to() {
    let mut head = global("head", &[0; 8]);
    head.relocations = vec![(0, Relocation::Global(vm::bytecode::GlobalId(1), 0))];
    let main = main_of(|b| {
        let (head, p) = (b.global(0), b.malloc(8));
        b.malloc(8);
        b.store_number(8, p, 1);
        b.store(8, head, p);
        b.create(1, head)
    });
    let (_, driver) = run(vec![main, nothing()], vec![head, global("x", &[2; 4])]);
    let what = "publish head (8 bytes), x (4 bytes), __VERIFIER_atomic (40 bytes), heap object of thread 0 (8 bytes)";
    assert_eq!(driver.log[0], what);
}

/// Publishes a local variable through the global, and returns its address.
fn leaks_local() -> Function {
    let mut b = Build::new("leaks_local", 0);
    let (x, p, q) = (b.global(0), b.alloca(8), b.alloca(8));
    b.store_number(8, p, 3);
    b.store_number(8, q, 4);
    b.store(8, x, p);
    b.ret(p)
}

#[test]
fn a_published_local_variable_is_ended_by_request_and_its_address_stays_taken() {
    let main = after_create(|b| {
        let (p, q) = (b.call(2, &[]), b.call(2, &[]));
        b.cmp(CmpOp::Ne, 64, p, q)
    });
    let (end, driver) = run(vec![main, nothing(), leaks_local()], vec![global("x", &[0; 8])]);
    assert_eq!(end, End::Finish(1));
    assert_eq!(driver.accesses().iter().filter(|&&line| line == format!("free {STACK:?}")).count(), 2);
    assert_eq!(
        driver.published.iter().filter(|object| object.storage == STACK).count(),
        2,
        "q is not published"
    );
}

/// In a function of its own, whose local variable is published with the value 3: this, with its address.
fn lends_local(body: impl FnOnce(&mut Build, Operand) -> Operand) -> Vec<Function> {
    let mut b = Build::new("lends_local", 0);
    let (x, p) = (b.global(0), b.alloca(8));
    b.store_number(8, p, 3);
    b.store(8, x, p);
    let value = body(&mut b, p);
    let lends = b.ret(value);
    vec![after_create(|b| b.call(2, &[])), nothing(), lends]
}

fn frees(driver: &super::driver::Driver) -> usize {
    driver.log.iter().filter(|&line| *line == format!("free {STACK:?}")).count()
}

#[test]
fn the_block_of_a_published_local_variable_ends_it_once() {
    let program = lends_local(|b, p| {
        b.op(Op::Lifetime { address: p, start: false });
        b.op(Op::Lifetime { address: p, start: false });
        b.number(1)
    });
    let (end, driver) = run(program, vec![global("x", &[0; 8])]);
    assert_eq!((end, frees(&driver)), (End::Finish(1), 1));
}

#[test]
fn a_published_local_variable_that_lives_again_is_a_new_one() {
    for ended in [true, false] {
        let program = lends_local(|b, p| {
            let old = b.plus(p, 0);
            if ended {
                b.op(Op::Lifetime { address: p, start: false });
            }
            b.op(Op::Lifetime { address: p, start: true });
            b.store_number(8, p, 5);
            let (x, five) = (b.global(0), b.load(8, p));
            b.store(8, x, p);
            let differs = b.cmp(CmpOp::Ne, 64, old, p);
            b.bin(BinOp::Add, 64, five, differs)
        });
        let (end, driver) = run(program, vec![global("x", &[0; 8])]);
        assert_eq!((end, frees(&driver)), (End::Finish(6), 2), "the old one, and the new one at the return");
        let locals: Vec<_> = driver.published.iter().filter(|object| object.storage == STACK).collect();
        assert_eq!([locals[0].bytes[0], locals[1].bytes[0]], [3, 5]);
    }
}

#[test]
fn the_life_of_what_is_no_local_variable_is_refused() {
    let main = main_of(|b| {
        let p = b.malloc(8);
        b.op(Op::Lifetime { address: p, start: true });
        p
    });
    assert!(refusal(vec![main], vec![]).contains("no local variable"));
}

#[test]
fn the_local_variables_of_a_thread_end_with_it_but_those_of_main_do_not() {
    let mut thread = Build::new("thread", 1);
    let (x, p) = (thread.global(0), thread.alloca(8));
    thread.store(8, x, p);
    let thread = thread.ret_number(0);
    let main = main_of(|b| {
        let (p, x) = (b.alloca(8), b.global(0));
        b.create(1, p);
        b.store(8, x, p);
        p
    });
    let (_, driver) = run(vec![main, thread], vec![global("x", &[0; 8])]);
    assert_eq!(driver.accesses().iter().filter(|line| line.starts_with("free")).count(), 1);
}

#[test]
fn pthread_exit_ends_the_local_variables_of_all_its_frames() {
    let mut inner = Build::new("inner", 0);
    let (x, p) = (inner.global(0), inner.alloca(8));
    inner.store(8, x, p);
    let value = inner.number(9);
    inner.builtin(Builtin::PthreadExit, &[value]);
    let inner = inner.ret_number(0);
    let mut thread = Build::new("thread", 1);
    let (x, p) = (thread.global(0), thread.alloca(8));
    thread.store(8, x, p);
    thread.call(2, &[]);
    let thread = thread.ret_number(0);
    let main = main_of(|b| {
        let (result, null) = (b.alloca(8), b.number(0));
        let handle = b.create(1, null);
        b.builtin(Builtin::PthreadJoin, &[handle, result]);
        b.load(8, result)
    });
    let (end, driver) = run(vec![main, thread, inner], vec![global("x", &[0; 8])]);
    assert_eq!(end, End::Finish(9));
    assert_eq!(driver.accesses().iter().filter(|line| line.starts_with("free")).count(), 2);
}

#[test]
fn published_heap_objects_are_freed_by_request() {
    let main = after_create(|b| {
        let (x, p) = (b.global(0), b.malloc(8));
        b.store(8, x, p);
        b.builtin(Builtin::Free, &[p])
    });
    let (_, driver) = run(vec![main, nothing()], vec![global("x", &[0; 8])]);
    assert_eq!(driver.log.last().unwrap(), "free Heap");
}

#[test]
fn a_red_zone_of_private_memory_is_no_request() {
    let main = after_create(|b| {
        let p = b.malloc(8);
        let at = b.plus(p, 8);
        b.load(8, at)
    });
    assert_eq!(fault(vec![main, nothing()], vec![]).0, FaultKind::InvalidAccess);
}

#[test]
fn private_addresses_are_known_as_such() {
    let main = after_create(|b| {
        let (x, p, q) = (b.global(0), b.malloc(8), b.malloc(8));
        b.store(8, x, p);
        b.bin(BinOp::Sub, 64, q, p)
    });
    let (end, driver) = run(vec![main, nothing()], vec![global("x", &[0; 8])]);
    let End::Finish(distance) = end else { panic!("{end:?}") };
    let published = driver.published.last().unwrap().address;
    let state = driver.last_state();
    assert!(!driver.machine.is_private(state, published));
    assert!(driver.machine.is_private(state, published + distance));
    assert!(!driver.machine.is_private(state, published + distance + 8));
    assert!(!driver.machine.is_private(state, 0));
}
