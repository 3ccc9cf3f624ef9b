//! A pass in parts: subtrees are explored one by one, in any order, and put together in the order of the exploration.
//!
//! What comes out is what a single explorer finds from the first graph to the last. Each part has its own findings and its
//! own [`Record`]. Parts are *folded* in the order in which their subtrees begin, each one as soon as all before it are: the
//! first part that has come to an end (with a violation, an assumption that is refuted, something that is not modelled) is
//! the end of the pass, and what comes after it does not matter. If a part and those before it refute an assumption together
//! (`record.rs`), everything from its beginning on is explored again by explorers that recall those records; so it is if the
//! part alone refutes one, for the pass might have ended earlier, or refuted more.
//!
//! A [`Pass`] is a value: it can be written down at any time when no part is being explored, and explored further elsewhere.

use crate::control::Control;
use crate::core::explorer::{End, Explorer, Others};
use crate::core::shape::Shape;
use crate::core::threads::ThreadName;
use crate::findings::Findings;
use crate::ledger::Ledger;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Executions, StopReason};
use crate::record::Record;
use crate::subtree::{Path, Subtree};
use base::{Site, ThreadId};
use model::Rules;
use program::Hint;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What the explorers of all parts have in common.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    pub(crate) rules: &'static Rules,
    pub(crate) options: &'a Options,
    pub(crate) control: &'a Control,
    pub(crate) ledger: &'a Ledger,
}

/// A part that was explored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The subtree, up to the beginning of the next part.
    pub(crate) subtree: Subtree,
    pub(crate) findings: Findings,
    record: Record,
    /// The assumptions that it has refuted.
    news: Ledger,
    /// It has recalled the records of so many parts, the first ones of the pass.
    recalled: usize,
    end: Option<End>,
}

/// A pass that is explored in parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pass {
    /// The names that threads have in all parts, once the first execution was explored.
    pub(crate) names: Option<Vec<ThreadName>>,
    /// The findings of the parts that were folded.
    pub(crate) findings: Findings,
    record: Record,
    news: Ledger,
    /// How many parts were folded.
    folded: usize,
    /// Whether parts recall the record of those that were folded.
    recalls: bool,
    /// Parts that were explored before some of those before them.
    #[serde(with = "parts")]
    done: BTreeMap<Path, Part>,
    /// The subtrees that were not explored.
    left: Vec<Subtree>,
    /// These are some of the subtrees of a pass, to be put together with others elsewhere: parts are not folded.
    is_unit: bool,
    /// How the part ended that ends the pass, once that was folded.
    ended: Option<End>,
}

impl Pass {
    /// A pass of which nothing was explored, after passes with these findings.
    pub(crate) fn new(findings: Findings) -> Pass {
        Pass {
            names: None,
            findings,
            record: Record::default(),
            news: Ledger::default(),
            folded: 0,
            recalls: false,
            done: BTreeMap::new(),
            left: vec![Subtree::default()],
            is_unit: false,
            ended: None,
        }
    }

    /// The assumptions that were refuted.
    pub(crate) fn news(&self) -> &Ledger {
        &self.news
    }

    /// All of it was explored by one explorer, up to its end, or not.
    pub(crate) fn end_alone(&mut self, news: Ledger, findings: Findings) {
        (self.news, self.findings, self.left) = (news, findings, Vec::new());
    }

    /// Take the findings out.
    pub(crate) fn take_findings(&mut self) -> Findings {
        std::mem::take(&mut self.findings)
    }

    /// The executions of all parts.
    pub(crate) fn executions(&self) -> Executions {
        let parts = self.done.values().map(|part| part.findings.executions);
        parts.fold(self.findings.executions, Executions::and)
    }

    /// The subtrees that were not explored.
    pub(crate) fn left(&self) -> &[Subtree] {
        &self.left
    }

    /// Nothing was explored; the pass is these subtrees, and threads have these names.
    pub(crate) fn divide(&mut self, names: Vec<ThreadName>, left: Vec<Subtree>) {
        (self.names, self.left) = (Some(names), left);
    }

    /// Put the subtrees that are left in the order of the exploration.
    pub(crate) fn sort(&mut self) {
        self.left.sort_by_key(Subtree::start);
    }

    /// Whether parts are put together elsewhere.
    pub(crate) fn is_unit(&self) -> bool {
        self.is_unit
    }

    /// Parts are put together here.
    pub(crate) fn set_whole(&mut self) {
        self.is_unit = false;
    }

    /// These subtrees of the pass, to be explored elsewhere.
    pub(crate) fn unit(&self, left: Vec<Subtree>) -> Pass {
        let (names, record) = (self.names.clone(), self.record.clone());
        let (folded, recalls) = (self.folded, self.recalls);
        let empty = Pass::new(Findings::default());
        Pass { names, record, folded, recalls, left, is_unit: true, ..empty }
    }

    /// These subtrees were explored as a unit, as far as it says. False if they are not left, so that this is known already.
    pub(crate) fn absorb(&mut self, taken: &[Subtree], unit: Pass) -> bool {
        if !taken.iter().all(|subtree| self.left.contains(subtree)) {
            return false;
        }
        self.left.retain(|subtree| !taken.contains(subtree));
        self.left.extend(unit.left);
        self.done.extend(unit.done);
        self.names = self.names.take().or(unit.names);
        true
    }

    /// The first subtree that is left cannot be explored, for this reason.
    pub(crate) fn fail(&mut self, reason: StopReason) {
        if let Some(subtree) = self.left.iter().min_by_key(|subtree| subtree.start()).cloned() {
            self.left.clear();
            let part = Part {
                subtree,
                findings: Findings::default(),
                record: Record::default(),
                news: Ledger::default(),
                recalled: self.folded,
                end: Some(End::Stopped(reason)),
            };
            self.add(part);
        }
    }

    /// The records that a part recalls that is explored now: of how many parts, and what they noted.
    pub(crate) fn recalled(&self) -> Option<(usize, Record)> {
        self.recalls.then(|| (self.folded, self.record.clone()))
    }

    /// The subtree is being explored: it is not left.
    pub(crate) fn take(&mut self, subtree: &Subtree) {
        self.left.retain(|it| it != subtree);
    }

    /// The subtree was not explored after all, or was given away.
    pub(crate) fn leave(&mut self, subtree: Subtree) {
        self.left.push(subtree);
    }

    /// The part was explored.
    pub(crate) fn add(&mut self, part: Part) {
        self.done.insert(part.subtree.start(), part);
    }

    /// The pass ends with this part, wherever it begins; the executions of the others count.
    pub(crate) fn end_with(&mut self, part: Part) {
        self.findings.append(part.findings);
        for (_, other) in std::mem::take(&mut self.done) {
            let mut findings = other.findings;
            findings.violations.clear();
            self.findings.append(findings);
        }
        self.left.clear();
    }

    /// Fold the parts that come before everything that is left, and before `running`, the first part that is being explored.
    /// Returns what folding has come to. `fold` is told of each part that was folded.
    pub(crate) fn fold(
        &mut self,
        running: Option<&Path>,
        common: Common<'_>,
        mut fold: impl FnMut(&Path),
    ) -> Folded {
        self.drop_what_comes_after_an_end();
        if self.is_unit {
            let is_over = running.is_none() && self.left.is_empty();
            return if is_over { Folded::Ended(Some(End::Paused)) } else { Folded::GoesOn };
        }
        if let Some(end) = &self.ended {
            return Folded::Ended(Some(end.clone()));
        }
        loop {
            let next = self.left.iter().map(Subtree::start).chain(running.cloned()).min();
            let Some(first) = self.done.first_entry() else {
                return if next.is_none() { Folded::Ended(None) } else { Folded::GoesOn };
            };
            if next.is_some_and(|next| next < *first.key()) {
                return Folded::GoesOn;
            }
            let (start, part) = first.remove_entry();
            let mut record = self.record.clone();
            record.merge(&part.record);
            let refutes =
                matches!(part.end, Some(End::Refuted(_))) || record.refutes_more_than(common.ledger);
            if refutes && part.recalled < self.folded {
                // It does not know of all parts before it. What comes after does not matter: the pass ends in this part,
                // unless a violation is found before.
                let subtree = Subtree { floor: 0, ..part.subtree };
                (self.recalls, self.left) = (true, vec![subtree]);
                self.done.clear();
                return Folded::Again;
            }
            self.record = record;
            self.folded += 1;
            self.news.merge(&part.news);
            self.findings.append(part.findings);
            fold(&start);
            if part.end.is_some() {
                self.done.clear();
                self.left.clear();
                self.ended.clone_from(&part.end);
                return Folded::Ended(part.end);
            }
        }
    }

    /// What comes after the first part that has ended does not matter. (If that one is explored again, so is all after it.)
    fn drop_what_comes_after_an_end(&mut self) {
        let ended = self.done.iter().find(|(_, part)| part.end.is_some());
        if let Some(first) = ended.map(|(start, _)| start.clone()) {
            self.done.retain(|start, _| *start <= first);
            self.left.retain(|subtree| subtree.start() < first);
        }
    }

    /// How a pass has ended whose parts came to this end: one that has refuted an assumption does not count, unless it has
    /// found a violation and one is enough.
    pub(crate) fn end(&self, end: Option<End>, options: &Options) -> Option<End> {
        let counts = !self.findings.violations.is_empty() && !options.keep_going;
        end.or_else(|| (!counts && !self.news.is_empty()).then_some(End::Refuted(ThreadId::MAIN)))
    }

    /// The instructions that an outcome may name, besides those of violations.
    pub(crate) fn sites(&self) -> BTreeSet<Site> {
        let findings = self.done.values().map(|part| &part.findings).chain([&self.findings]);
        let (mut sites, mut reasons) = (BTreeSet::new(), Vec::from_iter(self.stop_reason()));
        if let Some(End::Stopped(reason)) = &self.ended {
            reasons.push(reason);
        }
        for findings in findings {
            sites.extend(findings.cut.union(&findings.clocks));
            sites.extend(findings.unmodelled.iter().map(|it| it.site));
            reasons.extend(&findings.unbounded);
        }
        sites.extend(reasons.into_iter().flat_map(StopReason::sites));
        sites
    }

    /// Why no verdict is possible, if a part has found out.
    pub(crate) fn stop_reason(&self) -> Option<&StopReason> {
        self.done.values().find_map(|part| match &part.end {
            Some(End::Stopped(reason)) => Some(reason),
            _ => None,
        })
    }

    /// The pass was cut short: everything that was found counts, in the order of the exploration.
    pub(crate) fn give_up(&mut self) {
        for (_, part) in std::mem::take(&mut self.done) {
            self.findings.append(part.findings);
        }
    }
}

/// What folding has come to.
#[derive(Debug)]
pub(crate) enum Folded {
    /// Parts are missing.
    GoesOn,
    /// Some parts are explored again, and what was under way is dropped.
    Again,
    /// That was the last part, or the one that ends the pass.
    Ended(Option<End>),
}

/// The explorer of a subtree, for one part of a pass.
pub(crate) struct Start<'a> {
    pub(crate) common: Common<'a>,
    pub(crate) subtree: &'a Subtree,
    pub(crate) names: Option<&'a [ThreadName]>,
    pub(crate) recalled: Option<&'a (usize, Record)>,
    pub(crate) visits_per_look: Option<u64>,
}

/// What came of a subtree.
#[derive(Debug)]
pub(crate) struct ExploredPart {
    /// The part of it that was explored, if any was.
    pub(crate) part: Option<Part>,
    /// The parts of it that are left.
    pub(crate) left: Vec<Subtree>,
    /// The names of threads, if they are known.
    pub(crate) names: Option<Vec<ThreadName>>,
}

/// Explore a subtree, or some of it.
pub(crate) fn explore_part<'a, P: Hint, C: Shape>(
    program: &'a P,
    start: &Start<'a>,
    observer: &'a mut dyn Observer<P::State>,
    others: Option<&'a dyn Others>,
) -> ExploredPart {
    let Common { options, control, .. } = start.common;
    let mut explorer = explorer_at::<P, C>(program, start.common, start.names, observer);
    let (recalled, nothing) = (start.recalled.map_or(0, |(parts, _)| *parts), Record::default());
    explorer.build.recall(start.recalled.map_or(&nothing, |(_, record)| record));
    let subtree = start.subtree.clone();
    let found = explorer.walk_to(&subtree);
    // What was found on the way was found by others.
    explorer.findings = Findings::new(options);
    if found {
        others.into_iter().for_each(|others| explorer.meet(others, start.visits_per_look));
        explorer.explore_rest(!subtree.is_after);
    }
    let names = explorer.build.threads.has_all_names().then(|| explorer.build.threads.first_names());
    let end = match explorer.take_end_of_part() {
        None if !found => Some(End::Stopped(is_none_of(&subtree))),
        end => end,
    };
    let is_cut = matches!(&end, Some(End::Paused))
        || matches!(&end, Some(End::Stopped(reason)) if control.cut().is_some_and(|cut| *reason == cut.into()));
    if is_cut && (!found || names.is_none()) {
        return ExploredPart { part: None, left: vec![subtree], names };
    }
    let left = if is_cut { explorer.divide_rest() } else { Vec::new() };
    let (record, news) = (explorer.build.record(), explorer.build.notes.news());
    let end = end.filter(|_| !is_cut);
    let part = Part { subtree, findings: explorer.findings, record, news, recalled, end };
    ExploredPart { part: Some(part), left, names }
}

/// An explorer at the root; threads have these names, if the first execution was explored.
pub(crate) fn explorer_at<'a, P: Hint, C: Shape>(
    program: &'a P,
    common: Common<'a>,
    names: Option<&[ThreadName]>,
    observer: &'a mut dyn Observer<P::State>,
) -> Explorer<'a, P, C> {
    let Common { rules, options, control, ledger } = common;
    let findings = Findings::new(options);
    let mut explorer = Explorer::<P, C>::new(program, rules, options, control, observer, ledger, findings);
    if let Some(names) = names {
        let known = ledger.thread_names().len().min(names.len());
        explorer.build.name_threads(&names[known..]);
        explorer.build.threads.close_names();
    }
    explorer
}

impl Part {
    /// Whether it has ended with a violation.
    pub(crate) fn is_violated(&self) -> bool {
        matches!(self.end, Some(End::Violated))
    }

    /// Whether the pass ends with it, unless it has ended before.
    pub(crate) fn has_ended(&self) -> bool {
        self.end.is_some()
    }
}

fn is_none_of(subtree: &Subtree) -> StopReason {
    let message = format!("there is no graph where `{subtree}` begins: it is a subtree of another program");
    StopReason::Unsupported { message, site: None, thread: ThreadId::MAIN }
}

/// Parts are written down as a list: their subtrees say where they belong.
mod parts {
    use super::{BTreeMap, Part, Path};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        done: &BTreeMap<Path, Part>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        done.values().collect::<Vec<&Part>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Path, Part>, D::Error> {
        let parts = Vec::<Part>::deserialize(deserializer)?;
        Ok(parts.into_iter().map(|part| (part.subtree.start(), part)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Use;
    use crate::notes::Facts;
    use crate::record::Noted;
    use base::Access;

    const X: Access = Access { address: 64, size: 4 };

    fn part(subtree: &str, noted: Noted, recalled: usize) -> Part {
        Part {
            subtree: subtree.parse().expect("a subtree"),
            findings: Findings::default(),
            record: Record::noting(X, noted),
            news: Ledger::default(),
            recalled,
            end: None,
        }
    }

    /// The first part relies on a use that the third one excludes; the third has recalled so many parts.
    fn folded(recalled: usize) -> (Folded, Pass) {
        let (options, control, ledger) = (Options::default(), Control::new(), Ledger::default());
        let rules = &model::rc11::RULES;
        let common = Common { rules, options: &options, control: &control, ledger: &ledger };
        let mut pass = Pass::new(Findings::default());
        pass.take(&Subtree::default());
        pass.add(part("0/", Noted { relied: Use::Chain.bit(), ..Noted::default() }, 0));
        pass.add(part("0/1", Noted::default(), 0));
        pass.add(part("0/2", Noted { seen: Facts::UNCHAINED, ..Noted::default() }, recalled));
        (pass.fold(None, common, |_| {}), pass)
    }

    #[test]
    fn a_part_that_refutes_something_with_others_is_explored_again_unless_it_knows_of_all_of_them() {
        for recalled in [0, 1] {
            let (folded, pass) = folded(recalled);
            assert!(matches!(folded, Folded::Again), "{recalled}");
            assert_eq!(pass.left(), ["0/2".parse().expect("a subtree")], "from there to the end");
            assert_eq!(pass.recalled().map(|(parts, _)| parts), Some(2));
        }
        assert!(matches!(folded(2).0, Folded::Ended(None)));
    }
}
