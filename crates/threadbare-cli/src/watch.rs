//! What ends a run before it is done: the time, the memory, a signal.
//!
//! One thread looks at all three. When one of them is met, whatever registered is stopped, and the command comes to its end
//! by itself, with a summary of what was done. A phase that does not look in time (a picture of many events, a source that is a
//! pipe) does not hold up the end: the thread then has the last word, and ends the process.

use crate::clock::Stopwatch;
use crate::memory::{self, Bytes};
use crate::{Status, leftovers, signals};
use anyhow::anyhow;
use engine::{Control, Cut};
use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// How often the thread looks.
const TICK: Duration = Duration::from_millis(10);
/// How long a command may take to come to its end, unless it says otherwise.
const GRACE: Duration = Duration::from_millis(500);

/// What a run may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) time: Option<Duration>,
    pub(crate) memory: Option<Bytes>,
}

/// The limits of a run, watched from its start on.
#[derive(Clone)]
pub(crate) struct Watch {
    memory: Bytes,
    state: Arc<Mutex<State>>,
}

struct State {
    /// How long the command may take to come to its end.
    grace: Duration,
    cut: Option<Cut>,
    /// Stop what is under way.
    stops: Vec<Box<dyn FnOnce(Cut) + Send>>,
    /// What to say of a run that is not done, if the command does not say it itself, and what it comes to.
    last_word: Option<Box<dyn FnOnce(Cut) -> Status + Send>>,
    phase: Phase,
}

/// How far a command has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It has said nothing.
    Working,
    /// It prints what came out.
    Saying(Status),
    /// It has said what came out, and has files to write.
    Said(Status),
}

impl Watch {
    /// Watch from now on.
    pub(crate) fn start(limits: Limits) -> Watch {
        signals::listen();
        let memory = limits.memory.unwrap_or_else(memory::usual_limit);
        let state =
            State { grace: GRACE, cut: None, stops: Vec::new(), last_word: None, phase: Phase::Working };
        let watch = Watch { memory, state: Arc::new(Mutex::new(state)) };
        let (watching, clock) = (watch.clone(), Stopwatch::start());
        // It ends with the process.
        thread::spawn(move || watching.look(clock, limits.time));
        watch
    }

    /// What the run may use of memory.
    pub(crate) fn memory(&self) -> Bytes {
        self.memory
    }

    fn look(&self, clock: Stopwatch, time: Option<Duration>) {
        let cut = loop {
            if signals::received().is_some() {
                break Cut::Signal;
            } else if clock.left_of(time) == Some(Duration::ZERO) {
                break Cut::Time;
            } else if memory::resident() > self.memory {
                break Cut::Memory;
            }
            thread::sleep(clock.left_of(time).unwrap_or(TICK).min(TICK));
        };
        self.cut_short(cut);
        self.see_to_the_end(cut);
    }

    fn cut_short(&self, cut: Cut) {
        let stops = {
            let mut state = self.state();
            state.cut = Some(cut);
            std::mem::take(&mut state.stops)
        };
        stops.into_iter().for_each(|stop| stop(cut));
    }

    /// The command has its time to come to an end by itself; then the process ends in its place.
    fn see_to_the_end(&self, cut: Cut) -> ! {
        let mut since = Stopwatch::start();
        let mut phase = self.state().phase;
        loop {
            thread::sleep(TICK);
            let mut state = self.state();
            if state.phase != phase {
                (phase, since) = (state.phase, Stopwatch::start());
            }
            // A result is printed as slowly as somebody reads it, unless a signal says that nobody does.
            let may_wait = matches!(phase, Phase::Saying(_)) && signals::received().is_none();
            if since.elapsed() < state.grace || may_wait {
                continue;
            }
            let status = match (phase, state.last_word.take()) {
                (Phase::Saying(status), _) => status,
                (Phase::Said(status), _) => {
                    status.after_writing(Err(anyhow!("the time was up before all was written")))
                }
                (Phase::Working, Some(say)) => say(cut),
                (Phase::Working, None) => Status::Inconclusive,
            };
            leftovers::remove_all();
            // The lock is kept: nothing else is said.
            exit(i32::from(status.code()))
        }
    }

    /// Call this when the run is cut short, or now if it was.
    pub(crate) fn on_cut(&self, stop: impl FnOnce(Cut) + Send + 'static) {
        let mut state = self.state();
        match state.cut {
            None => state.stops.push(Box::new(stop)),
            Some(cut) => {
                drop(state);
                stop(cut);
            }
        }
    }

    /// An exploration that is stopped when the run is cut short.
    pub(crate) fn control(&self) -> Arc<Control> {
        let control = Arc::new(Control::new());
        let stopped = Arc::clone(&control);
        self.on_cut(move |cut| stopped.stop(cut));
        control
    }

    /// The command may take this long to come to its end: what it has done would be lost otherwise.
    pub(crate) fn set_grace(&self, grace: Duration) {
        self.state().grace = grace;
    }

    /// What to say if the run is cut short and the command does not come to its end.
    pub(crate) fn last_word(&self, say: impl FnOnce(Cut) -> Status + Send + 'static) {
        self.state().last_word = Some(Box::new(say));
    }

    /// Whether the run was cut short.
    pub(crate) fn cut(&self) -> Option<Cut> {
        self.state().cut
    }

    /// Say what came out. From then on nobody else says anything.
    pub(crate) fn say<T>(&self, status: Status, say: impl FnOnce() -> T) -> T {
        self.state().phase = Phase::Saying(status);
        let said = say();
        self.state().phase = Phase::Said(status);
        said
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it has the state")
    }
}
