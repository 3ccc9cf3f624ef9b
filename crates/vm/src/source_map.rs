//! The source map as it is in a file: every name once, and sites that name it by its number.
//!
//! Most sites share the name of their file and that of their function with others. Written out for each of them, these
//! names would be most of a file, and the sites that it is read into would share none.

use crate::bytecode::SiteInfo;
use base::{Place, Site};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sites with their names apart.
#[derive(Default, Serialize, Deserialize)]
struct Packed {
    names: Vec<Arc<str>>,
    sites: Vec<PackedSite>,
}

/// A site. Names are positions in `Packed::names`.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct PackedSite {
    /// File, line and column.
    place: Option<(u32, u32, u32)>,
    function: u32,
    operand: u32,
    volatile: bool,
    caller: Option<u32>,
    object: Option<u32>,
}

pub(crate) fn serialize<S: Serializer>(sites: &[SiteInfo], to: S) -> Result<S::Ok, S::Error> {
    let (mut packed, mut numbers) = (Packed::default(), BTreeMap::new());
    for site in sites {
        let mut number = |name: &Arc<str>| number(&mut packed.names, &mut numbers, name);
        let place = site.place.as_ref().map(|place| (number(&place.file), place.line, place.column));
        let (function, operand) = (number(&site.function), number(&site.operand));
        let (volatile, caller, object) = (site.volatile, site.caller.map(|Site(caller)| caller), site.object);
        packed.sites.push(PackedSite { place, function, operand, volatile, caller, object });
    }
    packed.serialize(to)
}

/// The position of a name, which is added if it is new.
fn number(names: &mut Vec<Arc<str>>, numbers: &mut BTreeMap<Arc<str>, u32>, name: &Arc<str>) -> u32 {
    *numbers.entry(Arc::clone(name)).or_insert_with(|| {
        names.push(Arc::clone(name));
        names.len() as u32 - 1
    })
}

pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<SiteInfo>, D::Error> {
    let Packed { names, sites } = Packed::deserialize(from)?;
    let unpacked = sites.into_iter().map(|site| unpack(&names, site)).collect::<Option<_>>();
    unpacked.ok_or_else(|| D::Error::custom("a site has a name that does not exist"))
}

fn unpack(names: &[Arc<str>], site: PackedSite) -> Option<SiteInfo> {
    let name = |number: u32| names.get(number as usize).map(Arc::clone);
    let place = match site.place {
        Some((file, line, column)) => Some(Place { file: name(file)?, line, column }),
        None => None,
    };
    Some(SiteInfo {
        place,
        function: name(site.function)?,
        operand: name(site.operand)?,
        volatile: site.volatile,
        caller: site.caller.map(Site),
        object: site.object,
    })
}
