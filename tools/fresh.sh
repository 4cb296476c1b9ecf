#!/usr/bin/env bash
# Fails when generated code differs from what is committed, including files that are new or gone. Run it after `make generate`.
set -euo pipefail
cd "$(dirname "$0")/.."

header='^// Code generated .* DO NOT EDIT\.$'
git rev-parse --git-dir >/dev/null # needs a clone, not an archive
# docs/rules.md, the contract as JSON and the description of the schema are generated too, and carry no such header.
generated=$({ echo docs/rules.md; echo api/openapi.json; echo internal/store/integrity/schema.txt; git grep --cached -lE "$header" -- '*.go' || true; git grep -lE --untracked "$header" -- '*.go' || true; } | sort -u)
[ -n "$generated" ] || exit 0

changed=$(echo "$generated" | xargs git diff --name-only --)
new=$(echo "$generated" | xargs git ls-files --others --exclude-standard --)
[ -n "$changed$new" ] || exit 0

echo "generated code is not what is committed: run \`make generate\` and commit the result" >&2
echo "$changed" | sed '/^$/d; s/^/  differs: /' >&2
echo "$new" | sed '/^$/d; s/^/  not committed: /' >&2
exit 1
