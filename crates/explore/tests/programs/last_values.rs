//! What memory holds in the end is what somebody would read who has waited for everybody.

use crate::any_model;
use base::Value;
use explore::{Control, Ending, Equivalence, Model, Observer, Options, View};
use graph::{ExecutionGraph, Label};
use std::collections::{BTreeMap, BTreeSet};
use testkit::build::r;
use testkit::program::location;
use testkit::{Mix, TestProgram, random_program, show};

/// Per execution, without its coherence order if that is open, values of the location.
type Values = BTreeMap<ExecutionGraph, BTreeSet<Value>>;

/// Collects what memory may hold, or what the last event of `main` reads.
struct Ends {
    last_event_reads: bool,
    equivalence: Equivalence,
    values: Values,
}

impl<S> Observer<S> for Ends {
    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        if ending != Ending::Complete {
            return;
        }
        let mut graph = execution.graph();
        let mut values = execution.last_values(location(0));
        if self.last_event_reads {
            let last = graph.threads[0].pop();
            values = vec![last.as_ref().and_then(Label::value_read).expect("main reads in the end")];
            let index = graph.threads[0].len() as u32;
            graph.rf.retain(|read, _| (read.thread.0, read.index) != (0, index));
        }
        if self.equivalence == Equivalence::Rf {
            graph = graph.without_co();
        }
        self.values.entry(graph.canonical()).or_default().extend(values);
    }
}

fn ends(program: &TestProgram, model: Model, equivalence: Equivalence, last_event_reads: bool) -> Values {
    let mut ends = Ends { last_event_reads, equivalence, values: Values::new() };
    let options = Options { equivalence, ..Options::default() };
    any_model::explore_with(&mut program.clone(), model, &options, &Control::new(), &mut ends);
    ends.values
}

#[test]
fn who_has_joined_everybody_reads_what_memory_holds() {
    let mut several = 0;
    for seed in 0..150 {
        let mix = [Mix::General, Mix::Ties, Mix::Wide, Mix::AllSc][seed as usize % 4];
        let program = random_program(mix, seed).joined();
        let mut reading = program.clone();
        reading.main.push(r(0, base::ReadOrder::Relaxed));
        for model in Model::ALL {
            for &equivalence in model.equivalences() {
                let held = ends(&program, model, equivalence, false);
                for (graph, read) in ends(&reading, model, equivalence, true) {
                    // Nothing is known of a location that nobody accessed.
                    let held = &held[&graph];
                    assert!(
                        held.is_empty() || *held == read,
                        "{model:?}, {equivalence:?}: {}",
                        show(&program)
                    );
                    several += usize::from(held.len() > 1);
                    assert!(
                        held.len() <= 1 || equivalence == Equivalence::Rf,
                        "{model:?}: {}",
                        show(&program)
                    );
                }
            }
        }
    }
    assert!(several > 100, "{several}");
}
