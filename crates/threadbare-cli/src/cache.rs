//! `cache`, and where the cache of the whole tool is.

use crate::args::{CacheAction, CacheArguments};
use crate::{Status, output};
use anyhow::Context;
use std::ffi::OsString;
use std::path::PathBuf;

/// The directory of the cache: `THREADBARE_CACHE`, or `threadbare` in the user's directory for such things. `None`: there is none,
/// or an empty name says that there is to be none.
pub(crate) fn directory() -> Option<PathBuf> {
    directory_in(|name| std::env::var_os(name))
}

fn directory_in(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(own) = variable("THREADBARE_CACHE") {
        return Some(PathBuf::from(own)).filter(|directory| !directory.as_os_str().is_empty());
    }
    // A path that is not absolute does not count, says the XDG Base Directory Specification.
    let absolute = |name| variable(name).map(PathBuf::from).filter(|directory| directory.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("threadbare"))
}

/// Runs the command.
pub(crate) fn cache(arguments: &CacheArguments) -> anyhow::Result<Status> {
    let Some(cache) = directory().map(llvm::Cache::new) else {
        output::result("there is no cache: set THREADBARE_CACHE to a directory to have one\n")?;
        return Ok(Status::Fine);
    };
    let place = output::name(cache.directory());
    let (what, (entries, bytes)) = match arguments.action {
        None => ("", cache.size()),
        Some(CacheAction::Clean) => {
            ("removed ", cache.clean().with_context(|| format!("cannot clean {place}"))?)
        }
    };
    let noun = if entries == 1 { "entry" } else { "entries" };
    output::result(&format!("{place}: {what}{entries} {noun}, {bytes} bytes\n"))?;
    Ok(Status::Fine)
}

#[cfg(test)]
mod tests {
    use super::directory_in;
    use std::path::Path;

    #[test]
    fn the_place_of_the_cache() {
        let place = |variables: &[(&str, &str)]| {
            directory_in(|name| variables.iter().find(|it| it.0 == name).map(|it| it.1.into()))
        };
        let home = ("HOME", "/h");
        assert_eq!(place(&[home]).as_deref(), Some(Path::new("/h/.cache/threadbare")));
        assert_eq!(place(&[home, ("XDG_CACHE_HOME", "/x")]).as_deref(), Some(Path::new("/x/threadbare")));
        assert_eq!(
            place(&[home, ("XDG_CACHE_HOME", "x")]).as_deref(),
            Some(Path::new("/h/.cache/threadbare"))
        );
        assert_eq!(place(&[home, ("THREADBARE_CACHE", "c")]).as_deref(), Some(Path::new("c")));
        assert_eq!(place(&[home, ("THREADBARE_CACHE", "")]), None);
        assert_eq!(place(&[]), None);
    }
}
