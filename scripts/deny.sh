#!/usr/bin/env bash
# Checks the dependencies with cargo-deny (deny.toml). There is no package of it for Debian, and building it takes minutes:
# so it is one version, built without optimisation, once for a machine, and kept outside of the clone.
set -euo pipefail

version=0.20.2
root=${XDG_CACHE_HOME:-$HOME/.cache}/threadbare/cargo-deny-$version
deny=$root/bin/cargo-deny

if [ ! -x "$deny" ]; then
  echo "deny: building cargo-deny $version into $root, once for this machine"
  CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 \
    cargo install cargo-deny --version "=$version" --locked --debug --quiet --root "$root"
fi

"$deny" --log-level error check licenses bans sources
if "$deny" --log-level off fetch db 2>/dev/null; then
  "$deny" --log-level error check advisories
else
  echo "advisories: not checked, the advisory database is out of reach"
fi
