//! Names of addresses and instructions, for reports.

use crate::address::Region;
use crate::builtin::Builtin;
use crate::bytecode::{Function, Module, ObjectInfo, Op, SiteInfo, SourceFile};
use crate::machine::Machine;
use crate::state::{BEFORE_START, RUN_AGAIN, ThreadState};
use base::{Place, Site};
use program::{HiddenWord, LIFE_WORDS, proper_address};

/// Which code belongs to libraries, and is told of at the call that has led there.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    /// Per function whether no instruction of it has a place in the user's source. That which the machine has made has none.
    functions: Vec<bool>,
    /// Per site whether it is in a header of the system.
    sites: Vec<bool>,
}

impl Folded {
    pub(crate) fn new(module: &Module, made: Option<u32>) -> Folded {
        let place = |site: &Site| module.sites.get(site.0 as usize).and_then(|info| info.place.as_ref());
        let is_users = |site: &Site| place(site).is_some_and(|place| !place.is_system());
        let functions = (0..).zip(&module.functions).map(|(index, function): (u32, &Function)| {
            Some(index) == made || !function.sites.iter().any(is_users)
        });
        let is_system = |info: &SiteInfo| info.place.as_ref().is_some_and(Place::is_system);
        Folded { functions: functions.collect(), sites: module.sites.iter().map(is_system).collect() }
    }

    #[inline]
    pub(crate) fn has(&self, function: u32, site: Site) -> bool {
        self.functions[function as usize] || self.sites.get(site.0 as usize).is_some_and(|&is_it| is_it)
    }
}

impl Machine {
    /// The site of an instruction.
    #[inline]
    pub(crate) fn site_at(&self, function: u32, pc: u32) -> Site {
        self.module().functions[function as usize].sites.get(pc as usize).copied().unwrap_or_default()
    }

    /// What libraries do, functions without places among them, is told of at the call that has led there. Where no code of
    /// the user has, as at the start of a thread of C++, it keeps its own site.
    pub(crate) fn site_of_call(&self, state: &ThreadState) -> Site {
        let site = |function, pc: u32| self.site_at(function, pc & !RUN_AGAIN);
        let calls = state.callers().filter(|frame| frame.pc != BEFORE_START);
        let mut calls = calls.map(|frame| (frame.function, site(frame.function, frame.pc)));
        let users = calls.find(|&(function, site)| !self.folded.has(function, site));
        users.map_or_else(|| site(state.function, state.pc), |(_, site)| site)
    }

    /// The source information of a site; `None` for a number that is no site of the module.
    pub fn site_info(&self, site: Site) -> Option<&SiteInfo> {
        self.module().sites.get(site.0 as usize)
    }

    /// Whether a function may be called at a site that tries only some of the values that are possible. Such functions are
    /// of libraries.
    pub fn samples(&self, site: Site) -> bool {
        let is_sampled = |op: &Op| matches!(op, Op::Builtin { builtin: Builtin::Sampled, .. });
        let mut functions = self.module().functions.iter();
        if !functions.clone().any(|function| function.code.iter().any(is_sampled)) {
            return false;
        }
        let may_sample = |op: &Op| match op {
            Op::Call { function, .. } => self.folded.functions[function.0 as usize],
            Op::CallIndirect { .. } => true,
            _ => false,
        };
        functions.any(|function| {
            function.code.iter().zip(&function.sites).any(|(op, &at)| at == site && may_sample(op))
        })
    }

    /// Whether the program itself bounds the loop that this instruction closes.
    pub fn has_bound(&self, site: Site) -> bool {
        self.module().bounds.iter().any(|&(at, _)| at == site)
    }

    /// The source file with this name; `None` if no site is in it.
    pub fn source_file(&self, name: &str) -> Option<&SourceFile> {
        self.module().files.iter().find(|file| &*file.name == name)
    }

    /// A name for an address: `x`, `a[2]`, `local variable of thread 0`. `None`: nothing can be there.
    pub fn describe_address(&self, address: u64) -> Option<String> {
        self.describe_bytes(address, 0)
    }

    /// A name for so many bytes: "q.head". None of them: for what starts there.
    pub fn describe_bytes(&self, address: u64, size: u8) -> Option<String> {
        match HiddenWord::at(address) {
            Some(HiddenWord::Queue(word)) => {
                return Some(format!("queue of {}", self.describe_address(word)?));
            }
            Some(HiddenWord::WakeUp(thread)) => return Some(format!("wake-up of thread {thread}")),
            Some(HiddenWord::Bits(thread)) => return Some(format!("bits of thread {thread}")),
            Some(HiddenWord::End(thread)) => return Some(format!("end of thread {thread}")),
            None => {}
        }
        let proper = proper_address(address);
        if let (true, Region::Heap(thread)) = (proper != address, Region::of(proper)) {
            let life = if address >= LIFE_WORDS { "life of " } else { "" };
            return Some(format!("{life}heap object of thread {thread}"));
        }
        let statics = match Region::of(address) {
            Region::Constants => &self.const_globals,
            Region::Globals => &self.globals,
            Region::Stack(thread) => return Some(format!("local variable of thread {thread}")),
            Region::Heap(thread) => return Some(format!("heap object of thread {thread}")),
            Region::Null => return Some("null".to_owned()),
            Region::Code => return self.describe_code(address),
            Region::Nowhere => return None,
        };
        let object = statics.find(address)?;
        Some(match (address - object.address, object.shape) {
            (offset, Some(shape)) => {
                format!("{}{}", object.name, self.module().path(shape, object.size, offset, size.into()))
            }
            (0, None) => object.name.clone(),
            (offset, None) => format!("{}+{offset}", object.name),
        })
    }

    /// The object that an instruction makes.
    pub fn object_info(&self, site: Site) -> Option<&ObjectInfo> {
        self.module().objects.get(self.site_info(site)?.object? as usize)
    }

    /// A name for an address inside the object that starts at `object`: "heap object of thread 1 (+16)".
    pub fn describe_object(&self, object: u64, address: u64) -> Option<String> {
        match Region::of(object) {
            Region::Stack(_) | Region::Heap(_) if address != object => {
                let offset = address.wrapping_sub(object).cast_signed();
                Some(format!("{} ({offset:+})", self.describe_address(object)?))
            }
            _ => self.describe_address(address),
        }
    }

    fn describe_code(&self, address: u64) -> Option<String> {
        use crate::address::Code;
        Some(match self.code_at(address)? {
            Code::Function(index) => self.module().functions[index as usize].name.clone(),
            Code::External(index) => self.externals[index as usize].clone(),
        })
    }
}
