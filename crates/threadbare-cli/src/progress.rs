//! A line on stderr while a long exploration runs, and the clock that ends it.
//!
//! Both are threads of their own, so the exploration pays for neither.

use explore::Control;
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
    pub(crate) fn show(control: &Arc<Control>) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress { done: None, thread: None };
        }
        let (done, is_done) = channel::<()>();
        let control = Arc::clone(control);
        let thread = thread::spawn(move || {
            let start = Instant::now();
            let mut shown = false;
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let (seconds, executions) = (start.elapsed().as_secs(), control.executions());
                let _ = write!(io::stderr(), "\r\u{1b}[Kexploring: {executions} executions, {seconds} s");
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

/// Stops the exploration when the time is up. The thread ends with the process.
pub(crate) fn stop_after(time: Duration, control: &Arc<Control>) {
    let control = Arc::clone(control);
    thread::spawn(move || {
        thread::sleep(time);
        control.stop();
    });
}
