//! `compile_commands.json`: how a build system compiles each file.
//!
//! The format is that of Clang's [JSON compilation database](https://clang.llvm.org/docs/JSONCompilationDatabase.html). Of a
//! command, the compiler, the file and everything about outputs and dependencies are dropped: there is no output. Flags that
//! load code into clang, or that lead to other flags, are refused: the database may be somebody else's.

use crate::compiler::Unit;
use crate::{cflags, output};
use anyhow::{Context, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf, absolute};

/// The database.
#[derive(Debug)]
pub(crate) struct CompileCommands {
    file: PathBuf,
    entries: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

impl CompileCommands {
    /// The database in this directory.
    pub(crate) fn read(directory: &Path) -> anyhow::Result<CompileCommands> {
        let file = match directory.is_dir() {
            true => directory.join("compile_commands.json"),
            false => directory.to_owned(),
        };
        let name = output::name(&file);
        let text = std::fs::read(&file).with_context(|| format!("cannot read {name}"))?;
        let entries = serde_json::from_slice(&text)
            .with_context(|| format!("{name} is no list of compile commands"))?;
        Ok(CompileCommands { file, entries })
    }

    /// The file, compiled as the database says. Of several entries for it the first counts.
    pub(crate) fn unit(&self, file: &Path) -> anyhow::Result<Unit> {
        let wanted = resolved(file);
        let Some(entry) = self.entries.iter().find(|it| resolved(&it.directory.join(&it.file)) == wanted)
        else {
            bail!(
                "{} says nothing about {}: build that file first, or give its flags after `--` without --compile-commands",
                output::name(&self.file),
                output::name(file)
            );
        };
        // Clang would take the last part of such a name for a file of flags.
        if file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"@")) {
            bail!("{}: --compile-commands takes no file whose name starts with `@`", output::name(file));
        }
        let of = || format!("in {}, for {}", output::name(&self.file), output::name(file));
        Ok(Unit {
            file: file.into(),
            cflags: entry.flags().with_context(of)?,
            directory: Some(self.directory(entry).into()),
        })
    }

    /// Where the command runs: a relative directory is one beside the database.
    fn directory(&self, entry: &Entry) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(&entry.directory)
    }
}

impl Entry {
    fn flags(&self) -> anyhow::Result<Vec<String>> {
        let words = match self.arguments.is_empty() {
            false => self.arguments.clone(),
            true => shlex::split(&self.command).context("the command has a quote that does not end")?,
        };
        let words: Vec<String> = words.into_iter().skip(1).filter(|word| !self.is_file(word)).collect();
        let flags = cflags::without_output(&words);
        cflags::refuse_code(&flags)?;
        cflags::refuse_output(&flags)?;
        Ok(flags)
    }

    fn is_file(&self, word: &str) -> bool {
        !word.starts_with('-')
            && resolved(&self.directory.join(word)) == resolved(&self.directory.join(&self.file))
    }
}

/// The file itself, whatever links and dots lead to it; or the path, if there is no such file.
fn resolved(file: &Path) -> PathBuf {
    file.canonicalize().or_else(|_| absolute(file)).unwrap_or_else(|_| file.to_owned())
}
