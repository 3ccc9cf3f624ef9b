//! The program as the engine and the reports want it: compiled, lowered, with the way back to its source.

use crate::compiler::{self, Compiled, Source};
pub(crate) use crate::sources::Sources;
use crate::watch::Watch;
use anyhow::Context;
use std::sync::Arc;

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Frontend {
    pub(crate) machine: vm::Machine,
    /// The program as a file, before anything was made of it.
    pub(crate) bytecode: Arc<[u8]>,
    /// What the user should know about the program before reading the verdict; lines.
    pub(crate) warnings: String,
    /// Whether there is an access of the order `seq_cst`, executed or not.
    pub(crate) has_sc_access: bool,
    /// Whether some of it is C++ or Rust.
    pub(crate) is_cxx: bool,
}

impl Frontend {
    /// Compiles and lowers the program, to be run with these options; `None` if the run was cut short meanwhile.
    pub(crate) fn compile(
        source: &Source,
        options: vm::Options,
        watch: &Watch,
    ) -> anyhow::Result<Option<Frontend>> {
        let Some(Compiled { module, bytecode, warnings }) = compiler::compile(source, watch)? else {
            return Ok(None);
        };
        let (has_sc_access, is_cxx) = (module.has_sc_access(), module.is_cxx);
        let machine = vm::Machine::new(module, options).context("cannot run the program")?;
        Ok(Some(Frontend { machine, bytecode: bytecode.into(), warnings, has_sc_access, is_cxx }))
    }

    /// The way back to the source.
    pub(crate) fn sources(&self) -> Sources<'_> {
        Sources::new(&self.machine)
    }
}
