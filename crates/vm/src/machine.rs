//! The machine: a module with addresses given out, as a [`Program`] that the engine can explore.

use crate::address::{CONSTANTS, Code, GLOBALS, MAX_BYTES, MAX_THREADS};
use crate::builtin::Builtin;
use crate::bytecode::{Constant, FunctionId, Global, GlobalId, Module, Op, Relocation, RmwKind};
use crate::contents::Contents;
use crate::creation;
use crate::describe::Folded;
use crate::exit;
use crate::identity;
use crate::interpret::operand;
use crate::layout::Layout;
use crate::reuse::{Alloc, Reuse};
use crate::section;
use crate::spin::{self, Awaited, Fates, Spin};
use crate::spots;
use crate::state::{BEFORE_START, Pending, ThreadState};
use crate::statics::Statics;
use crate::sync::{Lookers, Usage};
use crate::unroll::{Bounds, LoopBound};
use crate::verify;
use base::{RmwOrder, Site, ThreadId, Value};
use model::{Cycles, Rules};
use program::{
    Await, Block, Facts, Hint, LeftOutRounds, Program, Refinements, Refusal, Remains, Remark, Request, Role,
    Section, SectionOrder,
};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The options of a machine: bounds, spinloops, allocations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// How many iterations of a loop may start, its last test included; `None`: there is no bound.
    pub unroll: Option<u32>,
    /// Bounds of single loops, which go before that one.
    pub loops: Vec<LoopBound>,
    /// How many instructions a thread may run from one request to the next.
    pub step_limit: u64,
    /// Which spinloops are cut to one round.
    pub spin: Spin,
    /// Whether a futile round goes on until it ends. Only then is it seen where a thread spins for ever, and all that
    /// XMM may re-execute from.
    pub whole_rounds: bool,
    /// Whether allocations may reuse addresses, and whether they may fail.
    pub alloc: Alloc,
    /// Whether the model orders all writes of a location. Then a read-modify-write that writes the value that it read
    /// changes nothing.
    pub has_co: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            unroll: None,
            loops: Vec::new(),
            step_limit: 100_000_000,
            spin: Spin::default(),
            whole_rounds: false,
            alloc: Alloc::default(),
            has_co: false,
        }
    }
}

impl Options {
    /// The options that a model requires.
    pub fn under(rules: &Rules) -> Options {
        Options {
            has_co: rules.has_co(),
            // The values that a failing round has read may justify another execution.
            whole_rounds: rules.cycles == Cycles::Justified,
            ..Options::default()
        }
    }
}

/// Why there is no machine for a module.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no `main`.
    #[error("there is no function `main`")]
    NoMain,
    /// A global variable for which there is no room.
    #[error(
        "the global variable `{global}` ({size} bytes) is larger than what is modelled: all of them may take {MAX_BYTES} \
         bytes"
    )]
    TooLarge {
        /// Its name.
        global: String,
        /// Its size in bytes.
        size: u64,
    },
    /// The module is not well-formed: the front end that made it has a bug.
    #[error("malformed bytecode: {0}")]
    Malformed(String),
}

/// A program in bytecode, ready to run.
#[derive(Clone, Debug)]
pub struct Machine {
    module: Module,
    options: Options,
    /// Per function its constants, with the addresses that are known now.
    pub(crate) constants: Vec<Box<[u64]>>,
    /// The functions without a body that the program names.
    pub(crate) externals: Vec<String>,
    /// The globals that are never written.
    pub(crate) const_globals: Statics,
    /// The globals that may be written.
    pub(crate) globals: Statics,
    /// The initial bytes of the thread-local globals, by global.
    pub(crate) thread_locals: Vec<Box<[u8]>>,
    /// The mutexes of atomic sections.
    pub(crate) atomic_mutex: u64,
    /// Whether there are atomic sections.
    has_sections: bool,
    /// Which sections exclude each other.
    pub(crate) sections: SectionOrder,
    /// The arguments of `main`: one, the name of the program.
    argv: u64,
    /// The function that runs the destructors and that `main` ends with, if there are any.
    pub(crate) at_exit: Option<u32>,
    /// Whether any loop is watched.
    pub(crate) watches: bool,
    /// Per function and instruction, the values that it awaits; empty if no thread is ever blocked.
    awaits: Vec<Box<[Awaited]>>,
    /// Per function and instruction, whether it is a read whose value a loop may go on with.
    pub(crate) carriers: Vec<Box<[bool]>>,
    /// What becomes of each loop.
    pub(crate) fates: Arc<Fates>,
    /// Whether any round is cut where it is known in advance to change nothing.
    cuts: bool,
    /// Per function the loads that are the first of a pair, with the order of the second.
    pairs: Vec<Vec<(u32, RmwOrder)>>,
    /// Whether waits on condition variables are watched.
    pub(crate) watches_waits: bool,
    /// Which of the C library's ways to wait the program uses.
    pub(crate) usage: Usage,
    /// Where threads look at the results of barriers.
    pub(crate) lookers: Lookers,
    /// The address of a byte for each key that `main` creates: whether it was deleted. 0 if no key ever is.
    pub(crate) deleted_keys: u64,
    /// Whether any round has zero net effect: an addition, and the subtraction that makes up for it.
    may_undo: bool,
    /// Whether a thread could find out which one it is; whether it throws an exception before.
    tells_threads_apart: bool,
    pub(crate) throws_before: bool,
    /// Whether a thread could be created after one was joined.
    creates_after_join: bool,
    /// Endangered memory: each thread keeps a round that accesses it.
    pub(crate) endangered: Vec<Range<u64>>,
    /// Which addresses are given again.
    pub(crate) reuse: Reuse,
    /// Where plain accesses to shared memory are split.
    pub(crate) layout: Layout,
    /// The functions in which threads were found to run without an end.
    pub(crate) endless: Vec<u32>,
    /// Whether rounds of loops are counted.
    pub(crate) counts_rounds: bool,
    pub(crate) bounds: Bounds,
    /// The address of each global; 0 for the thread-local ones.
    addresses: Vec<u64>,
    /// Which code belongs to libraries.
    pub(crate) folded: Folded,
    /// Per function the site of each instruction with the calls that it was inlined at and the object that it makes.
    pub(crate) spots: Vec<Box<[Site]>>,
}

impl Machine {
    /// Check the module and give out its addresses.
    pub fn new(mut module: Module, options: Options) -> Result<Machine, BuildError> {
        verify::check(&module)?;
        let fates = Arc::new(spin::apply(&mut module, options.spin, options.whole_rounds));
        debug_assert_eq!(verify::check(&module), Ok(()), "the passes keep a module well-formed");
        let at_exit = exit::add_exit_function(&mut module);
        let spots = spots::separate(&mut module);
        let usage = Usage::of(&module);
        let reuse = Reuse::new(&module, options.alloc);
        let tells_threads_apart = identity::tells_threads_apart(&module);
        let is_cut = |op: &Op| matches!(op, Op::SpinAssume { .. });
        let awaits = spin::awaits(&module);
        let carriers = if options.spin == Spin::All { spin::carriers(&module, &awaits) } else { Vec::new() };
        let mut machine = Machine {
            watches_waits: options.spin >= Spin::Dynamic && usage.conditions && !usage.tries,
            usage,
            lookers: Lookers::of(&module),
            endless: Vec::new(),
            deleted_keys: 0,
            watches: module.functions.iter().any(|function| !function.watches.is_empty()),
            cuts: module.functions.iter().any(|function| function.code.iter().any(is_cut)),
            fates,
            carriers,
            awaits,
            pairs: spin::pairs(&module),
            tells_threads_apart,
            throws_before: tells_threads_apart && !identity::tells_threads_apart_before_throws(&module),
            creates_after_join: creation::creates_after_join(&module),
            has_sections: section::has_sections(&module),
            may_undo: module.functions.iter().any(|function| !function.roles.is_empty()),
            counts_rounds: options.unroll.is_some() || !options.loops.is_empty() || !module.bounds.is_empty(),
            bounds: Bounds::new(&module, &options.loops),
            folded: Folded::new(&module, at_exit),
            module,
            options,
            constants: Vec::new(),
            externals: Vec::new(),
            const_globals: Statics::new(CONSTANTS),
            globals: Statics::new(GLOBALS),
            thread_locals: Vec::new(),
            atomic_mutex: 0,
            sections: SectionOrder::default(),
            argv: 0,
            at_exit,
            endangered: Vec::new(),
            reuse,
            layout: Layout::default(),
            addresses: Vec::new(),
            spots,
        };
        let addresses = machine.place_globals()?;
        machine.name_externals();
        machine.fill_globals(&addresses);
        machine.resolve_constants(&addresses);
        machine.addresses = addresses;
        Ok(machine)
    }

    /// The program.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Whether an instruction may undo another. It was never shown that this goes together with more than one life of a
    /// location.
    fn may_undo(&self) -> bool {
        self.may_undo && !self.reuse.is_any()
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Where a global is; `None` if each thread has its own or the module has no such global.
    pub fn global_address(&self, GlobalId(global): GlobalId) -> Option<u64> {
        self.addresses.get(global as usize).copied().filter(|&address| address != 0)
    }

    /// The values that a finished thread returned. The contract hands on only the first one, but the state of a thread
    /// that has finished is still at its last return. `None`: it is anywhere else.
    pub fn returned(&self, state: &ThreadState) -> Option<SmallVec<[Value; 8]>> {
        match self.function(state).code.get(state.pc as usize) {
            Some(&Op::Return { values }) if state.callers.is_none() => Some(self.values(state, values)),
            _ => None,
        }
    }

    /// Give every global an address; 0 for the thread-local ones.
    fn place_globals(&mut self) -> Result<Vec<u64>, BuildError> {
        let mut addresses = Vec::with_capacity(self.module.globals.len());
        for global in &self.module.globals {
            let stream = global.external && is_stream(&global.name);
            let size = if stream { 8 } else { global.bytes.len() as u64 };
            if global.thread_local && !global.external {
                addresses.push(0);
                continue;
            }
            let region =
                if global.constant || global.external { &mut self.const_globals } else { &mut self.globals };
            // An external variable of unknown size is at least as large as an access to it.
            let room = if global.external { size.max(4096) } else { size };
            let address = region.place(&global.name, room, global.align);
            let too_large = || BuildError::TooLarge { global: global.name.clone(), size };
            addresses.push(address.ok_or_else(too_large)?);
            region.shape_last(global.shape);
            if global.external && !stream {
                region.refuse_last(refusal(global));
            }
        }
        let too_large = || BuildError::TooLarge { global: "all together".to_owned(), size: 64 };
        let room = if self.has_sections { section::SIZE } else { 40 };
        self.atomic_mutex = self.globals.place("__VERIFIER_atomic", room, 8).ok_or_else(too_large)?;
        if self.usage.deleted_keys {
            self.deleted_keys = self.globals.place("deleted keys", 128, 8).ok_or_else(too_large)?;
        }
        let name = self.const_globals.place("argv[0]", 8, 8).ok_or_else(too_large)?;
        self.argv = self.const_globals.place("argv", 16, 8).ok_or_else(too_large)?;
        self.const_globals.fill(name, b"program\0");
        self.const_globals.fill(self.argv, &name.to_le_bytes());
        Ok(addresses)
    }

    /// Number the functions without a body, in the order of their names.
    fn name_externals(&mut self) {
        let mut names = BTreeMap::new();
        for function in &self.module.functions {
            for constant in &function.constants {
                if let Constant::External(text) = *constant {
                    names.insert(function.texts[usize::from(text)].clone(), ());
                }
            }
        }
        for global in &self.module.globals {
            for (_, relocation) in &global.relocations {
                if let Relocation::External(name) = relocation {
                    names.insert(name.clone(), ());
                }
            }
        }
        self.externals = names.into_keys().collect();
    }

    fn external(&self, name: &str) -> u64 {
        let index = self.externals.binary_search_by(|known| known[..].cmp(name)).expect("all are named");
        Code::External(index as u32).address()
    }

    fn fill_globals(&mut self, addresses: &[u64]) {
        for (index, &address) in addresses.iter().enumerate() {
            let global = &self.module.globals[index];
            let mut bytes = global.bytes.clone();
            for &(offset, ref relocation) in &global.relocations {
                let pointer = match *relocation {
                    Relocation::Global(GlobalId(to), plus) => {
                        addresses[to as usize].wrapping_add(plus.cast_unsigned())
                    }
                    Relocation::Function(FunctionId(function)) => Code::Function(function).address(),
                    Relocation::External(ref name) => self.external(name),
                };
                bytes[offset as usize..offset as usize + 8].copy_from_slice(&pointer.to_le_bytes());
            }
            if global.external && is_stream(&global.name) {
                // A pointer that the models of output functions ignore.
                bytes = address.to_le_bytes().to_vec();
            }
            let (constant, thread_local) = (global.constant || global.external, global.thread_local);
            match (thread_local && !global.external, constant) {
                (true, _) => {}
                (false, true) => self.const_globals.fill(address, &bytes),
                (false, false) => self.globals.fill(address, &bytes),
            }
            self.thread_locals.push(if thread_local { bytes.into() } else { Box::default() });
        }
    }

    fn resolve_constants(&mut self, addresses: &[u64]) {
        let resolve = |texts: &[String], constant: &Constant| match *constant {
            Constant::Value(value) => value,
            Constant::Global(GlobalId(global), plus) => {
                addresses[global as usize].wrapping_add(plus.cast_unsigned())
            }
            Constant::Function(FunctionId(function)) => Code::Function(function).address(),
            Constant::External(text) => self.external(&texts[usize::from(text)]),
        };
        let functions = self.module.functions.iter();
        self.constants = functions
            .map(|function| function.constants.iter().map(|c| resolve(&function.texts, c)).collect())
            .collect();
    }

    /// The function at an address.
    pub(crate) fn code_at(&self, address: u64) -> Option<Code> {
        Code::at(address, self.module.functions.len(), self.externals.len())
    }

    fn thread(&self, thread: ThreadId, function: u32) -> ThreadState {
        ThreadState::new(thread, function, self.module.functions[function as usize].registers)
    }
}

/// Why an access to a variable of which nothing is known is refused.
fn refusal(global: &Global) -> String {
    let name = &global.name;
    match &global.unmodelled {
        Some(what) => format!("access to `{name}`: {what}"),
        None => format!("access to `{name}`, a variable that is not part of the program"),
    }
}

/// A stream of the C library: its pointer may be read and passed on.
fn is_stream(name: &str) -> bool {
    matches!(name, "stdin" | "stdout" | "stderr")
}

impl Program for Machine {
    type State = ThreadState;

    fn main(&self) -> ThreadState {
        let main = self.module.main.expect("checked when the machine was built");
        let mut state = self.thread(ThreadId::MAIN, main.0);
        let parameters = usize::from(self.module.functions[main.0 as usize].parameters);
        // argc, argv, and an environment that is empty: the null pointer after the arguments.
        let arguments = [1, self.argv, self.argv + 8];
        state.registers[..parameters].copy_from_slice(&arguments[..parameters]);
        let globals = Contents::new(self.globals.bytes.clone().into());
        state.memory.private_mut().globals = Some(Box::new(globals));
        for constructor in self.module.constructors.iter().rev() {
            state.pc = BEFORE_START;
            state.enter(constructor.0, self.module.functions[constructor.0 as usize].registers);
        }
        state
    }

    fn start(&self, thread: ThreadId, function: Value, argument: Value) -> ThreadState {
        let Some(Code::Function(index)) = self.code_at(function) else {
            unreachable!("a thread is only created to run a function")
        };
        let room = u64::from(thread.0) < MAX_THREADS;
        let mut state = self.thread(if room { thread } else { ThreadId::MAIN }, index);
        if !room {
            state.pending = Pending::TooManyThreads;
        }
        if self.module.functions[index as usize].parameters > 0 {
            state.registers[0] = argument;
        }
        state
    }

    #[inline]
    fn resume(&self, state: &mut ThreadState, answer: Value) -> Request {
        self.run_to_request(state, answer)
    }

    fn site(&self, state: &ThreadState) -> Site {
        let own = self.site_at(state.function, state.pc);
        if self.folded.has(state.function, own) { self.site_of_call(state) } else { own }
    }

    fn callers(&self, state: &ThreadState) -> Vec<Site> {
        self.calls_to(state)
    }

    fn is_private(&self, state: &ThreadState, address: u64) -> bool {
        self.is_own(state, address)
    }

    fn facts(&self) -> Facts {
        let mut watches = self.module.functions.iter().flat_map(|function| &function.watches);
        let left_out = match self.watches || self.cuts {
            _ if self.watches_waits || watches.any(|watch| watch.reads_plainly) => LeftOutRounds::Plain,
            true => LeftOutRounds::Atomic,
            false => LeftOutRounds::None,
        };
        Facts {
            may_undo: self.may_undo(),
            left_out,
            // Which thread has freed an address, and which one gets it, is not the same if they change places.
            tells_threads_apart: self.tells_threads_apart || self.reuse.is_any(),
            announces_it: self.throws_before && !self.reuse.is_any(),
            creates_after_join: self.creates_after_join,
            has_sections: self.has_sections,
            looks_at_clocks: self.usage.clocks,
        }
    }

    fn refine(&mut self, refinements: &Refinements) -> Result<(), Refusal> {
        let Refinements { conflicts, sections, reused, kept, endless } = refinements;
        self.layout = Layout::default();
        conflicts.iter().try_for_each(|&conflict| self.layout.refine(conflict))?;
        self.order_sections(sections.clone())?;
        self.reuse.set(reused);
        self.endangered.clone_from(kept);
        let has =
            |site: &Site| self.module.functions.iter().position(|function| function.sites.contains(site));
        self.endless = endless.iter().filter_map(has).map(|function| function as u32).collect();
        Ok(())
    }
}

impl Hint for Machine {
    fn is_copy(&self, state: &ThreadState) -> bool {
        match self.module.functions[state.function as usize].code.get(state.pc as usize) {
            Some(Op::Builtin { builtin, .. }) => {
                matches!(builtin, Builtin::MemCopy | Builtin::Realloc | Builtin::OutputBytes)
            }
            // Of a load that is made in pieces, one that comes later may be padding. The first is not: a struct starts
            // with a member.
            Some(Op::Load { partial, .. }) => *partial || state.progress.done > 0,
            Some(Op::Rmw { kind, .. }) => *kind == RmwKind::Replace,
            _ => false,
        }
    }
    #[inline]
    fn awaits(&self, state: &ThreadState) -> Await {
        if self.may_undo() && self.role(state) == Role::Attempts {
            return Await::Attempt;
        }
        if self.may_keep_round(state) {
            return Await::No;
        }
        let Some(awaits) = self.awaits.get(state.function as usize) else { return Await::No };
        match awaits.get(state.pc as usize) {
            None | Some(Awaited::No) => Await::No,
            Some(Awaited::Value) => Await::Value,
            Some(Awaited::Success) => Await::Success,
            Some(Awaited::Failure) => Await::Failure,
            Some(Awaited::Change) => Await::Change,
            Some(&Awaited::Equal(wanted)) => {
                let constants = &self.constants[state.function as usize];
                let wanted = operand(&state.registers, constants, wanted);
                self.reuse.note_expected(wanted);
                Await::Equal(wanted)
            }
        }
    }

    #[inline]
    fn pair(&self, state: &ThreadState) -> Option<RmwOrder> {
        let pairs = &self.pairs[state.function as usize];
        let pair = pairs.binary_search_by_key(&state.pc, |pair| pair.0).ok()?;
        (!self.may_keep_round(state)).then_some(pairs[pair].1)
    }

    fn read_ahead(&self, state: &mut ThreadState, value: Value) -> Request {
        self.run_on(state, value)
    }

    fn role(&self, state: &ThreadState) -> Role {
        let roles = &self.module.functions[state.function as usize].roles;
        roles.binary_search_by_key(&state.pc, |role| role.0).map_or(Role::Ordinary, |at| roles[at].1)
    }

    fn is_same(&self, a: &ThreadState, b: &ThreadState) -> bool {
        match self.options.spin {
            // Nothing is cut, so that visits to loops make no difference.
            Spin::None => spin::is_same_without_cuts(a, b),
            _ => spin::is_same(a, b),
        }
    }

    #[inline]
    fn section(&self, state: &ThreadState) -> Option<Section> {
        self.section_of(state)
    }

    fn note_freed(&self, block: Block) {
        self.reuse.note_freed(block.address, block.size);
    }

    #[inline]
    fn newly_reused(&self) -> Option<Vec<Block>> {
        self.reuse.newly_reused()
    }

    fn clocks(&self, state: &ThreadState) -> Vec<Site> {
        self.data(state).map_or_else(Vec::new, |data| data.clocks.clone())
    }

    fn remains(&self, state: &ThreadState, has_finished: bool) -> Remains {
        self.remains_of(state, has_finished)
    }

    fn remarks(&self) -> BTreeSet<Remark> {
        self.reuse.remarks()
    }

    fn recall(&self, remarks: &BTreeSet<Remark>) {
        self.reuse.recall(remarks);
    }
}
