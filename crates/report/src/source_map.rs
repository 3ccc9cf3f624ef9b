//! From what the engine knows (instructions, addresses) back to what the user wrote.

pub use base::SiteInfo;
use base::{Access, Site};

/// The translation. A front end offers it, through whoever runs the report.
pub trait SourceMap {
    /// What stands at `site`; the default value if nothing is known about it.
    fn site(&self, site: Site) -> SiteInfo;

    /// Whether the program itself bounds the loop that this instruction closes.
    fn has_bound(&self, _site: Site) -> bool {
        false
    }

    /// The name of what is at `address`, with the path or the offset to it if there is one (`x`, `a[3]`, `q+8`).
    fn address(&self, address: u64) -> Option<String>;

    /// The name of the part of an object that is accessed: `q.head`.
    fn location(&self, at: Access) -> Option<String> {
        self.address(at.address)
    }

    /// The name of the object that is allocated at `site`, or of its type.
    fn object(&self, _site: Site) -> Option<String> {
        None
    }

    /// The path to some bytes of an object of this size that is allocated at `site`, by their offset: `.next`. Without
    /// a size, to what starts there. `None` if nothing is known about the parts of the object.
    fn path(&self, _site: Site, _object_size: u64, _at: Access) -> Option<String> {
        None
    }

    /// The text of a line of the source, counted from 1, without its end; `None` if it is not at hand.
    fn line(&self, file: &str, line: u32) -> Option<String>;

    /// Whether only some of the values are tried that are possible at `site`, a call.
    fn samples(&self, _site: Site) -> bool {
        false
    }

    /// Why the text of a line is not at hand, in words; `None` if there is nothing to say about it.
    fn why_no_line(&self, _file: &str, _line: u32) -> Option<String> {
        None
    }
}

/// A program without debug information.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoSource;

impl SourceMap for NoSource {
    fn site(&self, _: Site) -> SiteInfo {
        SiteInfo::default()
    }

    fn address(&self, _: u64) -> Option<String> {
        None
    }

    fn line(&self, _: &str, _: u32) -> Option<String> {
        None
    }
}
