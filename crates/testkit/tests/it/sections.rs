//! Atomic sections under SC: the axiom allows exactly the interleavings in which nobody else runs in between.

use testkit::oracle::Options;
use testkit::sections::{Kind, enumerate, interleavings, random};
use testkit::{Model, effort, show};

#[test]
fn the_axiom_of_sc_is_that_no_other_thread_runs_in_between() {
    let model = Model::of(model::Model::Sc);
    let (mut compared, mut forbidden) = (0, 0);
    for seed in effort::seeds(1_500) {
        let kind = if seed % 2 == 0 { Kind::Fixed } else { Kind::Dependent };
        let program = random(kind, seed);
        let Some(axioms) = enumerate(&program, &model, model::sections::sc, Options::default()) else {
            continue;
        };
        assert_eq!(axioms.complete, interleavings(&program), "{}", show(&program));
        compared += 1;
        forbidden += axioms.without - axioms.complete.len();
    }
    let programs = effort::of(1_500);
    assert!(
        compared * 15 > programs * 14 && forbidden as u64 > 2 * programs,
        "{compared} programs, {forbidden} executions forbidden"
    );
}
