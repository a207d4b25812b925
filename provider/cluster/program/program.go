// Package program describes a program that creates clusters, such as kind or k3d: how its containers are known, and
// which ports lead into a cluster.
package program

// Everywhere is the address of ports that other hosts may use.
const Everywhere = "0.0.0.0"

// ingressPort is a port of a cluster that leads to its ingress, with the attribute of the port of the host.
type ingressPort struct {
	Attr string
	Port int
}

// Ingress returns the ports that lead to the ingress of a cluster.
func Ingress() []ingressPort { return []ingressPort{{"http_port", 80}, {"https_port", 443}} }

// Program is kind or k3d: how they mark their containers, and delete a cluster.
type Program struct {
	Name       string
	Label      string   // of a container: the cluster that it is of
	Role       string   // of a container: the label of its role
	Server     string   // the role of a server
	Balancer   string   // the role of a load balancer
	Balances   bool     // every cluster has a load balancer
	Kubeconfig string   // the file in a server
	Data       string   // the folder in a server with the data of its API server
	Deletion   []string // the arguments that delete a cluster, before its name
}
