//! What can go wrong before a program runs.

use std::path::PathBuf;

/// Why there is no module. Each says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The file cannot be read.
    #[error("cannot read {}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is none of what we can compile or read.
    #[error("{}: not a C, C++ or LLVM file (expected .c .cc .cpp .cxx .bc .ll)", file.display())]
    UnknownFile {
        /// The file.
        file: PathBuf,
    },
    /// There is no clang of the right version.
    #[error("cannot run {tried}: install the package clang-22 (apt-get install clang-22), or name its path")]
    ClangNotFound {
        /// What we tried to run.
        tried: String,
    },
    /// Clang could not be started, or its working directory could not be made.
    #[error("cannot run clang")]
    Io(#[from] std::io::Error),
    /// Clang found errors.
    #[error("{}", stderr.trim_end())]
    Clang {
        /// What clang says, as it says it.
        stderr: String,
    },
    /// Clang, or the file, gave something that LLVM cannot read.
    #[error("{}: not LLVM bitcode or text: {message}", file.display())]
    NotBitcode {
        /// The file.
        file: PathBuf,
        /// What LLVM says.
        message: String,
    },
    /// There is no `main`.
    #[error("{}: no function `main`", file.display())]
    NoMain {
        /// The file.
        file: PathBuf,
    },
    /// The program is for another kind of machine.
    #[error(
        "{}: only programs for targets with 64-bit pointers, low byte first, are modelled: \
         leave out -m32 or --target",
        file.display()
    )]
    Target {
        /// The file.
        file: PathBuf,
    },
    /// A global variable for which there is no room in the virtual machine.
    #[error(
        "{}: the variable `{variable}` has {size} bytes, with which the global and static variables together have more \
         than the {} bytes that are modelled",
        file.display(),
        vm::MAX_BYTES
    )]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The variable.
        variable: String,
        /// Its size.
        size: u64,
    },
    /// LLVM refuses a pass.
    #[error("LLVM cannot run its passes: {0}")]
    Passes(String),
}
