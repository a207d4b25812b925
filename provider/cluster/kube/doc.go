// Package kube is a thin client of the API of Kubernetes, with its certificate always verified.
package kube
