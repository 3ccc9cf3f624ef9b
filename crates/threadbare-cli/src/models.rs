//! The memory models by name, and what each does with what the program wrote.

use crate::{args, output};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use model::{Cycles, Equivalence, Model};
use std::fmt::Write;

/// Reads what `--model` is given.
pub(crate) fn parser() -> impl TypedValueParser<Value = Model> {
    let named = |name: String| Model::named(&name).expect("only names of the catalogue get so far");
    PossibleValuesParser::new(Model::CATALOGUE.map(|model| model.rules().name)).map(named)
}

const USUAL: &str = "if not said, rc11 for C, c20 where some of the program is C++ or Rust";

/// What `--help` says about `--model`.
pub(crate) fn help() -> String {
    format!("The memory model: {} (`threadbare models` says what they are); {USUAL}", names(Model::CATALOGUE))
}

/// The same where not all models have random runs.
pub(crate) fn help_for_random_runs() -> String {
    format!("The memory model: {}; {USUAL}", names(fuzz::models()))
}

/// `sc, tso or ra`
fn names(models: impl IntoIterator<Item = Model>) -> String {
    let names: Vec<&str> = models.into_iter().map(|model| model.rules().name).collect();
    let (last, others) = names.split_last().expect("there are models");
    format!("{} or {last}", others.join(", "))
}

/// The usual model for a program: C and C++20 differ in their release sequences. For a trace or a litmus test it is that of C.
pub(crate) fn usual(is_cxx: bool) -> Model {
    if is_cxx { Model::C20 } else { Model::default() }
}

/// The name of the usual model where there is no program.
pub(crate) fn usual_name() -> &'static str {
    usual(false).rules().name
}

/// `--model NAME`, if that is not the usual model for the program.
pub(crate) fn option(model: Model, is_cxx: bool) -> Option<String> {
    (model != usual(is_cxx)).then(|| format!("--model {}", model.rules().name))
}

/// Refuses a search that has no meaning under another model.
pub(crate) fn refuse_search(model: Model, search: args::Xmm) -> anyhow::Result<()> {
    if search != args::Xmm::Complete && model.rules().cycles == Cycles::Forbidden {
        anyhow::bail!("`--xmm` is about `--model xmm`, and the model is `{}`", model.rules().name);
    }
    Ok(())
}

/// Warns of what to know before reading what a model of a language without SC accesses says about a program that has some.
pub(crate) fn warn_of_sc_accesses(model: Model) {
    let rules = model.rules();
    if rules.is_of_a_language() && !rules.global.has_sc_events() {
        output::warning(&format!(
            "{} has no SC accesses: they count as acquire and release (SC fences are there); `--model {}` has both",
            rules.name,
            Model::C20.rules().name
        ));
    }
}

/// The equivalence that was asked for, if one was; a message if it is not one of those that there are.
pub(crate) fn equivalence(
    model: Model,
    asked: Option<args::Equivalence>,
    there_are: &[Equivalence],
) -> anyhow::Result<Option<Equivalence>> {
    let Some(asked) = asked.map(Equivalence::from) else { return Ok(None) };
    if !there_are.contains(&asked) {
        let names: Vec<&str> = there_are.iter().map(|there_is| there_is.name()).collect();
        anyhow::bail!(
            "`--equivalence {}` is not in this version for the model `{}`; there is: {}",
            asked.name(),
            model.rules().name,
            names.join(", ")
        );
    }
    Ok(Some(asked))
}

/// What `threadbare models` prints: a line a model on what it is, one on what it does, and which is weaker than which.
pub(crate) fn table() -> String {
    let mut text = String::new();
    for model in Model::CATALOGUE {
        let about = model.about();
        _ = writeln!(text, "{:8} {:72} {}", model.rules().name, about.summary, about.source);
    }
    text.push_str("\nWhat a model does with what the program wrote:\n\n");
    text +=
        &row(["", "orders", "weaker fences", "SC fences", "SC accesses", "release sequence", "equivalence"]);
    Model::CATALOGUE.into_iter().for_each(|model| text += &details(model));
    text.push_str(NOTES);
    text.push_str(STRENGTH);
    text
}

fn details(model: Model) -> String {
    let about = model.about();
    let equivalences = model.equivalences().iter().map(|equivalence| equivalence.name());
    row([
        model.rules().name,
        about.orders,
        about.weak_fences,
        about.sc_fences,
        about.sc_accesses,
        about.release_sequence,
        &equivalences.collect::<Vec<_>>().join(", "),
    ])
}

fn row(columns: [&str; 7]) -> String {
    let [name, orders, weak, sc_fences, sc_accesses, sequence, equivalence] = columns;
    let line =
        format!("{name:8} {orders:13} {weak:15} {sc_fences:18} {sc_accesses:18} {sequence:18} {equivalence}");
    line.trim_end().to_owned() + "\n"
}

const NOTES: &str = "
Plain accesses are the weakest ones of the model; a race on them is a violation, with respect to its own hb.
Drain: so do, under tso, read-modify-writes, creations and joins.
acq_rel RMW: an SC fence is a read-modify-write of one location that is there for SC fences only.
Release sequence: what an acquire may read instead of the release itself, to synchronise with it.
Equivalence: executions are explored up to what is read from where (rf), or up to the coherence order, too (co); if not
said, up to the last one that the line names.
";

const STRENGTH: &str = "
Which allows more: from top to bottom. What a model allows, those below it that it leads to allow, too.

                    sc
                    |
                   tso
                  /   \\
               sra     +-------+
                |              |
                ra ...(1)... rc11
               /  \\         /  |  \\
              /    \\      c20  |   \\
             /      \\  (2) |   |    xmm
           wra     rc20    |   |
            :         \\    |   |
           (3)         relaxed |
            :                  |
            +............... wrc11

  (1) for programs without SC accesses   (2) without SC fences   (3) without SC accesses and without plain ones
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_and_has_every_model() {
        let table = table();
        assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
        for model in Model::CATALOGUE {
            let name = model.rules().name;
            let lines = table.lines().filter(|line| line.split(' ').next() == Some(name)).count();
            assert_eq!(lines, 2, "{name}: {table}");
            assert!(
                STRENGTH.split(|c: char| !c.is_alphanumeric()).any(|word| word == name),
                "{name} is in the figure"
            );
        }
    }
}
