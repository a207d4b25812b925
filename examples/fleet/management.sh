#!/bin/sh
# Starts a stand-in for the management cluster, where there is none: a k3d cluster whose context is the option management
# of clusters.db.yaml (k3d-devops), with the namespace and the definitions of Argo CD. One that exists stays, and is started.
# Usage: examples/fleet/management.sh
set -eu
name=${MANAGEMENT:-devops}
image=${MANAGEMENT_IMAGE:-}   # of its nodes; by default that of k3d
wait=${MANAGEMENT_WAIT:-60}   # seconds
definitions=${ARGOCD_DEFINITIONS:-https://github.com/argoproj/argo-cd/manifests/crds?ref=v3.1.8} # or a folder with them

for program in k3d kubectl; do
	command -v "$program" >/dev/null || { echo "error: $program is missing; install it" >&2; exit 1; }
done

inside() { kubectl --context "k3d-$name" "$@"; }

if k3d cluster list "$name" >/dev/null 2>&1; then
	k3d cluster start "$name"
	k3d kubeconfig merge "$name" --kubeconfig-merge-default --kubeconfig-switch-context=false >/dev/null
else
	k3d cluster create "$name" ${image:+--image "$image"} --api-port 127.0.0.1:random --port 23800:80@loadbalancer --port 23843:443@loadbalancer \
		--kubeconfig-switch-context=false
fi

answers() { # wait until the API server serves something
	until inside "$@" >/dev/null 2>&1; do
		[ "$wait" -gt 0 ] || { echo "error: k3d-$name does not answer: kubectl $*" >&2; exit 1; }
		wait=$((wait - 1))
		sleep 1
	done
}

answers get --raw /readyz
inside get namespace argocd >/dev/null 2>&1 || inside create namespace argocd
inside apply --server-side -k "$definitions"
answers get applicationsets --namespace argocd
