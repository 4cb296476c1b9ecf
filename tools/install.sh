#!/usr/bin/env bash
# Makes sure that a program of the system is there: install.sh PROGRAM PURPOSE APT-PACKAGE... As root on Debian or Ubuntu it installs
# the packages; otherwise it says which command does. Several names of the same program are separated by "|".
set -euo pipefail

programs=$1
purpose=$2
shift 2
for program in ${programs//|/ }; do
  command -v "$program" >/dev/null && exit 0
done

echo "${programs%%|*} is missing. It is needed for: $purpose."
if ! command -v apt-get >/dev/null; then
  echo "Install it with your system's package manager (Debian names: $*; Homebrew: brew install ${programs%%|*}) and run make again." >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "Run this, then make again:  sudo apt-get install -y $*" >&2
  exit 1
fi
echo "installing from the system's package sources: $*"
export DEBIAN_FRONTEND=noninteractive
# Another installation may hold apt's lock: wait for it.
apt-get -qq -o DPkg::Lock::Timeout=600 update
apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@" >/dev/null
