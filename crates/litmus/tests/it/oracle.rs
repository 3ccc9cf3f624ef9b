//! The library against brute force: what is explored is what the texts of the models allow, and every axiom shows.
//!
//! The tables beside the families pin numbers; here they are found a second time, without the exploration.

use engine::{Control, Ending, Observer, View};
use litmus::Test;
use model::Model;
use std::path::Path;
use testkit::oracle::{Options, enumerate};
use testkit::{Blocked, Explored, compare, guess};

fn library() -> impl Iterator<Item = Test> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let entries = |directory: &Path| {
        let entries = std::fs::read_dir(directory).expect("a directory of the library");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let files =
        entries(&root).into_iter().filter(|path| path.is_dir()).flat_map(move |family| entries(&family));
    files.filter(|file| file.extension().is_some_and(|extension| extension == "litmus")).map(|file| {
        let bytes = std::fs::read(&file).expect("a test can be read");
        Test::parse(&file.display().to_string(), &bytes).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Keeps every execution.
#[derive(Default)]
struct Keeper(Explored);

impl<S> Observer<S> for Keeper {
    fn start(&mut self) {
        self.0 = Explored::default();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        match ending {
            Ending::Complete => self.0.complete.push(execution.graph()),
            Ending::Blocked | Ending::Deadlock | Ending::Spinning => self.0.blocked.push(execution.graph()),
        }
    }
}

#[test]
fn what_is_explored_is_what_the_texts_allow() {
    let mut compared = 0;
    for test in library() {
        for model in Model::ALL {
            let text = testkit::Model::of(model);
            let oracle = enumerate(&test.machine(vm::Options::default()), &text, Options::default())
                .unwrap_or_else(|| panic!("{} is too big for brute force", test.name()));
            let mut keeper = Keeper::default();
            let outcome = test.watch(model, vm::Options::default(), &Control::new(), &mut keeper);
            compare(&oracle, &keeper.0, Blocked::Subset)
                .unwrap_or_else(|difference| panic!("{} under {model:?}: {difference}", test.name()));
            assert_eq!(
                !outcome.violations.is_empty(),
                oracle.is_racy(&text),
                "{} under {model:?}",
                test.name()
            );
            compared += 1;
        }
    }
    assert!(compared >= 150 * Model::ALL.len(), "{compared}");
}

/// For every axiom of every model a test that has executions which nothing else forbids.
const NEEDED: [(Model, &str, &str); 36] = [
    (Model::Sc, "ATOMICITY", "RMW+faas"),
    (Model::Sc, "SC", "SB"),
    (Model::Tso, "ATOMICITY", "RMW+faas"),
    (Model::Tso, "SC PER LOCATION", "all-forbid+CoWR"),
    (Model::Tso, "GHB", "MP"),
    (Model::Sra, "atomicity", "RMW+faas"),
    (Model::Sra, "PO-RF", "LB+nas"),
    (Model::Sra, "Wcoh", "CoRW2+nas"),
    (Model::Sra, "strong-Wcoh", "RA-not-SRA+2+2W"),
    (Model::Sra, "Rcoh", "MP"),
    (Model::Ra, "ATOMICITY", "RMW+faas"),
    (Model::Ra, "PORF", "LB+nas"),
    (Model::Ra, "COHERENCE", "MP"),
    (Model::Wra, "weak-atomicity", "RMW+faas"),
    (Model::Wra, "PO-RF", "LB+nas"),
    (Model::Wra, "weak-Rcoh", "MP"),
    (Model::Rc20, "atomicity", "RMW+faas"),
    (Model::Rc20, "PO-RF", "LB"),
    (Model::Rc20, "Wcoh", "CoWW"),
    (Model::Rc20, "Rcoh", "MP+rel+acq"),
    (Model::Relaxed, "atomicity", "RMW+faas"),
    (Model::Relaxed, "PO-RF", "LB"),
    (Model::Relaxed, "Wcoh", "CoWW"),
    (Model::Relaxed, "Rcoh", "SB+same"),
    (Model::Rc11, "ATOMICITY", "RMW+faas"),
    (Model::Rc11, "SBRF", "LB"),
    (Model::Rc11, "COHERENCE", "MP+rel+acq"),
    (Model::Rc11, "SC-ACYCLICITY", "SB+scs"),
    (Model::C20, "ATOMICITY", "RMW+faas"),
    (Model::C20, "SBRF", "LB"),
    (Model::C20, "COHERENCE", "MP+rel+acq"),
    (Model::C20, "SC-ACYCLICITY", "SB+scs"),
    (Model::Wrc11, "ATOMICITY", "RMW+faas"),
    (Model::Wrc11, "SBRF", "LB"),
    (Model::Wrc11, "COHERENCE", "MP+rel+acq"),
    (Model::Wrc11, "SC-ACYCLICITY", "SB+scs"),
];

/// Without the axiom the test has more executions. The oracle builds no cycles in `porf`; guessing does.
#[test]
fn every_axiom_shows() {
    let tests: Vec<Test> = library().collect();
    for (model, axiom, name) in NEEDED {
        let test = tests.iter().find(|test| test.name() == name).unwrap_or_else(|| panic!("no test {name}"));
        let count = |text: &testkit::Model| match axiom {
            "PO-RF" | "PORF" | "SBRF" => {
                guess::enumerate(&test.machine(vm::Options::default()), text, &[0, 1]).len()
            }
            _ => enumerate(&test.machine(vm::Options::default()), text, Options::default())
                .expect(name)
                .complete
                .len(),
        };
        let text = testkit::Model::of(model);
        let (right, wrong) = (count(&text), count(&text.without(axiom)));
        assert!(right < wrong, "{name} under {model:?} without {axiom}: {wrong} executions, with it {right}");
    }
}

#[test]
fn no_axiom_is_left_out() {
    for model in Model::ALL {
        for axiom in model.rules().axioms {
            let needed = NEEDED.iter().any(|&(of, name, _)| (of, name) == (model, axiom.name));
            assert!(needed, "no test for {} of {model:?}", axiom.name);
        }
    }
}
