//! A line on stderr while a long run goes on, and a clock that ends a part of it.
//!
//! Both are threads of their own, so the run pays for neither.

use engine::Control;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Ends when it is dropped, and takes its line away.
#[derive(Debug)]
pub(crate) struct Progress {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// How often the line changes; work that is done sooner shows none.
const TICK: Duration = Duration::from_secs(1);

impl Progress {
    /// Show how long the exploration takes and how far it is, if anybody looks at stderr.
    pub(crate) fn show(control: &Arc<Control>, about: Option<u64>) -> Progress {
        let control = Arc::clone(control);
        let of = about.map_or_else(String::new, |about| format!(" of about {about}"));
        Progress::line(move |seconds| {
            format!("exploring: {}{of} executions, {seconds} s", control.executions().total())
        })
    }

    /// Show this text, given the seconds that have passed, if anybody looks at stderr.
    pub(crate) fn line(text: impl Fn(u64) -> String + Send + 'static) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress { done: None, thread: None };
        }
        let (done, is_done) = channel::<()>();
        let thread = thread::spawn(move || {
            let start = Instant::now();
            let mut shown = false;
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(io::stderr(), "\r\u{1b}[K{}", text(start.elapsed().as_secs()));
                shown = true;
            }
            if shown {
                let _ = write!(io::stderr(), "\r\u{1b}[K");
            }
        });
        Progress { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Stops a part of a run when its time is up; ends when it is dropped, for there may be many.
#[derive(Debug)]
pub(crate) struct Deadline {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Deadline {
    /// In that time, if there is one.
    pub(crate) fn new(time: Option<Duration>, stop: impl FnOnce() + Send + 'static) -> Deadline {
        let Some(time) = time else { return Deadline { done: None, thread: None } };
        let (done, is_done) = channel::<()>();
        let thread = thread::spawn(move || {
            if is_done.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop();
            }
        });
        Deadline { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A line on stderr that counts what is done, if anybody looks; taken away when it is dropped.
#[derive(Debug)]
pub(crate) struct Counter {
    all: usize,
    shown: Option<Instant>,
    /// Is the line there now?
    visible: bool,
}

impl Counter {
    /// Of that many; none if there is but one.
    pub(crate) fn new(all: usize) -> Counter {
        let shown = (all > 1 && io::stderr().is_terminal()).then(Instant::now);
        Counter { all, shown, visible: false }
    }

    /// That many are done.
    pub(crate) fn update(&mut self, done: usize) {
        let Some(shown) = &mut self.shown else { return };
        if done == self.all || shown.elapsed() >= Duration::from_millis(100) {
            *shown = Instant::now();
            let width = 30;
            let bar = "#".repeat(width * done / self.all);
            let _ = write!(io::stderr(), "\r\u{1b}[K[{bar:width$}] {done}/{} tests", self.all);
            self.visible = true;
        }
    }

    /// Take the line away, so that others can write.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.visible) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.clear();
    }
}
