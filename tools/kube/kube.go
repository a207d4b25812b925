//go:build tools

// Package kube pins the Kubernetes API server that the tests of clusters run.
package kube

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
