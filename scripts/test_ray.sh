#!/usr/bin/env bash
# Tests the Python package on a Ray cluster of three nodes on this machine. Ray comes from PyPI, into a virtual environment
# below target; the package is installed as a user would do it. THREADBARE names the binary, if it is not to be built here.
set -euo pipefail
cd "$(dirname "$0")/.."

version=2.60.0
venv=target/ray

python3 -c 'import ensurepip, venv' 2>/dev/null || scripts/setup.sh python3-venv
if [ -z "${THREADBARE:-}" ]; then
  cargo build --locked --package threadbare-cli
  THREADBARE=target/debug/threadbare
fi

if ! "$venv/bin/python" -c "import ray; assert ray.__version__ == '$version'" 2>/dev/null; then
  echo "ray: installing Ray $version into $venv"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "ray==$version"
fi
rm -rf python/threadbare_ray/build
"$venv/bin/pip" install --quiet --disable-pip-version-check ./python/threadbare_ray
"$venv/bin/threadbare-ray" --help >/dev/null

# Nothing is reported to Ray's makers, and the nodes need no dashboard.
RAY_USAGE_STATS_ENABLED=0 THREADBARE=$THREADBARE \
  timeout 1200 "$venv/bin/python" -m unittest discover -s python/tests
