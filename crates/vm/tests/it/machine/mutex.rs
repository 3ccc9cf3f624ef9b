//! Mutexes and atomic sections, private and shared.

use super::driver::{Driver, End, fault, refusal, run, value};
use crate::builder::{Build, global, main_of};
use program::{FaultKind, Hint, Program, Refinements, SectionOrder};
use vm::bytecode::{BinOp, Function, Operand};
use vm::{Builtin, SyncCall};

fn nothing() -> Function {
    Build::new("nothing", 1).ret_number(0)
}

fn mutex() -> vm::bytecode::Global {
    global("m", &[0; 40])
}

/// All atomic sections exclude each other.
fn ordered() -> Refinements {
    Refinements { sections: SectionOrder::total(), ..Refinements::default() }
}

#[test]
fn a_private_mutex_asks_nothing() {
    let main = main_of(|b| {
        let m = b.malloc(40);
        let null = b.number(0);
        b.builtin(Builtin::MutexInit, &[m, null]);
        b.builtin(Builtin::MutexLock, &[m]);
        let busy = b.builtin(Builtin::MutexTryLock, &[m]);
        b.builtin(Builtin::MutexUnlock, &[m]);
        let free = b.builtin(Builtin::MutexTryLock, &[m]);
        let hundred = b.number(100);
        let free = b.bin(BinOp::Mul, 64, free, hundred);
        let sum = b.bin(BinOp::Add, 64, busy, free);
        let word = b.load(4, m);
        let word = b.bin(BinOp::Mul, 64, word, hundred);
        b.bin(BinOp::Add, 64, sum, word)
    });
    assert_eq!(value(vec![main], vec![]), 16 + 100);
}

#[test]
fn a_shared_mutex_asks_for_everything() {
    let main = main_of(|b| {
        let m = b.global(0);
        b.create(1, m);
        b.builtin(Builtin::MutexLock, &[m]);
        let busy = b.builtin(Builtin::MutexTryLock, &[m]);
        b.builtin(Builtin::MutexUnlock, &[m]);
        let free = b.builtin(Builtin::MutexTryLock, &[m]);
        b.builtin(Builtin::MutexUnlock, &[m]);
        b.builtin(Builtin::MutexDestroy, &[m]);
        b.builtin(Builtin::MutexInit, &[m, m]);
        b.bin(BinOp::Add, 64, busy, free)
    });
    let (end, driver) = run(vec![main, nothing()], vec![mutex()]);
    assert_eq!(end, End::Finish(16));
    assert_eq!(
        driver.log[2..],
        [
            "lock m/4",
            "rmw Acquire Relaxed m/4 CompareExchange { expected: 0, new: 1 }",
            "unlock m/4",
            "rmw Acquire Relaxed m/4 CompareExchange { expected: 0, new: 1 }",
            "unlock m/4",
            "read NotAtomic m/4",
            "write NotAtomic m/4 0xdeaddead",
            "write NotAtomic m/4 0x0",
        ]
    );
}

#[test]
fn a_mutex_that_waits_for_itself_is_published_and_asked_for() {
    for pick in [|b: &mut Build| b.global(0), |b: &mut Build| b.alloca(40)] {
        let main = main_of(|b| {
            let m = pick(b);
            b.builtin(Builtin::MutexInit, &[m, m]);
            b.builtin(Builtin::MutexLock, &[m]);
            b.builtin(Builtin::MutexLock, &[m])
        });
        let (end, driver) = run(vec![main], vec![mutex()]);
        assert_eq!((end, driver.log.len()), (End::Wait, 2), "{:?}", driver.log);
    }
}

#[test]
fn wrong_uses_of_a_private_mutex_are_found() {
    let case = |uses: fn(&mut Build, Operand)| {
        let main = main_of(|b| {
            let m = b.global(0);
            uses(b, m);
            m
        });
        fault(vec![main], vec![mutex()]).0
    };
    let unlock = |b: &mut Build, m| {
        b.builtin(Builtin::MutexUnlock, &[m]);
    };
    assert_eq!(case(unlock), FaultKind::UnlockNotOwned);
    let uninitialised = |b: &mut Build, _| {
        let m = b.alloca(40);
        b.builtin(Builtin::MutexLock, &[m]);
    };
    assert_eq!(case(uninitialised), FaultKind::UninitialisedRead);
}

/// One error, one code, whether the mutex is private or shared.
#[test]
fn a_mutex_that_was_destroyed_is_not_used() {
    use Builtin::{MutexDestroy, MutexLock, MutexTryLock, MutexUnlock};
    let uses =
        [(MutexLock, "lock"), (MutexTryLock, "lock"), (MutexUnlock, "unlock"), (MutexDestroy, "destroy")];
    for (builtin, what) in uses {
        let main = main_of(|b| {
            let m = b.global(0);
            b.builtin(MutexDestroy, &[m]);
            b.builtin(builtin, &[m])
        });
        let message = format!("{what} of a mutex that was destroyed");
        assert_eq!(fault(vec![main], vec![mutex()]), (FaultKind::InvalidAccess, message), "{builtin:?}");
    }
}

#[test]
fn a_mutex_that_somebody_owns_is_not_destroyed() {
    for shared in [false, true] {
        let main = main_of(|b| {
            let m = b.global(0);
            if shared {
                b.create(1, m);
            }
            b.builtin(Builtin::MutexLock, &[m]);
            b.builtin(Builtin::MutexDestroy, &[m])
        });
        let message = "destroy of a mutex that thread 0 owns".to_owned();
        assert_eq!(fault(vec![main, nothing()], vec![mutex()]), (FaultKind::InvalidAccess, message));
    }
}

/// `main` creates a thread between two sections.
fn sections() -> Function {
    main_of(|b| {
        let null = b.number(0);
        b.builtin(Builtin::AtomicBegin, &[]);
        b.builtin(Builtin::AtomicEnd, &[]);
        b.create(1, null);
        b.builtin(Builtin::AtomicEnter, &[]);
        b.builtin(Builtin::AtomicEnter, &[]);
        b.builtin(Builtin::AtomicLeave, &[]);
        b.builtin(Builtin::AtomicLeave, &[])
    })
}

#[test]
fn atomic_sections_take_the_mutexes_that_they_are_told_to() {
    let (end, driver) = run(vec![sections(), nothing()], vec![]);
    assert_eq!((end, driver.log.len()), (End::Finish(0), 2), "{:?}", driver.log);
    let mut driver = Driver::of(driver.machine);
    driver.machine.refine(&ordered()).expect("there is one mutex");
    assert_eq!(driver.main(), End::Finish(0));
    assert_eq!(driver.log[2..], ["lock __VERIFIER_atomic/4", "unlock __VERIFIER_atomic/4"]);
}

#[test]
fn requests_are_in_a_section_between_its_begin_and_its_end() {
    let main = main_of(|b| {
        let null = b.number(0);
        let x = b.global(0);
        b.create(1, null);
        b.builtin(Builtin::AtomicBegin, &[]);
        b.load(4, x);
        b.builtin(Builtin::AtomicEnd, &[]);
        b.builtin(Builtin::AtomicBegin, &[]);
        b.load(4, x);
        b.builtin(Builtin::AtomicEnd, &[])
    });
    let mut driver = run(vec![main, nothing()], vec![global("x", &[0; 4])]).1;
    driver.machine.refine(&ordered()).expect("there is one mutex");
    let mut driver = Driver::of(driver.machine);
    driver.main();
    let inside: Vec<_> = driver.states.iter().map(|state| driver.machine.section(state)).collect();
    let instances: Vec<_> = inside.into_iter().flatten().map(|section| section.instance).collect();
    assert_eq!(instances.len(), 2, "taking and giving back mutexes is outside: {:?}", driver.log);
    assert_ne!(instances[0], instances[1]);
}

#[test]
fn what_has_no_meaning_in_a_section_is_refused() {
    let inside = |what: &dyn Fn(&mut Build)| {
        let main = main_of(|b| {
            b.builtin(Builtin::AtomicBegin, &[]);
            what(b);
            b.builtin(Builtin::AtomicEnd, &[])
        });
        refusal(vec![main, nothing()], vec![mutex()])
    };
    let waits = "a call in an atomic section that creates a thread, or may wait for others";
    let lock = |b: &mut Build| {
        let m = b.global(0);
        b.builtin(Builtin::MutexLock, &[m]);
    };
    let create = |b: &mut Build| {
        let null = b.number(0);
        b.create(1, null);
    };
    assert_eq!(inside(&lock), waits);
    assert_eq!(inside(&create), waits);
    let begin = |b: &mut Build| _ = b.builtin(Builtin::AtomicBegin, &[]);
    assert_eq!(inside(&begin), "an atomic section that begins in an atomic section");
    let enter = |b: &mut Build| _ = b.builtin(Builtin::AtomicEnter, &[]);
    assert_eq!(inside(&enter), "an atomic section that ends in a function that is a part of it");
    let leaves_open = main_of(|b| b.builtin(Builtin::AtomicBegin, &[]));
    assert_eq!(refusal(vec![leaves_open], vec![]), "a thread that ends in an atomic section");
    let ends = main_of(|b| b.builtin(Builtin::AtomicEnd, &[]));
    let message = "end of an atomic section that has not begun".to_owned();
    assert_eq!(fault(vec![ends], vec![]), (FaultKind::UnlockNotOwned, message));
}

#[test]
fn kinds_of_mutexes() {
    let of_kind = |kind: u64, times: usize| {
        main_of(|b| {
            let (attributes, mutex, kind) = (b.alloca(4), b.alloca(40), b.number(kind));
            b.builtin(Builtin::Sync(SyncCall::MutexAttributeInit), &[attributes]);
            b.builtin(Builtin::Sync(SyncCall::MutexAttributeType), &[attributes, kind]);
            b.builtin(Builtin::MutexInit, &[mutex, attributes]);
            let answers: Vec<_> = (0..times).map(|_| b.builtin(Builtin::MutexLock, &[mutex])).collect();
            answers[times - 1]
        })
    };
    assert_eq!(value(vec![of_kind(0, 1)], vec![]), 0);
    assert_eq!(value(vec![of_kind(1, 3)], vec![]), 0, "a recursive one is taken again");
    assert_eq!(value(vec![of_kind(2, 2)], vec![]), 35, "EDEADLK");
    assert!(refusal(vec![of_kind(7, 1)], vec![]).contains("kind 7"));
}
