//! `--graph FILE`: the execution as a picture, in the format that the name of the file asks for.

use crate::output;
use crate::output_file::OutputFile;
use anyhow::bail;
use engine::{Outcome, StopReason};
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
            output::name(file)
        ),
    }
}

/// Refuses a format that cannot be drawn, before anything is explored.
pub(crate) fn refuse_format(file: Option<&Path>) -> anyhow::Result<()> {
    file.map_or(Ok(()), |file| format(file).map(drop))
}

/// Draws the first violation, or the execution that was replayed.
pub(crate) fn write(
    file: Option<&OutputFile>,
    outcome: &Outcome,
    run: &Run,
    sources: &dyn SourceMap,
) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    match picture(outcome, run, sources) {
        Some(picture) => write_picture(file, &picture),
        None => {
            let name = output::name(file.name());
            output::warning(&format!("there is nothing to draw: {name} is not written"));
            Ok(())
        }
    }
}

pub(crate) fn write_picture(file: &OutputFile, picture: &Picture) -> anyhow::Result<()> {
    let text = match format(file.name())? {
        Format::Dot => report::dot(picture),
        Format::Svg => report::svg(picture),
        Format::Html => report::html(picture),
    };
    file.write_text(&text)
}

fn picture(outcome: &Outcome, run: &Run, sources: &dyn SourceMap) -> Option<Picture> {
    let first = outcome.violations.first().filter(|first| !first.execution.graph.threads.is_empty());
    if let Some(violation) = first {
        return Some(Picture::new(violation, run, sources));
    }
    let replayed = outcome.stopped() == Some(&StopReason::Replayed);
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
