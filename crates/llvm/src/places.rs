//! Where code comes from: the user's source place of each instruction, and the table of sites.
//!
//! Code that was inlined from a system header belongs to the line that calls it; code that was inlined from the
//! user's own functions keeps its own line.

use crate::ffi::{Metadata, Value};
use base::{Place, Site};
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::bytecode::SiteInfo;

/// Place, function, operand.
type Key = (Option<Place>, Arc<str>, Arc<str>);

/// The table of sites: one for each distinct place, function and operand.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    infos: Vec<SiteInfo>,
    index: BTreeMap<Key, Site>,
}

impl Sites {
    pub(crate) fn site(&mut self, place: Option<Place>, function: Arc<str>, operand: Arc<str>) -> Site {
        let infos = &mut self.infos;
        *self.index.entry((place, function, operand)).or_insert_with_key(|(place, function, operand)| {
            let (place, function, operand) = (place.clone(), function.clone(), operand.clone());
            infos.push(SiteInfo { place, function, operand });
            Site(infos.len() as u32 - 1)
        })
    }

    pub(crate) fn finish(self) -> Vec<SiteInfo> {
        self.infos
    }
}

/// The place of an instruction and the source function that it is in; `None` if the compiler did not say.
pub(crate) fn place_of(instruction: Value<'_>) -> Option<(Place, Arc<str>)> {
    let mut outermost = None;
    let mut location = instruction.location();
    while let Some(at) = location {
        let Some(found) = place_at(at) else { break };
        if !is_system(&found.0.file) {
            return Some(found);
        }
        outermost = Some(found);
        location = at.inlined_at();
    }
    outermost
}

fn place_at(location: Metadata<'_>) -> Option<(Place, Arc<str>)> {
    let (line, column) = location.position();
    let scope = location.scope();
    let file = scope.scope_file()?;
    let function = scope.scope_function().unwrap_or_default();
    // Line 0 is the compiler's own code.
    (line != 0).then(|| (Place { file: file.into(), line, column }, function.into()))
}

fn is_system(file: &str) -> bool {
    file.starts_with("/usr/include/")
        || file.starts_with("/usr/lib/")
        || file.starts_with("/usr/local/include/")
}
