//! What the exploration does not build it must not get wrong; what it found it must be able to show again.

use crate::any_model;
use base::Rng;
use explore::{Equivalence, Model, Options, Verdict};
use testkit::{Mix, TestProgram, effort, random_program, show};

/// Programs of all mixes, so many in a full run, half of them with a `main` that joins everybody at the end.
fn programs(full: u64) -> impl Iterator<Item = TestProgram> {
    effort::seeds(full).map(|seed| {
        let program = random_program(Mix::ORACLE[seed as usize % Mix::ORACLE.len()], seed);
        let joins = program.main.iter().any(|instr| matches!(instr, testkit::program::Instr::Join(_)));
        if seed % 2 == 0 && !joins { program.joined() } else { program }
    })
}

/// Every model with every equivalence that it has.
fn all() -> impl Iterator<Item = (Model, Equivalence)> {
    Model::ALL
        .into_iter()
        .flat_map(|model| model.equivalences().iter().map(move |&equivalence| (model, equivalence)))
}

/// The end of an execution that is taken aside (`epilogue`) counts as if it had been built.
#[test]
fn the_epilogue_changes_no_number() {
    for program in programs(1_500) {
        for (model, equivalence) in all() {
            let explore = |count_duplicates| {
                let options =
                    Options { keep_going: true, count_duplicates, equivalence, ..Options::default() };
                let outcome = any_model::explore(&mut program.clone(), model, &options);
                (outcome.executions, outcome.violations.len())
            };
            assert_eq!(explore(false), explore(true), "{model:?}, {equivalence:?}: {}", show(&program));
        }
    }
}

/// A violation's replay string leads to the same violation in the same graph.
#[test]
fn violations_can_be_replayed() {
    let mut replayed = 0;
    for program in programs(1_500) {
        for (model, equivalence) in all() {
            let options = Options { keep_going: true, equivalence, ..Options::default() };
            for violation in any_model::explore(&mut program.clone(), model, &options).violations {
                let again = explore::replay(&mut program.clone(), model, &violation.replay)
                    .unwrap_or_else(|error| panic!("{error}: {} of {}", violation.replay, show(&program)));
                assert_eq!(again.verdict(), Verdict::Violated, "{}", violation.replay);
                let found =
                    again.violations.iter().any(|v| v.kind == violation.kind && v.places == violation.places);
                assert!(found, "{}: {}", violation.replay, show(&program));
                assert_eq!(again.example.as_ref().map(|e| &e.graph), Some(&violation.execution.graph));
                replayed += 1;
            }
        }
    }
    assert!(replayed > effort::of(1_500) / 3, "only {replayed} violations");
}

/// What does not fit the program is refused with a message.
#[test]
fn replays_that_do_not_fit_are_refused() {
    let program = random_program(Mix::Plain, 1);
    // The last one would be 240 GB of steps.
    let many = ["0*10000000"; 1000].join("-");
    for text in ["x", "7", "0*1000", "0*2-1r9.9", "0r", "0c", "0é", "é", "0*+1", "0r+1.0", "0c-1", &many] {
        let error = explore::replay(&mut program.clone(), Model::Rc11, text).expect_err(text);
        assert!(error.to_string().starts_with("this replay does not fit the program"), "{error}");
    }
}

/// A choice is one of those that there are, in a replay as in an exploration.
#[test]
fn a_replay_chooses_what_there_is_to_choose() {
    let mut program = random_program(Mix::Plain, 1);
    program.main = vec![testkit::program::Instr::Choose { dst: 0, values: 2 }];
    // The first step publishes the locations.
    for (text, fits) in
        [("0-0c0", true), ("0-0c1", true), ("0-0c2", false), ("0-0c18446744073709551615", false)]
    {
        assert_eq!(explore::replay(&mut program.clone(), Model::Rc11, text).is_ok(), fits, "{text}");
    }
}

/// Any text is an execution of the program or an error: valid ones with changes, and random ones.
#[test]
fn any_text_is_replayed_or_refused() {
    const PARTS: &[&str] = &[
        "0",
        "1",
        "2",
        "9",
        "*",
        "r",
        "w",
        "c",
        "i",
        "s",
        "-",
        ".",
        "+",
        ",",
        ":",
        "é",
        "\u{1f980}",
        " ",
        "\0",
    ];
    let (mut rng, mut numbers) = (Rng::new(17), [0; 2]);
    for program in programs(200) {
        let options = Options { keep_going: true, ..Options::default() };
        let violations = any_model::explore(&mut program.clone(), Model::Rc11, &options).violations;
        let texts = violations.into_iter().map(|violation| violation.replay).chain([String::new()]).take(3);
        for text in texts {
            for _ in 0..50 {
                let mut text: Vec<String> = text.chars().map(String::from).collect();
                for _ in 0..=rng.below(4) {
                    let at = rng.index(text.len() + 1);
                    let end = text.len().min(at + rng.below(3) as usize);
                    text.splice(at..end, [rng.pick(PARTS).to_owned()]);
                }
                let replayed = explore::replay(&mut program.clone(), Model::Rc11, &text.concat());
                numbers[usize::from(replayed.is_ok())] += 1;
            }
        }
    }
    assert!(
        numbers.iter().all(|&number| number > effort::of(200) * 5 / 2),
        "{numbers:?} were refused and replayed"
    );
}
