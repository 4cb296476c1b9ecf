#!/usr/bin/env bash
# Runs every fuzz target for the given time or number of inputs each: fuzz.sh 20000x, fuzz.sh 1m. A finding is written to the
# package's testdata/fuzz and fails every later `go test` until it is mended: commit it with the repair.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p .cache
limit=$1
go=${GO:-go}
folders=$(find . -name '*_test.go' -not -path './.*' -not -path './tools/*' -exec grep -lE '^func Fuzz' {} + | xargs -r -n1 dirname | sort -u)
for folder in $folders; do
  for target in $("$go" test -list '^Fuzz' "$folder" | grep '^Fuzz'); do
    echo "fuzzing $folder $target ($limit)"
    "$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$limit" "$folder" >.cache/fuzz.log 2>&1 || { cat .cache/fuzz.log; exit 1; }
  done
done
