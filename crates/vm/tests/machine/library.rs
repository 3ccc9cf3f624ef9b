//! The other models: allocation, strings, ends of threads and of the program, choices.

use crate::builder::{Build, global, main_of, module};
use crate::driver::{Driver, End, fault, refusal, run, value};
use base::{FenceOrder, ThreadId};
use program::{Blocker, FaultKind, Program};
use vm::bytecode::{BinOp, CmpOp, Global, Op, Operand};
use vm::{Builtin, Options};

#[test]
fn calloc_gives_zeros_and_null_when_it_overflows() {
    let calloc = |count: u64, size: u64, read: bool| {
        main_of(|b| {
            let (count, size) = (b.number(count), b.number(size));
            let p = b.builtin(Builtin::Calloc, &[count, size]);
            if read { b.load(8, p) } else { p }
        })
    };
    assert_eq!(value(vec![calloc(2, 4, true)], vec![]), 0);
    assert_eq!(value(vec![calloc(1 << 33, 1 << 33, false)], vec![]), 0);
}

#[test]
fn realloc_keeps_the_contents_and_frees_the_old_object() {
    let main = |old: bool| {
        main_of(|b| {
            let (p, size) = (b.malloc(8), b.number(64));
            b.store_number(8, p, 11);
            let q = b.builtin(Builtin::Realloc, &[p, size]);
            let at = b.plus(q, 56);
            b.store_number(8, at, 4);
            let (x, y) = (b.load(8, if old { p } else { q }), b.load(8, at));
            b.bin(BinOp::Add, 64, x, y)
        })
    };
    assert_eq!(value(vec![main(false)], vec![]), 15);
    assert_eq!(fault(vec![main(true)], vec![]).0, FaultKind::UseAfterFree);
    let null = main_of(|b| {
        let (null, size) = (b.number(0), b.number(8));
        let p = b.builtin(Builtin::Realloc, &[null, size]);
        b.store_number(8, p, 6);
        b.load(8, p)
    });
    assert_eq!(value(vec![null], vec![]), 6);
}

#[test]
fn realloc_of_shared_memory_copies_it_piece_by_piece_and_frees_it_by_request() {
    for (size, read) in [(64, 2), (12, 2), (8, 1), (0, 0)] {
        let main = main_of(|b| {
            let (x, p, size) = (b.global(0), b.malloc(12), b.number(size));
            b.store_number(8, p, 11);
            let at = b.plus(p, 8);
            b.store_number(4, at, 4);
            b.store(8, x, p);
            b.create(1, x);
            let q = b.builtin(Builtin::Realloc, &[p, size]);
            if read == 0 {
                return b.cmp(CmpOp::Ne, 64, p, q);
            }
            let at = b.plus(q, 8 * (read - 1));
            b.load(4, at)
        });
        let thread = Build::new("thread", 1).ret_number(0);
        let (end, driver) = run(vec![main, thread], vec![global("x", &[0; 8])]);
        assert_eq!(end, End::Finish([1, 11, 4][read as usize]));
        let object = "heap object of thread 0";
        let reads = [format!("read NotAtomic {object}/8"), format!("read NotAtomic {object} (+8)/4")];
        let expected = reads[..read as usize].iter().cloned().chain(["free Heap".to_owned()]);
        assert_eq!(driver.accesses(), expected.collect::<Vec<_>>());
    }
}

#[test]
fn aligned_allocations_are_aligned() {
    let main = main_of(|b| {
        let (align, size, result) = (b.number(4096), b.number(24), b.alloca(8));
        b.malloc(3);
        let p = b.builtin(Builtin::AlignedAlloc, &[align, size]);
        b.builtin(Builtin::PosixMemalign, &[result, align, size]);
        let q = b.load(8, result);
        b.store_number(8, q, 1);
        let (both, mask) = (b.bin(BinOp::Or, 64, p, q), b.number(4095));
        let rest = b.bin(BinOp::And, 64, both, mask);
        let three = b.number(3);
        let wrong = b.builtin(Builtin::PosixMemalign, &[result, three, size]);
        b.bin(BinOp::Add, 64, rest, wrong)
    });
    assert_eq!(value(vec![main], vec![]), 22);
}

#[test]
fn posix_memalign_publishes_when_the_pointer_is_shared() {
    let main = main_of(|b| {
        let (x, align, size) = (b.global(0), b.number(64), b.number(8));
        b.create(1, size);
        b.builtin(Builtin::PosixMemalign, &[x, align, size])
    });
    let nothing = Build::new("nothing", 1).ret_number(0);
    let (end, driver) = run(vec![main, nothing], vec![global("x", &[0; 8])]);
    assert_eq!(end, End::Finish(0));
    assert_eq!(driver.log[2], "publish heap object of thread 0 (8 bytes)");
    assert!(driver.log[3].starts_with("write NotAtomic x/8"));
}

#[test]
fn assertions_say_what_failed() {
    let text = Global { constant: true, ..global("text", b"x == 1\0") };
    let main = main_of(|b| {
        let text = b.global(0);
        b.builtin(Builtin::AssertFail, &[text, text, text, text])
    });
    assert_eq!(fault(vec![main], vec![text]), (FaultKind::Assertion, "assertion `x == 1` failed".into()));
    for builtin in [Builtin::Abort, Builtin::VerifierError] {
        let main = main_of(|b| b.builtin(builtin, &[]));
        assert_eq!(fault(vec![main], vec![]).0, FaultKind::Assertion);
    }
}

#[test]
fn exit_ends_main_and_stops_other_threads() {
    let exit = |name: &str| {
        let mut b = Build::new(name, 0);
        let one = b.number(1);
        b.builtin(Builtin::Exit, &[one]);
        b.op(Op::Unreachable);
        b.end()
    };
    assert_eq!(run(vec![exit("main")], vec![]).0, End::Finish(0));
    let main = main_of(|b| {
        let null = b.number(0);
        let handle = b.create(1, null);
        b.builtin(Builtin::PthreadJoin, &[handle, null])
    });
    assert_eq!(run(vec![main, exit("thread")], vec![]).0, End::Block(Blocker::Assume));
}

#[test]
fn threads_know_who_they_are() {
    let mut thread = Build::new("thread", 1);
    let me = thread.builtin(Builtin::PthreadSelf, &[]);
    let thread = thread.ret(me);
    let main = main_of(|b| {
        let (null, result) = (b.number(0), b.alloca(8));
        let handle = b.create(1, null);
        b.builtin(Builtin::PthreadJoin, &[handle, result]);
        let theirs = b.load(8, result);
        let same = b.builtin(Builtin::PthreadEqual, &[handle, theirs]);
        let me = b.builtin(Builtin::PthreadSelf, &[]);
        let other = b.cmp(CmpOp::Ne, 64, me, theirs);
        b.bin(BinOp::Add, 64, same, other)
    });
    assert_eq!(run(vec![main, thread], vec![]).0, End::Finish(2));
    let main = main_of(|b| {
        let null = b.number(0);
        b.builtin(Builtin::PthreadJoin, &[null, null])
    });
    assert_eq!(fault(vec![main], vec![]).0, FaultKind::InvalidAccess);
}

#[test]
fn only_functions_can_be_threads() {
    let create = |pick: fn(&mut Build) -> Operand| {
        main_of(|b| {
            let (handle, null, function) = (b.alloca(8), b.number(0), pick(b));
            b.builtin(Builtin::PthreadCreate, &[handle, null, function, null])
        })
    };
    assert_eq!(fault(vec![create(|b| b.number(0))], vec![]).0, FaultKind::InvalidAccess);
    assert!(refusal(vec![create(|b| b.external("worker"))], vec![]).contains("`worker`"));
}

#[test]
fn a_boolean_is_chosen_and_other_values_are_refused() {
    for choice in [0, 1] {
        let main = main_of(|b| b.builtin(Builtin::NondetBool, &[]));
        let mut driver = Driver::new(module(vec![main], vec![]), Options::default());
        driver.choices = vec![choice];
        assert_eq!(driver.main(), End::Finish(choice));
    }
    for builtin in [Builtin::Nondet, Builtin::OutputToMemory] {
        let main = main_of(|b| b.builtin(builtin, &[]));
        refusal(vec![main], vec![]);
    }
}

#[test]
fn errno_is_one_variable_a_thread() {
    let main = main_of(|b| {
        let p = b.builtin(Builtin::ErrnoLocation, &[]);
        b.store_number(4, p, 3);
        let q = b.builtin(Builtin::ErrnoLocation, &[]);
        b.load(4, q)
    });
    assert_eq!(value(vec![main], vec![]), 3);
}

#[test]
fn fences_are_asked_for() {
    let main = main_of(|b| {
        b.op(Op::Fence(FenceOrder::SeqCst));
        b.number(0)
    });
    assert_eq!(run(vec![main], vec![]).1.log, ["fence SeqCst"]);
}

#[test]
fn a_private_pointer_can_be_compared_as_bytes() {
    let main = main_of(|b| {
        let (p, q, len) = (b.malloc(8), b.malloc(8), b.number(8));
        b.store_number(8, p, 1 << 40);
        b.store_number(8, q, 1 << 41);
        let less = b.builtin(Builtin::MemCompare, &[p, q, len]);
        let more = b.builtin(Builtin::MemCompare, &[q, p, len]);
        let shift = b.number(32);
        let more = b.bin(BinOp::Shl, 64, more, shift);
        b.bin(BinOp::Or, 64, less, more)
    });
    assert_eq!(value(vec![main], vec![]), 1 << 32 | 0xffff_ffff);
}

#[test]
fn addresses_have_names() {
    let functions = vec![main_of(|b| b.global(0))];
    let (end, driver) = run(functions, vec![global("a", &[0; 16])]);
    let End::Finish(a) = end else { panic!("{end:?}") };
    let machine = &driver.machine;
    assert_eq!(machine.describe_address(a).as_deref(), Some("a"));
    assert_eq!(machine.describe_address(a + 8).as_deref(), Some("a+8"));
    assert_eq!(machine.describe_address(a + 16), None);
    assert_eq!(machine.describe_address(1 << 50), None);
    assert_eq!(machine.describe_address(0).as_deref(), Some("null"));
    let state = machine.start(ThreadId(1), 1 << 16, 0);
    assert_eq!(machine.site(&state), base::Site(0));
    assert_eq!(machine.describe_address(1 << 16).as_deref(), Some("main"));
}
