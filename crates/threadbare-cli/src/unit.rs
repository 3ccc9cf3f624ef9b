//! Units: explorations that are not over, in files.
//!
//! A checkpoint, a unit of work, its result and the state that results are merged into are one format: the JSON object of a
//! result, as far as it goes, and in its field `unit` the exploration itself, with the program and the options that it belongs
//! to. What it is read for must be the same program with the same options, and the same build of Threadbare: paths have
//! their meaning there alone.

use crate::args::{Arguments, Command, VerifyArguments, names_of};
use crate::build_id::build_id;
use crate::told::{Keeping, Told};
use crate::{Status, output};
use anyhow::{Context, bail};
use clap::Parser;
use engine::{Equivalence, Exploration, Model, Outcome, Reduction, StopReason, Subtree, Verdict};
use report::{Run, SourceMap};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ffi::OsString;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::OnceLock;

/// Counts incompatible changes of the format.
const FORMAT: u32 = 1;

/// An exploration that is not over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Unit {
    pub(crate) format: u32,
    pub(crate) version: String,
    /// The compiled program, or the program itself, as a file name.
    pub(crate) program: String,
    /// The program as it was named, in reports and for a shell, and the flags for clang.
    pub(crate) source: String,
    pub(crate) files: String,
    pub(crate) cflags: String,
    /// The number of the compiled program, its model and the options that change it.
    pub(crate) fingerprint: u32,
    /// The options of `verify` that decide what is explored.
    pub(crate) options: Vec<String>,
    /// Whether there is nothing left to do.
    pub(crate) is_over: bool,
    /// What is left, in the order of the exploration.
    pub(crate) left: Vec<Subtree>,
    /// What was taken to be explored.
    #[serde(default)]
    pub(crate) taken: Vec<Subtree>,
    /// Everything that was left when this was taken; for shards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) whole: Vec<Subtree>,
    /// What to take; everything, if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) take: Option<Vec<Subtree>>,
    /// What the exploration of some subtrees starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seed: Option<Exploration>,
    /// The source, as far as reports need it.
    #[serde(default)]
    pub(crate) told: Told,
    /// The time that was spent on exploring.
    #[serde(default)]
    pub(crate) seconds: f64,
    pub(crate) exploration: Exploration,
}

/// The program that units are made for.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    program: String,
    source: String,
    files: String,
    cflags: String,
    pub(crate) fingerprint: u32,
    options: Vec<String>,
}

impl Identity {
    /// This program, which a unit finds in `file`, with these arguments.
    pub(crate) fn new(
        file: &Path,
        run: &Run,
        machine: &vm::Machine,
        arguments: &VerifyArguments,
        equivalence: Equivalence,
    ) -> Identity {
        Identity {
            program: file.display().to_string(),
            source: run.program.clone(),
            files: run.files.clone(),
            cflags: run.cflags.clone(),
            fingerprint: engine::fingerprint(machine, arguments.model()),
            options: options(arguments, equivalence),
        }
    }

    /// The program of a unit.
    pub(crate) fn of(unit: &Unit) -> Identity {
        let Unit { program, source, files, cflags, fingerprint, options, .. } = unit.clone();
        Identity { program, source, files, cflags, fingerprint, options }
    }

    /// The run, of the program as it was named.
    pub(crate) fn run(&self, run: Run) -> Run {
        Run { program: self.source.clone(), files: self.files.clone(), cflags: self.cflags.clone(), ..run }
    }

    /// The file of an exploration under way.
    pub(crate) fn unit(&self, mut exploration: Exploration, is_over: bool) -> Unit {
        exploration.sort();
        Unit {
            format: FORMAT,
            version: version().to_owned(),
            program: self.program.clone(),
            source: self.source.clone(),
            files: self.files.clone(),
            cflags: self.cflags.clone(),
            fingerprint: self.fingerprint,
            options: self.options.clone(),
            is_over,
            left: exploration.left().to_vec(),
            taken: Vec::new(),
            whole: Vec::new(),
            take: None,
            seed: (!exploration.is_unit()).then(|| exploration.unit(Vec::new())),
            told: Told::default(),
            seconds: 0.0,
            exploration,
        }
    }

    /// Refuse a file with a unit of another program, or of other options.
    pub(crate) fn refuse_other(&self, other: &Identity, file: &Path) -> anyhow::Result<()> {
        let name = output::name(file);
        if other.options != self.options {
            bail!(
                "{name} was written with other options: it has `{}`, and this is `{}`",
                other.options.join(" "),
                self.options.join(" ")
            );
        }
        self.refuse(other.fingerprint == self.fingerprint, file)
    }

    /// Refuse a program that the unit of a file is not made for.
    pub(crate) fn refuse_program(
        &self,
        machine: &vm::Machine,
        model: Model,
        file: &Path,
    ) -> anyhow::Result<()> {
        self.refuse(engine::fingerprint(machine, model) == self.fingerprint, file)
    }

    fn refuse(&self, fits: bool, file: &Path) -> anyhow::Result<()> {
        match fits {
            true => Ok(()),
            false => bail!(
                "{} belongs to another program: {} has changed since, or was compiled otherwise",
                output::name(file),
                self.source
            ),
        }
    }
}

impl Unit {
    /// The unit in a file.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Unit> {
        let name = output::name(file);
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
        let object: Value = serde_json::from_str(&text).with_context(|| format!("{name} is no JSON"))?;
        let unit = object.get("unit").with_context(|| {
            format!("{name} has no field `unit`: only results of --checkpoint, --shard, `work` and `merge` have one")
        })?;
        let (format, written_by) = (&unit["format"], unit["version"].as_str().unwrap_or("?"));
        if *format != FORMAT || written_by != version() {
            bail!(
                "{name} was written by another build of Threadbare: {written_by} (format {format}), and this is {} \
                 (format {FORMAT})",
                version()
            );
        }
        Unit::deserialize(unit).with_context(|| format!("{name} is damaged"))
    }

    /// The arguments of `verify` that it was made with, for this file.
    pub(crate) fn arguments(&self, program: &Path) -> anyhow::Result<VerifyArguments> {
        let words = ["threadbare".into(), "verify".into(), program.into()].into_iter();
        let words = words.chain(self.options.iter().map(OsString::from));
        match Arguments::try_parse_from(words).context("the unit has options that there are not")?.command {
            Command::Verify(arguments) => Ok(arguments),
            _ => bail!("the unit is none of `verify`"),
        }
    }

    /// The exploration of what is to be taken.
    pub(crate) fn into_exploration(self) -> (Exploration, Vec<Subtree>) {
        let take = self.take.unwrap_or(self.left);
        (self.exploration.unit(take.clone()), take)
    }
}

impl Unit {
    /// With what reports of it may need of the source, and the time that it took.
    pub(crate) fn with_told(self, sources: Keeping<'_>, seconds: f64) -> Unit {
        for site in self.exploration.sites() {
            _ = (sources.site(site), sources.has_bound(site));
        }
        Unit { told: sources.told(), seconds, ..self }
    }

    /// What a result comes to that is a unit: one that was explored to its end is fine, although others may be missing.
    pub(crate) fn status(&self, outcome: &Outcome) -> Status {
        match outcome.verdict() {
            Verdict::Inconclusive(StopReason::Paused) if self.left.is_empty() => Status::Fine,
            verdict => Status::of(&verdict),
        }
    }
}

/// The version, and which build it is: paths have their meaning in one build alone.
fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| format!("{}+{:08x}", env!("CARGO_PKG_VERSION"), build_id()))
}

/// Write a file so that a reader finds the old text or the new one, whole.
pub(crate) fn replace(file: &Path, text: &[u8]) -> anyhow::Result<()> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        // As any other file: who may read it, the umask says.
        let mut builder = tempfile::Builder::new();
        builder.prefix(".threadbare-").permissions(Permissions::from_mode(0o666));
        let mut temporary = builder.tempfile_in(directory)?;
        temporary.write_all(text)?;
        temporary.as_file().sync_all()?;
        temporary.persist(file)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", output::name(file)))
}

/// The options that decide what is explored, as they would be written.
fn options(arguments: &VerifyArguments, equivalence: Equivalence) -> Vec<String> {
    let model: Model = arguments.model();
    let mut options =
        vec![format!("--model={}", model.rules().name), format!("--equivalence={}", equivalence.name())];
    // The program is bytecode: its name does not say so.
    options.extend(arguments.input.is_cxx().then(|| "--cxx".to_owned()));
    options.extend(arguments.unroll.words().map(|word| format!("--unroll={word}")));
    options.push(format!("--spin={}", arguments.spin.name()));
    options.push(format!("--alloc={}", arguments.allocation().name()));
    let off: Vec<&str> = Reduction::ALL
        .into_iter()
        .filter(|&it| !arguments.reductions().has(it))
        .map(Reduction::name)
        .collect();
    if !off.is_empty() {
        options.push(format!("--without={}", off.join(",")));
    }
    let on: Vec<&str> = arguments.asked_for().map(Reduction::name).collect();
    if !on.is_empty() {
        options.push(format!("--with={}", on.join(",")));
    }
    options.push(format!("--check={}", names_of(arguments.checks())));
    options.extend(arguments.max_steps.map(|steps| format!("--max-steps={steps}")));
    let flags = [("--keep-going", arguments.keep_going), ("--count-duplicates", arguments.count_duplicates)];
    options.extend(flags.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_owned()));
    options
}
