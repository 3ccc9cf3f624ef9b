//! Signals that ask the process to end: Ctrl-C, a polite kill, a terminal that is closed.
//!
//! They are noted, and the run comes to its end by itself, with a summary: `watch` looks at the note.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The number of the signal that came; 0 if none did.
static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Note signals from now on, except those that whatever started this process has it ignore, as `nohup` does.
pub(crate) fn listen() {
    let ignored = std::fs::read_to_string("/proc/self/status").map_or(0, |status| ignored(&status));
    let received = RECEIVED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & (1 << (signal - 1)) == 0 {
            // Without it the signal ends the process at once, as it does any other.
            let _ = flag::register_usize(signal, Arc::clone(received), signal as usize);
        }
    }
}

/// The number of the signal that came, if one did.
pub(crate) fn received() -> Option<u8> {
    let number = RECEIVED.get()?.load(Ordering::Relaxed);
    u8::try_from(number).ok().filter(|&number| number != 0)
}

/// The signals that a process ignores, a bit each, as the kernel shows them.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nohup_has_ignored_is_seen() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert_eq!(ignored(status), 0x1001);
        assert_ne!(ignored(status) & (1 << (SIGHUP - 1)), 0);
        assert_eq!(ignored(status) & (1 << (SIGINT - 1)), 0);
        assert_eq!(ignored("Name: x"), 0);
    }
}
