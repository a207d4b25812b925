package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/provider"
)

// kindConfig is the configuration of a cluster as kind reads it.
type kindConfig struct {
	Kind       string     `yaml:"kind"`
	APIVersion string     `yaml:"apiVersion"`
	Nodes      []kindNode `yaml:"nodes"`
}

type kindNode struct {
	Role   string      `yaml:"role"`
	Image  string      `yaml:"image,omitempty"`
	Ports  []kindPort  `yaml:"extraPortMappings,omitempty"`
	Mounts []kindMount `yaml:"extraMounts"`
}

type kindPort struct {
	Container int    `yaml:"containerPort"`
	Host      int64  `yaml:"hostPort"`
	Address   string `yaml:"listenAddress"`
}

type kindMount struct {
	Host      string `yaml:"hostPath"`
	Container string `yaml:"containerPath"`
	ReadOnly  bool   `yaml:"readOnly"`
}

// everywhere is the address of ports that other hosts may use.
const everywhere = "0.0.0.0"

func (h *host) createKind(ctx context.Context, r provider.Request) error {
	text, err := birthMarks(r)
	if err != nil {
		return err
	}
	node := kindNode{Role: "control-plane", Mounts: []kindMount{{Host: "/dev/null", Container: marksPath(text), ReadOnly: true}}}
	node.Image, _ = r.Desired.Attrs.Text("image")
	for _, x := range ingress() {
		if n, ok := r.Desired.Attrs.Int(x.attr); ok {
			node.Ports = append(node.Ports, kindPort{Container: x.port, Host: n, Address: everywhere})
		}
	}
	b, err := yaml.Marshal(kindConfig{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4", Nodes: []kindNode{node}})
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "ovi-kind-*.yaml")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err = h.run(ctx, createWait, r.Progress, withKind, "create", "cluster", "--name", r.Desired.Ref.Name, "--config", f.Name(), "--wait", "60s")
		if err == nil || try == createTries || !strings.Contains(err.Error(), lostOutput) {
			return err
		}
	}
}

const (
	// lostOutput is how kind fails when it read nothing from a file of a node that has one line: `podman exec`
	// can lose what a short program prints, on a busy host. Kind has then removed the node.
	lostOutput = "file should only be one line, got 0 lines"
	// createTries is how often a creation is tried that fails so.
	createTries = 3
)

// ingress are the ports of a cluster that lead to its ingress.
func ingress() []struct {
	attr string
	port int
} {
	return []struct {
		attr string
		port int
	}{{"http_port", 80}, {"https_port", 443}}
}

// kindNetwork is the network of all clusters of kind.
const kindNetwork = "kind"

// k3dNetwork is the network of a cluster that has one of its own.
func k3dNetwork(cluster string) string { return "k3d-" + cluster }

func (h *host) createK3d(ctx context.Context, r provider.Request) error {
	text, err := birthMarks(r)
	if err != nil {
		return err
	}
	args := []string{
		"cluster", "create", r.Desired.Ref.Name, "--servers", "1", "--agents", "0", "--api-port", "127.0.0.1:random", "--wait", "--timeout", createWait.String(),
		"--kubeconfig-update-default=false", "--kubeconfig-switch-context=false", "--runtime-label", marksLabel + "=" + text + "@server:0",
	}
	if image, ok := r.Desired.Attrs.Text("image"); ok {
		args = append(args, "--image", image)
	}
	if subnet, ok := r.Desired.Attrs.Text("subnet"); ok {
		args = append(args, "--subnet", subnet)
	}
	for _, x := range ingress() {
		if n, ok := r.Desired.Attrs.Int(x.attr); ok {
			args = append(args, "--port", fmt.Sprintf("%s:%d:%d@loadbalancer", everywhere, n, x.port))
		}
	}
	return h.run(ctx, createWait, r.Progress, withK3d, args...)
}
