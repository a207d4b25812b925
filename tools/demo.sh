#!/bin/sh
# A demonstration of ovi: plan, apply, break something by hand, plan again, repair, ask why.
# Everything happens in the sandbox, in a temporary folder.
set -eu
ovi=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$root/examples/web/ovi.yaml" "$dir"
cd "$dir"

say() { printf '\n$ ovi %s\n' "$*"; "$ovi" "$@"; }
say plan --sandbox
say apply --sandbox --auto-approve --quiet
say sandbox break tag ec2/web-0 team=other
say sandbox break delete ec2/web-1
say sandbox break create ec2
say plan --sandbox
say apply --sandbox --auto-approve
say plan --sandbox
say inventory
say history ec2/web-1
say audit verify
