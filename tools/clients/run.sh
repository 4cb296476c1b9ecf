#!/usr/bin/env bash
# Lints the OpenAPI document, generates three TypeScript clients from it and compiles them strictly, in .cache/clients. The walks through
# the demo are a test: make clients.
set -euo pipefail
cd "$(dirname "$0")/../.."
to=.cache/clients
mkdir -p "$to/src"
cp tools/clients/package.json tools/clients/package-lock.json tools/clients/tsconfig.json "$to/"
cp tools/clients/*.ts "$to/src/"
cp api/openapi.yaml "$to/"
cd "$to"
cmp -s package-lock.json installed-lock.json || npm ci --silent --ignore-scripts --no-audit --no-fund
cp package-lock.json installed-lock.json
export PATH="$PWD/node_modules/.bin:$PATH" REDOCLY_TELEMETRY=off
echo "redocly"
redocly lint --extends=recommended --format=json openapi.yaml >redocly.json 2>/dev/null || true
node -e 'const { totals, problems } = JSON.parse(require("fs").readFileSync("redocly.json"));
if (totals.errors + totals.warnings > 0) { console.error(problems); process.exit(1); }'
echo "spectral"
echo 'extends: ["spectral:oas"]' >.spectral.yaml
spectral lint --fail-severity=hint openapi.yaml
echo "clients"
rm -rf src/hey src/orval out
openapi-typescript openapi.yaml -o src/typescript.d.ts >/dev/null
openapi-ts -i openapi.yaml -o src/hey -c @hey-api/client-fetch >/dev/null
orval --input openapi.yaml --output src/orval/client.ts --client fetch >/dev/null
tsc -p tsconfig.json
