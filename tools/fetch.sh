#!/bin/sh
# Gets the modules that `make test` compiles, all before anything is compiled: a network that
# fails for a moment is asked again, and does not end a long test. With all of them in the
# module cache it takes a second.
set -eu
cd "$(dirname "$0")/.."

fetch() { # folder, packages
	for pause in 5 20 60 0; do
		(cd "$1" && go list -deps -test "$2" >/dev/null) && return
		[ "$pause" = 0 ] || { echo "modules of $1: again in $pause s" >&2; sleep "$pause"; }
	done
	echo "error: the modules of $1 cannot be had" >&2
	echo "  next: see what go says above; is the module proxy that \`go env GOPROXY\` names within reach?" >&2
	exit 1
}

fetch . ./...
fetch test/faultrun ./...
fetch tools/etcd go.etcd.io/etcd/server/v3
fetch tools/kind sigs.k8s.io/kind
fetch tools/k3d github.com/k3d-io/k3d/v5
fetch tools/kube k8s.io/kubernetes/cmd/kube-apiserver
fetch tools github.com/golangci/golangci-lint/v2/cmd/golangci-lint
(cd "${TMPDIR:-/tmp}" && go mod download github.com/argoproj/argo-cd/v3@v3.1.8) # the definitions of its kinds
