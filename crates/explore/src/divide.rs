//! Dividing an exploration into subtrees before it begins, always in the same way: for shards.
//!
//! A first look, of so many graphs, finds the assumptions that most passes would refute; what it explores is thrown away. Then
//! the graphs near the root are expanded, level by level, until there are enough. Each is a subtree; the last child of a graph
//! takes what comes after all children of that graph as well.
//!
//! Not modelled: a shard that refutes an assumption cannot tell the others. Its result says so, and the next pass begins with
//! results merged.

use crate::control::Control;
use crate::core::explorer::{End, Explorer, Others};
use crate::core::shape::{Shape, Unlocked};
use crate::core::threads::ThreadName;
use crate::findings::Findings;
use crate::ledger::Ledger;
use crate::outcome::StopReason;
use crate::pass::{Common, explorer_at};
use crate::run::{Exploration, is_divisible, is_indivisible, refine};
use crate::subtree::{Path, Subtree};
use crate::{Executions, Options, Outcome};
use base::ThreadId;
use model::Rules;
use program::Hint;
use std::cell::Cell;

/// How long the first look takes, in looks of an explorer at the others: about a thousand graphs each.
const LOOKS: u64 = 32;

/// Graphs this far from the root are not expanded.
const DEEPEST: usize = 1_000;

/// The first look: it has nothing to give away, and an end.
struct FirstLook {
    looks: Cell<u64>,
}

impl Others for FirstLook {
    fn let_pause(&self) -> bool {
        self.looks.replace(self.looks.get() + 1) >= LOOKS
    }

    fn are_waiting(&self) -> bool {
        false
    }

    fn take(&self, _subtree: Subtree, _names: Vec<ThreadName>) {}
}

/// Divide an exploration that has not begun into at least so many subtrees, if there are as many. An outcome if that is not
/// possible.
pub(crate) fn divide_in<P: Hint, C: Shape>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    mut exploration: Exploration,
    at_least: usize,
) -> Result<Exploration, Box<Outcome>> {
    if exploration.left().iter().any(|subtree| !subtree.is_whole()) {
        // It has begun: what is left is divided already.
        exploration.sort();
        return Ok(exploration);
    }
    let stop = |reason: StopReason| Box::new(Outcome::cut_short(reason, Executions::default(), Vec::new()));
    loop {
        if let Some(End::Stopped(reason)) = refine(program, &exploration.ledger, ThreadId::MAIN) {
            return Err(stop(reason));
        }
        if !is_divisible(&*program, &exploration.ledger, options) {
            return Err(stop(is_indivisible()));
        }
        let ledger = exploration.ledger.clone();
        let common = Common { rules, options, control, ledger: &ledger };
        let divided = match C::HAS_BLOCKS && ledger.opens_locks() {
            true => divide_pass::<P, Unlocked>(&*program, common, at_least),
            false => divide_pass::<P, C>(&*program, common, at_least),
        };
        if let Some(cut) = control.cut() {
            return Err(stop(cut.into()));
        }
        match divided {
            Ok((names, left)) => {
                exploration.pass.divide(names, left);
                return Ok(exploration);
            }
            Err(news) => {
                exploration.pass.end_alone(news, Findings::new(options));
                exploration.start_again(options);
            }
        }
    }
}

/// Divide a pass; the names of threads and the subtrees. If the first look refutes assumptions, these.
fn divide_pass<P: Hint, C: Shape>(
    program: &P,
    common: Common<'_>,
    at_least: usize,
) -> Result<(Vec<ThreadName>, Vec<Subtree>), Ledger> {
    let Common { rules, options, control, ledger } = common;
    let first = FirstLook { looks: Cell::new(0) };
    let (mut nothing, findings) = ((), Findings::new(options));
    let mut explorer =
        Explorer::<P, C>::new(program, rules, options, control, &mut nothing, ledger, findings);
    explorer.meet(&first, None);
    explorer.explore_rest(true);
    if let Some(End::Refuted(_)) = explorer.take_end() {
        return Err(explorer.build.notes.news());
    }
    let names = explorer.build.threads.first_names();
    drop(explorer);
    let left = frontier::<P, C>(program, common, &names, at_least);
    Ok((names, left))
}

/// Subtrees that are the whole exploration together, in order.
fn frontier<P: Hint, C: Shape>(
    program: &P,
    common: Common<'_>,
    names: &[ThreadName],
    at_least: usize,
) -> Vec<Subtree> {
    let mut left = vec![(Subtree::default(), true)];
    for _ in 0..DEEPEST {
        let can_grow = left.iter().any(|(_, may_grow)| *may_grow);
        if left.len() >= at_least || !can_grow || common.control.cut().is_some() {
            break;
        }
        let grow = |(graph, may_grow): (Subtree, bool)| match may_grow {
            true => children::<P, C>(program, common, names, graph),
            false => vec![(graph, false)],
        };
        left = left.into_iter().flat_map(grow).collect();
    }
    left.into_iter().map(|(subtree, _)| subtree).collect()
}

/// The children of a graph, or the graph itself if it has none.
fn children<P: Hint, C: Shape>(
    program: &P,
    common: Common<'_>,
    names: &[ThreadName],
    graph: Subtree,
) -> Vec<(Subtree, bool)> {
    let mut nothing = ();
    let mut explorer = explorer_at::<P, C>(program, common, Some(names), &mut nothing);
    let children = if explorer.walk_to(&graph) { explorer.children() } else { 0..0 };
    if children.is_empty() || explorer.has_ended() {
        return vec![(graph, false)];
    }
    let child = |number: u32| {
        let path = Path(graph.path.0.iter().copied().chain([number]).collect());
        let floor = if number + 1 == children.end { graph.floor } else { path.0.len() };
        (Subtree { path, floor, is_after: false }, true)
    };
    children.clone().map(child).collect()
}
