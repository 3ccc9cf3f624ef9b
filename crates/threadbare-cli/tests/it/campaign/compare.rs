//! The comparisons of one program.
//!
//! The *base* is the exploration as users run it: RC11, all rounds cut that can be, symmetry, the usual equivalence;
//! going on after violations. An exploration goes on after a race, so a racy execution has an outcome like any other. It is
//! compared with
//!
//! | other exploration | equal | included |
//! |---|---|---|
//! | the other equivalence | verdict, outcomes, errors | |
//! | without symmetry, every order of creation | verdict, outcomes, errors; complete executions among these, if nothing is wrong | |
//! | another policy | verdict, outcomes, errors | |
//! | with liveness | verdict, outcomes, errors, if threads that spin for ever are none | |
//! | without going on | verdict | |
//! | no round cut, or fewer, at most [`BOUND`] of each loop | | its outcomes and errors are the base's; and the base's outcomes and races are its own if no loop of the base has more rounds |
//! | a weaker model | | violated if the stronger one is; if it is not, outcomes of the stronger one are its own |
//!
//! The complement of the base's outcomes fails neither in an exploration nor in random runs; violations come back
//! when they are replayed; no execution comes twice.
//!
//! An error is its kind, with the variable if it is a race and the line if it is an assertion. Which two of several racing
//! accesses are named depends on the order of exploration; that there are two at this location does not. After an error in
//! memory (a use after free, for instance) the thread stops if it comes second, and goes on if it comes first: if there is
//! one, only verdicts are compared. A deadlock of threads next to one that spins is seen only if rounds are cut, so deadlocks of
//! the base need not be found without.

use super::compiled::{Compiled, Setting};
use super::run::{Answer, Config, Error, Explored, explore};
use engine::{Control, Equivalence, Model, Policy};
use model::Scope;
use program::FaultKind;
use std::fmt;
use testkit::c_programs::CProgram;

/// The bound on rounds where no round is cut.
const BOUND: u32 = 4;

/// More executions than these are too many for the base.
const BASE: u64 = 1500;

/// More executions than these are too many for the exploration without cuts: what it has found until then is compared.
const UNCUT: u64 = 6000;

/// Violations of the base that are replayed.
const REPLAYS: usize = 4;

/// Random runs of the complement.
const RUNS: u64 = 200;

/// Events of a random run.
const EVENTS: u64 = 400;

const POLICIES: [Policy; 6] = [
    Policy::RightToLeft,
    Policy::WritesFirst,
    Policy::ReadsFirst,
    Policy::RoundRobin,
    Policy::Newest,
    Policy::Random(1),
];

/// What came out of a comparison.
#[derive(Debug)]
pub(crate) enum Checked {
    /// Everything is as it should be.
    Same(Sizes),
    /// The base is too large, or meets a limit.
    Skipped(&'static str),
    /// Something is not.
    Different(Difference),
}

/// How much was compared.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Sizes {
    pub(crate) explorations: u64,
    pub(crate) executions: u64,
    pub(crate) outcomes: u64,
    pub(crate) violated: u64,
    /// Has no execution an end?
    pub(crate) vacuous: u64,
    /// Was the exploration without cuts the whole one, and at least as long as the base?
    pub(crate) exact: u64,
}

/// A difference between two explorations, or between one and what it should be.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The kind, in a few words: shrinking keeps it.
    pub(crate) kind: &'static str,
    /// What differs.
    pub(crate) detail: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

fn differ(kind: &'static str, detail: String) -> Result<(), Difference> {
    Err(Difference { kind, detail })
}

/// Compare everything.
pub(crate) fn check(program: &CProgram, models: &[Model], seed: u64) -> Checked {
    // A program that is made smaller may have lost a declaration.
    let Ok(compiled) = Compiled::new(program) else { return Checked::Skipped("does not compile") };
    let mut campaign = Campaign { compiled: &compiled, models, seed, sizes: Sizes::default() };
    let base = campaign.base();
    if !base.is_whole() {
        return Checked::Skipped(campaign.reason(&base));
    }
    match campaign.compare(&base) {
        Ok(()) => Checked::Same(campaign.sizes),
        Err(difference) => Checked::Different(difference),
    }
}

/// Does the complement of all outcomes but the first one fail?
pub(crate) fn complement_notices(program: &CProgram) -> bool {
    let compiled = Compiled::new(program).expect("it was compiled before");
    let mut campaign = Campaign { compiled: &compiled, models: &[], seed: 0, sizes: Sizes::default() };
    let base = campaign.base();
    let mut config = campaign.config(Model::Rc11);
    config.setting.complement = Some(base.outcomes.iter().copied().skip(1).collect());
    campaign.explore(&config).errors.iter().any(|error| error.kind == FaultKind::Assertion)
}

struct Campaign<'c> {
    compiled: &'c Compiled,
    models: &'c [Model],
    seed: u64,
    sizes: Sizes,
}

impl Campaign<'_> {
    fn config(&self, model: Model) -> Config {
        let equivalence = model.usual_equivalence();
        let setting = Setting {
            model,
            spin: vm::Spin::All,
            whole_rounds: false,
            unroll: None,
            order: 0,
            complement: None,
        };
        Config {
            setting,
            equivalence,
            symmetry: true,
            keep_going: true,
            check_liveness: false,
            policy: Policy::default(),
            limit: BASE,
        }
    }

    fn base(&mut self) -> Explored {
        self.explore(&self.config(Model::Rc11))
    }

    fn explore(&mut self, config: &Config) -> Explored {
        let explored = explore(self.compiled, config);
        self.sizes.explorations += 1;
        self.sizes.executions += explored.complete;
        explored
    }

    /// Why not everything was explored.
    fn reason(&self, explored: &Explored) -> &'static str {
        match explored.stopped {
            Some(engine::StopReason::Timeout) => "too many executions",
            Some(engine::StopReason::StepLimit { .. }) => "step limit",
            Some(engine::StopReason::Unsupported { .. } | engine::StopReason::Unmodelled { .. }) => {
                "not modelled"
            }
            _ => "other",
        }
    }

    fn compare(&mut self, base: &Explored) -> Result<(), Difference> {
        self.sizes.outcomes = base.outcomes.len() as u64;
        self.sizes.violated = u64::from(base.answer == Answer::Violated);
        self.sizes.vacuous = u64::from(base.outcomes.is_empty());
        no_duplicates(base)?;
        self.without_going_on(base)?;
        self.without_cuts(base, Model::Rc11)?;
        self.other_policy(base)?;
        self.with_liveness(base)?;
        self.other_equivalence(base)?;
        self.orders(base)?;
        self.complement(base)?;
        self.other_models(base)?;
        self.replays(base)
    }

    fn replays(&self, base: &Explored) -> Result<(), Difference> {
        base.replays.iter().take(REPLAYS).try_for_each(|(kind, text)| self.replays_one(*kind, text))
    }

    fn replays_one(&self, kind: FaultKind, text: &str) -> Result<(), Difference> {
        let mut machine = self.compiled.machine(&self.config(Model::Rc11).setting);
        match engine::replay(&mut machine, Model::Rc11, text, &Control::new()) {
            Err(error) => differ("replay fails", format!("{kind:?} {text}: {error}")),
            Ok(outcome) if outcome.violations.iter().any(|violation| violation.kind == kind) => Ok(()),
            Ok(outcome) => {
                let kinds: Vec<FaultKind> =
                    outcome.violations.iter().map(|violation| violation.kind).collect();
                differ("replay shows something else", format!("{kind:?} {text}: {kinds:?}"))
            }
        }
    }

    fn without_going_on(&mut self, base: &Explored) -> Result<(), Difference> {
        let other = self.explore(&Config { keep_going: false, ..self.config(Model::Rc11) });
        same_verdict("verdict depends on --keep-going", base, &other)
    }

    fn other_equivalence(&mut self, base: &Explored) -> Result<(), Difference> {
        let config = self.config(Model::Rc11);
        let equivalence = match config.equivalence {
            Equivalence::Co => Equivalence::Rf,
            Equivalence::Rf => Equivalence::Co,
        };
        let other = self.explore(&Config { equivalence, limit: UNCUT, ..config });
        if !other.is_whole() {
            return Ok(());
        }
        no_duplicates(&other)?;
        same("co and rf differ", base, &other)
    }

    fn other_policy(&mut self, base: &Explored) -> Result<(), Difference> {
        let policy = POLICIES[self.seed as usize % POLICIES.len()];
        let other = self.explore(&Config { policy, limit: UNCUT, ..self.config(Model::Rc11) });
        no_duplicates(&other)?;
        same("policy matters", base, &other)
    }

    /// Threads that spin for ever are errors then, and rounds are run to their ends.
    fn with_liveness(&mut self, base: &Explored) -> Result<(), Difference> {
        let mut config = Config { check_liveness: true, limit: UNCUT, ..self.config(Model::Rc11) };
        config.equivalence = Equivalence::Co;
        config.setting.whole_rounds = true;
        let mut other = self.explore(&config);
        if !other.is_whole() {
            return Ok(());
        }
        no_duplicates(&other)?;
        other.errors.retain(|error| error.kind != FaultKind::Liveness);
        if other.answer == Answer::Violated && other.errors.is_empty() {
            other.answer = if other.outcomes.is_empty() { Answer::Vacuous } else { Answer::Verified };
        }
        same("liveness matters", base, &other)
    }

    fn orders(&mut self, base: &Explored) -> Result<(), Difference> {
        let mut first: Option<Explored> = None;
        for order in 0..self.compiled.orders {
            let mut config = Config { symmetry: false, limit: UNCUT, ..self.config(Model::Rc11) };
            config.setting.order = order;
            let other = self.explore(&config);
            if matches!(other.stopped, Some(engine::StopReason::Timeout)) {
                return Ok(());
            }
            no_duplicates(&other)?;
            same(if order == 0 { "symmetry matters" } else { "order of creation matters" }, base, &other)?;
            let first = first.get_or_insert(other.clone());
            // Once something is wrong, what else is explored is not counted on.
            let counts = base.answer != Answer::Violated && !base.stops_threads();
            if first.complete != other.complete && counts {
                let detail = format!(
                    "{} complete with {}, {} with {}",
                    first.complete, first.config, other.complete, other.config
                );
                return differ("count depends on the order of creation", detail);
            }
        }
        Ok(())
    }

    /// No round is cut; for every other program, only those are that can be seen to be in vain before the program runs.
    fn without_cuts(&mut self, base: &Explored, model: Model) -> Result<(), Difference> {
        self.with_fewer_cuts(base, model, vm::Spin::None)?;
        let some = if self.seed.is_multiple_of(2) { vm::Spin::Static } else { vm::Spin::Dynamic };
        self.with_fewer_cuts(base, model, some)
    }

    fn with_fewer_cuts(&mut self, base: &Explored, model: Model, spin: vm::Spin) -> Result<(), Difference> {
        let usual = self.config(model);
        let bounded = |spin, unroll| Setting { spin, unroll: Some(unroll), ..usual.setting.clone() };
        let setting = bounded(spin, BOUND);
        let other = self.explore(&Config { setting, symmetry: false, limit: UNCUT, ..usual.clone() });
        no_duplicates(&other)?;
        if base.stops_threads() || other.stops_threads() {
            return match (base.answer, other.answer) {
                (Answer::Violated, _) => Ok(()),
                (_, Answer::Violated) => differ("error lost by cutting", describe(base, &other)),
                _ => Ok(()),
            };
        }
        included("outcome lost by cutting", &other, base)?;
        if let Some(error) = other.errors.difference(&base.errors).next() {
            return differ("error lost by cutting", format!("{error:?} {}", describe(base, &other)));
        }
        let short = self.explore(&Config { setting: bounded(vm::Spin::All, BOUND - 1), ..usual });
        let is_longer = !short.is_whole() || short.answer == Answer::Bounded || !short_enough(&short, base);
        if is_longer || !other.is_whole() {
            return Ok(());
        }
        self.sizes.exact = 1;
        included("outcome invented by cutting", base, &other)?;
        let invented = |error: &&Error| error.kind != FaultKind::Deadlock && !other.errors.contains(error);
        match base.errors.iter().find(invented) {
            Some(error) => {
                differ("error invented by cutting", format!("{error:?} {}", describe(base, &other)))
            }
            None => Ok(()),
        }
    }

    fn complement(&mut self, base: &Explored) -> Result<(), Difference> {
        if !Compiled::has_room(base.outcomes.len()) {
            return Ok(());
        }
        let mut config = self.config(Model::Rc11);
        config.setting.complement = Some(base.outcomes.iter().copied().collect());
        let explored = self.explore(&config);
        if explored.errors.iter().any(|error| error.kind == FaultKind::Assertion) && !base.stops_threads() {
            return differ("complement fails", describe(base, &explored));
        }
        config.setting.spin = vm::Spin::None;
        let mut machine = self.compiled.machine(&config.setting);
        let options = fuzz::Options {
            runs: Some(RUNS),
            events: EVENTS,
            keep_going: true,
            seed: self.seed,
            ..fuzz::Options::new(Model::Rc11)
        };
        let outcome =
            fuzz::fuzz(&mut machine, &options, &fuzz::Control::default()).expect("RC11 has random runs");
        // What comes after an error in memory depends on the order in which threads step.
        let is_known = |kind| base.stops_threads() || base.errors.iter().any(|error| error.kind == kind);
        match outcome.violations.iter().find(|violation| !is_known(violation.found.kind)) {
            Some(violation) => differ("random run finds more", format!("{violation:?} {}", base.config)),
            None => Ok(()),
        }
    }

    fn other_models(&mut self, base: &Explored) -> Result<(), Difference> {
        let mut explored: Vec<(Model, Explored)> = vec![(Model::Rc11, base.clone())];
        for &model in self.models.iter().filter(|&&model| model != Model::Rc11) {
            let config = Config { limit: UNCUT, ..self.config(model) };
            explored.push((model, self.explore(&config)));
        }
        explored.retain(|(_, explored)| explored.is_whole());
        for (strong, of_strong) in &explored {
            no_duplicates(of_strong)?;
            for (weak, of_weak) in &explored {
                if self.is_weaker(*strong, *weak) {
                    weaker(of_strong, of_weak)?;
                }
            }
        }
        let turn = self.seed as usize % explored.len();
        let (model, explored) = &explored[turn];
        if *model == Model::Rc11 { Ok(()) } else { self.without_cuts(explored, *model) }
    }

    /// Does the second model allow all that the first one allows, of this program?
    fn is_weaker(&self, strong: Model, weak: Model) -> bool {
        let module = self.compiled.module();
        let holds = |scope: &Scope| match scope {
            Scope::All => true,
            Scope::NoScFences => !module.has_sc_fence(),
            Scope::NoScAccesses => !module.has_sc_access(),
            // Every program has plain accesses: what threads record.
            Scope::NoScAndNoPlainAccesses => false,
        };
        strong
            .weaker()
            .iter()
            .any(|(next, scope)| holds(scope) && (*next == weak || self.is_weaker(*next, weak)))
    }
}

/// Has the exploration with a bound found as much as the one without?
fn short_enough(short: &Explored, base: &Explored) -> bool {
    short.complete == base.complete
}

fn describe(a: &Explored, b: &Explored) -> String {
    let one = |e: &Explored| {
        let (config, answer, complete, outcomes) = (&e.config, e.answer, e.complete, e.outcomes.len());
        let errors: Vec<String> =
            e.errors.iter().map(|error| format!("{} {}", error.kind.code(), error.place)).collect();
        format!("[{config}] {answer:?}, {complete} complete, {outcomes} outcomes, errors {errors:?}")
    };
    format!("\n  {}\n  {}", one(a), one(b))
}

fn no_duplicates(explored: &Explored) -> Result<(), Difference> {
    if explored.duplicate == 0 {
        return Ok(());
    }
    differ("executions come twice", format!("{} of them, {}", explored.duplicate, explored.config))
}

fn same_verdict(kind: &'static str, a: &Explored, b: &Explored) -> Result<(), Difference> {
    if a.answer == b.answer { Ok(()) } else { differ(kind, describe(a, b)) }
}

/// Verdict, outcomes and errors are the same.
fn same(kind: &'static str, a: &Explored, b: &Explored) -> Result<(), Difference> {
    same_verdict(kind, a, b)?;
    if a.stops_threads() || b.stops_threads() {
        return Ok(());
    }
    if a.outcomes != b.outcomes || a.errors != b.errors {
        return differ(kind, describe(a, b));
    }
    Ok(())
}

/// The outcomes of the first are the second's.
fn included(kind: &'static str, a: &Explored, b: &Explored) -> Result<(), Difference> {
    let lost: Vec<&u64> = a.outcomes.difference(&b.outcomes).collect();
    if lost.is_empty() { Ok(()) } else { differ(kind, format!("{} outcomes {}", lost.len(), describe(a, b))) }
}

fn weaker(strong: &Explored, weak: &Explored) -> Result<(), Difference> {
    match (strong.answer, weak.answer) {
        (_, Answer::Violated) => Ok(()),
        (Answer::Violated, _) => differ("weaker model misses an error", describe(strong, weak)),
        _ => included("weaker model misses an outcome", strong, weak),
    }
}
