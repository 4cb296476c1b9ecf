#!/usr/bin/env bash
# Makes sure that a program of the system is there: install.sh PROGRAM PURPOSE APT-PACKAGE... As root on Debian or Ubuntu it installs
# the packages; otherwise it says which command does. Several names of the same program are separated by "|". Tests start what they need: the
# services of the packages, named in SERVICES, do not start, now or at the next boot. What was here before stays as it is.
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
policy=/usr/sbin/policy-rc.d
if [ -n "${SERVICES:-}" ] && [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 755 $policy
fi
# Another installation may hold apt's lock: wait for it.
apt-get -qq -o DPkg::Lock::Timeout=600 update
apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@" >/dev/null
if [ -n "${SERVICES:-}" ] && [ -d /run/systemd/system ]; then
  systemctl --quiet disable --now $SERVICES || true
fi
