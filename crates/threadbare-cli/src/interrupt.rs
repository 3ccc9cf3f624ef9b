//! Ctrl-C: the first one asks a run to come to an end, the second one ends the process.

#![expect(unsafe_code, reason = "the standard library has no way to hear of signals")]

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

const SIGINT: c_int = 2;
/// What shells say of a process that Ctrl-C has ended.
const ENDED: c_int = 130;

type Handler = extern "C" fn(c_int);

unsafe extern "C" {
    fn signal(number: c_int, handler: Handler) -> usize;
    fn _exit(status: c_int) -> !;
}

extern "C" fn note(_: c_int) {
    if INTERRUPTED.swap(true, Ordering::Relaxed) {
        // SAFETY: `_exit` may be called from a signal handler and does not return.
        unsafe { _exit(ENDED) }
    }
}

/// Hear of Ctrl-C from now on.
pub(crate) fn listen() {
    // SAFETY: the handler touches an atomic variable only, or leaves; both are allowed in a signal handler.
    unsafe { signal(SIGINT, note) };
}

/// Was it pressed?
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
