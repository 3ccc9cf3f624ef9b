//! Proofs: whether the reason that a check gives is one. Each step is looked up in the relations of the declarative
//! text, and the steps together must be what the model forbids.

use crate::traces::brute_force::Defined;
use consistency::{Event, Op, PartialExecution, Reason, Source, Step, Why};
use model::Model;
use model::relation::EventSet;

/// Why a reason is none.
pub type Wrong = String;

/// `Ok` if the reason holds under the model, whatever the coherence order is.
pub fn check_reason(defined: &Defined, model: Model, reason: &Reason) -> Result<(), Wrong> {
    let execution = defined.execution();
    match reason {
        &Reason::SharedSource { source, first, second, .. } => {
            let reads = |e| execution.op(e) == Op::Rmw && execution.source(e) == Some(source);
            let same = execution.location(first) == execution.location(second);
            holds(
                first != second && same && reads(first) && reads(second),
                "two read-modify-writes of one source",
            )
        }
        Reason::Cycle(steps) => {
            Proof { defined, execution, hb: defined.happens_before() }.cycle(model, steps)
        }
        Reason::Exhausted | Reason::Axioms { .. } => Ok(()),
    }
}

/// Whether there is one order of all events that the memory sees.
fn is_one_order(model: Model) -> bool {
    matches!(model, Model::Sc | Model::Tso)
}

fn holds(right: bool, claim: &str) -> Result<(), Wrong> {
    if right { Ok(()) } else { Err(format!("not true: {claim}")) }
}

struct Proof<'a, Hb> {
    defined: &'a Defined<'a>,
    execution: &'a PartialExecution,
    hb: Hb,
}

impl<Hb: Fn(Event, Event) -> bool> Proof<'_, Hb> {
    fn cycle(&self, model: Model, steps: &[Step]) -> Result<(), Wrong> {
        holds(!steps.is_empty(), "there are steps")?;
        for (step, next) in steps.iter().zip(steps.iter().cycle().skip(1)) {
            self.step(model, step)?;
            holds(step.to == next.from, "the steps follow each other")?;
        }
        let is_porf = |step: &Step| matches!(step.why, Why::Po | Why::Rf);
        if steps.iter().all(is_porf) {
            return Ok(());
        }
        match model {
            Model::Wra => holds(
                matches!(steps, [hb, over] if hb.why == Why::Hb && matches!(over.why, Why::Overwritten { .. })),
                "a read of an overwritten write",
            ),
            Model::Sc | Model::Tso if steps.iter().any(|step| matches!(step.why, Why::Co | Why::Fr)) => {
                self.one_order(model, steps)
            }
            Model::Sra | Model::Sc | Model::Tso => self.strong(steps),
            Model::Rc11 | Model::C20 if steps.iter().any(|step| matches!(step.why, Why::Co | Why::Fr)) => {
                self.psc(model, steps)
            }
            _ => self.at_one_location(steps),
        }
    }

    /// `Ok` if the step is of the kind that it claims.
    fn step(&self, model: Model, step: &Step) -> Result<(), Wrong> {
        let right = match (step.why, step.from, step.to) {
            (Why::Po, Source::Event(from), Source::Event(to)) => {
                self.execution.thread(from) == self.execution.thread(to)
                    && self.execution.position(from) < self.execution.position(to)
            }
            (Why::Rf, from, Source::Event(to)) => self.execution.source(to) == Some(from),
            (Why::Hb, Source::Init, Source::Event(_)) => true,
            (Why::Hb, Source::Event(from), Source::Event(to)) => (self.hb)(from, to),
            (Why::Chain, from, Source::Event(to)) => self.is_chain(from, to),
            (Why::Mo { access, read, .. }, from, to) => self.is_mo(from, to, access, read),
            (Why::Co | Why::Fr, from, Source::Event(to)) if is_one_order(model) => {
                matches!(from, Source::Event(from) if self.defined.forces(step.why, from, to))
            }
            (Why::Co, from, Source::Event(to)) => self.is_before(from, to),
            (Why::Fr, Source::Event(from), Source::Event(to)) => {
                from != to && self.execution.source(from).is_some_and(|source| self.is_before(source, to))
            }
            (Why::Overwritten { source }, Source::Event(from), Source::Event(to)) => {
                let overwrites = match source {
                    Source::Init => true,
                    Source::Event(source) => (self.hb)(source, to),
                };
                let same = self.execution.location(from) == self.execution.location(to);
                overwrites && same && self.execution.writes(to) && self.execution.source(from) == Some(source)
            }
            _ => false,
        };
        holds(right, &format!("{step:?}"))
    }

    /// Whether a read-modify-write is in the chain after a write.
    fn is_chain(&self, from: Source, to: Event) -> bool {
        self.execution.op(to) == Op::Rmw
            && match self.execution.source(to).expect("it reads") {
                source if source == from => true,
                Source::Init => false,
                Source::Event(before) => self.is_chain(from, before),
            }
    }

    /// \[RF\] lemma 3.2
    fn is_mo(&self, from: Source, to: Source, access: Event, read: Event) -> bool {
        let knows = from == Source::Event(access) || self.execution.source(access) == Some(from);
        let source = self.execution.source(read);
        let begins = match (source, to) {
            (Some(source), to) if source == to => true,
            (Some(Source::Event(source)), to) => self.is_chain(to, source),
            _ => false,
        };
        let begins_chain = !matches!(to, Source::Event(top) if self.execution.op(top) != Op::Write);
        let follows = source == Some(from)
            || matches!(source, Some(Source::Event(source)) if self.is_chain(from, source));
        let same = self.execution.location(access) == self.execution.location(read);
        knows && same && begins && begins_chain && !follows && (self.hb)(access, read)
    }

    /// Every step, or a step of `rf` with the one of `hb` after it, leads from a write to a later one of the
    /// same location.
    fn at_one_location(&self, steps: &[Step]) -> Result<(), Wrong> {
        let accesses = steps.iter().flat_map(|step| [step.from, step.to]).filter_map(|end| match end {
            Source::Init => None,
            Source::Event(e) => Some(self.execution.location(e)),
        });
        let mut locations: Vec<_> = accesses.collect();
        locations.dedup();
        holds(locations.len() == 1 && locations[0].is_some(), "all is at one location")?;
        let writes = |end| match end {
            Source::Init => true,
            Source::Event(e) => self.execution.writes(e),
        };
        for (step, next) in steps.iter().zip(steps.iter().cycle().skip(1)) {
            let through_read =
                step.why == Why::Rf && matches!(next.why, Why::Po | Why::Hb) && writes(next.to);
            holds(writes(step.to) || through_read, "writes are ordered, or reads of them")?;
        }
        Ok(())
    }

    /// Whether one write is before another in every coherence order.
    fn is_before(&self, first: Source, second: Event) -> bool {
        let Source::Event(first) = first else { return true };
        let x = self.execution.location(second).expect("it writes").0 as usize;
        let place = |co: &[Vec<Event>], e| co[x].iter().position(|&other| other == e);
        let orders = self.defined.orders_without("SC-ACYCLICITY");
        orders.iter().all(|(co, _)| place(co, first).is_some() && place(co, first) < place(co, second))
    }

    /// The SC events among these are on a cycle of `psc`, whatever `co` is.
    fn psc(&self, model: Model, steps: &[Step]) -> Result<(), Wrong> {
        let psc = model.rules().global_order.expect("it has SC events");
        let orders = self.defined.orders_without("SC-ACYCLICITY");
        let cyclic = orders.iter().all(|(_, relations)| {
            let mut events = EventSet::empty(relations.len());
            for step in steps {
                let Source::Event(e) = step.from else { continue };
                self.defined.numbers(e).into_iter().for_each(|number| events.insert(number));
            }
            let sc = events.intersect(&relations.events.sc);
            !psc(relations).restrict_dom(&sc).restrict_rng(&sc).is_acyclic()
        });
        holds(cyclic, "psc has a cycle")
    }

    /// Every step is in the one order of all that the memory sees: under TSO not all of `po` and `rf` is.
    fn one_order(&self, model: Model, steps: &[Step]) -> Result<(), Wrong> {
        let is_in_it = |step: &Step| match (step.why, step.from, step.to) {
            (Why::Po | Why::Rf, Source::Event(from), Source::Event(to)) => {
                model == Model::Sc || self.defined.is_global(from, to)
            }
            (why, ..) => matches!(why, Why::Co | Why::Fr),
        };
        holds(steps.iter().all(is_in_it), "every step is in the order of the memory")
    }

    /// Every step is `hb`, or an order of writes. Under SC and TSO all of `po` and `rf` is `hb`.
    fn strong(&self, steps: &[Step]) -> Result<(), Wrong> {
        for (step, next) in steps.iter().zip(steps.iter().cycle().skip(1)) {
            let (Why::Rf, Source::Event(read), Source::Event(after)) = (step.why, step.to, next.to) else {
                continue;
            };
            let is_hb = matches!(step.from, Source::Init)
                || matches!(step.from, Source::Event(write) if (self.hb)(write, read));
            let orders = self.execution.writes(after)
                && self.execution.location(after) == self.execution.location(read);
            let through_read = matches!(next.why, Why::Po | Why::Hb) && orders;
            let is_chain = self.execution.op(read) == Op::Rmw;
            holds(is_hb || is_chain || through_read, "rf is hb, or orders writes")?;
        }
        Ok(())
    }
}
