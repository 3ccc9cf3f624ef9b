//! A job: a model, and how to explore a program under it.

use explore::{Check, Options};
use model::Model;
use xmm::Search;

/// A model, and how to explore under it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The model.
    pub model: Model,
    /// How to explore.
    pub options: Options,
    /// Which executions with cycles are looked for, if the model has some.
    pub xmm: Search,
}

impl Job {
    /// Explore with the usual options.
    pub fn new(model: Model) -> Job {
        Job { model, options: Options::default(), xmm: Search::default() }
    }

    /// The options of a machine for this job: those that follow from the model, and from the properties to check.
    ///
    /// Only in a whole round is it seen where a thread spins for ever.
    pub fn machine_options(&self) -> vm::Options {
        let options = vm::Options::under(self.model.rules());
        let whole_rounds = options.whole_rounds || self.options.checks.has(Check::Liveness);
        vm::Options { whole_rounds, ..options }
    }
}
