#!/usr/bin/env bash
# Mutations: each row of scripts/mutations.tsv drops one side condition of a reduction, and its test must fail then.
#
# Copies the tree to a temporary directory with a target directory of its own, applies one mutation at a time, and runs the test in
# its short form. Says `killed` or `survived` for each, and fails if one survives or does not apply.
#
# usage: scripts/mutate.sh [REDUCTION ...]    all rows, or those of these reductions
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/threadbare-mutations.XXXXXX")
trap 'rm -rf "$tree"' EXIT
(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 tar c) | tar x -C "$tree"
export CARGO_TARGET_DIR="$tree/target"
# A mutation may leave something unused.
export RUSTFLAGS="${RUSTFLAGS:-} --cap-lints=allow"
# Seconds: a test that does not end has failed.
most=300
unset THREADBARE_TESTS THREADBARE_SEED THREADBARE_MIX

killed=0 survived=0
is_asked_for() {
  local reduction=$1 it
  shift
  [ $# -eq 0 ] && return 0
  for it in "$@"; do [ "$it" = "$reduction" ] && return 0; done
  return 1
}
while IFS=$'\t' read -r reduction file old new test <&3; do
  [ "$reduction" = reduction ] && continue
  is_asked_for "$reduction" "$@" || continue
  original=$(<"$root/$file")
  printf '%s\n' "${original/"$old"/"$new"}" >"$tree/$file"
  if cmp -s "$root/$file" "$tree/$file"; then
    echo "does not apply  $reduction: $old"
    survived=$((survived + 1))
    continue
  fi
  read -ra arguments <<<"$test"
  # A mutation that does not compile would be killed by anything.
  (cd "$tree" && cargo test --quiet --locked "${arguments[@]}" --no-run)
  started=$SECONDS
  if (cd "$tree" && timeout "$most" cargo test --quiet --locked "${arguments[@]}") >"$tree/log" 2>&1; then
    echo "survived  $reduction: $old -> $new ($test, $((SECONDS - started)) s)"
    survived=$((survived + 1))
  else
    echo "killed    $reduction: $old -> $new ($((SECONDS - started)) s)"
    killed=$((killed + 1))
  fi
  cp "$root/$file" "$tree/$file"
done 3<"$root/scripts/mutations.tsv"

echo "$killed killed, $survived survived"
[ "$survived" -eq 0 ]
