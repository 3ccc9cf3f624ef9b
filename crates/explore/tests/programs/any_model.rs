//! The exploration under any model: that of crate `xmm` where executions have cycles.

use explore::{Control, Model, Observer, Options, Outcome};
use program::Program;
use xmm::{Search, explore_under};

pub(crate) fn explore<P: Program>(program: &mut P, model: Model, options: &Options) -> Outcome {
    explore_with(program, model, options, &Control::new(), &mut ())
}

pub(crate) fn explore_with<P: Program>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    explore_under(program, model, Search::Complete, options, control, observer)
}
