//! Numbers of executions by how they end: complete if every thread has finished. (`main` of these programs joins nobody, so
//! that for the engine an execution is also complete if the others wait for ever.)

use crate::any_model;
use explore::{Control, Ending, Executions, Model, Observer, Options, View};
use testkit::TestProgram;

#[derive(Default)]
struct Endings {
    complete: u64,
    blocked: u64,
}

impl<S> Observer<S> for Endings {
    fn start(&mut self) {
        *self = Endings::default();
    }

    fn execution(&mut self, ending: Ending, _: &dyn View<S>) {
        match ending {
            Ending::Complete => self.complete += 1,
            Ending::Blocked | Ending::Deadlock | Ending::Spinning => self.blocked += 1,
        }
    }
}

/// Explore the program, and count.
pub(crate) fn count(program: &TestProgram, model: Model, options: &Options) -> Executions {
    let mut endings = Endings::default();
    let outcome =
        any_model::explore_with(&mut program.clone(), model, options, &Control::new(), &mut endings);
    let Endings { complete, blocked } = endings;
    Executions { complete, blocked, ..outcome.executions }
}
