// Package k3d is the program k3d: the containers of its clusters, and the arguments that create one.
package k3d

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/program"
)

// Name is the value of the attribute provider for k3d.
const Name = "k3d"

// Network is the network of a cluster that has one of its own.
func Network(cluster string) string { return "k3d-" + cluster }

// Args returns the arguments with which k3d creates a cluster, whose server gets a label.
func Args(r provider.Request, wait time.Duration, label string) []string {
	args := []string{
		"cluster", "create", r.Desired.Ref.Name, "--servers", "1", "--agents", "0", "--api-port", "127.0.0.1:random",
		"--wait", "--timeout", wait.String(),
		"--kubeconfig-update-default=false", "--kubeconfig-switch-context=false", "--runtime-label", label + "@server:0",
	}
	if image, ok := r.Desired.Attrs.Text("image"); ok {
		args = append(args, "--image", image)
	}
	if subnet, ok := r.Desired.Attrs.Text("subnet"); ok {
		args = append(args, "--subnet", subnet)
	}
	for _, x := range program.Ingress() {
		if n, ok := r.Desired.Attrs.Int(x.Attr); ok {
			args = append(args, "--port", fmt.Sprintf("%s:%d:%d@loadbalancer", program.Everywhere, n, x.Port))
		}
	}
	return args
}

// Program returns the marks of the containers of k3d.
func Program() program.Program {
	return program.Program{
		Name: Name, Label: "k3d.cluster", Role: "k3d.role", Server: "server", Balancer: "loadbalancer", Balances: true,
		Kubeconfig: "/output/kubeconfig.yaml", Data: "/var/lib/rancher/k3s/server/db",
		Deletion: []string{"cluster", "delete"},
	}
}
