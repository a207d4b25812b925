package engine

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/k3d"
	"github.com/ovi-project/ovi/provider/cluster/kind"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

const (
	// readers is how many clusters are read at a time.
	readers = 8
	// readyWait is how long the API server of a cluster may take to answer.
	readyWait = 5 * time.Second
)

// List reads all clusters of the engine, in parallel. One without a server is none: the next creation removes what is
// left of it.
func (h *Host) List(ctx context.Context) ([]resource.Observed, error) {
	all, err := h.clusters(ctx)
	if err != nil {
		return nil, err
	}
	once := *h // its networks and notes are listed once
	networks := sync.OnceValues(func() ([]docker.Network, error) { return h.Networks(ctx) })
	once.networks = func(context.Context) ([]docker.Network, error) { return networks() }
	notes := sync.OnceValues(func() ([]docker.Volume, error) { return h.notes(ctx) })
	once.notes = func(context.Context) ([]docker.Volume, error) { return notes() }
	all = slices.DeleteFunc(all, func(f *found) bool { return f.id == "" })
	out := make([]resource.Observed, len(all))
	g, reading := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for i, f := range all {
		g.Go(func() (err error) {
			out[i], err = once.observe(reading, f)
			return err
		})
	}
	err = g.Wait()
	out = slices.DeleteFunc(out, func(o resource.Observed) bool { return o.ID == "" }) // deleted meanwhile
	return out, err
}

// seen is a cluster with the containers that tell about it.
type seen struct {
	*found
	server docker.Container
	entry  docker.Container // whose ports lead into the cluster: its load balancer, or its only server
}

func (h *Host) see(ctx context.Context, f *found) (out seen, err error) {
	out.found = f
	if out.server, err = h.Inspect(ctx, f.id); err != nil {
		return out, err
	}
	out.entry = out.server
	for _, c := range f.others {
		if c.Labels[f.Role] == f.Balancer {
			out.entry, err = h.Inspect(ctx, c.ID)
		}
	}
	return out, err
}

// observe reads one cluster. It exists, whatever cannot be read of it.
func (h *Host) observe(ctx context.Context, f *found) (resource.Observed, error) {
	o := resource.Observed{Ref: h.ref(f.name), ID: f.id}
	err := h.read(ctx, f, &o)
	var unreachable *engineapi.ConnectError
	switch {
	case err == nil:
		return o, nil
	case engineapi.IsNotFound(err):
		return resource.Observed{}, nil
	case ctx.Err() != nil || errors.As(err, &unreachable):
		return resource.Observed{}, err
	}
	o.SetUnreadable(err.Error())
	return o, nil
}

func (h *Host) read(ctx context.Context, f *found, o *resource.Observed) error {
	c, err := h.see(ctx, f)
	if err != nil {
		return err
	}
	o.Marks, o.Since = marksOf(&c.server, h.scope), c.server.Created
	if o.Marks.IsZero() {
		if o.Marks, err = h.noted(ctx, c); err != nil {
			return err
		}
	}
	set := system.Values{
		"provider": resource.String(f.Program.Name), "image": resource.String(plainImage(c.server.Config.Image)),
	}
	for name, inner := range map[string]string{"http_port": "80/tcp", "https_port": "443/tcp"} {
		if n, ok := published(&c.entry, inner); ok {
			set[name] = resource.Int(n)
		}
	}
	if f.Program.Name == k3d.Name {
		if err := h.readSubnet(ctx, c, set); err != nil {
			return err
		}
	}
	if err := h.readInside(ctx, c, o, set); err != nil {
		return err
	}
	o.Attrs = resource.AttrsOf(set)
	return nil
}

// published gives the port of the host that leads to a port of a container.
func published(c *docker.Container, inner string) (int64, bool) {
	for _, p := range c.HostConfig.PortBindings[inner] {
		if n, err := strconv.ParseInt(p.HostPort, 10, 64); err == nil && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// readSubnet reads the subnet of a cluster that has a network of its own. A server that runs tells it by its
// address; else the networks are listed, which costs Podman more than all containers.
func (h *Host) readSubnet(ctx context.Context, c seen, set system.Values) error {
	name, at := c.attachment()
	if subnet, known := at.Subnet(); known {
		set["subnet"] = resource.String(subnet.String())
		return nil
	}
	all, err := h.networks(ctx)
	if err != nil {
		return err
	}
	for _, n := range all {
		if n.Name == name && len(n.IPAM.Config) > 0 {
			set["subnet"] = resource.String(n.IPAM.Config[0].Subnet)
		}
	}
	return nil
}

// attachment is the server's place in the network of its program, or in the first of its networks.
func (c seen) attachment() (name string, at docker.Attachment) {
	all := c.server.NetworkSettings.Networks
	for _, own := range append([]string{k3d.Network(c.name), kind.Network}, slices.Sorted(maps.Keys(all))...) {
		if at, in := all[own]; in {
			return own, at
		}
	}
	return "", docker.Attachment{}
}

// readInside reads the files of the server and its API: the condition, the health and how to reach it.
func (h *Host) readInside(ctx context.Context, c seen, o *resource.Observed, set system.Values) error {
	at := system.Inside(h.ref(c.name)).Location
	h.reached.forget(at)
	x := &inside{seen: c, host: h}
	if err := x.readConfig(ctx); err != nil {
		return err
	}
	if x.address != "" && !x.noConfig && x.unusable == nil {
		if err := x.ask(ctx, o, set); err != nil {
			return err
		}
		h.reached.set(at, x.config)
	}
	finished, err := h.HasFile(ctx, c.id, completeFile)
	x.finished = signOf("the mark of a finished creation", finished, err)
	condition, why := x.conclude(ctx, o.Marks)
	switch condition {
	case "":
	case resource.Unreadable:
		o.SetUnreadable(why)
	default:
		o.Condition, o.Health, o.Message = condition, resource.Failing, why
	}
	return ctx.Err()
}

// ask reads the API server of a cluster, with its kubeconfig.
func (x *inside) ask(ctx context.Context, o *resource.Observed, set system.Values) error {
	text, err := x.config.Kubeconfig(x.context())
	if err != nil {
		return err
	}
	client, err := kube.New(x.config)
	if err != nil {
		x.unusable = err
		return nil
	}
	set["api"] = resource.String(x.config.Server)
	if d := x.host.digest(x.name, "kubeconfig", text); d != "" {
		set["kubeconfig"] = d
	}
	x.health, o.Message = x.host.health(ctx, x.seen, client)
	o.Health = x.health
	x.untouched = resource.Sign{What: objects, Why: "its API server does not answer"}
	if o.Health == resource.Healthy {
		if _, at := x.attachment(); at.IPAddress != "" {
			set["server_ip"] = resource.String(at.IPAddress)
		}
		if v, err := client.Version(ctx); err == nil { // else it has just stopped
			set["version"] = resource.String(v)
		}
		untouched, err := client.Untouched(ctx)
		x.untouched = signOf(objects, !untouched, err)
	}
	return nil
}

// health is the condition of a cluster that was created.
func (h *Host) health(ctx context.Context, c seen, client *kube.Client) (resource.Health, string) {
	for _, n := range c.nodes() {
		if n.State != "running" {
			return resource.Stopped, n.Name() + " is " + n.State
		}
	}
	asked, stop := context.WithTimeout(ctx, readyWait)
	defer stop()
	err := client.Ready(asked)
	switch {
	case err == nil:
		return resource.Healthy, ""
	case h.Clock().Sub(c.server.State.StartedAt) < startWait:
		return resource.Pending, "its API server starts"
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the URL and the method in front
	}
	return resource.Failing, "its API server is not ready: " + err.Error()
}

// neverStarted is the state of a container that was created, and did not run yet.
const neverStarted = "created"

// context is the name of a cluster in a kubeconfig, as its program gives it.
func (f *found) context() string { return f.Program.Name + "-" + f.name }

// config reads how to reach a cluster from the host.
func (h *Host) config(ctx context.Context, c seen) (kube.Config, error) {
	text, err := h.file(ctx, c)
	if err != nil {
		return kube.Config{}, err
	}
	out, err := kube.Parse(text, "", "")
	if err != nil {
		return kube.Config{}, err
	}
	n, ok := published(&c.entry, "6443/tcp")
	if !ok {
		return kube.Config{}, provider.Errorf("the API server of the cluster %s has no port on the host", c.name)
	}
	out.Server = h.at(n)
	return out, nil
}

// at is the URL of a port of the host.
func (h *Host) at(port int64) string {
	address := "127.0.0.1" // where the ports of the engine are published
	if u, err := url.Parse(h.endpoint); err == nil && u.Scheme == "tcp" {
		address = u.Hostname()
	}
	return "https://" + net.JoinHostPort(address, strconv.FormatInt(port, 10))
}

// file is the kubeconfig of the administrator as it is in the server.
func (h *Host) file(ctx context.Context, c seen) ([]byte, error) {
	if strings.HasPrefix(h.endpoint, "unix://") { // of this host
		if text, read := c.server.OnDisk(c.Program.Kubeconfig); read {
			return text, nil
		}
	}
	return h.File(ctx, c.id, c.Program.Kubeconfig)
}
