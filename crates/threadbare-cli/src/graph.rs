//! `--graph FILE`: the execution as a picture, in the format that the name of the file asks for.

use crate::output;
use anyhow::{Context, bail};
use explore::{Outcome, StopReason};
use report::{Picture, Run, SourceMap};
use std::path::Path;

/// How a picture is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Dot,
    Svg,
    Html,
}

/// The format of this file.
fn format(file: &Path) -> anyhow::Result<Format> {
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("dot" | "gv") => Ok(Format::Dot),
        Some("svg") => Ok(Format::Svg),
        Some("html" | "htm") => Ok(Format::Html),
        _ => bail!(
            "`--graph {}`: the end of the name says what to draw; there is: .dot, .svg, .html",
            file.display()
        ),
    }
}

/// Refuses what could not be written, before anything is explored.
pub(crate) fn refuse_unwritable(file: Option<&Path>) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    format(file)?;
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        bail!(
            "`--graph {}`: there is no directory {}: make it, or name another file",
            file.display(),
            directory.display()
        );
    }
    if file.is_dir() {
        bail!("`--graph {}` is a directory: name a file", file.display());
    }
    Ok(())
}

/// Draws the first violation, or the execution that was replayed.
pub(crate) fn write(
    file: Option<&Path>,
    outcome: &Outcome,
    run: &Run,
    sources: &dyn SourceMap,
) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    match picture(outcome, run, sources) {
        Some(picture) => write_picture(file, &picture),
        None => {
            output::warning(&format!("there is nothing to draw: {} is not written", file.display()));
            Ok(())
        }
    }
}

pub(crate) fn write_picture(file: &Path, picture: &Picture) -> anyhow::Result<()> {
    let text = match format(file)? {
        Format::Dot => report::dot(picture),
        Format::Svg => report::svg(picture),
        Format::Html => report::html(picture),
    };
    std::fs::write(file, text)
        .with_context(|| format!("cannot write the picture to {}: name another file", file.display()))
}

fn picture(outcome: &Outcome, run: &Run, sources: &dyn SourceMap) -> Option<Picture> {
    let first = outcome.violations.first().filter(|first| !first.execution.graph.threads.is_empty());
    if let Some(violation) = first {
        return Some(Picture::new(violation, run, sources));
    }
    let replayed = outcome.stopped == Some(StopReason::Replayed);
    let execution = outcome.example.as_ref().filter(|_| replayed)?;
    Some(Picture::of_execution(execution, run, sources))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_says_the_format() {
        let format = |name: &str| format(Path::new(name)).ok();
        assert_eq!(format("a/b.dot"), Some(Format::Dot));
        assert_eq!(format("b.SVG"), Some(Format::Svg));
        assert_eq!(format("b.c.html"), Some(Format::Html));
        for name in ["b", "b.png", "dot", ".svg", "b.svg/"] {
            assert_eq!(format(name), if name == "b.svg/" { Some(Format::Svg) } else { None }, "{name}");
        }
    }
}
