//! One run with all its events: tests compare its graph with all executions that there are, benchmarks hand its events
//! to other checkers.

use crate::campaign::Options;
use crate::campaign::rules_of;
use crate::choices::Choices;
use crate::run::{End, Found, Run};
use crate::strategy::Lengths;
use crate::trail::{Recorded, Trail};
use graph::ExecutionGraph;
use program::{Hint, Refinements};

/// A run.
#[derive(Clone, Debug)]
pub struct Sample {
    /// How it ended.
    pub ending: Ending,
    /// All its events.
    pub graph: ExecutionGraph,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Every thread finished.
    Complete,
    /// No thread could go on: an assumption did not hold, or the threads wait in a process that has ended.
    Blocked,
    /// It has a violation.
    Violated(Found),
    /// It was not run to its end.
    Unfinished,
}

/// The run of a seed; `None` if the model has no random runs.
pub fn sample<P: Hint>(program: &P, options: &Options, seed: u64) -> Option<Sample> {
    let rules = rules_of(options.model)?;
    let choices = Choices::random(seed, options.strategy, &Lengths::default());
    let mut run = Run::new(program, rules, choices, options.limits());
    run.trail = Some(Box::new(Trail::with_graph()));
    let ending = match run.run(&|| false) {
        End::Complete => Ending::Complete,
        End::Blocked | End::Idle => Ending::Blocked,
        End::Violated(found) => Ending::Violated(found),
        End::Spinning(_)
        | End::Limit
        | End::Stopped
        | End::Unsupported { .. }
        | End::Conflict(..)
        | End::Over => Ending::Unfinished,
    };
    Some(Sample { ending, graph: run.trail.take().expect("it was there").into_graph() })
}

/// The events of the run of a seed, in the order in which they were made, up to the limit of events; `None` if the
/// model has no random runs, or the program cannot be refined. The program is refined where the run requires it.
pub fn record<P: Hint>(program: &mut P, options: &Options, seed: u64) -> Option<Vec<Recorded>> {
    let rules = rules_of(options.model)?;
    let mut refinements = Refinements::default();
    loop {
        let choices = Choices::random(seed, options.strategy, &Lengths::default());
        let mut run = Run::new(&*program, rules, choices, options.limits());
        run.trail = Some(Box::new(Trail::with_list()));
        let end = run.run(&|| false);
        let trail = run.trail.take().expect("it was there");
        match end {
            End::Conflict(conflict, _) => {
                refinements.conflicts.insert(conflict);
                program.refine(&refinements).ok()?;
            }
            _ => return Some(trail.into_list()),
        }
    }
}
