// Command standin is every program in the node image of tests of clusters: what kind and k3d call in
// it, and nothing else. There is no kubelet: nothing runs in such a cluster but its API server.
//
// With etcd and kube-apiserver in the image it starts these. Without them it answers a few questions
// of the API by itself, which is quick, and called a fake where a test uses it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	programs := map[string]func([]string) error{
		"entrypoint": entrypoint, "kubeadm": kubeadm, "kubectl": kubectl, "k3s": k3s, "balancer": balancer, "idle": idle,
	}
	name := filepath.Base(os.Args[0])
	run, ok := programs[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "error: the stand-in is no %s\n", name)
		os.Exit(2)
	}
	if err := run(slices.Clone(os.Args[1:])); err != nil {
		fmt.Fprintf(os.Stderr, "error: %s: %v\n", name, err)
		os.Exit(1)
	}
}

// say prints what kind and k3d wait for.
func say(line string) { _, _ = os.Stdout.WriteString(line + "\n") }
