//! Bytecode files: what is read is refused, or it is a program that can be explored.

use engine::{Control, Cut, Job, Model, Options};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use vm::bytecode::Module;

/// How long a program is explored.
const TIME: Duration = Duration::from_millis(200);
/// With how much more the machine does not look at the time.
const LATE: Duration = Duration::from_secs(5);

/// Reads it and runs it for a while: refused (`false`) or a program; an error is a panic, or a hang.
pub(crate) fn run(file: &[u8]) -> Result<bool, String> {
    let start = Instant::now();
    let ran = catch_unwind(AssertUnwindSafe(|| explore_some(file)));
    match ran {
        Err(_) => Err("a panic".to_owned()),
        Ok(_) if start.elapsed() > TIME + LATE => Err(format!("it took {:?}", start.elapsed())),
        Ok(is_program) => Ok(is_program),
    }
}

fn explore_some(file: &[u8]) -> bool {
    let Ok(module) = Module::from_bytes(file) else { return false };
    let options = vm::Options { step_limit: 2_000, ..vm::Options::default() };
    let Ok(mut machine) = vm::Machine::new(module, options) else { return false };
    let job = Job::new(Model::Rc11);
    let options = Options { max_events: 200, visits_with_bounds: 200, ..job.options };
    let job = Job { options, ..job };
    let control = Control::new();
    let (done, end) = channel::<()>();
    std::thread::scope(|scope| {
        let control = &control;
        scope.spawn(move || {
            if end.recv_timeout(TIME) == Err(RecvTimeoutError::Timeout) {
                control.stop(Cut::Time);
            }
        });
        // Dropped also by a panic, after which nobody would wait for the other thread in vain.
        let _done = done;
        engine::explore(&mut machine, &job, control, &mut ());
    });
    true
}
