package engine

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/cluster/k3d"
	"github.com/ovi-project/ovi/provider/cluster/kind"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Kind returns the schema of clusters.
func Kind() resource.Kind {
	return resource.Kind{
		Provider: system.Name, Name: system.KindCluster, NamePattern: system.ClusterName, NameDoc: system.ClusterNameDoc,
		Doc: "A local Kubernetes cluster.\n\nA stopped cluster is started. A cluster whose creation stopped, and that " +
			"nothing uses, is created again. A broken cluster, which lacks a part, is replaced only if --replace names it. A " +
			"change of the provider, image, ports or subnet replaces a cluster and destroys its contents, and must be allowed " +
			"by name (--allow-replace).",
		NoTags: true, Carrier: resource.AtCreate, State: resource.StateRunning, CheckFirst: true,
		Canonical: canonical, CrossCheck: crossCheck, DataLoss: dataLoss, NamedReplace: true,
		Grace: startWait, Opens: system.Inside,
		Holds: holds,
		HoldsDoc: "its name on the host; its http_port, https_port and pf_port of the host, while it runs; " +
			"the addresses of its subnet",
		Attrs: []resource.Attribute{
			{
				Name: "provider", Type: resource.TString, Required: true, Enum: []string{kind.Name, k3d.Name},
				Effect: resource.Replace, Example: kind.Name, Doc: "The program that creates it.",
			},
			{
				Name: "image", Type: resource.TString, Effect: resource.Replace, Example: "kindest/node:v1.31.12",
				Doc: "The node image. Default: the image that the program uses.",
			},
			port("http_port",
				resource.Attribute{
					Effect: resource.Replace, Example: "18090", Doc: "The port of the host that leads to port 80 of the cluster.",
				}),
			port("https_port",
				resource.Attribute{
					Effect: resource.Replace, Example: "18443", Doc: "The port of the host that leads to port 443 of the cluster.",
				}),
			port("node_port",
				resource.Attribute{Recorded: true, Example: "30080", Doc: "The port of its nodes at which its ingress answers."}),
			port("pf_port",
				resource.Attribute{Recorded: true, Example: "19001", Doc: "The port of the host for port forwarding."}),
			{
				Name: "subnet", Type: resource.TString, Effect: resource.Replace, Valid: validSubnet, Example: "10.101.0.0/16",
				Doc: "The subnet of its network. With k3d only.",
			},
			{
				Name: "kubeconfig", Type: resource.TString, Secret: true, Computed: true,
				Doc: "A kubeconfig of its administrator.",
			},
			{Name: "api", Type: resource.TString, Computed: true, Doc: "The URL of its API server, from the host."},
			{
				Name: "server_ip", Type: resource.TString, Computed: true,
				Doc: "The IP address of its first server, while it runs.",
			},
			{Name: "version", Type: resource.TString, Computed: true, Doc: "The version of Kubernetes, while it runs."},
		},
	}
}

func port(name string, a resource.Attribute) resource.Attribute {
	a.Name, a.Type, a.Min, a.Max = name, resource.TInt, system.Bound(1024), system.Bound(65535)
	return a
}

// The exclusive things of a cluster.
const (
	holdsPort   = "host port"
	holdsSubnet = "subnet"
)

// holds: a cluster that is stopped publishes no port. Its network stays.
func holds(ref resource.Ref, a resource.Attrs, state resource.State) []resource.Hold {
	out := []resource.Hold{{What: "cluster name", Name: ref.Name, Identity: true}}
	text, _ := a.Text("subnet")
	if p, err := netip.ParsePrefix(text); err == nil {
		out = append(out, resource.Hold{What: holdsSubnet, Range: p.Masked()})
	}
	if state == resource.StateStopped {
		return out
	}
	for _, name := range []string{"http_port", "https_port", "pf_port"} {
		if n, set := a.Int(name); set {
			out = append(out, resource.Hold{What: holdsPort, Name: strconv.FormatInt(n, 10)})
		}
	}
	return out
}

func validSubnet(v resource.Value) []resource.Problem {
	text, _ := v.(resource.String)
	p, err := netip.ParsePrefix(string(text))
	switch {
	case err != nil:
		return []resource.Problem{{Summary: "invalid subnet", Suggestion: "use a range such as 10.101.0.0/16"}}
	case p != p.Masked():
		return []resource.Problem{
			{Summary: "the address of the subnet has bits after its prefix", Suggestion: "use " + p.Masked().String()},
		}
	}
	return nil
}

// canonical writes an image as it is observed, and checks what one program alone can do.
func canonical(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if image, ok := a.Text("image"); ok {
		a = a.With("image", resource.String(plainImage(image)))
	}
	with, _ := a.Text("provider")
	if _, ok := a.Get("subnet"); ok && with == kind.Name {
		return a, []resource.Problem{
			{
				Path: "subnet", Summary: "kind puts all clusters into one network",
				Suggestion: "remove it, or use the provider k3d",
			},
		}
	}
	return a, nil
}

// plainImage is the name of an image without what engines and kind add or omit: the registry that is the
// default, and a tag beside a digest.
func plainImage(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "docker.io/"), "library/")
	base, digest, ok := strings.Cut(name, "@")
	if !ok {
		return name
	}
	if i := strings.LastIndexByte(base, ':'); i > strings.LastIndexByte(base, '/') {
		base = base[:i]
	}
	return base + "@" + digest
}

func dataLoss(resource.Observed, resource.Attrs) string { return "everything in the cluster" }

// crossCheck finds ports of the host that two clusters of one engine use, and subnets that overlap.
func crossCheck(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) (out []resource.Finding) {
	type at struct {
		location string
		port     int64
	}
	ports := map[at]resource.Ref{}
	out = system.Misplaced(configured, system.OnEngine, "a cluster is created on an engine, not inside a cluster",
		"use local, or the URL of an engine")
	for i, d := range configured {
		for _, name := range []string{"http_port", "https_port", "pf_port"} {
			n, ok := d.Attrs.Int(name)
			if !ok {
				continue
			}
			key := at{d.Ref.Location, n}
			if other, used := ports[key]; used {
				out = append(out,
					system.Finding(d, name, fmt.Sprintf("port %d of the host is used by %s already", n, other.Short()),
						"use another port"))
				continue
			}
			ports[key] = d.Ref
		}
		mine, ok := subnetOf(d)
		for _, other := range configured[:i] {
			theirs, has := subnetOf(other)
			if ok && has && other.Ref.Location == d.Ref.Location && mine.Overlaps(theirs) {
				out = append(out,
					system.Finding(d, "subnet", fmt.Sprintf("%s overlaps with %s of %s", mine, theirs, other.Ref.Short()),
						"use another subnet"))
			}
		}
	}
	return out
}

func subnetOf(d *resource.Desired) (netip.Prefix, bool) {
	text, _ := d.Attrs.Text("subnet")
	p, err := netip.ParsePrefix(text)
	return p, err == nil
}
