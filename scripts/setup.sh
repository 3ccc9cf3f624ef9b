#!/usr/bin/env bash
# Installs what the build needs and the machine does not have, and the packages that are given as arguments. Says what it
# installs; silent when there is nothing to do.
set -euo pipefail

if [ "$(uname -s) $(uname -m)" != "Linux x86_64" ]; then
  echo "setup: Threadbare runs on x86-64 Linux, and this is $(uname -m) $(uname -s): use such a machine, or a container of one" >&2
  exit 1
fi

missing=()
need() { # package, then a command that succeeds when it is there
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}

llvm_headers() {
  [ -e "$(llvm-config-22 --includedir)/llvm-c/Core.h" ]
}

need clang-22 command -v clang-22
need llvm-22-dev llvm_headers
need libstdc++-12-dev compgen -G "/usr/lib/gcc/*/12/libstdc++.so"
need libc6-dev test -e /usr/include/pthread.h
for package in "$@"; do
  need "$package" dpkg -s "$package"
done

if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing by apt: ${missing[*]}"
  root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: neither root nor sudo: install these packages yourself" >&2; exit 1; }
    root=(sudo)
  fi
  "${root[@]}" apt-get update -qq
  for package in "${missing[@]}"; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      echo "setup: apt knows no package $package: is this Debian 12 with its security updates enabled?" >&2
      exit 1
    fi
  done
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  echo "setup: done"
fi

command -v cargo >/dev/null || { echo "setup: there is no cargo: install Rust first" >&2; exit 1; }
