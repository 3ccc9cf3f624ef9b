//! Threads that wait for each other.

use base::ThreadId;

/// Does the thread wait for one that waits for one, and so on, which leads back to one of them, or to one that has finished
/// with what is waited for? `waits_for`: for whom a thread waits, if it is for one alone. Then it waits for ever, whatever
/// others do. What `main` takes with it when it returns nobody needs any more: the process is gone.
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
