//! Atomic sections: which of them conflict, and whether an execution leaves them in one piece.
//!
//! Implements: `model::sections`. Sections that conflict exclude each other by mutexes (`program::SectionOrder`), and
//! so are ordered and synchronise as mutexes do. Which ones conflict is noted as accesses come; if there are more than
//! the program orders, the exploration starts again before anything is reported.
//!
//! Accesses outside of sections take no mutex. Where another thread makes some to memory that is accessed in sections,
//! and one of them writes, the program is *mixed*: everything is explored as if sections were not atomic for those
//! accesses, and an execution that the axiom forbids is none. The axiom is monotone, but it is no good for pruning: a
//! graph that it forbids may be one that an execution is revisited from, and a section that is cut open by a revisit is
//! not forbidden yet. So nothing is reported before the end of a mixed execution. An error that is there then was there
//! in a prefix that the axiom allows: a graph that it allows goes on to an end that it allows, by steps of one thread
//! after the other.
//!
//! Relies on: `Assumption::Unrelated` (sections do not conflict), `Assumption::Unmixed`.
//!
//! Cost: a look-up for each access of a program with sections; O(n³/64) for each execution with n events if it is
//! mixed.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::ledger::{Assumption, Ledger};
use crate::outcome::StopReason;
use crate::reductions::{Room, Rooms};
use crate::snapshot;
use base::{Access, Site, ThreadId};
use live::EventRef;
use model::Relations;
use model::relation::Relation;
use model::sections::Isolation;
use program::{Hint, Request, Section, SectionName, SectionOrder};
use std::collections::{BTreeMap, BTreeSet};

/// The sections of a pass, and their accesses so far.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    /// The sections that exclude each other.
    order: SectionOrder,
    /// Whether memory of sections is accessed outside of them, too.
    is_mixed: bool,
    uses: BTreeMap<Access, BTreeSet<Use>>,
    /// Sections that conflict and that the program does not order.
    unordered: BTreeSet<(SectionName, SectionName)>,
}

/// An access, as far as sections are concerned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Use {
    thread: ThreadId,
    /// Where the section begins that it is in.
    section: Option<Site>,
    writes: bool,
}

impl Sections {
    /// The sections of a pass with this order and this ledger.
    pub(crate) fn new(order: SectionOrder, ledger: &Ledger) -> Sections {
        Sections { order, is_mixed: ledger.has_refuted(&Assumption::Unmixed), ..Sections::default() }
    }

    /// Whether there are neither sections left to order, nor is the program mixed.
    #[inline(always)]
    pub(crate) fn are_settled(&self) -> bool {
        self.unordered.is_empty() && !self.is_mixed
    }

    /// Note an access; whether it is one outside of sections to memory that another thread accesses in one, or the
    /// other way round.
    fn note(&mut self, at: Access, new: Use) -> bool {
        let uses = self.uses.entry(at).or_default();
        if !uses.insert(new) {
            return false;
        }
        let mut mixes = false;
        for old in uses.iter().filter(|old| old.thread != new.thread && (old.writes || new.writes)) {
            match (old.section, new.section) {
                (Some(a), Some(b)) => {
                    let (a, b) = ((old.thread, a), (new.thread, b));
                    if !self.order.has(a, b) {
                        self.unordered.insert((a.min(b), a.max(b)));
                    }
                }
                (None, None) => {}
                (Some(_), None) | (None, Some(_)) => mixes = true,
            }
        }
        mixes
    }
}

/// Why there is no verdict for a mixed program.
pub(crate) fn refusal() -> StopReason {
    let message = "memory that is accessed in an atomic section is also accessed outside of sections by another thread: \
                   that is defined under SC, RC11 and C20 with a coherence order only (--model sc|rc11|c20 --equivalence co)";
    StopReason::Unsupported { message: message.to_owned(), site: None, thread: ThreadId::MAIN }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Note the access that the thread is about to make. Not if it is ordered with all others, because there is no
    /// other thread, or because it has joined them.
    pub(crate) fn note_section(&mut self, thread: ThreadId) {
        let now = self.threads.get(thread);
        let Some(at) = now.request.at() else { return };
        let writes = now.pair.is_some() || !matches!(now.request, Request::Read { .. });
        let section = self.program.section(&now.state).map(|section| section.site);
        if !self.sections().is_after_all_others(thread)
            && self.sections.note(at, Use { thread, section, writes })
        {
            self.notes.refute(Assumption::Unmixed);
        }
    }
}

impl<P: Hint, C: Shape> Room<'_, Sections, P, C> {
    /// The axioms on executions in which each atomic section is one event, if there is a coherence order to put to them.
    pub(crate) fn isolation(&self) -> Option<Isolation> {
        self.graph.rules().isolation.filter(|_| C::HAS_CO)
    }

    fn is_after_all_others(&self, thread: ThreadId) -> bool {
        let is_joined =
            |t| self.graph.joins_of(t).iter().any(|&join| self.graph.event(join).thread == thread);
        self.threads.existing().all(|(t, _)| t == thread || is_joined(t))
    }

    /// Refute that sections which conflict are unrelated. By an exchange of symmetric threads, the same sections of
    /// symmetric threads conflict, too. If these will not take the same mutexes then, since they do not conflict with
    /// each other, their threads cannot be exchanged, and symmetry is refuted as well.
    #[cold]
    pub(crate) fn refute_unrelated(&self) {
        if self.state.unordered.is_empty() {
            return;
        }
        let symmetric = |(thread, site): SectionName| {
            let all = self.reductions.symmetry.of(thread);
            let alone = all.is_empty().then_some(thread);
            all.iter().copied().chain(alone).map(|other| (other, site)).collect::<Vec<SectionName>>()
        };
        let images = self.state.unordered.iter().flat_map(|&(a, b)| {
            let pairs =
                symmetric(a).into_iter().flat_map(move |a| symmetric(b).into_iter().map(move |b| (a, b)));
            pairs.filter(|(a, b)| a.0 != b.0).map(|(a, b)| (a.min(b), a.max(b)))
        });
        let images: BTreeSet<_> = images.collect();
        let names: BTreeSet<SectionName> = images.iter().flat_map(|&(a, b)| [a, b]).collect();
        let mut order = self.state.order.clone();
        order.extend(images.iter().copied());
        let takes_the_same = |name: &SectionName| {
            symmetric(*name).into_iter().all(|other| order.mutexes(other) == order.mutexes(*name))
        };
        if !names.iter().all(takes_the_same) {
            self.notes.refute(Assumption::Symmetric);
        }
        images.into_iter().for_each(|(a, b)| self.notes.refute(Assumption::Unrelated(a, b)));
    }

    /// Whether the execution leaves sections in one piece.
    pub(crate) fn is_isolated(&self, isolation: Isolation) -> bool {
        if self.threads.existing().any(|(thread, now)| self.is_read_in_the_middle(thread, &now.state)) {
            return false;
        }
        let relations = Relations::of(&snapshot::graph(self.build));
        let same = self.same_section(&relations);
        isolation(&relations, &same)
    }

    /// Whether another thread has read a write that this one made in a section that it is still in: the other thread
    /// would have run in the middle of the section. If the section comes to its end, that is checked again.
    fn is_read_in_the_middle(&self, thread: ThreadId, state: &P::State) -> bool {
        let Some(section) = self.program.section(state) else { return false };
        let is_own = |e: EventRef| self.section_of(e) == Some(section);
        let is_inside = |w: EventRef| !w.is_init() && self.graph.event(w).thread == thread && is_own(w);
        let others = self.graph.thread_ids().filter(|&other| other != thread);
        let mut events = others.flat_map(|other| self.graph.po(other));
        events.any(|&e| self.graph.event(e).kind.reads() && is_inside(self.graph.event(e).rf))
    }

    /// `s`: events of the same section.
    fn same_section(&self, relations: &Relations) -> Relation {
        let sections: Vec<Vec<Option<Section>>> = self
            .graph
            .thread_ids()
            .map(|t| {
                self.graph
                    .po(t)
                    .iter()
                    .flat_map(|&e| self.pairs().sites(e).map(move |_| self.section_of(e)))
                    .collect()
            })
            .collect();
        let name = |e: usize| {
            let id = relations.events.ids[e]?;
            Some((id.thread, sections[id.thread.index()][id.index as usize]?))
        };
        let mut same = Relation::empty(relations.len());
        for a in (0..relations.len()).filter(|&a| name(a).is_some()) {
            (0..relations.len()).filter(|&b| name(b) == name(a)).for_each(|b| same.insert(a, b));
        }
        same
    }

    fn section_of(&self, e: EventRef) -> Option<Section> {
        self.program.section(&self.before(e).state)
    }

    /// Events of the execution that race: accesses, and accesses with the end of an object's life.
    pub(crate) fn races(&self) -> Vec<Race> {
        let events = || self.graph.thread_ids().flat_map(|t| self.graph.po(t)).copied();
        let is_after = |a: EventRef, e: EventRef| {
            let event = self.graph.event(e);
            self.graph.hb_count(a, event.thread) > event.index
        };
        let mut races = Vec::new();
        for e in events().filter(|&e| self.graph.event(e).kind.is_access()) {
            let location = self.graph.event(e).location;
            // Each pair once, and in the order in which a replay comes across them.
            let is_first = |&other: &EventRef| self.graph.event(other).thread < self.graph.event(e).thread;
            let unordered = self.racing_accesses(e).filter(is_first).filter(|&other| !is_after(other, e));
            let init = self.objects.unordered_init(&self.graph, e, location);
            races.extend(init.into_iter().chain(unordered).map(|other| Race::Accesses(other, e)));
        }
        for e in events() {
            if let Request::Free { address, .. } = self.before(e).request {
                races.extend(self.race_of_free(e, address).map(|access| Race::WithFree(access, e)));
            }
        }
        races
    }
}

/// Two events that race.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Race {
    /// Two accesses, or an access and the initialisation of an object before its publication.
    Accesses(EventRef, EventRef),
    /// An access, and the end of its object's life.
    WithFree(EventRef, EventRef),
}
