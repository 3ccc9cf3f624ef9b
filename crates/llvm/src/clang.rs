//! The compiler driver: from a source file to bitcode in memory.
//!
//! `-O1 -Xclang -disable-llvm-passes` makes clang emit code that can be inlined and has lifetime markers, without
//! changing it; `-U__OPTIMIZE__` undoes what `-O1` does to the headers of the C library. What the user passes comes
//! last, so that it wins.

use crate::{CompileError, CompileRequest};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The header that programs include as `<threadbare.h>`.
pub const HEADER: &str = include_str!("../include/threadbare.h");

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
    "-emit-llvm",
    "-c",
];

/// What clang made: bitcode, and what it says about the program.
pub(crate) struct Compiled {
    pub(crate) bitcode: Vec<u8>,
    pub(crate) warnings: String,
}

/// Run clang.
pub(crate) fn compile(request: &CompileRequest) -> Result<Compiled, CompileError> {
    let headers = HeaderDirectory::new()?;
    let output = match &request.clang {
        Some(clang) => run(clang, request, &headers)?,
        None => match run(Path::new(CLANG), request, &headers) {
            Err(CompileError::ClangNotFound { .. }) if major_version("clang").as_deref() == Some(MAJOR) => {
                run(Path::new("clang"), request, &headers)?
            }
            output => output?,
        },
    };
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(CompileError::Clang { stderr });
    }
    Ok(Compiled { bitcode: output.stdout, warnings: stderr })
}

fn run(clang: &Path, request: &CompileRequest, headers: &HeaderDirectory) -> Result<Output, CompileError> {
    let mut command = Command::new(clang);
    command.args(FLAGS).arg("-I").arg(&headers.path);
    if request.file.extension().is_some_and(|extension| extension != "c") {
        command.arg("-fno-exceptions");
    }
    command.arg("-o").arg("-").args(&request.cflags).arg(&request.file).stdin(Stdio::null());
    command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CompileError::ClangNotFound { tried: clang.display().to_string() },
        _ => CompileError::Io(error),
    })
}

/// What `clang -dumpversion` says before its first dot.
fn major_version(clang: &str) -> Option<String> {
    let output = Command::new(clang).arg("-dumpversion").stdin(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(version.trim().split('.').next()?.to_owned())
}

/// A directory of our own with the header in it, gone when dropped.
struct HeaderDirectory {
    path: PathBuf,
}

impl HeaderDirectory {
    fn new() -> io::Result<HeaderDirectory> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("threadbare-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            // Creating fails if the name is taken: nobody can have put a header of theirs there.
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    let directory = HeaderDirectory { path };
                    std::fs::write(directory.path.join("threadbare.h"), HEADER)?;
                    return Ok(directory);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for HeaderDirectory {
    fn drop(&mut self) {
        // A directory that stays behind in the temporary directory does no harm.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
