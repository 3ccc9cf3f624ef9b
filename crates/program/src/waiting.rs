//! Threads that wait for each other.

use base::ThreadId;

/// Whether the thread waits for one that waits for another one, and so on, until the chain comes back to one of them,
/// or to a thread that has finished without giving back the mutex that is waited for. Then it waits for ever, whatever
/// other threads do. `waits_for` is the thread that a thread waits for, if it is one alone. A chain that ends in `main`
/// does not count once `main` has finished: the process is gone.
pub fn waits_in_circle(
    thread: ThreadId,
    threads: usize,
    waits_for: impl Fn(ThreadId) -> Option<ThreadId>,
    has_finished: impl Fn(ThreadId) -> bool,
) -> bool {
    let mut at = thread;
    for _ in 0..threads {
        match waits_for(at) {
            None => return false,
            Some(next) if has_finished(next) => return next != ThreadId::MAIN,
            Some(next) => at = next,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(thread: u32, waits_for: &[(u32, u32)], finished: &[u32]) -> bool {
        let next = |it: ThreadId| waits_for.iter().find(|way| way.0 == it.0).map(|way| ThreadId(way.1));
        waits_in_circle(ThreadId(thread), 4, next, |it| finished.contains(&it.0))
    }

    #[test]
    fn a_circle_is_one_also_for_who_waits_beside_it() {
        assert!(waits(1, &[(1, 2), (2, 1)], &[0]));
        assert!(waits(3, &[(1, 2), (2, 1), (3, 1)], &[]));
        assert!(waits(1, &[(1, 1)], &[]));
        assert!(!waits(1, &[(1, 2), (2, 3)], &[0]));
    }

    #[test]
    fn who_has_finished_gives_nothing_back() {
        assert!(waits(1, &[(1, 2)], &[2]));
        assert!(!waits(1, &[(1, 0)], &[0]));
    }
}
