package podman

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

func listNetworks(ctx context.Context, g *host.Reading) (out []resource.Observed, err error) {
	names, err := g.NetworksOf(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range names.All {
		out = append(out, networkObserved(g, n))
	}
	return out, nil
}

func readNetwork(ctx context.Context, g *host.Reading, id string) (resource.Observed, error) {
	names, err := g.NetworksOf(ctx)
	if err != nil {
		return resource.Observed{}, err
	}
	n, ok := names.ByID(id)
	if !ok {
		return resource.Observed{}, &engineapi.Error{Cause: "network not found", Message: "network " + id + " not found"}
	}
	return networkObserved(g, n), nil
}

// defaultNetwork is the network that Podman makes by itself.
const defaultNetwork = "podman"

func networkObserved(g *host.Reading, n libpod.Network) resource.Observed {
	o := resource.Observed{ID: n.ID, Health: resource.Healthy, Since: n.Created}
	marks.Identify(&o, g.Scope, schema.Network, n.Name, n.Labels)
	want, ours := marks.Applied(n.Labels)
	if !ours && n.Name == defaultNetwork {
		o.Message, o.Since = resource.ProviderDefault, time.Time{} // Podman draws its time at each call
	}
	set := map[string]resource.Value{"driver": resource.String(n.Driver)}
	if labels := marks.UserLabels(n.Labels, nil, want.Object("labels")); labels != nil {
		set["labels"] = labels
	}
	options := map[string]resource.Value{}
	for k, v := range n.Options {
		options[k] = resource.String(v)
	}
	if len(options) > 0 {
		set["options"] = resource.AttrsOf(options)
	}
	// What Podman chose by itself is not compared.
	_, subnet := want.Get("subnet")
	_, gateway := want.Get("gateway")
	if len(n.Subnets) > 0 && (subnet || !ours) {
		set["subnet"] = resource.String(n.Subnets[0].Subnet)
	}
	if len(n.Subnets) > 0 && (gateway || !ours) && n.Subnets[0].Gateway != "" {
		set["gateway"] = resource.String(n.Subnets[0].Gateway)
	}
	o.Attrs = resource.AttrsOf(set)
	return o
}

// checkNetwork finds a subnet that another network has.
func checkNetwork(ctx context.Context, h *host.Host, r provider.Request) error {
	all, err := h.Networks(ctx)
	if err != nil {
		return err
	}
	subnet, _ := r.Desired.Attrs.Text("subnet")
	want, subnetErr := netip.ParsePrefix(subnet)
	for _, n := range all {
		if n.ID == r.Have.ID || r.Gives(n.ID) || marks.MadeBy(n.Labels, r.Key) {
			continue
		}
		if n.Name == r.Desired.Ref.Name {
			return failure.InUse("check", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
				"a network named %s exists", n.Name)
		}
		for _, s := range n.Subnets {
			if have, err := netip.ParsePrefix(s.Subnet); subnetErr == nil && err == nil && want.Overlaps(have) {
				return failure.InUse("check", "use another subnet", "the subnet %s overlaps with %s of the network %s", subnet,
					s.Subnet, n.Name)
			}
		}
	}
	return nil
}

func createNetwork(ctx context.Context, h *host.Host, r provider.Request) (string, error) {
	all, err := h.Networks(ctx)
	if err != nil {
		return "", err
	}
	for _, n := range all {
		if n.Labels[marks.LabelKey] == r.Key {
			return n.ID, nil
		}
	}
	driver, _ := r.Desired.Attrs.Text("driver")
	n := libpod.Network{
		Name: r.Desired.Ref.Name, Driver: driver, DNSEnabled: driver == "bridge",
		Labels: marks.BirthLabels(r), Options: r.Desired.Attrs.TextMap("options"),
	}
	if subnet, ok := r.Desired.Attrs.Text("subnet"); ok {
		gateway, _ := r.Desired.Attrs.Text("gateway")
		n.Subnets = []libpod.Subnet{{Subnet: subnet, Gateway: gateway}}
	}
	created, err := h.CreateNetwork(ctx, &n)
	return created.ID, err
}

// removeNetwork disconnects the containers of the stack first, which keep running; a container of
// anything else keeps the network.
func removeNetwork(ctx context.Context, h *host.Host, r provider.Request) error {
	g := h.Reading()
	names, err := g.NetworksOf(ctx)
	if err != nil {
		return err
	}
	n, ok := names.ByID(r.Have.ID)
	if !ok {
		return nil
	}
	users, err := h.Containers(ctx, nil)
	if err != nil {
		return err
	}
	stack := cmp.Or(r.Have.Ref.Stack, r.Have.Marks.Ref.Stack)
	var ours, others []string
	for _, c := range users {
		switch {
		case !slices.Contains(c.Networks, n.Name):
		case !c.IsInfra && c.Labels[marks.LabelStack] == stack &&
			strings.HasPrefix(c.Labels[marks.LabelRef], schema.Name+"/"+h.Scope().Location+"/"):
			ours = append(ours, c.ID)
		default:
			others = append(others, strings.Join(c.Names, ","))
		}
	}
	if len(others) > 0 {
		return failure.InUse("", "disconnect or delete them first",
			"the network %s is used by containers of something else: %s", n.Name, strings.Join(others, ", "))
	}
	for _, id := range ours {
		if err := h.Disconnect(ctx, n.Name, id); err != nil && !failure.IsNotFound(err) {
			return err
		}
	}
	return h.RemoveNetwork(ctx, n.ID)
}
