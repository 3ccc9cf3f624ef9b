//! `threadbare merge`: the results of units and shards are added up.

use crate::args::MergeArguments;
use crate::told::Told;
use crate::unit::{self, Identity, Unit};
use crate::verify::{self, More};
use crate::{Status, memory, output, release_sequences};
use anyhow::{Context, bail};
use report::{Report, Run};
use std::path::{Path, PathBuf};

pub(crate) fn merge(arguments: &MergeArguments) -> anyhow::Result<Status> {
    arguments.format.refuse_unless_of_reports()?;
    let read = |file: &PathBuf| Ok((file.clone(), Unit::read(file)?));
    let mut units = arguments.results.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let (first, base) = &units[0];
    let identity = Identity::of(base);
    units.iter().try_for_each(|(file, unit)| identity.refuse_other(&Identity::of(unit), file))?;
    let how = base.arguments(Path::new(&base.program))?;
    let equivalence = how.equivalence.context("the unit does not say up to what it explores")?.into();
    let mut state = match (base.exploration.is_unit(), base.whole.is_empty()) {
        (false, _) => base.exploration.clone(),
        (true, false) => base.exploration.whole(base.whole.clone()),
        (true, true) => bail!(
            "{} is a result of `work`: give the state that its unit was taken from before it",
            output::name(first)
        ),
    };
    let (mut told, mut seconds) = (Told::default(), 0.0);
    for (file, unit) in units.drain(..) {
        told.merge(unit.told);
        if !unit.exploration.is_unit() || state.absorb(&unit.taken, unit.exploration) {
            seconds += unit.seconds;
        } else {
            output::warning(&format!(
                "{} adds nothing: it was merged before, or an assumption that it relies on was refuted since",
                output::name(&file)
            ));
        }
    }
    let outcome = engine::signed_by(identity.fingerprint, state.settle(&verify::job(&how).options));
    let is_over = state.left().is_empty();
    let run = Run {
        exploration_seconds: seconds,
        peak_memory_bytes: memory::peak_bytes(),
        ..identity.run(verify::run_of(&how, how.model(), equivalence))
    };
    let mut report = Report::new(&outcome, &run, &told);
    release_sequences::note(&mut report, &outcome, how.model());
    let unit = Unit { told, seconds, ..identity.unit(state, is_over) };
    let more = More { estimate: None, unit: Some(&unit) };
    if let Some(file) = &arguments.output {
        unit::replace(file, report::json_with(&report, "merge", &more).as_bytes())?;
    }
    let unit = (!is_over).then_some(&unit);
    let text = arguments.format.of(&report, "merge", &More { estimate: None, unit });
    output::result(&text).context("cannot write the result")?;
    if let Some(unit) = unit.filter(|_| arguments.format.is_for_people()) {
        output::log(&format!("subtrees that are left to be explored: {}\n", unit.left.len()));
    }
    Ok(Status::of(&outcome.verdict()))
}
