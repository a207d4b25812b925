// Package clustertest runs real clusters for tests as far as a machine without a kubelet can: the real
// kind and k3d, a real Podman, and in each node a stand-in image with a real etcd and a real
// kube-apiserver. It shows arguments, names, labels, published ports, kubeconfigs, /readyz, service
// accounts, RBAC, stops, starts, changed addresses and half-created clusters. It does not show pods,
// CNI, an ingress controller, loading of images, or a kubelet.
//
// The quick images have an API server of a few answers instead, called a fake, and start in a second.
package clustertest
