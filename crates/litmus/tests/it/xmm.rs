//! XMM: litmus tests compared with the brute force, execution by execution.

use engine::{Control, Ending, Observer, View};
use graph::ExecutionGraph;
use litmus::Test;
use model::Model;
use std::collections::BTreeSet;
use std::path::Path;
use vm::ThreadState;

/// More partial executions than this are too many for a test.
const LIMIT: usize = 4_000;

/// Where cycles are, and some where they could be.
const FAMILIES: [&str; 8] = ["lb", "java", "xmm", "control", "cas", "rmw", "wrc", "mp"];

/// Keeps the complete executions.
#[derive(Default)]
struct Keeper(Vec<ExecutionGraph>);

impl Observer<ThreadState> for Keeper {
    fn start(&mut self) {
        self.0.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        if ending == Ending::Complete {
            self.0.push(execution.graph().canonical());
        }
    }
}

/// Does every location start as 0, as the brute force has it? (A loop that waits is cut to one round; other loops have too
/// many executions.)
fn is_plain(text: &str) -> bool {
    let start = text.split('{').nth(1).and_then(|rest| rest.split('}').next()).unwrap_or_default();
    start.split(';').filter(|part| !part.trim().is_empty()).all(|part| part.trim().ends_with("= 0"))
        && !["(int*", ", int*", "weak"].iter().any(|word| text.contains(word))
}

#[test]
fn tests_with_cycles_have_the_executions_of_the_definitions() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let (mut compared, mut cyclic) = (0, 0);
    for family in FAMILIES {
        let entries = std::fs::read_dir(library.join(family)).expect("the family is there");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|it| it == "litmus")) {
            let bytes = std::fs::read(file).expect("a test can be read");
            if !is_plain(&String::from_utf8_lossy(&bytes)) {
                continue;
            }
            let name = file.display().to_string();
            let test = Test::parse(&name, &bytes).expect("a test");
            let machine = test.machine(vm::Options::default());
            let Some(right) = testkit::xmm::enumerate(&machine, LIMIT) else { continue };
            let mut keeper = Keeper::default();
            let outcome = test.watch(Model::Xmm, vm::Options::default(), &Control::new(), &mut keeper);
            assert_eq!(outcome.stopped(), None, "{name}");
            let found: BTreeSet<ExecutionGraph> = keeper.0.iter().cloned().collect();
            assert_eq!(found.len(), keeper.0.len(), "{name}: an execution comes twice");
            assert!(found == right.complete, "{name}: {} instead of {}", found.len(), right.complete.len());
            compared += 1;
            cyclic += usize::from(right.cyclic().next().is_some());
        }
    }
    assert!(compared >= 20 && cyclic >= 10, "{compared} tests were compared, {cyclic} with cycles");
}
