//! The tests that paths name.

use crate::output;
use std::path::{Path, PathBuf};

/// The files, and a message for every path that names none. A directory means all `*.litmus` files below it, sorted; a
/// file is taken whatever it is called.
pub(super) fn find(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
    let (mut files, mut messages) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        if let Err(error) = walk(path, &mut files) {
            messages.push(format!("error: cannot read {}: {error}", output::name(path)));
        } else if files.len() == before {
            messages.push(format!("error: there is no *.litmus file below {}", output::name(path)));
        }
        files[before..].sort();
    }
    (files, messages)
}

fn walk(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        // A link to a directory is not followed: it may lead in circles.
        if entry.file_type()?.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            files.push(path);
        }
    }
    Ok(())
}
