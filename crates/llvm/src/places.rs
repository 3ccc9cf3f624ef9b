//! Where code comes from: the user's source place of each instruction, and the table of sites.
//!
//! Code that was inlined from a system header belongs to the line that calls it; code that was inlined from the
//! user's own functions keeps its own line.

use crate::ffi::{Metadata, Value};
use base::{Place, Site, SiteInfo};
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::bytecode::SourceFile;

/// The place of an instruction and the source function that it is in.
#[derive(Clone, Debug)]
pub(crate) struct Origin<'m> {
    place: Place,
    function: Arc<str>,
    scope: Metadata<'m>,
}

/// The table of sites, each of which is there once.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    infos: Vec<SiteInfo>,
    index: BTreeMap<SiteInfo, Site>,
    files: BTreeMap<Arc<str>, Option<[u8; 16]>>,
}

impl Sites {
    /// The site with this information.
    pub(crate) fn site(&mut self, info: SiteInfo) -> Site {
        let infos = &mut self.infos;
        *self.index.entry(info).or_insert_with_key(|info| {
            infos.push(info.clone());
            Site(infos.len() as u32 - 1)
        })
    }

    /// The site of an access to `operand` with this origin.
    pub(crate) fn site_at(&mut self, origin: Origin<'_>, operand: Arc<str>, volatile: bool) -> Site {
        let known = self.infos.len();
        let file = origin.place.file.clone();
        let site =
            self.site(SiteInfo { place: Some(origin.place), function: origin.function, operand, volatile });
        if self.infos.len() > known {
            let md5 = self.files.entry(file).or_default();
            // A directive may give its lines the name of a file that is there under its own name, too.
            *md5 = md5.or_else(|| origin.scope.scope_checksum().and_then(|digits| md5_of(&digits)));
        }
        site
    }

    /// The sites, and the files that they are in.
    pub(crate) fn finish(self) -> (Vec<SiteInfo>, Vec<SourceFile>) {
        let files = self.files.into_iter().map(|(name, md5)| SourceFile { name, md5 });
        (self.infos, files.collect())
    }
}

/// The sum that these digits write; `None` if it is one of another kind.
fn md5_of(digits: &str) -> Option<[u8; 16]> {
    let is_md5 = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_md5.then(|| u128::from_str_radix(digits, 16).ok()).flatten().map(u128::to_be_bytes)
}

/// Calls that are inlined in each other are not followed further: in a file that is made up, they may go round in circles.
const MOST_CALLS: usize = 10_000;

/// The origin of an instruction; `None` if the compiler did not say.
pub(crate) fn origin_of(instruction: Value<'_>) -> Option<Origin<'_>> {
    let mut outermost = None;
    let locations = std::iter::successors(instruction.location(), |at| at.inlined_at());
    for at in locations.take(MOST_CALLS) {
        let Some(found) = origin_at(at) else { break };
        if !is_system(&found.place.file) {
            return Some(found);
        }
        outermost = Some(found);
    }
    outermost
}

fn origin_at(location: Metadata<'_>) -> Option<Origin<'_>> {
    let (line, column) = location.position();
    let scope = location.scope();
    let file = scope.scope_file()?;
    let function = scope.scope_function().unwrap_or_default();
    // Line 0 is the compiler's own code.
    (line != 0).then(|| Origin {
        place: Place { file: file.into(), line, column },
        function: function.into(),
        scope,
    })
}

fn is_system(file: &str) -> bool {
    file.starts_with("/usr/include/")
        || file.starts_with("/usr/lib/")
        || file.starts_with("/usr/local/include/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_32_digits_are_md5() {
        let bytes =
            [0x90, 1, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0, 0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72];
        assert_eq!(md5_of("900150983cd24fb0d6963f7d28e17f72"), Some(bytes));
        for digits in ["", "900150983cd24fb0d6963f7d28e17f7", "+00150983cd24fb0d6963f7d28e17f72"] {
            assert_eq!(md5_of(digits), None, "{digits}");
        }
        assert_eq!(md5_of("a9993e364706816aba3e25717850c26c9cd0d89d"), None);
    }
}
