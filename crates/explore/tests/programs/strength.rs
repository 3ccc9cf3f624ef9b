//! Programs too big for the oracle: what one model finds must be what another one finds, or part of it.

use crate::any_model;
use base::{ReadOrder, RmwOrder};
use explore::{Control, Ending, Model, Observer, Options, Policy, ReductionSet, View};
use graph::ExecutionGraph;
use std::collections::{BTreeMap, BTreeSet};
use testkit::common::{in_common, is_in};
use testkit::program::{Instr, Modify};
use testkit::{Mix, TestProgram, effort, random_program, show};

const POLICIES: [Policy; 4] =
    [Policy::LeftToRight, Policy::RightToLeft, Policy::WritesFirst, Policy::Random(11)];

/// More executions take too long to compare.
const MOST: usize = 5_000;

/// The complete executions and the blocked ones.
#[derive(Default)]
struct Keeper<'a> {
    found: [BTreeSet<ExecutionGraph>; 2],
    control: Option<&'a Control>,
}

impl<S> Observer<S> for Keeper<'_> {
    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        let list = &mut self.found[usize::from(ending != Ending::Complete)];
        let is_new = list.insert(execution.graph().canonical());
        assert!(is_new, "an execution comes twice");
        if list.len() > MOST {
            self.control.expect("is set").stop(explore::Cut::Time);
        }
    }
}

/// What there is; `None` if it is too much.
fn executions(program: &TestProgram, model: Model, policy: Policy) -> Option<[BTreeSet<ExecutionGraph>; 2]> {
    let options = Options { keep_going: true, reductions: ReductionSet::NONE, policy, ..Options::default() };
    let control = Control::new();
    let mut keeper = Keeper { control: Some(&control), ..Keeper::default() };
    any_model::explore_with(&mut program.clone(), model, &options, &control, &mut keeper);
    keeper.found.iter().all(|list| list.len() <= MOST).then_some(keeper.found)
}

/// Every inclusion of the catalogue.
#[test]
fn stronger_models_find_no_more() {
    let mut compared = 0;
    for seed in 0..effort::of_large(30) {
        let program = random_program(Mix::Big, seed + 700);
        let policy = POLICIES[seed as usize % POLICIES.len()];
        let found: BTreeMap<Model, _> =
            Model::ALL.into_iter().filter_map(|m| Some((m, executions(&program, m, policy)?))).collect();
        let edges =
            Model::ALL.into_iter().flat_map(|from| from.weaker().iter().map(move |edge| (from, edge)));
        for (from, &(to, _)) in edges.filter(|(_, edge)| is_in(edge.1, &program)) {
            let (Some(stronger), Some(weaker)) = (found.get(&from), found.get(&to)) else { continue };
            for (own, other) in stronger.iter().zip(weaker) {
                let (own, other) =
                    (in_common(own, from.rules(), to.rules()), in_common(other, to.rules(), from.rules()));
                assert!(own.is_subset(&other), "{from:?} {to:?} {policy:?}: {}", show(&program));
            }
            compared += 1;
        }
    }
    assert!(compared > effort::of_large(30), "only {compared}");
}

/// The program with one writer for every other location, and read-modify-writes only for the rest: its writes are
/// ordered by who reads whom, in every execution.
fn with_ordered_writes(mut program: TestProgram) -> TestProgram {
    let threads = program.codes.len();
    for (thread, code) in program.codes.iter_mut().enumerate() {
        code.iter_mut()
            .for_each(|instr| *instr = ordered(*instr, |loc| usize::from(loc) % threads == thread));
    }
    program
}

fn ordered(instr: Instr, is_writer: impl Fn(u8) -> bool) -> Instr {
    match instr {
        Instr::Store { loc, value, .. } if loc % 2 == 1 => {
            let (op, order, failure) = (Modify::Exchange(value), RmwOrder::AcqRel, ReadOrder::Relaxed);
            Instr::Rmw { dst: testkit::program::REGISTERS as u8 - 1, loc, op, order, failure }
        }
        Instr::Store { loc, .. } if !is_writer(loc) => {
            Instr::Load { dst: testkit::program::REGISTERS as u8 - 1, loc, order: ReadOrder::SeqCst }
        }
        Instr::Rmw { dst, loc, failure, .. } if loc % 2 == 0 && !is_writer(loc) => {
            Instr::Load { dst, loc, order: failure }
        }
        other => other,
    }
}

/// \[RCMC\] section 5: where `mo_weak` orders all writes of a location, WRC11 is RC11.
#[test]
fn wrc11_is_rc11_where_all_writes_are_ordered() {
    let mut compared = 0;
    for seed in 0..60 {
        let program = with_ordered_writes(random_program(Mix::Big, seed + 3_000));
        let policy = POLICIES[seed as usize % POLICIES.len()];
        let [strong, weak] = [Model::Rc11, Model::Wrc11].map(|model| executions(&program, model, policy));
        let (Some(strong), Some(weak)) = (strong, weak) else { continue };
        for (strong, weak) in strong.iter().zip(&weak) {
            assert_eq!(strong.len(), weak.len(), "{policy:?}: {}", show(&program));
            let strong = in_common(strong, Model::Rc11.rules(), Model::Wrc11.rules());
            assert!(strong == *weak, "{policy:?}: {}", show(&program));
        }
        compared += u64::from(weak[0].len() > 20);
    }
    assert!(compared > 20, "only {compared}");
}
