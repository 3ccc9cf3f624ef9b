//! Where code comes from: the user's source place of each instruction, and the table of sites.
//!
//! Code that was inlined from a system header belongs to the line that calls it; code that was inlined from the
//! user's own functions keeps its own line.

use crate::ffi::{Metadata, Value};
use base::{Place, Site, SiteInfo};
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::bytecode::{Function, SourceFile};

/// The place of an instruction and the source function that it is in.
#[derive(Clone, Debug)]
pub(crate) struct Origin<'m> {
    place: Place,
    function: Arc<str>,
    scope: Metadata<'m>,
    /// The calls that it was inlined at, the innermost one first.
    calls: Vec<Origin<'m>>,
}

/// The table of sites, each of which is there once.
///
/// Those with calls or objects come after the others, whose numbers do not depend on them.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    plain: Table,
    more: Table,
    files: BTreeMap<Arc<str>, Option<[u8; 16]>>,
}

#[derive(Debug, Default)]
struct Table {
    infos: Vec<SiteInfo>,
    index: BTreeMap<SiteInfo, u32>,
}

impl Table {
    fn number(&mut self, info: SiteInfo) -> u32 {
        let infos = &mut self.infos;
        *self.index.entry(info).or_insert_with_key(|info| {
            infos.push(info.clone());
            infos.len() as u32 - 1
        })
    }
}

/// Set in the number of a site with a call or an object, until all others are known.
const MORE: u32 = 1 << 31;

impl Sites {
    /// The site with this information, which has no calls and no objects.
    pub(crate) fn site(&mut self, info: SiteInfo) -> Site {
        Site(self.plain.number(info))
    }

    /// The site of an access to `operand` with this origin, or of an instruction that makes an object.
    pub(crate) fn site_at(
        &mut self,
        origin: Origin<'_>,
        operand: Arc<str>,
        volatile: bool,
        object: Option<u32>,
    ) -> Site {
        self.note_file(&origin);
        let (place, function) = (Some(origin.place), origin.function);
        let info = SiteInfo { place, function, operand, volatile, caller: None, object: None };
        let site = self.site(info.clone());
        let caller = self.call(&origin.calls);
        if caller.is_none() && object.is_none() {
            return site;
        }
        Site(MORE | self.more.number(SiteInfo { caller, object, ..info }))
    }

    /// The same site, of an instruction that makes an object.
    pub(crate) fn site_of_object(&mut self, Site(site): Site, object: u32) -> Site {
        let table = if site & MORE == 0 { &self.plain } else { &self.more };
        let info = SiteInfo { object: Some(object), ..table.infos[(site & !MORE) as usize].clone() };
        Site(MORE | self.more.number(info))
    }

    /// The site of the innermost one of these calls.
    fn call(&mut self, calls: &[Origin<'_>]) -> Option<Site> {
        let mut caller = None;
        for call in calls.iter().rev() {
            self.note_file(call);
            let (place, function) = (Some(call.place.clone()), call.function.clone());
            let info = SiteInfo { place, function, caller, ..SiteInfo::default() };
            caller = Some(Site(MORE | self.more.number(info)));
        }
        caller
    }

    fn note_file(&mut self, origin: &Origin<'_>) {
        let md5 = self.files.entry(Arc::clone(&origin.place.file)).or_default();
        // A directive may give its lines the name of a file that is there under its own name, too.
        *md5 = md5.or_else(|| origin.scope.scope_checksum().and_then(|digits| md5_of(&digits)));
    }

    /// The sites, and the files that they are in. Those of these functions get their numbers.
    pub(crate) fn finish(self, functions: &mut [Function]) -> (Vec<SiteInfo>, Vec<SourceFile>) {
        let known = self.plain.infos.len() as u32;
        let number = |Site(site): Site| Site(if site & MORE == 0 { site } else { known + (site & !MORE) });
        let more = self.more.infos.into_iter();
        let more = more.map(|info| SiteInfo { caller: info.caller.map(number), ..info });
        for site in functions.iter_mut().flat_map(|function| &mut function.sites) {
            *site = number(*site);
        }
        let files = self.files.into_iter().map(|(name, md5)| SourceFile { name, md5 });
        (self.plain.infos.into_iter().chain(more).collect(), files.collect())
    }
}

/// The sum that these digits write; `None` if it is one of another kind.
fn md5_of(digits: &str) -> Option<[u8; 16]> {
    let is_md5 = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_md5.then(|| u128::from_str_radix(digits, 16).ok()).flatten().map(u128::to_be_bytes)
}

/// Calls that are inlined in each other are not followed further: in a file that is made up, they may go round in circles.
const MOST_CALLS: usize = 10_000;
/// Nor are more of them kept for reports.
const KEPT_CALLS: usize = 32;

/// The origin of an instruction; `None` if the compiler did not say.
pub(crate) fn origin_of(instruction: Value<'_>) -> Option<Origin<'_>> {
    let locations = std::iter::successors(instruction.location(), |at| at.inlined_at());
    let mut origins = locations.take(MOST_CALLS).map_while(origin_at);
    let mut outermost = None;
    for found in origins.by_ref() {
        if !found.place.is_system() {
            let calls = origins.filter(|call| !call.place.is_system()).take(KEPT_CALLS).collect();
            return Some(Origin { calls, ..found });
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
    let (place, calls) = (Place { file: file.into(), line, column }, Vec::new());
    // Line 0 is the compiler's own code.
    (line != 0).then(|| Origin { place, function: function.into(), scope, calls })
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
