#!/bin/sh
# Runs every fuzz target of the repository in turn, each for the time given.
set -eu
time=${1:-20s}
grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
	dir=$(dirname "$file")
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "== $dir $target"
		(cd "$dir" && go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" .) # some are modules of their own
	done
done
