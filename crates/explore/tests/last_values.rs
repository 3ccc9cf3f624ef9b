//! What memory holds in the end is what somebody reads who has waited for everybody.

use base::Value;
use explore::{Control, Ending, Model, Observer, Options, View};
use graph::{ExecutionGraph, Label};
use std::collections::{BTreeMap, BTreeSet};
use testkit::build::r;
use testkit::program::location;
use testkit::{Mix, TestProgram, random_program, show};

/// Per execution, without the last read: the values that it reads, and those that memory may hold.
#[derive(Default)]
struct Ends {
    of: BTreeMap<ExecutionGraph, (BTreeSet<Value>, BTreeSet<Value>)>,
}

impl<S> Observer<S> for Ends {
    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        if ending != Ending::Complete {
            return;
        }
        let mut graph = execution.graph();
        let last =
            graph.threads[0].pop().as_ref().and_then(Label::value_read).expect("main reads in the end");
        let index = graph.threads[0].len() as u32;
        graph.rf.retain(|read, _| (read.thread.0, read.index) != (0, index));
        let (read, held) = self.of.entry(graph.canonical()).or_default();
        read.insert(last);
        held.extend(execution.last_values(location(0)));
    }
}

fn with_last_read(program: TestProgram) -> TestProgram {
    let mut program = program.joined();
    program.main.push(r(0, base::ReadOrder::Relaxed));
    program
}

#[test]
fn who_has_joined_everybody_reads_what_memory_holds() {
    let mut several = 0;
    for seed in 0..150 {
        let mix = [Mix::General, Mix::Ties, Mix::Wide][seed as usize % 3];
        let program = with_last_read(random_program(mix, seed));
        for model in Model::ALL {
            let (mut ends, options) = (Ends::default(), Options::default());
            explore::explore_with(&mut program.clone(), model, &options, &Control::new(), &mut ends);
            for (read, held) in ends.of.values() {
                assert_eq!(read, held, "{model:?}: {}", show(&program));
                several += usize::from(held.len() > 1);
                assert!(held.len() == 1 || !model.text().has_co, "{model:?}: {}", show(&program));
            }
        }
    }
    assert!(several > 100, "{several}");
}
