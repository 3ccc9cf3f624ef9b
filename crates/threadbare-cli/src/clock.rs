//! How long something takes, and what happens when a time is over. Nothing else in Threadbare looks at a clock.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time since it was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// From now on.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that the others ask")]
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    pub(crate) fn seconds(self) -> f64 {
        self.elapsed().as_secs_f64()
    }

    /// What is left of this time, if it is limited; nothing once it is over.
    pub(crate) fn left_of(self, time: Option<Duration>) -> Option<Duration> {
        time.map(|time| time.saturating_sub(self.elapsed()))
    }
}

/// A thread that does something when a time is over. It ends when this is dropped, for there may be many.
#[derive(Debug)]
pub(crate) struct Timer {
    /// `None` if there is nothing to do, ever.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Timer {
    /// Once, in that time, if there is one.
    pub(crate) fn after(time: Option<Duration>, act: impl FnOnce() + Send + 'static) -> Timer {
        let Some(time) = time else { return Timer { done: None, thread: None } };
        Timer::start(move |is_done| {
            if is_over(is_done, time) {
                act();
            }
        })
    }

    /// Each time that this much time is over.
    pub(crate) fn every(time: Duration, mut act: impl FnMut() + Send + 'static) -> Timer {
        Timer::start(move |is_done| {
            while is_over(is_done, time) {
                act();
            }
        })
    }

    fn start(work: impl FnOnce(&Receiver<()>) + Send + 'static) -> Timer {
        let (done, is_done) = channel();
        Timer { done: Some(done), thread: Some(thread::spawn(move || work(&is_done))) }
    }
}

/// Waits for that time; false if the timer was dropped before.
fn is_over(is_done: &Receiver<()>, time: Duration) -> bool {
    is_done.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
}

impl Drop for Timer {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(5);
    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn a_timer_acts_when_its_time_is_over_and_not_after_it_was_dropped() {
        let (sender, receiver) = channel();
        let (often, once) = (sender.clone(), sender.clone());
        let ticking = Timer::every(SHORT, move || _ = often.send("often"));
        assert_eq!((receiver.recv(), receiver.recv()), (Ok("often"), Ok("often")));
        drop(ticking);
        _ = receiver.try_iter().count();
        let _alarm = Timer::after(Some(SHORT), move || _ = once.send("once"));
        assert_eq!(receiver.recv(), Ok("once"));
        let late = sender.clone();
        drop(Timer::after(Some(LONG), move || _ = late.send("late")));
        drop(Timer::after(None, move || _ = sender.send("never")));
        assert!(receiver.recv().is_err(), "all senders are gone, and none has sent");
    }

    #[test]
    fn of_a_time_that_is_over_nothing_is_left() {
        let clock = Stopwatch::start();
        assert_eq!(clock.left_of(None), None);
        assert_eq!(clock.left_of(Some(Duration::ZERO)), Some(Duration::ZERO));
        assert!(clock.left_of(Some(LONG)).is_some_and(|left| left > LONG / 2));
        assert!(clock.left_of(Some(Duration::MAX)).is_some_and(|left| left > LONG));
    }
}
