//! The compiler driver: from a source file to bitcode in memory.
//!
//! `-O1 -Xclang -disable-llvm-passes` makes clang emit code that can be inlined and has lifetime markers, without
//! changing it; `-U__OPTIMIZE__` undoes what `-O1` does to the headers of the C library. What the user passes comes
//! last, so that it wins.

use crate::{CompileError, CompileRequest, Unit};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use tempfile::TempDir;

/// The header that programs include as `<threadbare.h>`.
pub const HEADER: &str = include_str!("../include/threadbare.h");

/// The headers that programs find, by their names: ours, and those of other model checkers with what they mean here.
const HEADERS: [(&str, &str); 4] = [
    ("threadbare.h", HEADER),
    ("genmc.h", include_str!("../include/genmc.h")),
    ("dat3m.h", include_str!("../include/dat3m.h")),
    ("nidhugg.h", include_str!("../include/nidhugg.h")),
];

/// The version of LLVM that we are linked with, and so the only clang whose bitcode we surely can read.
const MAJOR: &str = "22";

/// Its name where several versions are installed side by side.
const CLANG: &str = "clang-22";

const FLAGS: &[&str] = &[
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-U__OPTIMIZE__",
    "-g",
    "-fno-discard-value-names",
    "-fno-crash-diagnostics",
    "-emit-llvm",
    "-c",
];

/// For the C runtime: the program's flags are not for it, it includes nothing of a C library, and it is told of at the call.
pub(crate) const RUNTIME_FLAGS: [&str; 6] =
    ["-std=gnu17", "-ffreestanding", "-fno-builtin", "-nostdlibinc", "-x", "c"];

/// For the C++ runtime: it includes the headers of the program's library, and defines members that are private there.
pub(crate) const CXX_RUNTIME_FLAGS: [&str; 5] =
    ["-std=gnu++20", "-fno-access-control", "-fexceptions", "-x", "c++"];

/// For both.
const QUIET_FLAGS: [&str; 11] = [
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-U__OPTIMIZE__",
    "-g0",
    "-fno-crash-diagnostics",
    "-w",
    "-emit-llvm",
    "-c",
    "-o",
    "-",
];

/// For C++ programs. libstdc++ reads both counters of a `shared_ptr` as one word of twice the size, unless it is told of a race
/// detector.
const CXX_FLAGS: [&str; 1] = ["-D_GLIBCXX_TSAN=1"];

/// What clang made: bitcode, and what it says about the program.
pub(crate) struct Compiled {
    pub(crate) bitcode: Vec<u8>,
    pub(crate) warnings: String,
}

/// Run clang.
pub(crate) fn compile(request: &CompileRequest, unit: &Unit) -> Result<Compiled, CompileError> {
    let headers = header_directory()?;
    compiled(with_clang(request, |clang| run(clang, request, unit, &headers))?, &unit.file)
}

/// Run clang on this text of the runtime, for this target and with these flags. The bitcode.
pub(crate) fn compile_runtime(
    request: &CompileRequest,
    name: &str,
    text: &str,
    target: &str,
    flags: &[String],
) -> Result<Vec<u8>, CompileError> {
    let target = (!target.is_empty()).then(|| format!("--target={target}"));
    let words = QUIET_FLAGS.into_iter().chain(flags.iter().map(String::as_str)).chain(target.as_deref());
    let words: Vec<&str> = words.collect();
    Ok(compiled(with_clang(request, |clang| run_on_text(clang, &words, text))?, Path::new(name))?.bitcode)
}

/// What the preprocessor makes of this text, with these flags.
pub(crate) fn preprocess(
    request: &CompileRequest,
    flags: &[String],
    text: &str,
) -> Result<Vec<u8>, CompileError> {
    let words: Vec<&str> = flags.iter().map(String::as_str).chain(["-E", "-dD"]).collect();
    Ok(compiled(with_clang(request, |clang| run_on_text(clang, &words, text))?, Path::new("-"))?.bitcode)
}

fn run_on_text(clang: &Path, flags: &[&str], text: &str) -> Result<Output, CompileError> {
    let mut command = Command::new(clang);
    command.args(flags).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| not_run(clang, error))?;
    // Clang reads all before it writes anything; one that has ended before that says why.
    let _ = child.stdin.take().expect("it is a pipe").write_all(text.as_bytes());
    Ok(child.wait_with_output()?)
}

/// Run the clang of the request, or the first that there is.
fn with_clang(
    request: &CompileRequest,
    run: impl Fn(&Path) -> Result<Output, CompileError>,
) -> Result<Output, CompileError> {
    match &request.clang {
        Some(clang) => run(clang),
        None => match run(Path::new(CLANG)) {
            Err(CompileError::ClangNotFound { .. }) if major_version("clang").as_deref() == Some(MAJOR) => {
                run(Path::new("clang"))
            }
            output => output,
        },
    }
}

/// What clang made of a file.
fn compiled(output: Output, file: &Path) -> Result<Compiled, CompileError> {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if let Some(how) = death(output.status, &stderr) {
        return Err(CompileError::ClangDied { file: file.to_owned(), how });
    }
    if !output.status.success() {
        return Err(CompileError::Clang { stderr });
    }
    Ok(Compiled { bitcode: output.stdout, warnings: stderr })
}

fn not_run(clang: &Path, error: io::Error) -> CompileError {
    match error.kind() {
        io::ErrorKind::NotFound => CompileError::ClangNotFound { tried: clang.display().to_string() },
        _ => CompileError::Io(error),
    }
}

fn run(
    clang: &Path,
    request: &CompileRequest,
    unit: &Unit,
    headers: &TempDir,
) -> Result<Output, CompileError> {
    let mut command = Command::new(clang);
    command.args(FLAGS).arg("-I").arg(headers.path());
    if unit.file.extension().is_some_and(|extension| extension != "c" && extension != "i") {
        command.args(CXX_FLAGS);
    }
    let file = match &unit.directory {
        None => named(&mut command, &unit.file, headers)?,
        Some(directory) => elsewhere(&mut command, &unit.file, directory)?,
    };
    command.arg("-o").arg("-").args(&unit.cflags).args(&request.cflags).arg(file).stdin(Stdio::null());
    command.output().map_err(|error| not_run(clang, error))
}

/// The file as clang finds it from another directory. Places are still told as seen from this one.
fn elsewhere(command: &mut Command, file: &Path, directory: &Path) -> io::Result<PathBuf> {
    let mut map = OsString::from("-ffile-prefix-map=");
    map.extend([std::env::current_dir()?.as_os_str(), OsStr::new("/=")]);
    command.current_dir(directory).arg(map);
    std::path::absolute(file)
}

/// The file under a name that clang takes for one. An argument that starts with `-` is a flag, and one that starts with `@` a
/// file with more arguments, also where clang hands the last part of the name on to itself: such a file gets another name
/// in a directory of ours, and the program does not see that.
fn named(command: &mut Command, file: &Path, directory: &TempDir) -> io::Result<PathBuf> {
    let starts_with = |name: &OsStr, byte| name.as_encoded_bytes().first() == Some(&byte);
    let name = file.file_name().unwrap_or_default();
    if !starts_with(name, b'@') {
        let is_odd = [b'-', b'@'].into_iter().any(|byte| starts_with(file.as_os_str(), byte));
        return Ok(Path::new(if is_odd { "." } else { "" }).join(file));
    }
    let other = directory.path().join("program").with_extension(file.extension().unwrap_or_default());
    let program = std::path::absolute(file)?;
    symlink(&program, &other)?;
    let mut map = OsString::from("-ffile-prefix-map=");
    map.extend([other.as_os_str(), OsStr::new("="), file.as_os_str()]);
    // Before the user's directories: those of the program come first.
    command.arg("-iquote").arg(program.parent().expect("a path with a name has a directory")).arg(map);
    Ok(other)
}

/// How clang died, if it did not end by itself. Its driver outlives the compiler that it runs, and tells of its end.
fn death(status: ExitStatus, stderr: &str) -> Option<String> {
    let is_out_of_memory = stderr.contains("LLVM ERROR: out of memory");
    let crashed = || stderr.contains("PLEASE submit a bug report").then(|| "clang crashed".to_owned());
    match status.signal() {
        _ if is_out_of_memory => Some("clang needs more memory than --memory allows".to_owned()),
        Some(signal) => Some(format!("clang died of signal {signal}")),
        None => crashed().filter(|_| !status.success()),
    }
}

/// What `clang -dumpversion` says before its first dot.
fn major_version(clang: &str) -> Option<String> {
    let output = Command::new(clang).arg("-dumpversion").stdin(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(version.trim().split('.').next()?.to_owned())
}

/// A directory of our own with the headers in it, gone when dropped.
fn header_directory() -> io::Result<TempDir> {
    let directory = tempfile::Builder::new().prefix("threadbare-").tempdir()?;
    for (name, text) in HEADERS {
        std::fs::write(directory.path().join(name), text)?;
    }
    Ok(directory)
}
