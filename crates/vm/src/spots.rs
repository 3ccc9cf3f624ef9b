//! The sites of instructions with what reports alone want to know of them: the calls that they were inlined at, and the
//! objects that they make.
//!
//! To the exploration, an instruction is the same wherever its function was inlined: it knows sites without calls.

use crate::bytecode::{Module, SiteInfo};
use crate::machine::Machine;
use crate::state::{BEFORE_START, RUN_AGAIN, ThreadState};
use base::Site;
use std::collections::BTreeMap;

/// So many calls are told of one instruction, the innermost ones.
const MOST_CALLS: usize = 64;

/// Leave only sites without calls and objects in the functions. Returns those that were there, per function.
pub(crate) fn separate(module: &mut Module) -> Vec<Box<[Site]>> {
    let spots = module.functions.iter().map(|function| function.sites.clone().into()).collect();
    let plain = plain_sites(&module.sites);
    for site in module.functions.iter_mut().flat_map(|function| &mut function.sites) {
        *site = plain.get(site).copied().unwrap_or(*site);
    }
    spots
}

/// The sites that have calls or objects, and the same without these.
fn plain_sites(sites: &[SiteInfo]) -> BTreeMap<Site, Site> {
    let numbered = || sites.iter().enumerate().map(|(number, info)| (Site(number as u32), info));
    let mut first: BTreeMap<SiteInfo, Site> = BTreeMap::new();
    numbered().for_each(|(site, info)| _ = first.entry(info.clone()).or_insert(site));
    let is_more = |info: &SiteInfo| info.caller.is_some() || info.object.is_some();
    let more = numbered().filter(|(_, info)| is_more(info));
    more.filter_map(|(site, info)| Some((site, *first.get(&info.instruction())?))).collect()
}

impl Machine {
    /// The site of the instruction that the thread is at, with its calls and its object.
    pub(crate) fn spot(&self, state: &ThreadState) -> Site {
        self.spot_at(state.function, state.pc)
    }

    fn spot_at(&self, function: u32, pc: u32) -> Site {
        self.spots[function as usize].get(pc as usize).copied().unwrap_or_default()
    }

    /// The calls that led to the instruction that the thread is at, those that were inlined and the others, the
    /// innermost one first.
    pub(crate) fn calls_to(&self, state: &ThreadState) -> Vec<Site> {
        let mut calls = Vec::new();
        self.add_inlined(&mut calls, self.spot(state));
        let mut frame = state.callers.as_deref();
        while let Some(caller) = frame.filter(|_| calls.len() < MOST_CALLS) {
            // Constructors and destructors are called by no instruction of the program.
            if caller.pc != BEFORE_START && Some(caller.function) != self.at_exit {
                let call = self.spot_at(caller.function, caller.pc & !RUN_AGAIN);
                calls.push(call);
                self.add_inlined(&mut calls, call);
            }
            frame = caller.caller();
        }
        calls.truncate(MOST_CALLS);
        calls
    }

    fn add_inlined(&self, calls: &mut Vec<Site>, site: Site) {
        let caller = |&site: &Site| self.site_info(site)?.caller;
        calls.extend(std::iter::successors(caller(&site), caller).take(MOST_CALLS));
    }
}
