// Package kind is the program kind: the containers of its clusters, and the configuration that it creates one from.
package kind

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/program"
)

// Name is the value of the attribute provider for kind.
const Name = "kind"

// config is the configuration of a cluster as kind reads it.
type config struct {
	Kind       string       `yaml:"kind"`
	APIVersion string       `yaml:"apiVersion"`
	Nodes      []nodeConfig `yaml:"nodes"`
}

type nodeConfig struct {
	Role   string  `yaml:"role"`
	Image  string  `yaml:"image,omitempty"`
	Ports  []port  `yaml:"extraPortMappings,omitempty"`
	Mounts []mount `yaml:"extraMounts"`
}

type port struct {
	Container int    `yaml:"containerPort"`
	Host      int64  `yaml:"hostPort"`
	Address   string `yaml:"listenAddress"`
}

type mount struct {
	Host      string `yaml:"hostPath"`
	Container string `yaml:"containerPath"`
	ReadOnly  bool   `yaml:"readOnly"`
}

// Config writes the configuration of a cluster, with the path of a mount that holds its marks.
func Config(r provider.Request, marks string) ([]byte, error) {
	node := nodeConfig{Role: "control-plane", Mounts: []mount{{Host: "/dev/null", Container: marks, ReadOnly: true}}}
	node.Image, _ = r.Desired.Attrs.Text("image")
	for _, x := range program.Ingress() {
		if n, ok := r.Desired.Attrs.Int(x.Attr); ok {
			node.Ports = append(node.Ports, port{Container: x.Port, Host: n, Address: program.Everywhere})
		}
	}
	return yaml.Marshal(config{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4", Nodes: []nodeConfig{node}})
}

// CreateTries is how often a creation is tried that fails because of lost output.
const CreateTries = 3

// LostOutput reports whether kind failed because it read nothing from a program in a node: `podman exec` can lose what
// a short program prints, on a busy host. Where kind reads a file, it removes the node and prints an error. Where it
// waits for the node, it panics, and the node stays.
func LostOutput(err error) (lost, stays bool) {
	if err == nil {
		return false, false
	}
	stays = strings.Contains(err.Error(), "panic: runtime error: index out of range [0] with length 0")
	return stays || strings.Contains(err.Error(), "file should only be one line, got 0 lines"), stays
}

// Network is the network of all clusters of kind.
const Network = "kind"

// Program returns the marks of the containers of kind.
func Program() program.Program {
	return program.Program{
		Name: Name, Label: "io.x-k8s.kind.cluster", Role: "io.x-k8s.kind.role", Server: "control-plane",
		Balancer:   "external-load-balancer",
		Kubeconfig: "/etc/kubernetes/admin.conf", Data: "/var/lib/etcd/member",
		Deletion: []string{"delete", "cluster", "--name"},
	}
}
