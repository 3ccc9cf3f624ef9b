//! Files that a run writes: refused before the run if they cannot be written, and changed only when all is there.
//!
//! A file is written under a temporary name beside its own and renamed, so that its readers see the old file or the new
//! one. The temporary file exists only while it is written: a run that is killed in its exploration leaves none behind.
//! That a file can be written is known before, from one without a name that is made beside it. Devices and the streams
//! of the process cannot be renamed over; they are written as they are. A named pipe is refused: opening it would wait
//! for a reader, for ever if there is none.

use crate::leftovers::Leftover;
use crate::{Status, output};
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file that can be written when there is something to write.
#[derive(Debug)]
pub(crate) struct OutputFile {
    /// As the user names it.
    name: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A regular file, by its own name and not by that of a link to it. It may not exist yet.
    Regular(PathBuf),
    /// The standard output, under whatever name.
    Stdout,
    /// The standard error.
    Stderr,
    /// Written as it is.
    Device(File),
}

/// The files that these options name, of which no two are the same and none is an input.
pub(crate) fn open<const N: usize>(
    wanted: [(&'static str, Option<&Path>); N],
    inputs: &[&Path],
) -> anyhow::Result<[Option<OutputFile>; N]> {
    let mut files = [const { None }; N];
    for (index, (option, name)) in wanted.into_iter().enumerate() {
        let Some(name) = name else { continue };
        let refused = || format!("`{option} {}`", output::name(name));
        let file = OutputFile::open(name, inputs).with_context(refused)?;
        let same = files.iter().position(|other: &Option<OutputFile>| {
            other.as_ref().is_some_and(|other| other.target.is(&file.target))
        });
        if let Some(same) = same {
            bail!("`{option} {}` is the file of `{}`, too: name another", output::name(name), wanted[same].0);
        }
        files[index] = Some(file);
    }
    Ok(files)
}

impl OutputFile {
    fn open(name: &Path, inputs: &[&Path]) -> anyhow::Result<OutputFile> {
        let target = Target::find(name)?;
        if let Target::Regular(file) = &target {
            if inputs.iter().any(|input| is_same_file(file, input)) {
                bail!("this is an input, which is never written: name another file");
            }
            refuse_unwritable(file)?;
        }
        Ok(OutputFile { name: name.to_owned(), target })
    }

    /// As the user names it.
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Writes all of the text, or leaves what was there.
    pub(crate) fn write_text(&self, text: &str) -> anyhow::Result<()> {
        self.write(|out| out.write_all(text.as_bytes()))
    }

    /// Writes all of it, or leaves what was there.
    pub(crate) fn write(
        &self,
        contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let written = match &self.target {
            Target::Regular(file) => replace(file, contents),
            Target::Stdout => buffered(io::stdout().lock(), contents),
            Target::Stderr => buffered(io::stderr().lock(), contents),
            Target::Device(device) => buffered(device, contents),
        };
        written.with_context(|| format!("cannot write {}", output::name(&self.name)))
    }
}

impl Target {
    fn find(name: &Path) -> anyhow::Result<Target> {
        let Some(metadata) = metadata(name)? else { return Ok(Target::Regular(new_file(name)?)) };
        // Renaming over the file that stdout goes to would take its name away from all that is printed.
        if is_stream(&metadata, "/dev/fd/1") {
            return Ok(Target::Stdout);
        }
        if is_stream(&metadata, "/dev/fd/2") {
            return Ok(Target::Stderr);
        }
        let kind = metadata.file_type();
        if kind.is_file() {
            return Ok(Target::Regular(name.canonicalize()?));
        }
        if kind.is_dir() {
            bail!("this is a directory: name a file");
        }
        if !kind.is_char_device() {
            bail!("this is a pipe, a socket or a disk: name a file");
        }
        Ok(Target::Device(OpenOptions::new().write(true).open(name)?))
    }

    /// Whether one would overwrite the other.
    fn is(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Regular(one), Target::Regular(other)) => is_same_file(one, other),
            _ => false,
        }
    }
}

const UNWRITABLE: &str = "this file cannot be written, name another";

/// What is there; `None` if nothing is.
fn metadata(name: &Path) -> anyhow::Result<Option<Metadata>> {
    match fs::metadata(name) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).context(UNWRITABLE),
        Err(_) if name.is_symlink() => bail!("this is a link to a file that is not there: name that file"),
        Err(_) => Ok(None),
    }
}

fn is_stream(metadata: &Metadata, stream: &str) -> bool {
    fs::metadata(stream).is_ok_and(|stream| inode(&stream) == inode(metadata))
}

fn inode(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// The full name of a file that is not there yet.
fn new_file(name: &Path) -> anyhow::Result<PathBuf> {
    let file = name.file_name().context("this is no name of a file: name one")?;
    let directory = match name.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let missing =
        || format!("there is no directory {}: make it, or name another file", output::name(directory));
    if !directory.is_dir() || name.as_os_str().as_encoded_bytes().ends_with(b"/") {
        bail!(missing());
    }
    Ok(directory.canonicalize().with_context(missing)?.join(file))
}

/// The same file, under whatever names: links of both kinds lead to it.
fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => inode(&one) == inode(&other),
        _ => one == other,
    }
}

/// Refuses a file that may not be changed, and one beside which none can be made.
fn refuse_unwritable(file: &Path) -> anyhow::Result<()> {
    if file.exists() {
        OpenOptions::new().write(true).open(file).context(UNWRITABLE)?;
    }
    make_nameless(file).or_else(|_| Temporary::beside(file).map(drop)).context(UNWRITABLE)
}

/// Makes a file in the directory of another that has no name and so cannot be left behind, whatever ends the process. Not
/// all file systems can.
fn make_nameless(file: &Path) -> io::Result<()> {
    /// Linux's number for it on x86-64.
    const O_TMPFILE: i32 = 0o20_200_000;
    let directory = file.parent().unwrap_or(Path::new("/"));
    OpenOptions::new().write(true).custom_flags(O_TMPFILE).open(directory).map(drop)
}

fn replace(file: &Path, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let temporary = Temporary::beside(file)?;
    if let Ok(old) = fs::metadata(file) {
        temporary.file.set_permissions(old.permissions())?;
    }
    buffered(&temporary.file, contents)?;
    temporary.rename(file)
}

fn buffered(file: impl Write, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    contents(&mut writer)?;
    writer.flush()
}

/// A new file in the directory of another, removed when it is dropped. It may be read by all that the user's mask allows,
/// as other files that the user makes.
#[derive(Debug)]
struct Temporary {
    leftover: Leftover,
    file: File,
}

impl Temporary {
    fn beside(file: &Path) -> io::Result<Temporary> {
        let mut number = 0u32;
        loop {
            let mut name = OsString::from(format!(".threadbare-{}-{number}-", std::process::id()));
            name.push(short(file));
            let name = file.with_file_name(name);
            // Fails if the name is taken: nothing that is there is followed or overwritten.
            let file = || OpenOptions::new().write(true).create_new(true).open(&name);
            match Leftover::make(|| Ok((name.clone(), file()?))) {
                Ok((leftover, file)) => return Ok(Temporary { leftover, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn rename(self, to: &Path) -> io::Result<()> {
        fs::rename(self.leftover.path(), to)
    }
}

/// A part of the file's name, for users that see the temporary one; the whole may be as long as names can be.
fn short(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.chars().filter(|&c| c.is_ascii_alphanumeric() || c == '.').take(20).collect()
}

impl Status {
    /// The status of a run whose file was to be written: a verdict that is a reason to look stays what it is, and a run
    /// that would be fine is not without its file.
    pub(crate) fn after_writing(self, written: anyhow::Result<()>) -> Status {
        let Err(error) = written else { return self };
        match self {
            Status::Fine => {
                output::error(&error);
                Status::Failed
            }
            Status::Violated | Status::Failed | Status::Inconclusive => {
                output::warning(&format!("{error:#}"));
                self
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::TempDir;

    /// An empty directory of this test's own, gone when dropped.
    fn directory() -> TempDir {
        tempfile::tempdir().expect("the temporary directory can be written")
    }

    fn one(name: &Path, inputs: &[&Path]) -> anyhow::Result<OutputFile> {
        let [file] = open([("--graph", Some(name))], inputs)?;
        Ok(file.expect("it was wanted"))
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).expect("it can be read");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("and its entries").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_changes_when_all_is_written_and_not_before() {
        let directory = directory();
        let name = directory.path().join("a.svg");
        fs::write(&name, "old").expect("a file");
        fs::set_permissions(&name, fs::Permissions::from_mode(0o640)).expect("its mode");
        let file = one(&name, &[]).expect("it can be written");
        assert_eq!(names(directory.path()), ["a.svg"], "nothing is there during the run");
        let half = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        };
        assert!(file.write(half).is_err());
        assert_eq!(fs::read_to_string(&name).expect("text"), "old");
        file.write(|out| out.write_all(b"new")).expect("it can be written");
        assert_eq!(fs::read_to_string(&name).expect("text"), "new");
        assert_eq!(fs::metadata(&name).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(names(directory.path()), ["a.svg"]);
    }

    #[test]
    fn a_new_file_has_the_mode_of_other_new_files() {
        let directory = directory();
        one(&directory.path().join("a.svg"), &[]).expect("fine").write(|_| Ok(())).expect("written");
        fs::write(directory.path().join("b"), "").expect("a file");
        let mode = |name| fs::metadata(directory.path().join(name)).expect("there").permissions().mode();
        assert_eq!(mode("a.svg"), mode("b"));
    }

    #[test]
    fn links_lead_to_their_file() {
        let directory = directory();
        let (file, link) = (directory.path().join("a.svg"), directory.path().join("link.svg"));
        fs::write(&file, "old").expect("a file");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        one(&link, &[]).expect("fine").write(|out| out.write_all(b"new")).expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("text"), "new");
    }

    #[test]
    fn inputs_and_other_outputs_are_refused_under_any_name() {
        let directory = directory();
        let input = directory.path().join("t.c");
        fs::write(&input, "int main(void) {}").expect("a file");
        std::os::unix::fs::symlink(&input, directory.path().join("soft")).expect("a link");
        fs::hard_link(&input, directory.path().join("hard")).expect("a link");
        fs::create_dir(directory.path().join("d")).expect("a directory");
        for name in ["t.c", "soft", "hard", "d/../t.c", "./t.c"] {
            let error = one(&directory.path().join(name), &[&input]).expect_err(name);
            assert!(format!("{error:#}").contains("is an input"), "{error:#}");
        }
        let (new, same) = (directory.path().join("new"), directory.path().join("d/../new"));
        let error = open([("--graph", Some(&new)), ("--trace-out", Some(&same))], &[]).expect_err("the same");
        assert!(error.to_string().contains("is the file of `--graph`, too"), "{error:#}");
    }

    #[test]
    fn the_null_device_may_be_named_twice() {
        let null = Path::new("/dev/null");
        let [one, other] = open([("--graph", Some(null)), ("--trace-out", Some(null))], &[]).expect("fine");
        for file in [one, other] {
            file.expect("wanted").write(|out| out.write_all(b"text")).expect("written");
        }
        assert!(fs::metadata(null).expect("there").file_type().is_char_device());
    }

    #[test]
    fn long_names_and_names_that_are_no_text() {
        use std::os::unix::ffi::OsStringExt;
        let directory = directory();
        for name in ["x".repeat(255).into_bytes(), b"\xff\xfe.svg".to_vec()] {
            let name = directory.path().join(OsString::from_vec(name));
            one(&name, &[]).expect("fine").write(|out| out.write_all(b"text")).expect("written");
            assert_eq!(fs::read(&name).expect("there"), b"text");
        }
    }

    #[test]
    fn a_violation_stays_one() {
        let error = || Err(anyhow::anyhow!("no room"));
        assert_eq!(Status::Violated.after_writing(error()), Status::Violated);
        assert_eq!(Status::Inconclusive.after_writing(error()), Status::Inconclusive);
        assert_eq!(Status::Fine.after_writing(error()), Status::Failed);
        assert_eq!(Status::Fine.after_writing(Ok(())), Status::Fine);
    }
}
