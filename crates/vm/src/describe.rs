//! Names of addresses and instructions, for reports.

use crate::address::Region;
use crate::bytecode::{ObjectInfo, SiteInfo, SourceFile};
use crate::machine::Machine;
use base::Site;
use program::{LIFE_WORDS, proper_address};

impl Machine {
    /// The source information of a site; `None` for a number that is no site of the module.
    pub fn site_info(&self, site: Site) -> Option<&SiteInfo> {
        self.module().sites.get(site.0 as usize)
    }

    /// The source file with this name; `None` if no site is in it.
    pub fn source_file(&self, name: &str) -> Option<&SourceFile> {
        self.module().files.iter().find(|file| &*file.name == name)
    }

    /// A name for an address: "x", "a[2]", "local variable of thread 0". `None`: nothing can be there.
    pub fn describe_address(&self, address: u64) -> Option<String> {
        self.describe_bytes(address, 0)
    }

    /// A name for so many bytes: "q.head". None of them: for what starts there.
    pub fn describe_bytes(&self, address: u64, size: u8) -> Option<String> {
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
