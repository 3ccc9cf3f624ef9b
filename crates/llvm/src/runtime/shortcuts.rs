//! Functions in the headers of libstdc++ that are there for speed, and have a short form here.
//!
//! `std::atomic::wait`, and with it latches, barriers and semaphores, reads the value 16 times before the thread sleeps, and
//! counts the threads that sleep, so that `notify` makes no system call where there is none. Both are no part of what the
//! standard says. The reads multiply executions: here it is one. The count is right on processors, but not under C20: a `notify` after a
//! store that is not SC may not see a thread that has not seen the store. A program would deadlock that the standard says
//! does not. So `notify` always wakes here.
//!
//! Sound: a thread that reads several times and then sleeps does as one that reads the last of these values only, for none of
//! them was the awaited one, and sleeps only if the value is still the same; to wake a thread that need not be woken is one of its behaviours, too, which happens to
//! threads whose objects share a count.

use crate::ffi::{Bitcode, Value};

/// How the name of the function begins that reads a value several times, how often that is, and how often it is here.
const SPIN: (&str, u64, u64) = ("_ZNSt8__detail13__atomic_spinI", 16, 1);

/// The names of functions, and what they answer.
const ANSWERS: [(&str, u64); 3] = [
    ("_ZNKSt8__detail18__waiter_pool_base10_M_waitingEv", 1),
    ("_ZNSt8__detail18__waiter_pool_base13_M_enter_waitEv", 0),
    ("_ZNSt8__detail18__waiter_pool_base13_M_leave_waitEv", 0),
];

/// Replace them. A program's own function of such a name is none of a header.
pub(crate) fn shorten(program: &mut Bitcode) {
    for (name, answer) in ANSWERS {
        let names = names_like(program, name);
        program.answer(&names, answer);
    }
    let (name, times, fewer) = SPIN;
    for function in program.functions().filter(|it| is_like(*it, name)) {
        program.compare_with(function, times, fewer);
    }
}

fn is_like(function: Value<'_>, start: &str) -> bool {
    !function.is_declaration() && function.is_of_header() && function.name().starts_with(start)
}

fn names_like(program: &Bitcode, start: &str) -> Vec<String> {
    program.functions().filter(|it| is_like(*it, start)).map(Value::name).collect()
}
