#!/bin/sh
# Builds what a release consists of, from a clean checkout, into dist/: the binary for linux/amd64, its list of parts
# (SBOM, CycloneDX), checksums, and a signature of the checksums. The same commit gives the same bytes in any folder:
# `make release-check` compares two builds.
#
#   OVI_RELEASE_KEY    an SSH key that signs; without it nothing is signed, and the last line reports that
#   VERSION            the version; default: the tag of the commit
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'error: %s\n  next: %s\n' "$1" "$2" >&2; exit 1; }

[ -z "$(git status --porcelain)" ] || fail "the checkout has changes that are not committed" "commit or remove them"
version=${VERSION:-$(git describe --tags --exact-match 2>/dev/null || true)}
[ -n "$version" ] || fail "the commit has no tag" "tag it, or run make release VERSION=v0.1.0"
case $version in *[!A-Za-z0-9.+-]*) fail "invalid version $version" "use for example v0.1.0" ;; esac
key=${OVI_RELEASE_KEY:-}
[ -z "$key" ] || [ -r "$key" ] || fail "cannot read the key $key" "set OVI_RELEASE_KEY to an SSH key"

rm -rf dist
mkdir dist
name=ovi-$version-linux-amd64
CGO_ENABLED=0 GOOS=linux GOARCH=amd64 GOAMD64=v1 GOFLAGS=-mod=readonly \
	go build -trimpath -buildvcs=true -ldflags "-s -w -X main.version=$version" -o "dist/$name" ./cmd/ovi
go tool -modfile=tools/release/go.mod cyclonedx-gomod bin -json -std -noserial -notimestamp \
	-version "$version" -output "dist/$name.cdx.json" "dist/$name"

# Known vulnerabilities in what the binary calls. The database is not reachable from everywhere: then this is said, and
# whoever publishes the release repeats it.
checked="no known vulnerability"
vulns=$(go tool -modfile=tools/release/go.mod govulncheck -mode binary "dist/$name" 2>&1) || {
	case $vulns in
	*"fetching vulnerabilities"*) checked="vulnerabilities NOT checked, the database is not reachable" ;;
	*) printf '%s\n' "$vulns" >&2; fail "the binary calls code with known vulnerabilities" "update the modules above" ;;
	esac
}

(cd dist && sha256sum "$name" "$name.cdx.json" >SHA256SUMS)
signed="NOT signed, OVI_RELEASE_KEY is not set"
if [ -n "$key" ]; then
	ssh-keygen -q -Y sign -n ovi-release -f "$key" dist/SHA256SUMS
	signed="signed: SHA256SUMS.sig"
fi
printf 'dist/%s: %s bytes; %s; %s\n' "$name" "$(stat -c %s "dist/$name")" "$checked" "$signed"
