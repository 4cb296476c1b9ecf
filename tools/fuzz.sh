#!/usr/bin/env bash
# Runs every fuzz target for the given time or number of inputs each: fuzz.sh 5000x, fuzz.sh 1m. A finding is written to the
# package's testdata/fuzz and fails every later `go test` until it is mended: commit it with the repair.
# A package is built once for all its targets, where `go test -fuzz` would link it anew for each.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=$1
go=${GO:-go}
cache=$PWD/.cache
known=$("$go" env GOCACHE)/fuzz
mkdir -p "$cache"
trap 'rm -f "$cache/fuzz.test"' EXIT
trap 'kill %% 2>/dev/null; exit 1' TERM INT # who fuzzes beside other work has to be able to end it

# stands: the target has run as many inputs as it was asked for, and tells so again and again instead of ending: Go's own coordinator of
# fuzzing waits for a worker that is gone, once in some hundred runs. There is nothing left to run then.
stands() {
  local done
  [[ $limit == *x ]] && [ "$(tail -n 5 "$cache/fuzz.log" | grep -c '(0/sec)')" = 5 ] || return 1
  done=$(tail -n 1 "$cache/fuzz.log" | sed -n 's/.*execs: \([0-9]*\) .*/\1/p')
  [ "${done:-0}" -ge "${limit%x}" ]
}

folders=$(find . -name '*_test.go' -not -path './.*' -not -path './tools/*' -exec grep -lE '^func Fuzz' {} + | xargs -r -n1 dirname | sort -u)
for folder in $folders; do
  "$go" test -c -vet=off -fuzz Fuzz -o "$cache/fuzz.test" "$folder"
  name=$("$go" list "$folder")
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$folder"/*_test.go | cut -d' ' -f2); do
    echo "fuzzing $folder $target ($limit)"
    (cd "$folder" && exec "$cache/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$limit" -test.fuzzcachedir "$known/$name") \
      >"$cache/fuzz.log" 2>&1 &
    fuzzing=$!
    while kill -0 $fuzzing 2>/dev/null; do
      stands && { kill $fuzzing; wait $fuzzing || true; fuzzing=; break; }
      sleep .5
    done
    [ -z "$fuzzing" ] || wait $fuzzing || { cat "$cache/fuzz.log"; exit 1; }
    grep -q 'not built with coverage' "$cache/fuzz.log" && { echo "$folder is fuzzed blindly: its tests were built without coverage"; exit 1; }
  done
done
true
