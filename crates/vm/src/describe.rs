//! Names of addresses and instructions, for reports.

use crate::address::Region;
use crate::bytecode::{SiteInfo, SourceFile};
use crate::machine::Machine;
use base::Site;
use program::{LIFE_WORDS, proper_address};

impl Machine {
    /// The source information of a site; `None` for a number that is no site of the module.
    pub fn site_info(&self, site: Site) -> Option<&SiteInfo> {
        self.module().sites.get(site.0 as usize)
    }

    /// Whether the program itself bounds the loop that this instruction closes.
    pub fn has_bound(&self, site: Site) -> bool {
        self.module().bounds.iter().any(|&(at, _)| at == site)
    }

    /// The source file with this name; `None` if no site is in it.
    pub fn source_file(&self, name: &str) -> Option<&SourceFile> {
        self.module().files.iter().find(|file| &*file.name == name)
    }

    /// A name for an address: "x", "a+8", "local variable of thread 0". `None`: nothing can be there.
    pub fn describe_address(&self, address: u64) -> Option<String> {
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
        Some(match address - object.address {
            0 => object.name.clone(),
            offset => format!("{}+{offset}", object.name),
        })
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
