//! Plain accesses to shared memory in pieces; `memcpy` and its like on shared memory.

use super::driver::{Driver, End, run};
use crate::builder::{Build, global, main_of, module};
use base::{Access, ReadOrder, Site};
use program::{Conflict, Hint, Program, Refinements, Request};
use vm::bytecode::{BinOp, Function, Op, Operand};
use vm::{Builtin, Machine, Options};

fn nothing() -> Function {
    Build::new("nothing", 1).ret_number(0)
}

fn after_create(body: impl FnOnce(&mut Build) -> Operand) -> Function {
    main_of(|b| {
        let null = b.number(0);
        b.create(1, null);
        body(b)
    })
}

/// Plain accesses to the first global at these offsets, of these sizes, overlap.
fn conflict(machine: &Machine, old: (u64, u8), new: (u64, u8)) -> Conflict {
    let mut probe = Driver::of(machine.clone());
    probe.main();
    let x = probe.published[0].address;
    let access = |(offset, size)| (Access { address: x + offset, size }, false);
    Conflict { old: access(old), new: access(new), site: Site(0) }
}

/// A machine with the first global refined.
fn refined(main: Function, size: usize, conflicts: &[[(u64, u8); 2]]) -> Machine {
    let bytes: Vec<u8> = (1..=size as u8).collect();
    let module = module(vec![main, nothing()], vec![global("x", &bytes), global("y", &bytes)]);
    let mut machine = Machine::new(module, Options::default()).unwrap();
    let conflicts = conflicts.iter().map(|&[old, new]| conflict(&machine, old, new)).collect();
    machine.refine(&Refinements { conflicts, ..Refinements::default() }).unwrap();
    machine
}

fn run_refined(main: Function, size: usize, conflicts: &[[(u64, u8); 2]]) -> (End, Driver) {
    let mut driver = Driver::of(refined(main, size, conflicts));
    (driver.main(), driver)
}

#[test]
fn loads_and_stores_are_made_in_pieces() {
    let main = after_create(|b| {
        let x = b.global(0);
        b.store_number(8, x, 0x8877_6655_4433_2211);
        b.load(8, x)
    });
    let (end, driver) = run_refined(main, 8, &[[(4, 2), (0, 8)]]);
    assert_eq!(end, End::Finish(0x8877_6655_4433_2211));
    assert_eq!(
        driver.accesses(),
        [
            "write NotAtomic x/2 0x2211",
            "write NotAtomic x+2/2 0x4433",
            "write NotAtomic x+4/2 0x6655",
            "write NotAtomic x+6/2 0x8877",
            "read NotAtomic x/2",
            "read NotAtomic x+2/2",
            "read NotAtomic x+4/2",
            "read NotAtomic x+6/2",
        ]
    );
}

#[test]
fn of_shared_memory_only_the_first_piece_of_a_load_must_have_been_written() {
    let main = after_create(|b| {
        let x = b.global(0);
        b.load(8, x);
        b.load_partial(4, x)
    });
    let machine = refined(main, 8, &[[(4, 4), (0, 8)], [(0, 2), (0, 4)]]);
    let mut state = machine.main();
    let mut is_copy = Vec::new();
    loop {
        match machine.resume(&mut state, 0) {
            Request::Read { .. } => is_copy.push(machine.is_copy(&state)),
            Request::Finish { .. } => break,
            _ => {}
        }
    }
    let (load, load_partial) = ([false, true, true], [true, true]);
    assert_eq!(is_copy, [&load[..], &load_partial].concat());
}

#[test]
fn atomic_accesses_stay_whole() {
    let main = after_create(|b| {
        let (x, dst) = (b.global(0), b.register());
        b.op(Op::Load { size: 8, order: ReadOrder::Acquire, partial: false, dst, address: x });
        Operand::Reg(dst)
    });
    let (_, driver) = run_refined(main, 8, &[[(4, 4), (0, 8)]]);
    assert_eq!(driver.accesses(), ["read Acquire x/8"]);
}

#[test]
fn a_pointer_that_is_stored_in_pieces_is_published_whole() {
    let main = after_create(|b| {
        let (x, p) = (b.global(0), b.malloc(8));
        b.store(8, x, p);
        let q = b.load(8, x);
        b.bin(BinOp::Sub, 64, p, q)
    });
    let (end, driver) = run_refined(main, 8, &[[(4, 4), (0, 8)]]);
    assert_eq!(end, End::Finish(0));
    assert!(driver.log.contains(&"publish heap object of thread 0 (8 bytes)".to_owned()));
}

#[test]
fn copies_of_shared_memory_go_in_aligned_pieces() {
    let main = after_create(|b| {
        let (x, y) = (b.global(0), b.global(1));
        let (from, to, len) = (b.plus(x, 4), b.plus(y, 4), b.number(13));
        b.builtin(Builtin::MemCopy, &[to, from, len]);
        b.load(8, to)
    });
    let (end, driver) = run_refined(main, 20, &[]);
    assert_eq!(end, End::Finish(0x0c0b_0a09_0807_0605));
    let pieces: Vec<&str> = driver.accesses().into_iter().filter(|line| line.starts_with("read")).collect();
    assert_eq!(
        pieces,
        ["read NotAtomic x+4/4", "read NotAtomic x+8/8", "read NotAtomic x+16/1", "read NotAtomic y+4/8"]
    );
}

#[test]
fn overlapping_moves_go_the_right_way() {
    for (from, to, expected) in [(0, 3, 0x0504_0302_0103_0201), (3, 0, 0x0807_0608_0706_0504)] {
        let main = after_create(|b| {
            let x = b.global(0);
            let (from, to, len) = (b.plus(x, from), b.plus(x, to), b.number(5));
            b.builtin(Builtin::MemCopy, &[to, from, len]);
            b.load(8, x)
        });
        let (end, _) = run_refined(main, 8, &[]);
        assert_eq!(end, End::Finish(expected));
    }
}

#[test]
fn copies_between_private_and_shared_memory_keep_the_bytes() {
    for conflicts in [&[][..], &[[(4, 4), (0, 8)], [(8, 1), (8, 8)]][..]] {
        let main = after_create(|b| {
            let (x, p, q, len) = (b.global(0), b.alloca(24), b.malloc(24), b.number(21));
            b.builtin(Builtin::MemCopy, &[p, x, len]);
            let (nine, five, at) = (b.number(9), b.number(5), b.plus(p, 2));
            b.builtin(Builtin::MemSet, &[at, nine, five]);
            b.builtin(Builtin::MemCopy, &[x, p, len]);
            b.builtin(Builtin::MemCopy, &[q, x, len]);
            b.builtin(Builtin::MemCompare, &[q, p, len])
        });
        let (end, driver) = run_refined(main, 21, conflicts);
        assert_eq!(end, End::Finish(0));
        let first: Vec<&str> = driver.accesses().into_iter().take(2).collect();
        let split = ["read NotAtomic x/4", "read NotAtomic x+4/4"];
        let whole = ["read NotAtomic x/8", "read NotAtomic x+8/8"];
        assert_eq!(first, if conflicts.is_empty() { whole } else { split });
    }
}

#[test]
fn padding_is_copied_into_shared_memory_without_a_fault() {
    let main = after_create(|b| {
        let (x, p, len) = (b.global(0), b.alloca(8), b.number(8));
        b.store_number(1, p, 5);
        b.builtin(Builtin::MemCopy, &[x, p, len]);
        b.load(8, x)
    });
    let (end, _) = run(vec![main, nothing()], vec![global("x", &[255; 8])]);
    assert_eq!(end, End::Finish(5));
}

#[test]
fn memset_of_shared_memory_is_split() {
    let main = after_create(|b| {
        let (x, byte, len) = (b.global(0), b.number(0x1ab), b.number(12));
        b.builtin(Builtin::MemSet, &[x, byte, len]);
        b.load(4, x)
    });
    let (end, driver) = run_refined(main, 12, &[[(4, 4), (0, 8)]]);
    assert_eq!(end, End::Finish(0xabab_abab));
    let writes = ["x/4", "x+4/4", "x+8/4"].map(|name| format!("write NotAtomic {name} 0xabababab"));
    assert_eq!(driver.accesses()[..3], writes);
}

#[test]
fn a_request_of_a_copy_is_known_as_such() {
    let main = after_create(|b| {
        let (x, p, len) = (b.global(0), b.alloca(8), b.number(8));
        b.builtin(Builtin::MemCopy, &[p, x, len]);
        b.load(8, x)
    });
    let (_, driver) = run(vec![main, nothing()], vec![global("x", &[1; 8])]);
    let copies: Vec<bool> = driver.states.iter().map(|state| driver.machine.is_copy(state)).collect();
    // The states before a request: the start of main and of the thread, then those with the request before it pending.
    assert_eq!(copies.iter().filter(|&&copy| copy).count(), 1, "{copies:?}");
}

#[test]
fn strings_in_shared_memory_are_read_up_to_their_end() {
    let main = after_create(|b| {
        let (x, y) = (b.global(0), b.global(1));
        let (len, order) = (b.builtin(Builtin::StrLen, &[x]), b.builtin(Builtin::StrCompare, &[x, y]));
        let shift = b.number(32);
        let len = b.bin(BinOp::Shl, 64, len, shift);
        b.bin(BinOp::Or, 64, len, order)
    });
    let (end, driver) = run(vec![main, nothing()], vec![global("x", b"ab\0z"), global("y", b"abc\0")]);
    assert_eq!(end, End::Finish(2 << 32 | 0xffff_ffff));
    assert_eq!(driver.accesses().len(), 3 + 6);
}
