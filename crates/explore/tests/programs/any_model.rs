//! The exploration under any model: that of crate `xmm` where executions have cycles.

use explore::{Control, Model, Observer, Options, Outcome, Reduction, ReductionSet};
use program::Hint;
use xmm::{Search, explore_under};

pub(crate) fn explore<P>(program: &mut P, model: Model, options: &Options) -> Outcome
where
    P: Hint + Clone + Send,
    P::State: Send + 'static,
{
    explore_with(program, model, options, &Control::new(), &mut ())
}

pub(crate) fn explore_with<P>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome
where
    P: Hint + Clone + Send,
    P::State: Send + 'static,
{
    explore_under(program, model, Search::Complete, options, control, observer)
}

/// All reductions or none, but for the order of critical sections, which executions have; symmetry besides, or not.
pub(crate) fn reductions(all: bool, symmetry: bool) -> ReductionSet {
    let others = if all { Options::default().reductions } else { ReductionSet::NONE };
    if symmetry { others.with(Reduction::Symmetry) } else { others }
}
