#!/usr/bin/env bash
# Makes the files of a release in a folder: package.sh FOLDER. The program is built twice, in two folders and without what was compiled
# before; both must be the same to the byte. Version and time are those of the commit: a tag vX.Y.Z on it is the version. With REBUILD=no
# there is one build, with what was compiled before.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 GOOS=linux GOARCH=amd64 GOFLAGS= GOAMD64=v1
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # into a folder, from a clone without changes
  git clone --quiet --no-hardlinks . "$1/source"
  (cd "$1/source" && go build -trimpath -buildvcs=true -ldflags "-s -w -buildid=" -o "$1/" ./cmd/countersign ./cmd/simulator)
}
build "$work/one"
if [ "${REBUILD:-}" != no ]; then
  GOCACHE="$work/cache" build "$work/another/folder"
  for program in countersign simulator; do
    cmp "$work/one/$program" "$work/another/folder/$program" || { echo "two builds of $program differ" >&2; exit 1; }
  done
  echo "two builds are one: $(sha256sum <"$work/one/countersign" | cut -c1-64)"
fi
program=$work/one/countersign
version=$("$program" version | cut -d' ' -f2)
install -m 755 "$program" "$work/one/simulator" "$out/"

echo "software bill of materials (CycloneDX)"
GOOS='' GOARCH='' go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0 bin -json -noserial -version "$version" \
  -output "$out/countersign.cdx.json" "$program" 2>/dev/null

echo "Debian package (nfpm)"
GOOS='' GOARCH='' GOBIN="$work" go install github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2
sed 's#/usr/local/bin/#/usr/bin/#' deploy/countersign.service >"$work/one/countersign.service"
"$program" licenses >"$work/one/copyright"
package() { # to a file
  VERSION=$(sed 's/^v//; s/-/~/' <<<"$version") STAGE="$work/one" "$work/nfpm" package --config deploy/debian/nfpm.yaml --packager deb --target "$1" >/dev/null
}
package "$out/countersign_amd64.deb"
package "$work/again.deb"
cmp "$out/countersign_amd64.deb" "$work/again.deb" || { echo "two packages differ" >&2; exit 1; }

(cd "$out" && sha256sum countersign simulator countersign.cdx.json countersign_amd64.deb >SHA256SUMS)
echo "$version: $out"
