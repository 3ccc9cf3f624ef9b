//! Private memory: what is found in it, and what is wrong with an access.

use super::driver::{End, fault, run, value};
use crate::builder::{Build, global, main_of};
use program::FaultKind::{DoubleFree, InvalidAccess, InvalidFree, UninitialisedRead, UseAfterFree};
use vm::Builtin;
use vm::bytecode::{BinOp, CmpOp, Function, Op, Operand, Reg, Relocation};

fn main_fault(body: impl FnOnce(&mut Build) -> Operand) -> (program::FaultKind, String) {
    fault(vec![main_of(body)], vec![global("a", &[7; 40]), global("b", &[1; 8])])
}

#[test]
fn values_of_each_size_come_back() {
    let result = value(
        vec![main_of(|b| {
            let p = b.malloc(16);
            b.store_number(8, p, 0x1122_3344_5566_7788);
            let at = b.plus(p, 3);
            b.store_number(2, at, 0xabcd);
            b.load(8, p)
        })],
        vec![],
    );
    assert_eq!(result, 0x1122_33ab_cd66_7788);
}

#[test]
fn an_index_that_is_too_large_is_found_in_each_storage() {
    let (kind, message) = main_fault(|b| {
        let p = b.malloc(40);
        let at = b.plus(p, 40);
        b.load(4, at)
    });
    assert_eq!((kind, &message[..]), (InvalidAccess, "4 bytes at offset 40 of a 40-byte heap object"));
    let (kind, message) = main_fault(|b| {
        let p = b.alloca(6);
        b.store_number(4, p, 1);
        b.load(8, p)
    });
    assert_eq!((kind, &message[..]), (InvalidAccess, "8 bytes at offset 0 of a 6-byte local variable"));
    let (kind, message) = main_fault(|b| {
        let a = b.global(0);
        let at = b.plus(a, 44);
        b.load(4, at)
    });
    assert_eq!((kind, &message[..]), (InvalidAccess, "4 bytes at offset 44 of `a`, which has 40 bytes"));
}

#[test]
fn an_index_below_zero_is_found() {
    for pick in [|b: &mut Build| b.malloc(8), |b: &mut Build| b.alloca(8), |b: &mut Build| b.global(0)] {
        let (kind, _) = main_fault(|b| {
            b.malloc(8);
            b.alloca(8);
            let p = pick(b);
            let at = b.plus(p, 8u64.wrapping_neg());
            b.load(8, at)
        });
        assert_eq!(kind, InvalidAccess);
    }
}

#[test]
fn in_bounds_is_a_check_of_its_own() {
    let check = |offset: u64| {
        main_of(|b| {
            let base = b.global(0);
            let Operand::Reg(address) = b.plus(base, offset) else { unreachable!("a result") };
            b.op(Op::InBounds { address, base, size: 40 });
            base
        })
    };
    assert!(matches!(run(vec![check(40)], vec![global("a", &[0; 40])]).0, End::Finish(_)));
    let (kind, message) = fault(vec![check(128)], vec![global("a", &[0; 40]), global("b", &[0; 8])]);
    assert_eq!((kind, &message[..]), (InvalidAccess, "offset 128 of `a`, which has 40 bytes"));
    let (_, message) = fault(vec![check(4u64.wrapping_neg())], vec![global("a", &[0; 40])]);
    assert!(message.contains("offset -4"), "{message}");
}

#[test]
fn null_and_nonsense_pointers_are_told_apart() {
    let access = |address: u64| {
        main_fault(|b| {
            let p = b.number(address);
            b.load(4, p)
        })
    };
    assert_eq!(access(0), (InvalidAccess, "null pointer access".into()));
    assert!(access(16).1.contains("null pointer access"));
    assert!(access(0x10000).1.contains("code of a function"));
    assert!(access(1 << 60).1.contains("no address"));
    assert_eq!(access(0x7fff_ffff_fff8_0000).0, InvalidAccess);
}

#[test]
fn freed_memory_is_remembered() {
    let (kind, message) = main_fault(|b| {
        let p = b.malloc(8);
        b.store_number(8, p, 1);
        b.builtin(Builtin::Free, &[p]);
        b.load(8, p)
    });
    assert_eq!((kind, &message[..]), (UseAfterFree, "access to `p` after it was freed"));
    let (kind, _) = main_fault(|b| {
        let p = b.malloc(8);
        b.builtin(Builtin::Free, &[p]);
        b.builtin(Builtin::Free, &[p])
    });
    assert_eq!(kind, DoubleFree);
}

#[test]
fn only_what_was_allocated_can_be_freed() {
    let free = |pick: fn(&mut Build) -> Operand| {
        main_fault(|b| {
            let p = pick(b);
            b.builtin(Builtin::Free, &[p])
        })
    };
    let inside = free(|b| {
        let p = b.malloc(8);
        b.plus(p, 4)
    });
    assert_eq!(inside, (InvalidFree, "free of offset 4 of a 8-byte heap object".into()));
    assert_eq!(free(|b| b.alloca(8)), (InvalidFree, "free of a local variable".into()));
    assert_eq!(free(|b| b.global(0)), (InvalidFree, "free of a global variable".into()));
    assert_eq!(free(|b| b.number(12)).0, InvalidFree);
    assert_eq!(free(|b| b.builtin(Builtin::ErrnoLocation, &[])).0, InvalidFree);
    let null = main_of(|b| {
        let p = b.number(0);
        b.builtin(Builtin::Free, &[p])
    });
    assert_eq!(value(vec![null], vec![]), 0);
}

#[test]
fn reads_of_what_was_never_written_are_found() {
    let read = main_fault(|b| {
        let p = b.malloc(8);
        b.store_number(4, p, 1);
        let at = b.plus(p, 4);
        b.load(4, at)
    });
    assert_eq!(read, (UninitialisedRead, "read of uninitialised memory".into()));
    let (kind, _) = main_fault(|b| {
        let p = b.alloca(4);
        b.store_number(4, p, 1);
        b.op(Op::Lifetime { address: p, start: true });
        b.load(4, p)
    });
    assert_eq!(kind, UninitialisedRead, "a local variable that lives again is undefined");
}

#[test]
fn padding_and_the_bits_around_a_bit_field_count_as_zero() {
    let padded = main_of(|b| {
        let p = b.alloca(8);
        b.store_number(8, p, u64::MAX);
        b.op(Op::Lifetime { address: p, start: true });
        b.store_number(1, p, 3);
        let at = b.plus(p, 4);
        b.store_number(4, at, 1);
        let (read, expected) = (b.load(8, p), b.number(1 << 32 | 3));
        b.cmp(CmpOp::Eq, 64, read, expected)
    });
    assert_eq!(value(vec![padded], vec![]), 1);
    let bit_field = main_of(|b| {
        let p = b.malloc(4);
        let (old, bits) = (b.load_partial(4, p), b.number(5));
        let new = b.bin(BinOp::Or, 32, old, bits);
        b.store(4, p, new);
        b.load(4, p)
    });
    assert_eq!(value(vec![bit_field], vec![]), 5);
}

#[test]
fn a_local_variable_is_used_in_its_life_only() {
    let (start, end) = (true, false);
    let lives = |b: &mut Build, p: Operand, marks: &[bool]| {
        for &start in marks {
            b.op(Op::Lifetime { address: p, start });
        }
        // Not a return: an end right before that changes nothing.
        b.malloc(1);
    };
    let ways: [fn(&mut Build, Operand); 3] = [
        |b, p| {
            b.load(4, p);
        },
        |b, p| b.store_number(4, p, 2),
        |b, p| {
            let (byte, len) = (b.number(0), b.number(4));
            b.builtin(Builtin::MemSet, &[p, byte, len]);
        },
    ];
    for way in ways {
        let fault = main_fault(|b| {
            let p = b.alloca(4);
            b.store_number(4, p, 1);
            lives(b, p, &[end]);
            way(b, p);
            p
        });
        assert_eq!(fault, (UseAfterFree, "access to `p` after its block has ended".into()));
    }
    let again = main_of(|b| {
        let p = b.alloca(4);
        lives(b, p, &[start, end, end, start]);
        b.store_number(4, p, 7);
        b.load(4, p)
    });
    assert_eq!(value(vec![again], vec![]), 7);
    let (kind, _) = main_fault(|b| {
        let p = b.alloca(4);
        b.store_number(4, p, 1);
        lives(b, p, &[end, start]);
        b.load(4, p)
    });
    assert_eq!(kind, UninitialisedRead);
}

#[test]
fn a_copy_of_undefined_bytes_is_no_fault_until_they_are_read() {
    let copy = |offset: u64| {
        main_of(|b| {
            let (from, to, len) = (b.malloc(16), b.alloca(16), b.number(16));
            let at = b.plus(from, 8);
            b.store_number(8, at, 5);
            b.builtin(Builtin::MemCopy, &[to, from, len]);
            let at = b.plus(to, offset);
            b.load(8, at)
        })
    };
    assert_eq!(value(vec![copy(8)], vec![]), 5);
    assert_eq!(fault(vec![copy(0)], vec![]).0, UninitialisedRead);
}

#[test]
fn constants_are_read_without_a_request_and_never_written() {
    let mut constant = global("limit", &[9, 0, 0, 0]);
    constant.constant = true;
    let read = main_of(|b| {
        let p = b.global(0);
        b.load(4, p)
    });
    assert_eq!(value(vec![read], vec![constant.clone()]), 9);
    let write = main_of(|b| {
        let p = b.global(0);
        b.store_number(4, p, 1);
        p
    });
    let (kind, message) = fault(vec![write], vec![constant]);
    assert_eq!((kind, &message[..]), (InvalidAccess, "write to `limit`, which is constant"));
}

#[test]
fn initialisers_point_where_they_should() {
    let mut table = global("table", &[0; 24]);
    table.relocations = vec![
        (0, Relocation::Global(vm::bytecode::GlobalId(1), 4)),
        (8, Relocation::Function(vm::bytecode::FunctionId(1))),
        (16, Relocation::External("frobnicate".into())),
    ];
    let globals = vec![table, global("x", &[1, 0, 0, 0, 2, 0, 0, 0])];
    let answer = Build::new("answer", 0).ret_number(40);
    let main = main_of(|b| {
        let table = b.global(0);
        let p = b.load(8, table);
        let x = b.load(4, p);
        let at = b.plus(table, 8);
        let f = b.load(8, at);
        let y = b.call_indirect(f, &[]);
        b.bin(BinOp::Add, 64, x, y)
    });
    assert_eq!(value(vec![main, answer], globals), 42);
}

#[test]
fn external_variables_are_refused_but_streams_can_be_passed_on() {
    let external = |name: &str| vm::bytecode::Global { external: true, ..global(name, &[]) };
    let read = || {
        main_of(|b| {
            let p = b.global(0);
            let stream = b.load(8, p);
            b.builtin(Builtin::Output, &[stream])
        })
    };
    assert_eq!(value(vec![read()], vec![external("stderr")]), 0);
    let message = super::driver::refusal(vec![read()], vec![external("environ")]);
    assert!(message.contains("`environ`"), "{message}");
}

#[test]
fn thread_local_variables_start_with_their_initial_bytes() {
    let mut counter = global("counter", &[5, 0, 0, 0]);
    counter.thread_local = true;
    let increment = |b: &mut Build| {
        let dst = b.register();
        b.op(Op::ThreadLocal { dst, global: vm::bytecode::GlobalId(0) });
        let (p, one) = (Operand::Reg(dst), b.number(1));
        let old = b.load(4, p);
        let new = b.bin(BinOp::Add, 32, old, one);
        b.store(4, p, new);
        new
    };
    let mut thread = Build::new("thread", 1);
    let new = increment(&mut thread);
    let thread = thread.ret(new);
    let main = main_of(|b| {
        increment(b);
        let null = b.number(0);
        let (result, handle) = (b.alloca(8), b.create(1, null));
        b.builtin(Builtin::PthreadJoin, &[handle, result]);
        let (theirs, hundred) = (b.load(8, result), b.number(100));
        let theirs = b.bin(BinOp::Mul, 64, theirs, hundred);
        let mine = increment(b);
        b.bin(BinOp::Add, 64, theirs, mine)
    });
    let (end, driver) = run(vec![main, thread], vec![counter]);
    assert_eq!((end, driver.accesses().len()), (End::Finish(607), 0));
}

/// Returns the address of its local variable.
fn dangling() -> Function {
    let mut b = Build::new("dangling", 0);
    let p = b.alloca(8);
    b.store_number(8, p, 3);
    b.ret(p)
}

#[test]
fn a_local_variable_is_gone_when_its_function_has_returned() {
    let main = main_of(|b| {
        let p = b.call(1, &[]);
        b.load(8, p)
    });
    let (kind, message) = fault(vec![main, dangling()], vec![]);
    assert_eq!((kind, message.contains("function has returned")), (UseAfterFree, true), "{message}");
}

#[test]
fn addresses_of_private_local_variables_are_used_again() {
    let main = main_of(|b| {
        let (p, q) = (b.call(1, &[]), b.call(1, &[]));
        b.cmp(CmpOp::Eq, 64, p, q)
    });
    assert_eq!(value(vec![main, dangling()], vec![]), 1);
}

#[test]
fn heap_addresses_are_never_used_again() {
    let main = main_of(|b| {
        let p = b.malloc(0);
        b.builtin(Builtin::Free, &[p]);
        let q = b.malloc(0);
        b.cmp(CmpOp::Ne, 64, p, q)
    });
    assert_eq!(value(vec![main], vec![]), 1);
}

#[test]
fn a_program_that_allocates_and_frees_all_the_time_stays_small() {
    let mut b = Build::new("main", 0);
    let (zero, one, many) = (b.number(0), b.number(1), b.number(20_000));
    let i = b.register();
    b.op(Op::Move { dst: i, a: zero });
    let head = b.here();
    let p = b.malloc(8);
    b.store_number(8, p, 1);
    b.builtin(Builtin::Free, &[p]);
    b.op(Op::Bin { op: BinOp::Add, width: 64, dst: i, a: Operand::Reg(i), b: one });
    let more = b.cmp(CmpOp::Ult, 64, Operand::Reg(i), many);
    let next = b.here() + 1;
    b.op(Op::Branch { condition: more, then: head, otherwise: next });
    let again = b.load(8, p);
    assert_eq!(fault(vec![b.ret(again)], vec![]).0, UseAfterFree);
}

#[test]
fn private_atomics_make_no_requests() {
    use base::{ReadOrder, RmwOrder};
    let main = main_of(|b| {
        let x = b.global(0);
        let (five, six) = (b.number(5), b.number(6));
        let order = RmwOrder::SeqCst;
        let (old, dst, success) = (b.register(), b.register(), b.register());
        b.op(Op::Rmw { kind: vm::bytecode::RmwKind::Add, size: 4, order, dst: old, address: x, value: five });
        let failure = ReadOrder::SeqCst;
        let weak = false;
        b.op(Op::CompareExchange {
            size: 4,
            order,
            failure,
            weak,
            dst,
            success,
            address: x,
            expected: six,
            new: five,
        });
        let now = b.load(4, x);
        let twice = b.bin(BinOp::Add, 64, now, Operand::Reg(success));
        b.bin(BinOp::Add, 64, twice, Operand::Reg(Reg(old.0)))
    });
    assert_eq!(value(vec![main], vec![global("x", &[1, 0, 0, 0])]), 5 + 1 + 1);
}
