//! What can go wrong before a program runs.

use std::path::{Path, PathBuf};

/// Why there is no module. Each says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The file cannot be read.
    #[error("cannot read {}", name(file))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is none of what we can compile or read.
    #[error("{}: not a C, C++ or LLVM file (expected .c .i .cc .cpp .cxx .C .ii .bc .ll .a)", name(file))]
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
    /// Clang did not come to an answer.
    #[error("{}: {how} on this file", file.display())]
    ClangDied {
        /// The file.
        file: PathBuf,
        /// How it ended.
        how: String,
    },
    /// Clang, or the file, gave something that LLVM cannot read.
    #[error("{}: not LLVM bitcode or text: {message}", name(file))]
    NotBitcode {
        /// The file.
        file: PathBuf,
        /// What LLVM says.
        message: String,
    },
    /// The program has no such function to start with.
    #[error("{}: no function `{}`{}", name(file), base::escaped(entry), remedy(entry))]
    NoEntry {
        /// The first file.
        file: PathBuf,
        /// The function.
        entry: String,
    },
    /// The function to start with wants to be told something.
    #[error(
        "{}: `{}` has parameters, and a program starts with a function that has none: write one that calls it",
        name(file),
        base::escaped(entry)
    )]
    EntryWithParameters {
        /// The first file.
        file: PathBuf,
        /// The function.
        entry: String,
    },
    /// A file cannot be part of the same program as those before it.
    #[error("{}: cannot be linked with the other files: {message}", name(file))]
    Link {
        /// The file.
        file: PathBuf,
        /// What LLVM says.
        message: String,
    },
    /// An archive cannot be read.
    #[error("{}: not an archive: {message}", name(file))]
    NotArchive {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The program is for another kind of machine.
    #[error(
        "{}: only programs for targets with 64-bit pointers, low byte first, are modelled: \
         leave out -m32 or --target",
        name(file)
    )]
    Target {
        /// The file.
        file: PathBuf,
    },
    /// A global variable for which there is no room in the virtual machine.
    #[error(
        "{}: the variable `{}` has {size} bytes, with which the global and static variables together have more \
         than the {} bytes that are modelled",
        name(file),
        base::escaped(variable),
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
    #[error("{}: LLVM cannot run its passes: {message}", file.display())]
    Passes {
        /// The file.
        file: PathBuf,
        /// What LLVM says.
        message: String,
    },
}

/// The name of a file in a message.
fn name(file: &Path) -> String {
    base::escaped(&file.display().to_string())
}

/// What to do about a function that is missing.
fn remedy(entry: &str) -> &'static str {
    match entry {
        "main" => ": add the file that has it, or name another function to start with (--entry FUNCTION)",
        _ => ": --entry wants the name of a function that is not static, in C++ its mangled name",
    }
}
