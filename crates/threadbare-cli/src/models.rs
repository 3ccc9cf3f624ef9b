//! The memory models by name, and what each does with what the program wrote.

use crate::args;
use clap::ValueEnum;
use model::{Equivalence, Kind, Model};
use report::{ModelName, Orders};
use std::fmt::Write;

/// Every name that `--model` understands.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum ModelChoice {
    Sc,
    Tso,
    Ra,
    Sra,
    Wra,
    Rc20,
    Relaxed,
    Rc11,
    Wrc11,
    Xmm,
}

/// A model of this version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Supported {
    pub(crate) model: Model,
    pub(crate) name: ModelName,
}

/// The model.
pub(crate) fn supported(choice: ModelChoice) -> Supported {
    let model = model(choice);
    let orders = match model.about().kind {
        Kind::Language => Orders::Annotated,
        Kind::Uniform if model == Model::Relaxed => Orders::Ignored,
        Kind::Uniform => Orders::Uniform,
    };
    Supported { model, name: ModelName { id: model.text().name, title: model.text().title, orders } }
}

/// Refuses a search that has no meaning under another model.
pub(crate) fn refuse_search(supported: Supported, search: args::Xmm) -> anyhow::Result<()> {
    if search != args::Xmm::Complete && supported.model != Model::Xmm {
        anyhow::bail!("`--xmm` is about `--model xmm`, and the model is `{}`", supported.name.id);
    }
    Ok(())
}

/// What to know before reading what RC20 says about a program with SC accesses.
pub(crate) const RC20_SC_ACCESSES: &str =
    "rc20 has no SC accesses: they count as acquire and release (SC fences are there)";

/// The equivalence that was asked for, if one was; a message if it is not one of those that there are.
pub(crate) fn equivalence(
    supported: Supported,
    asked: Option<args::Equivalence>,
    there_are: &[Equivalence],
) -> anyhow::Result<Option<Equivalence>> {
    let asked = match asked {
        None => return Ok(None),
        Some(args::Equivalence::Co) => Equivalence::Co,
        Some(args::Equivalence::Rf) => Equivalence::Rf,
    };
    if !there_are.contains(&asked) {
        let names: Vec<&str> = there_are.iter().map(|there_is| there_is.name()).collect();
        anyhow::bail!(
            "`--equivalence {}` is not in this version for the model `{}`; there is: {}",
            asked.name(),
            supported.name.id,
            names.join(", ")
        );
    }
    Ok(Some(asked))
}

fn model(choice: ModelChoice) -> Model {
    match choice {
        ModelChoice::Sc => Model::Sc,
        ModelChoice::Tso => Model::Tso,
        ModelChoice::Ra => Model::Ra,
        ModelChoice::Sra => Model::Sra,
        ModelChoice::Wra => Model::Wra,
        ModelChoice::Rc20 => Model::Rc20,
        ModelChoice::Relaxed => Model::Relaxed,
        ModelChoice::Rc11 => Model::Rc11,
        ModelChoice::Wrc11 => Model::Wrc11,
        ModelChoice::Xmm => Model::Xmm,
    }
}

/// What `threadbare models` prints: a line a model on what it is, one on what it does, and which is weaker than which.
pub(crate) fn table() -> String {
    let mut text = String::new();
    for model in Model::CATALOGUE {
        let about = model.about();
        _ = writeln!(text, "{:8} {:72} {}", model.text().name, about.summary, about.source);
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
        model.text().name,
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
Equivalence: executions are explored up to what is read from where (rf), or up to the coherence order, too (co).
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
               /  \\          : | \\ +------+
              /    \\        :  |  \\       |
           wra     rc20 .(2)   |   \\      |
            :        \\         |    \\     |
           (3)        +---- relaxed  |   xmm
            :                        |
            +................... wrc11

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
            let name = model.text().name;
            let lines = table.lines().filter(|line| line.split(' ').next() == Some(name)).count();
            assert_eq!(lines, 2, "{name}: {table}");
            assert!(STRENGTH.contains(name), "{name} is in the figure");
        }
    }

    #[test]
    fn every_choice_has_its_name() {
        for choice in ModelChoice::value_variants() {
            let name = choice.to_possible_value().expect("no choice is hidden").get_name().to_owned();
            assert_eq!(supported(*choice).name.id, name);
        }
    }
}
