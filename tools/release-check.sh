#!/bin/sh
# Builds a release twice, in two clones at different places and compares
# every file; then verifies a signature as a user does.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ssh-keygen -q -t ed25519 -N '' -C release -f "$work/key"
for at in "$work/one" "$work/another/place"; do
	git clone -q . "$at"
	VERSION=v0.0.0-check OVI_RELEASE_KEY="$work/key" "$at/tools/release.sh"
done
diff -r "$work/one/dist" "$work/another/place/dist"
cd "$work/one/dist"
sha256sum -c --quiet SHA256SUMS
printf 'release %s\n' "$(cut -d' ' -f1,2 "$work/key.pub")" >"$work/signers"
ssh-keygen -q -Y verify -f "$work/signers" -I release -n ovi-release -s SHA256SUMS.sig <SHA256SUMS
echo tampered >>SHA256SUMS
if ssh-keygen -q -Y verify -f "$work/signers" -I release -n ovi-release -s SHA256SUMS.sig <SHA256SUMS 2>/dev/null; then
	echo "error: a changed list of checksums was accepted" >&2
	exit 1
fi
echo "release-check: both builds are equal, and the signature holds"
