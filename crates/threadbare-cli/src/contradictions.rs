//! Options that contradict each other, or that ask for nothing: refused, with the way out, before anything is done.

use crate::args::{FuzzArguments, Strategy, VerifyArguments};
use anyhow::bail;
use engine::Check;
use std::time::Duration;

/// More threads than this do not help.
const MOST_JOBS: usize = 1024;

/// Is it so, and the sentence that refuses it.
type Rule<'a> = (bool, &'a str);

fn refuse(rules: &[Rule<'_>]) -> anyhow::Result<()> {
    match rules.iter().find(|&&(applies, _)| applies) {
        Some((_, sentence)) => bail!("{sentence}"),
        None => Ok(()),
    }
}

/// The options of `verify`.
pub(crate) fn verify(arguments: &VerifyArguments) -> anyhow::Result<()> {
    let (estimate, replay) = (arguments.estimate.is_some(), arguments.replay.is_some());
    let explores_parts =
        arguments.shard.is_some() || arguments.checkpoint.is_some() || arguments.resume.is_some();
    let checks = arguments.checks();
    refuse(&[
        (
            // Which threads wait for each other when the process ends at an assertion is not looked at.
            !checks.has(Check::Assertion) && (checks.has(Check::Deadlock) || checks.has(Check::Liveness)),
            "`--check` with `deadlock` or `liveness` needs `assertion`: where threads fail assertions that are left out, it \
             would not find all",
        ),
        (
            // After an undefined step, or an assertion that ends the process, nothing is known about the memory that is left.
            checks.has(Check::Leak) && !(checks.has(Check::Assertion) && checks.has(Check::Memory)),
            "`--check` with `leak` needs `assertion` and `memory`: after errors that are left out nothing is known about \
             the memory at the end",
        ),
        (arguments.jobs == Some(0), "`--jobs 0` would explore nothing: give at least 1"),
        (arguments.jobs > Some(MOST_JOBS), "no machine is good for so many `--jobs`: give at most 1024"),
        (
            arguments.fast_fail && arguments.keep_going,
            "`--fast-fail` ends at a violation and `--keep-going` goes on: leave one of the two out",
        ),
        (
            arguments.checkpoint_every.is_some() && arguments.checkpoint.is_none(),
            "`--checkpoint-every` is about `--checkpoint FILE`: give that, too",
        ),
        (
            arguments.checkpoint_every == Some(Duration::ZERO),
            "`--checkpoint-every 0` would do nothing but write: give a larger time",
        ),
        (
            explores_parts && (estimate || replay),
            "`--checkpoint`, `--resume` and `--shard` are about explorations, `--estimate` and `--replay` are none: leave one out",
        ),
        (
            arguments.shard.is_some() && arguments.checkpoint.is_some(),
            "`--shard` prints what is left itself, with --format json: leave `--checkpoint` out",
        ),
        (
            arguments.units.is_some() && (explores_parts || estimate || replay),
            "`--units` explores nothing: leave the other options about explorations out",
        ),
        (arguments.estimate == Some(0), "`--estimate=0` would sample nothing: give at least 1"),
        (
            estimate && replay,
            "`--estimate` counts executions and `--replay` shows one: leave one of the two out",
        ),
        (
            estimate && arguments.keep_going,
            "`--estimate` explores nothing, so `--keep-going` has no violation to go on after: leave one of the two out",
        ),
        (
            estimate && arguments.graph.is_some(),
            "`--estimate` shows no execution that `--graph` could draw: leave one of the two out",
        ),
        (
            estimate && arguments.trace_out.is_some(),
            "`--estimate` shows no execution that `--trace-out` could write: leave one of the two out",
        ),
        (
            estimate && arguments.count_duplicates,
            "`--estimate` explores nothing that `--count-duplicates` could count: leave one of the two out",
        ),
        (
            replay && arguments.keep_going,
            "`--replay` shows one execution and `--keep-going` explores all: leave one of the two out",
        ),
        (
            replay && arguments.count_duplicates,
            "`--replay` shows one execution and `--count-duplicates` counts all: leave one of the two out",
        ),
    ])
}

/// The options of `fuzz`.
pub(crate) fn fuzz(arguments: &FuzzArguments) -> anyhow::Result<()> {
    let is_pct = arguments.strategy == Strategy::Pct;
    refuse(&[
        (
            arguments.depth.is_some() && !is_pct,
            "`--depth` is about `--strategy pct`: give that strategy, or leave `--depth` out",
        ),
        (arguments.runs == Some(0), "`--runs 0` would run nothing: give at least 1"),
        (arguments.events == 0, "`--events 0` would cut every run before its first event: give at least 1"),
        (arguments.history == 0, "`--history 0` would leave nothing to read: give at least 1"),
    ])
}
