#!/usr/bin/env bash
# Fetches one package of tools/checksums into a folder: fetch.sh NAME TARGET [VERSION], the first one of the name without a version.
# The folder appears only when it is complete, so an interrupted fetch is repeated. Runs none of the package's own scripts.
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1
target=$2
[ -e "$target" ] && exit 0
command -v npm >/dev/null || { echo "npm is needed to fetch $name: install Node.js 18 or newer" >&2; exit 1; }

read -r _ version checksum < <(grep "^$name ${3:-}" tools/checksums) || { echo "tools/checksums does not know $name ${3:-}" >&2; exit 1; }
mkdir -p "$(dirname "$target")"
work=$(mktemp -d "$(dirname "$target")/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "fetching $name $version into $target"
npm pack --silent --ignore-scripts --pack-destination "$work" "$name@$version" >/dev/null
archive=$(echo "$work"/*.tgz)
found=$(node -e 'const c=require("crypto"),f=require("fs");console.log(c.createHash("sha512").update(f.readFileSync(process.argv[1])).digest("base64"))' "$archive")
if [ "$found" != "$checksum" ]; then
  echo "$name $version is not the package this project was tested with (SHA-512 $found, expected $checksum): not used" >&2
  exit 1
fi
tar -xzf "$archive" -C "$work" --no-same-owner
mv "$work/package" "$target"
