// Package cluster creates and heals local Kubernetes clusters with kind and k3d. These programs create
// and delete; what exists is read from the container engine, whose complete list alone shows that a
// cluster does not exist. What is inside a cluster is asked of its API server, whose certificate is always
// verified. The provider holds no state, and never changes the kubeconfig of the user.
//
// Marks are written with the first container of a cluster: k3d sets a label on it. kind can set none, and
// mounts /dev/null at a path that holds the marks instead. A file in the node says that its creation was
// finished; one without it was interrupted, and is replaced if nothing was put into the cluster.
package cluster
