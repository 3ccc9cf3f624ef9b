//! The program that a command line names: its files, and how they are compiled.

use crate::compile_commands::CompileCommands;
use crate::compiler::{Source, Unit};
use crate::{cache, cflags, output};
use anyhow::bail;
use clap::{Args, ValueEnum};
use report::shell_word;
use std::path::{Path, PathBuf};

/// Files of C++.
const CXX: [&str; 5] = ["cc", "cpp", "cxx", "C", "ii"];

/// Files that clang does not see.
const COMPILED: [&str; 4] = ["bc", "ll", "a", "tbc"];

#[derive(Args, Clone, Debug)]
pub(crate) struct Input {
    /// The program: .c .i .cc .cpp .cxx .C .ii, bitcode .bc or .ll, archives .a of bitcode; several files are linked
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Start with this function, which has no parameters, instead of `main`
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,

    /// What accesses are that are `volatile` and not atomic: plain, as C says, or relaxed, as much code takes them for
    #[arg(long, value_enum, default_value = "plain", hide_possible_values = true, value_name = "WHICH")]
    pub(crate) volatile: Volatile,

    /// Compile each file with its flags in compile_commands.json, in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) compile_commands: Option<PathBuf>,

    /// Bodies for functions that the program calls and does not have
    #[arg(long, value_name = "FILE")]
    pub(crate) stubs: Option<PathBuf>,

    /// Some of the program is C++ or Rust, as the compiler said (for units of an exploration)
    #[arg(long, hide = true)]
    pub(crate) cxx: bool,

    /// Flags for clang, after `--`
    #[arg(last = true, value_name = "CFLAGS", allow_hyphen_values = true)]
    pub(crate) cflags: Vec<String>,
}

/// What `volatile` accesses are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Volatile {
    Plain,
    Relaxed,
}

impl Input {
    /// Refuses flags and files that cannot be what the user means.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        cflags::refuse_output(&self.cflags)?;
        let is_clangs = self.files.iter().chain(&self.stubs).any(|file| !is_compiled(file));
        if let (Some(flag), false) = (self.cflags.first(), is_clangs) {
            bail!(
                "`{flag}` after `--` is for clang, and {} is compiled already: leave it out, or give it to the clang that \
                 makes this file",
                output::name(&self.files[0])
            );
        }
        Ok(())
    }

    /// Whether some of the program is C++ or Rust. Of bitcode that is known when it is compiled ([`Input::of_program`]).
    pub(crate) fn is_cxx(&self) -> bool {
        self.cxx || self.files.iter().any(|file| has_extension(file, &CXX))
    }

    /// The same with what the compiler says of it.
    pub(crate) fn of_program(&self, is_cxx: bool) -> Input {
        Input { cxx: self.cxx || is_cxx, ..self.clone() }
    }

    /// Everything that a run reads, as far as the command line names it.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let files = self.files.iter().chain(&self.stubs).map(PathBuf::as_path);
        files.chain(cflags::inputs(&self.cflags)).collect()
    }

    /// The program in a report.
    pub(crate) fn name(&self) -> String {
        self.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" ")
    }

    /// The files for a shell.
    pub(crate) fn words(&self) -> String {
        let words = self.files.iter().map(|file| shell_word(&file.display().to_string()));
        words.collect::<Vec<_>>().join(" ")
    }

    /// The flags for clang, for a shell.
    pub(crate) fn flag_words(&self) -> String {
        self.cflags.iter().map(|flag| shell_word(flag)).collect::<Vec<_>>().join(" ")
    }

    /// The options that say how to compile, for a shell.
    pub(crate) fn options(&self) -> Vec<String> {
        let word =
            |option: &str, value: &Path| format!("{option} {}", shell_word(&value.display().to_string()));
        let mut options = Vec::new();
        options.extend(self.entry.iter().map(|entry| format!("--entry {}", shell_word(entry))));
        options.extend((self.volatile == Volatile::Relaxed).then(|| "--volatile=relaxed".to_owned()));
        options.extend(self.compile_commands.iter().map(|directory| word("--compile-commands", directory)));
        options.extend(self.stubs.iter().map(|file| word("--stubs", file)));
        options
    }

    /// What the compiler is asked for.
    pub(crate) fn source(&self, unroll: bool) -> anyhow::Result<Source> {
        let commands = self.compile_commands.as_deref().map(CompileCommands::read).transpose()?;
        let unit = |file: &PathBuf| match &commands {
            Some(commands) if !is_compiled(file) => commands.unit(file),
            _ => Ok(Unit { file: file.into(), cflags: Vec::new(), directory: None }),
        };
        Ok(Source {
            units: self.files.iter().map(unit).collect::<anyhow::Result<_>>()?,
            stubs: self.stubs.as_ref().map(|file| file.into()),
            cflags: self.cflags.clone(),
            entry: self.entry.clone(),
            cache: cache::directory().map(PathBuf::into_os_string),
            volatile_is_relaxed: self.volatile == Volatile::Relaxed,
            unroll,
        })
    }
}

fn is_compiled(file: &Path) -> bool {
    has_extension(file, &COMPILED)
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().is_some_and(|extension| extensions.iter().any(|it| extension == *it))
}
