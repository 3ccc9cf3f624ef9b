//! Clang and LLVM in a process of their own.
//!
//! Both read whatever the user gives them, and a file that is damaged, or made to, can crash them, keep them busy for ever, or
//! take all memory. So this program starts itself once more, for that file alone ([`run`]): the child reads it and writes the
//! bytecode file to its stdout, the parent ([`compile`]) waits as long as there is time and tells how the child ended. Clang
//! belongs to the child's process group and ends with it; what either leaves behind is in a directory that the parent removes.

use crate::Status;
use crate::args::CompileArguments;
use crate::leftovers::Leftover;
use crate::memory::Bytes;
use crate::output;
use crate::watch::Watch;
use anyhow::Context;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getppid, getrlimit, kill_current_process_group,
    kill_process_group, set_parent_process_death_signal, setrlimit, waitid,
};
use serde::{Deserialize, Serialize};
use signal_hook::consts::SIGTERM;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use vm::bytecode::Module;

/// The file to start: also if another one has taken its name since.
pub(crate) const MYSELF: &str = "/proc/self/exe";

/// No program takes clang or LLVM that long to read: one that does never comes to an end.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often the child looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(20);

/// What to compile: the child is told this as JSON, which has room for any name of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) units: Vec<Unit>,
    pub(crate) stubs: Option<OsString>,
    /// Flags for every file.
    pub(crate) cflags: Vec<String>,
    pub(crate) entry: Option<String>,
    /// Where what is compiled of the C library is kept.
    pub(crate) cache: Option<OsString>,
    pub(crate) volatile_is_relaxed: bool,
    /// Count the rounds of loops.
    pub(crate) unroll: bool,
}

/// A file of the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Unit {
    pub(crate) file: OsString,
    pub(crate) cflags: Vec<String>,
    /// Where clang runs.
    pub(crate) directory: Option<OsString>,
}

impl Source {
    /// A program that was compiled before.
    pub(crate) fn compiled(file: &Path) -> Source {
        let unit = Unit { file: file.into(), cflags: Vec::new(), directory: None };
        Source {
            units: vec![unit],
            stubs: None,
            cflags: Vec::new(),
            entry: None,
            cache: None,
            volatile_is_relaxed: false,
            unroll: false,
        }
    }

    /// The file by which errors about the whole program name it.
    fn file(&self) -> &Path {
        self.units.first().map_or(Path::new(""), |unit| Path::new(&unit.file))
    }
}

impl From<Source> for llvm::CompileRequest {
    fn from(source: Source) -> llvm::CompileRequest {
        let unit = |unit: Unit| llvm::Unit {
            file: unit.file.into(),
            cflags: unit.cflags,
            directory: unit.directory.map(PathBuf::from),
        };
        let usual = llvm::CompileRequest::new("");
        llvm::CompileRequest {
            units: source.units.into_iter().map(unit).collect(),
            stubs: source.stubs.map(PathBuf::from),
            cflags: source.cflags,
            entry: source.entry.unwrap_or(usual.entry),
            cache: source.cache.map(llvm::Cache::new),
            volatile: match source.volatile_is_relaxed {
                true => llvm::Volatile::Relaxed,
                false => llvm::Volatile::Plain,
            },
            unroll: source.unroll,
            ..usual
        }
    }
}

/// A program that was compiled.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) module: Module,
    /// The same, as a file.
    pub(crate) bytecode: Vec<u8>,
    /// Clang's warnings, as it words them.
    pub(crate) warnings: String,
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompilerError {
    /// The compiler refuses the file, in these words.
    #[error("{}", .0.trim_end())]
    Refused(String),
    /// It did not come to an answer.
    #[error("{}: {what} on this file: {reason}", file.display())]
    Died { file: PathBuf, what: String, reason: String },
}

/// Compile in a child process; `None` if the run was cut short before it was done.
pub(crate) fn compile(source: &Source, watch: &Watch) -> anyhow::Result<Option<Compiled>> {
    let file = source.file();
    if file.extension().is_some_and(|extension| extension == "tbc") {
        return read_bytecode(file).map(Some);
    }
    let directory = temporary_directory()?;
    let mut child =
        command(&directory, watch.memory()).spawn().context("cannot start the compiler process")?;
    let running = Running::new(&child, watch);
    tell(&mut child, source).context("cannot write to the compiler process")?;
    let (stdout, stderr) = read_all(&mut child).context("cannot read from the compiler process")?;
    let status = running.wait(&mut child).context("cannot wait for the compiler process")?;
    if watch.cut().is_some() {
        return Ok(None);
    }
    let warnings = String::from_utf8_lossy(&stderr).into_owned();
    match status.code().map(|code| code as u8) {
        Some(code) if code == Status::Fine.code() => {
            let module = Module::from_bytes(&stdout).context("the compiler process wrote no bytecode")?;
            Ok(Some(Compiled { module, bytecode: stdout, warnings: with_place(file, warnings) }))
        }
        Some(code) if code == Status::Failed.code() => Err(CompilerError::Refused(warnings).into()),
        _ => Err(died(file, status, &warnings, watch.memory()).into()),
    }
}

/// A program that was compiled by `verify --units`.
fn read_bytecode(file: &Path) -> anyhow::Result<Compiled> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", output::name(file)))?;
    let module = Module::from_bytes(&bytes)
        .with_context(|| format!("{} is no program of `verify --units`", output::name(file)))?;
    Ok(Compiled { module, bytecode: bytes, warnings: String::new() })
}

/// What clang says has its place in front. What LLVM says of its own accord, if the debug information of a file is damaged and
/// it goes on without, has none.
fn with_place(file: &Path, warnings: String) -> String {
    let is_llvm = file.extension().is_some_and(|extension| extension == "bc" || extension == "ll");
    if !is_llvm || warnings.is_empty() {
        return warnings;
    }
    format!("warning: {}: LLVM says: {warnings}", output::name(file))
}

/// Where everything goes that clang and LLVM write; gone when dropped.
fn temporary_directory() -> anyhow::Result<Leftover> {
    let place = std::env::temp_dir();
    let make = || Ok((tempfile::Builder::new().prefix("threadbare-").tempdir_in(&place)?.keep(), ()));
    Leftover::make(make).map(|(directory, ())| directory).with_context(|| {
        format!("cannot write to {}: set TMPDIR to a directory for temporary files", place.display())
    })
}

/// Tell the child what to compile. One that has ended before it was told says why.
fn tell(child: &mut Child, source: &Source) -> io::Result<()> {
    let mut stdin = child.stdin.take().expect("it is a pipe");
    match stdin.write_all(&serde_json::to_vec(source)?) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

fn command(directory: &Leftover, memory: Bytes) -> Command {
    let mut command = Command::new(MYSELF);
    command.arg0("threadbare").arg("compile").arg("--memory").arg(memory.0.to_string());
    command.arg("--parent").arg(std::process::id().to_string());
    command.env("TMPDIR", directory.path()).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The process group of a child that may still run; killed when the run is cut short.
struct Running {
    group: Arc<Mutex<Option<Pid>>>,
}

impl Running {
    fn new(child: &Child, watch: &Watch) -> Running {
        let group = Arc::new(Mutex::new(Some(Pid::from_child(child))));
        let killed = Arc::clone(&group);
        watch.on_cut(move |_| {
            if let Some(group) = *killed.lock().expect("nothing panics while it has the group") {
                // It may have ended by itself.
                let _ = kill_process_group(group, Signal::KILL);
            }
        });
        Running { group }
    }

    /// Clang may outlive the child, if that has crashed: it ends, too. Afterwards the number may belong to another process.
    fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let pid = Pid::from_child(child);
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
        let _ = kill_process_group(pid, Signal::KILL);
        *self.group.lock().expect("nothing panics while it has the group") = None;
        child.wait()
    }
}

/// What a child writes to stdout and to stderr, until it closes both.
fn read_all(child: &mut Child) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let errors = thread::spawn(move || read_end(&mut stderr));
    let output = read_end(&mut stdout)?;
    Ok((output, errors.join().expect("reading does not panic")?))
}

fn read_end(end: &mut Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    end.as_mut().expect("both are pipes").read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn died(file: &Path, status: ExitStatus, stderr: &str, memory: Bytes) -> CompilerError {
    let what = match status.signal() {
        Some(signal) => format!("LLVM died of {}", signal_name(signal)),
        None => format!("LLVM ended with {status}"),
    };
    let is_out_of_memory =
        ["out of memory", "bad_alloc", "memory allocation of"].iter().any(|words| stderr.contains(words));
    let words = stderr.lines().find_map(|line| line.strip_prefix("LLVM ERROR: "));
    let reason = match words {
        _ if status.signal() == Some(Signal::XCPU.as_raw()) => {
            format!("it did not come to an end within {} s", PATIENCE.as_secs())
        }
        _ if is_out_of_memory => format!("it needs more memory than --memory allows, {memory}"),
        Some(words) => words.to_owned(),
        None => "it is damaged, or LLVM has a bug".to_owned(),
    };
    CompilerError::Died { file: file.to_owned(), what, reason }
}

fn signal_name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

// --- the child --------------------------------------------------------------------------------------------------------

/// Compile, and write the bytecode file to stdout and clang's warnings to stderr.
pub(crate) fn run(arguments: &CompileArguments) -> anyhow::Result<Status> {
    limit_myself(arguments)?;
    let source: Source = serde_json::from_reader(io::stdin()).context("cannot read what to compile")?;
    let compiled = llvm::compile(&source.into())?;
    output::lines(&compiled.warnings);
    io::stdout().write_all(&compiled.module.to_bytes()).context("cannot write the bytecode")?;
    Ok(Status::Fine)
}

/// End with the parent, and within limits; what is started from here has the limits as well.
fn limit_myself(arguments: &CompileArguments) -> anyhow::Result<()> {
    end_with_parent(arguments.parent).context("cannot be told of the parent's end")?;
    limit(Resource::Data, arguments.memory.0, arguments.memory.0).context("cannot limit the memory")?;
    // The first of the two ends the process with a signal that says why.
    let seconds = PATIENCE.as_secs();
    limit(Resource::Cpu, seconds, seconds + 10).context("cannot limit the time")?;
    // A crash is told, not kept.
    limit(Resource::Core, 0, 0).context("cannot do without core files")
}

/// Clang is not told of the parent's end, so it is ended here, with all of the process group.
fn end_with_parent(parent: u32) -> io::Result<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, Arc::clone(&is_over))?;
    set_parent_process_death_signal(Some(Signal::TERM))?;
    thread::spawn(move || {
        let is_orphan = || getppid().is_none_or(|now| now.as_raw_nonzero().get() as u32 != parent);
        while !is_over.load(Ordering::Relaxed) && !is_orphan() {
            thread::sleep(TICK);
        }
        let _ = kill_current_process_group(Signal::KILL);
    });
    Ok(())
}

/// No more than was allowed already.
fn limit(resource: Resource, current: u64, maximum: u64) -> io::Result<()> {
    let allowed = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let (current, maximum) = (Some(current.min(allowed)), Some(maximum.min(allowed)));
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}
