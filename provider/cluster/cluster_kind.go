package cluster

import (
	"net/netip"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// The values of the attribute provider.
const (
	withKind = "kind"
	withK3d  = "k3d"
)

const (
	clusterName    = `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`
	clusterNameDoc = "lower-case letters, digits and '-', starting and ending with a letter or digit, at most 63 characters"
)

func clusterKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindCluster, NamePattern: clusterName, NameDoc: clusterNameDoc,
		Doc: "A local Kubernetes cluster.\n\nOne that is stopped is started. One whose creation was interrupted is replaced; any other is replaced only to change " +
			"its provider, image, ports or subnet, which destroys what is inside and must be allowed by name (--allow-replace).",
		NoTags: true, Carrier: resource.AtCreate, State: resource.StateRunning, CheckFirst: true,
		Canonical: canonical, CrossCheck: crossCheck, EffectOf: effectOf, DataLoss: dataLoss, NamedReplace: true, Grace: startWait, Opens: Inside,
		Attrs: []resource.Attribute{
			{Name: "provider", Type: resource.TString, Required: true, Enum: []string{withKind, withK3d}, Effect: resource.Replace, Example: withKind, Doc: "The program that creates it."},
			{Name: "image", Type: resource.TString, Effect: resource.Replace, Example: "kindest/node:v1.31.12", Doc: "The image of its nodes. Not set: that of the program."},
			port("http_port", resource.Attribute{Effect: resource.Replace, Example: "18090", Doc: "The port of the host that leads to port 80 of the cluster."}),
			port("https_port", resource.Attribute{Effect: resource.Replace, Example: "18443", Doc: "The port of the host that leads to port 443 of the cluster."}),
			port("node_port", resource.Attribute{Recorded: true, Example: "30080", Doc: "The port of its nodes at which its ingress answers."}),
			port("pf_port", resource.Attribute{Recorded: true, Example: "19001", Doc: "The port of the host for port forwarding."}),
			{Name: "subnet", Type: resource.TString, Effect: resource.Replace, Valid: validSubnet, Example: "10.101.0.0/16", Doc: "The subnet of its network. With k3d only."},
			{Name: "kubeconfig", Type: resource.TString, Secret: true, Computed: true, Doc: "A kubeconfig of its administrator."},
			{Name: "api", Type: resource.TString, Computed: true, Doc: "The URL of its API server, from the host."},
			{Name: "server_ip", Type: resource.TString, Computed: true, Doc: "The IP address of its first server, while it runs."},
			{Name: "version", Type: resource.TString, Computed: true, Doc: "The version of Kubernetes, while it runs."},
			{Name: "complete", Type: resource.TBool, Computed: true, Doc: "Whether its creation was finished."},
		},
	}
}

func port(name string, a resource.Attribute) resource.Attribute {
	a.Name, a.Type, a.Min, a.Max = name, resource.TInt, bound(1024), bound(65535)
	return a
}

func validSubnet(v resource.Value) []resource.Problem {
	text, _ := v.(resource.String)
	p, err := netip.ParsePrefix(string(text))
	switch {
	case err != nil:
		return []resource.Problem{{Summary: "invalid subnet", Suggestion: "use a range such as 10.101.0.0/16"}}
	case p != p.Masked():
		return []resource.Problem{{Summary: "the address of the subnet has bits after its prefix", Suggestion: "use " + p.Masked().String()}}
	}
	return nil
}

// canonical writes an image as it is observed, and checks what one program alone can do.
func canonical(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if image, ok := a.Text("image"); ok {
		a = a.With("image", resource.String(plainImage(image)))
	}
	with, _ := a.Text("provider")
	if _, ok := a.Get("subnet"); ok && with == withKind {
		return a, []resource.Problem{{Path: "subnet", Summary: "kind puts all clusters into one network", Suggestion: "remove it, or use the provider k3d"}}
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

// effectOf replaces a cluster whose creation was interrupted: it cannot be started.
func effectOf(have resource.Observed, c resource.Change) resource.Effect {
	if c.On == resource.OnState && !have.Attrs.Bool("complete") {
		return resource.Replace
	}
	return resource.InPlace
}

func dataLoss(have resource.Observed, _ resource.Attrs) string {
	if !have.Attrs.Bool("complete") {
		return ""
	}
	return "everything in the cluster"
}
