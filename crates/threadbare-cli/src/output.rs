//! Where things are printed: results on stdout, everything else on stderr.

use crate::compiler::CompilerError;
use base::{escaped, escaped_lines};
use report::Colour;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// A result. Whoever reads may stop reading: a closed pipe is no error.
pub(crate) fn result(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// The reason why there is no result. What clang says has its own form already, with the place in front.
pub(crate) fn error(error: &anyhow::Error) {
    match (error.downcast_ref(), error.downcast_ref()) {
        (Some(llvm::CompileError::Clang { stderr }), _) => log(stderr),
        (_, Some(CompilerError::Refused(words))) => log(words),
        _ => log(&format!("error: {error:#}")),
    }
}

/// Something that the user should know about the result.
pub(crate) fn warning(text: &str) {
    log(&format!("warning: {}", escaped(text)));
}

/// What clang and the lowering say, as they say it.
pub(crate) fn lines(text: &str) {
    if !text.is_empty() {
        log(text);
    }
}

/// The name of a file in a message.
pub(crate) fn name(file: &Path) -> String {
    escaped(&file.display().to_string())
}

/// Lines on stderr, with nothing in them that a terminal would obey; if even that is closed, there is nobody to tell.
pub(crate) fn log(lines: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped_lines(lines.trim_end()));
}

/// Colours only for a terminal, and only if the user does not mind.
pub(crate) fn colour() -> Colour {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if io::stdout().is_terminal() && !unwanted { Colour::Always } else { Colour::Never }
}
