//! What a source map has told: kept with a result, for a report where the program is not at hand.

use base::{Access, Site};
use report::{SiteInfo, SourceMap};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The text of a line, and why there is none.
type Line = (Option<String>, Option<String>);

/// The answers of a source map, so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    sites: BTreeMap<u32, SiteInfo>,
    /// The sites that are calls, as far as somebody has asked.
    #[serde(default)]
    calls: BTreeSet<u32>,
    addresses: BTreeMap<u64, Option<String>>,
    /// By address and size.
    locations: BTreeMap<String, Option<String>>,
    objects: BTreeMap<u32, Option<String>>,
    /// By site and size of the object, offset and size.
    paths: BTreeMap<String, Option<String>>,
    lines: BTreeMap<String, BTreeMap<u32, Line>>,
    #[serde(default)]
    bounds: BTreeSet<u32>,
}

impl Told {
    /// Add the answers of another source map of the same program.
    pub(crate) fn merge(&mut self, other: Told) {
        self.sites.extend(other.sites);
        self.calls.extend(other.calls);
        self.addresses.extend(other.addresses);
        self.bounds.extend(other.bounds);
        self.locations.extend(other.locations);
        self.objects.extend(other.objects);
        self.paths.extend(other.paths);
        for (file, lines) in other.lines {
            self.lines.entry(file).or_default().extend(lines);
        }
    }
}

impl SourceMap for Told {
    fn site(&self, site: Site) -> SiteInfo {
        self.sites.get(&site.0).cloned().unwrap_or_default()
    }

    fn samples(&self, site: Site) -> bool {
        self.calls.contains(&site.0)
    }

    fn has_bound(&self, site: Site) -> bool {
        self.bounds.contains(&site.0)
    }

    fn address(&self, address: u64) -> Option<String> {
        self.addresses.get(&address).cloned().flatten()
    }

    fn location(&self, at: Access) -> Option<String> {
        self.locations.get(&location_key(at)).cloned().flatten()
    }

    fn object(&self, site: Site) -> Option<String> {
        self.objects.get(&site.0).cloned().flatten()
    }

    fn path(&self, site: Site, object_size: u64, at: Access) -> Option<String> {
        self.paths.get(&path_key(site, object_size, at)).cloned().flatten()
    }

    fn line(&self, file: &str, line: u32) -> Option<String> {
        self.lines.get(file)?.get(&line)?.0.clone()
    }

    fn why_no_line(&self, file: &str, line: u32) -> Option<String> {
        self.lines.get(file)?.get(&line)?.1.clone()
    }
}

fn location_key(at: Access) -> String {
    format!("{}/{}", at.address, at.size)
}

fn path_key(site: Site, object_size: u64, at: Access) -> String {
    format!("{}/{object_size}/{}", site.0, location_key(at))
}

/// A source map that keeps what it tells.
pub(crate) struct Keeping<'a> {
    sources: &'a dyn SourceMap,
    told: RefCell<Told>,
}

impl<'a> Keeping<'a> {
    /// Nothing was told yet.
    pub(crate) fn new(sources: &'a dyn SourceMap) -> Keeping<'a> {
        Keeping { sources, told: RefCell::default() }
    }

    /// What was told.
    pub(crate) fn told(self) -> Told {
        self.told.into_inner()
    }

    fn keep_line(&self, file: &str, line: u32) {
        let text = (self.sources.line(file, line), self.sources.why_no_line(file, line));
        self.told.borrow_mut().lines.entry(file.to_owned()).or_default().insert(line, text);
    }
}

impl SourceMap for Keeping<'_> {
    fn site(&self, site: Site) -> SiteInfo {
        let info = self.sources.site(site);
        self.told.borrow_mut().sites.insert(site.0, info.clone());
        info
    }

    fn samples(&self, site: Site) -> bool {
        let samples = self.sources.samples(site);
        if samples {
            self.told.borrow_mut().calls.insert(site.0);
        }
        samples
    }

    fn has_bound(&self, site: Site) -> bool {
        let has_bound = self.sources.has_bound(site);
        if has_bound {
            self.told.borrow_mut().bounds.insert(site.0);
        }
        has_bound
    }

    fn address(&self, address: u64) -> Option<String> {
        let name = self.sources.address(address);
        self.told.borrow_mut().addresses.insert(address, name.clone());
        name
    }

    fn location(&self, at: Access) -> Option<String> {
        let name = self.sources.location(at);
        self.told.borrow_mut().locations.insert(location_key(at), name.clone());
        name
    }

    fn object(&self, site: Site) -> Option<String> {
        let name = self.sources.object(site);
        self.told.borrow_mut().objects.insert(site.0, name.clone());
        name
    }

    fn path(&self, site: Site, object_size: u64, at: Access) -> Option<String> {
        let path = self.sources.path(site, object_size, at);
        self.told.borrow_mut().paths.insert(path_key(site, object_size, at), path.clone());
        path
    }

    fn line(&self, file: &str, line: u32) -> Option<String> {
        self.keep_line(file, line);
        self.sources.line(file, line)
    }

    fn why_no_line(&self, file: &str, line: u32) -> Option<String> {
        self.keep_line(file, line);
        self.sources.why_no_line(file, line)
    }
}
