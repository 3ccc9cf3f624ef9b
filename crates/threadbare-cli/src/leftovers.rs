//! Files and directories that must not stay behind, however the process ends.
//!
//! What is dropped is removed. But when the watch ends the process, or a panic does, nothing is dropped: so whatever is there is
//! on a list.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file or a directory with all that is in it, removed when it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Leftover {
    path: PathBuf,
}

impl Leftover {
    /// What `make` makes, at the path that it says. No end comes between the making and the list.
    pub(crate) fn make<T>(make: impl FnOnce() -> io::Result<(PathBuf, T)>) -> io::Result<(Leftover, T)> {
        let mut there = there();
        let (path, made) = make()?;
        there.push(path.clone());
        Ok((Leftover { path }, made))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        let mut there = there();
        remove(&self.path);
        there.retain(|path| *path != self.path);
    }
}

/// Remove all that is there. From then on nothing is made any more: the process ends.
pub(crate) fn remove_all() {
    let there = there();
    there.iter().for_each(|path| remove(path));
    std::mem::forget(there);
}

/// It may be gone: a file that was renamed is.
fn remove(path: &Path) {
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

fn there() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
