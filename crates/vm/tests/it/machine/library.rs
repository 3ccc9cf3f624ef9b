//! The other models: allocation, strings, ends of threads and of the program, choices.

use super::driver::{Driver, End, fault, refusal, run, value};
use crate::builder::{Build, global, main_of, module};
use base::{FenceOrder, ReadOrder, RmwOrder, ThreadId};
use program::{Blocker, FaultKind, Program};
use vm::bytecode::{BinOp, CmpOp, FunctionId, Global, GlobalId, Op, Operand};
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
    assert_eq!(run(vec![main, exit("thread")], vec![]).0, End::Block(Blocker::Exit));
}

/// A `main` that creates a thread and ends so, and a destructor that stores 7 to a global.
fn with_destructor(end: fn(&mut Build)) -> Vec<String> {
    let main = main_of(|b| {
        let x = b.global(0);
        b.create(1, x);
        b.store_number(4, x, 1);
        end(b);
        b.number(5)
    });
    let mut destructor = Build::new("destructor", 0);
    let x = destructor.global(0);
    destructor.store_number(4, x, 7);
    let thread = Build::new("thread", 1).ret_number(0);
    let mut module = module(vec![main, thread, destructor.ret_number(0)], vec![global("x", &[0; 4])]);
    module.destructors = vec![FunctionId(2), FunctionId(2)];
    let mut driver = Driver::new(module, Options::default());
    let end = driver.main();
    driver.log.drain(..2);
    driver.log.push(format!("{end:?}"));
    driver.log
}

#[test]
fn destructors_run_when_main_returns_or_exits() {
    let (first, destructor) = ("write NotAtomic x/4 0x1", "write NotAtomic x/4 0x7");
    assert_eq!(with_destructor(|_| {}), [first, destructor, destructor, "Finish(5)"]);
    let exit = |b: &mut Build| {
        let one = b.number(1);
        b.builtin(Builtin::Exit, &[one]);
    };
    assert_eq!(with_destructor(exit), [first, destructor, destructor, "Finish(0)"]);
    let exit_now = |b: &mut Build| {
        b.builtin(Builtin::ExitNow, &[]);
    };
    assert_eq!(with_destructor(exit_now), [first, "Finish(0)"]);
    let exit_thread = |b: &mut Build| {
        b.builtin(Builtin::PthreadExit, &[]);
    };
    assert!(with_destructor(exit_thread)[1].contains("not modelled"));
}

#[test]
fn a_destructor_that_exits_is_refused() {
    let mut destructor = Build::new("destructor", 0);
    destructor.builtin(Builtin::Exit, &[]);
    let mut module = module(vec![main_of(|b| b.number(0)), destructor.ret_number(0)], vec![]);
    module.destructors = vec![FunctionId(1)];
    let End::Refuse(text) = Driver::new(module, Options::default()).main() else { panic!("not refused") };
    assert_eq!(text, "`exit` in a destructor is not modelled");
}

/// What is read, of the string "ab" in a shared variable, by this output.
fn reads_of_output(builtin: Builtin, format: &str, more: &[u64]) -> (End, Vec<String>) {
    let main = main_of(|b| {
        let (x, format) = (b.global(0), b.global(1));
        b.create(1, x);
        let more: Vec<Operand> = more.iter().map(|&number| b.number(number)).collect();
        let arguments = match builtin {
            Builtin::OutputFormat(_) => [&[format][..], &more, &[x]].concat(),
            _ => [&[x][..], &more].concat(),
        };
        b.builtin(builtin, &arguments)
    });
    let format = Global { constant: true, ..global("format", &[format.as_bytes(), &[0]].concat()) };
    let thread = Build::new("thread", 1).ret_number(0);
    let (end, driver) = run(vec![main, thread], vec![global("x", b"ab\0d\0\0\0\0"), format]);
    (end, driver.accesses().iter().map(|access| access.replace("read NotAtomic ", "")).collect())
}

#[test]
fn output_reads_its_strings() {
    let whole = ["x/1", "x+1/1", "x+2/1"];
    assert_eq!(reads_of_output(Builtin::OutputString, "", &[]).1, whole);
    assert_eq!(reads_of_output(Builtin::OutputError, "", &[]).1, whole);
    assert_eq!(reads_of_output(Builtin::OutputBytes, "", &[2, 3]).1, ["x/4", "x+4/2"]);
    let format = |text: &str, more: &[u64]| reads_of_output(Builtin::OutputFormat(0), text, more).1;
    assert_eq!(format("%s", &[]), whole);
    assert_eq!(format("%d%%", &[]), [""; 0]);
    assert_eq!(format("%d %s", &[1]), whole);
    assert_eq!(format("%.1s", &[]), whole[..1]);
    assert_eq!(format("%.*s", &[2]), whole[..2]);
    assert_eq!(format("%.*s", &[0xffff_ffff]), whole);
    // The first argument of the format is the second string: null.
    let (end, reads) = reads_of_output(Builtin::OutputFormat(0), "%s%s", &[0]);
    assert!(matches!(end, End::Fault(FaultKind::InvalidAccess, _)) && reads.is_empty());
    let (end, reads) = reads_of_output(Builtin::OutputFormat(0), "%s%s", &[]);
    assert!(matches!(end, End::Fault(FaultKind::InvalidAccess, _)));
    assert_eq!(reads, whole);
    let (end, _) = reads_of_output(Builtin::OutputFormat(0), "%n", &[]);
    assert_eq!(end, End::Refuse("%n is not modelled".into()));
}

#[test]
fn a_format_that_is_not_constant_is_read_and_must_not_ask_for_strings() {
    let main = |format: &'static [u8], builtin: Builtin| {
        let main = main_of(|b| {
            let format = b.global(0);
            b.builtin(builtin, &[format])
        });
        run(vec![main], vec![global("format", format)]).0
    };
    for builtin in [Builtin::OutputFormat(0), Builtin::OutputList(0)] {
        assert_eq!(main(b"100%% sure: %d\0", builtin), End::Finish(0));
        assert!(matches!(main(b"%d %-5s\0", builtin), End::Refuse(_)));
        assert!(matches!(main(b"%ln\0", builtin), End::Refuse(_)));
        assert!(matches!(main(b"no end", builtin), End::Fault(FaultKind::InvalidAccess, _)));
    }
}

#[test]
fn output_finds_strings_that_are_freed_or_were_never_written() {
    for (builtin, kind) in [
        (Builtin::OutputString, FaultKind::UninitialisedRead),
        (Builtin::OutputString, FaultKind::UseAfterFree),
        (Builtin::OutputBytes, FaultKind::UseAfterFree),
    ] {
        let main = main_of(|b| {
            let (p, one) = (b.malloc(8), b.number(1));
            if kind == FaultKind::UseAfterFree {
                b.store_number(8, p, 0);
                b.builtin(Builtin::Free, &[p]);
            }
            b.builtin(builtin, &[p, one, one])
        });
        assert_eq!(fault(vec![main], vec![]).0, kind);
    }
    let main = main_of(|b| {
        let null = b.number(0);
        b.builtin(Builtin::OutputError, &[null])
    });
    assert_eq!(value(vec![main], vec![]), 0);
}

#[test]
fn the_result_of_output_through_a_pointer_is_refused() {
    let main = main_of(|b| {
        let (puts, null) = (b.external("puts"), b.number(0));
        b.call_indirect(puts, &[null])
    });
    assert_eq!(refusal(vec![main], vec![]), "the result of puts is not modelled");
}

#[test]
fn published_thread_local_variables_end_with_their_thread() {
    let of_thread = |publish: bool| {
        let mut thread = Build::new("thread", 1);
        let dst = thread.register();
        thread.op(Op::ThreadLocal { dst, global: GlobalId(0) });
        let variable = Operand::Reg(dst);
        thread.store_number(4, variable, 3);
        let zero = thread.number(0);
        let thread = thread.ret(if publish { variable } else { zero });
        let main = main_of(|b| {
            let null = b.number(0);
            b.create(1, null)
        });
        let mine = Global { thread_local: true, ..global("mine", &[0; 4]) };
        let (end, driver) = run(vec![main, thread], vec![mine]);
        assert_eq!(end, End::Finish(2));
        driver.log[2..].join(", ")
    };
    assert_eq!(of_thread(true), "publish heap object of thread 1 (4 bytes), free Stack");
    assert_eq!(of_thread(false), "");
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

/// What a weak compare-exchange does that is not tried again is a choice; in a loop that is cut it is not.
#[test]
fn weak_compare_exchanges_fail_if_somebody_notices() {
    let compare_exchange = |b: &mut Build| {
        let (address, expected, new) = (b.global(0), b.number(0), b.number(1));
        let (dst, success) = (b.register(), b.register());
        b.op(Op::CompareExchange {
            size: 4,
            order: RmwOrder::Relaxed,
            failure: ReadOrder::Relaxed,
            weak: true,
            dst,
            success,
            address,
            expected,
            new,
        });
        Operand::Reg(success)
    };
    let once = main_of(compare_exchange);
    let globals = || vec![global("x", &[0; 4])];
    for (choice, succeeds) in [(0, 1), (1, 0)] {
        let mut driver = Driver::new(module(vec![once.clone()], globals()), Options::default());
        driver.choices = vec![choice];
        assert_eq!(driver.main(), End::Finish(succeeds));
    }
    let looped = main_of(|b| {
        let header = b.here();
        let success = compare_exchange(b);
        let branch = b.here();
        b.op(Op::Branch { condition: success, then: branch + 1, otherwise: header });
        success
    });
    // Nothing is chosen: the driver would have no answer.
    assert_eq!(run(vec![looped], globals()).0, End::Finish(1));
}
