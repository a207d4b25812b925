package podman

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/container"
	"github.com/ovi-project/ovi/provider/podman/facts"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

func listPods(ctx context.Context, g *host.Reading) (out []resource.Observed, err error) {
	all, err := g.Pods(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		o, err := readPod(ctx, g, p.ID)
		if failure.IsNotFound(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func readPod(ctx context.Context, g *host.Reading, id string) (resource.Observed, error) {
	p, err := g.Pod(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	names, err := g.NetworksOf(ctx)
	if err != nil {
		return resource.Observed{}, err
	}
	o := resource.Observed{ID: p.ID, Since: p.Created}
	o.Health, o.Message = podHealth(&p)
	marks.Identify(&o, g.Scope, schema.Pod, p.Name, p.Labels)
	want, _ := marks.Applied(p.Labels)
	set := map[string]resource.Value{}
	for _, name := range []string{"restart_policy", "network_aliases"} { // Podman 4 does not tell
		if v, ok := want.Get(name); ok {
			set[name] = v
		}
	}
	if labels := marks.UserLabels(p.Labels, nil, want.Object("labels")); labels != nil {
		set["labels"] = labels
	}
	if p.InfraConfig != nil {
		said, _ := want.Get("ports")
		v := facts.Ports(said, p.InfraConfig.PortBindings)
		if ports, _ := v.(resource.List); len(ports) > 0 {
			set["ports"] = v
		}
		if _, configured := want.Get("networks"); configured {
			ids := resource.List{}
			for _, n := range p.InfraConfig.Networks {
				ids = append(ids, resource.String(cmp.Or(names.ByName[n], n)))
			}
			set["networks"] = resource.SortSet(ids)
		}
	}
	o.Attrs = resource.AttrsOf(set)
	return o, nil
}

// podHealth is the condition of the container that keeps a pod's network; the others have a condition
// of their own.
func podHealth(p *libpod.Pod) (resource.Health, string) {
	state := strings.ToLower(p.State)
	for _, c := range p.Containers {
		if c.ID == p.InfraContainerID {
			state = c.State
		}
	}
	switch state {
	case "running", "degraded":
		return resource.Healthy, ""
	case "dead":
		return resource.Failing, "dead"
	}
	return resource.Stopped, "its network is " + state
}

// updatePod starts or stops a pod.
func updatePod(ctx context.Context, h *host.Host, r provider.Request) error {
	for _, c := range r.Changes {
		if c.On == resource.OnAttribute {
			return provider.ErrReplace
		}
	}
	p, err := h.Pod(ctx, r.Have.ID)
	switch {
	case err != nil:
		return err
	case r.Desired.State == resource.StateStopped:
		// Its containers stop at the same time, and then each that its restart policy has started again.
		if err := h.StopPod(ctx, p.ID, container.StopWait); err != nil && !container.IsImproper(err) {
			return err
		}
		for _, c := range p.Containers {
			if err := container.Stop(ctx, h, c.ID); err != nil && !failure.IsNotFound(err) {
				return err
			}
		}
		return nil
	case p.InfraContainerID == "":
		return h.StartPod(ctx, p.ID)
	}
	// The infra container keeps the pod's network. Containers that run without it are in a network that is gone: they are
	// restarted.
	var running []string
	for _, c := range p.Containers {
		switch {
		case c.ID == p.InfraContainerID && c.State == "running":
			return nil
		case c.ID == p.InfraContainerID && c.State == "paused":
			return h.UnpauseContainer(ctx, c.ID)
		case c.ID != p.InfraContainerID && c.State == "running":
			running = append(running, c.ID)
		}
	}
	for _, id := range running {
		if err := container.Stop(ctx, h, id); err != nil && !failure.IsNotFound(err) {
			return err
		}
	}
	for _, id := range append([]string{p.InfraContainerID}, running...) {
		if err := h.StartContainer(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func checkPod(ctx context.Context, h *host.Host, r provider.Request) error {
	all, err := h.Pods(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Name == r.Desired.Ref.Name && p.ID != r.Have.ID && !r.Gives(p.ID) && !marks.MadeBy(p.Labels, r.Key) {
			return failure.InUse("check", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
				"a pod named %s exists", p.Name)
		}
	}
	used, err := h.Containers(ctx, nil)
	if err != nil {
		return err
	}
	for _, c := range used {
		if slices.Contains(c.Names, r.Desired.Ref.Name) && !r.Gives(c.ID) {
			return failure.InUse("check", "rename one of them: Podman has one table of names for containers and pods",
				"a container named %s exists", r.Desired.Ref.Name)
		}
	}
	return container.CheckPorts(ctx, h, r, used)
}

// createPod creates a pod and starts it, so that its ports and networks are there before its
// containers. One that does not start is removed again.
func createPod(ctx context.Context, h *host.Host, r provider.Request) (string, error) {
	all, err := h.Pods(ctx)
	if err != nil {
		return "", err
	}
	id := ""
	for _, p := range all {
		if p.Labels[marks.LabelKey] == r.Key {
			id = p.ID
		}
	}
	if id == "" {
		s := libpod.PodSpec{
			Name: r.Desired.Ref.Name, Labels: marks.BirthLabels(r), Networks: spec.LinksOf(r.Desired.Attrs),
			PortMappings: spec.PortMappings(r.Desired.Attrs),
		}
		if len(s.Networks) > 0 {
			s.NetNS = &libpod.Namespace{Mode: "bridge"}
		}
		if id, err = h.CreatePod(ctx, &s); err != nil {
			return "", err
		}
	}
	if r.Desired.State == resource.StateStopped {
		return id, nil
	}
	if err := h.StartPod(ctx, id); err != nil {
		if !provider.Repeats(failure.Classify("", err)) && ctx.Err() == nil {
			_ = deletePod(ctx, h, id) // the first error says more
		}
		return "", err
	}
	return id, nil
}

// removePod removes a pod without containers.
func removePod(ctx context.Context, h *host.Host, r provider.Request) error {
	return deletePod(ctx, h, r.Have.ID)
}

func deletePod(ctx context.Context, h *host.Host, id string) error {
	p, err := h.Pod(ctx, id)
	if err != nil {
		return err
	}
	var others []string
	for _, c := range p.Containers {
		if c.ID != p.InfraContainerID {
			others = append(others, c.Name)
		}
	}
	if len(others) > 0 {
		return failure.InUse("", "delete them first", "the pod %s has containers: %s", p.Name, strings.Join(others, ", "))
	}
	if err := h.StopPod(ctx, id, container.StopWait); err != nil && !failure.IsNotFound(err) {
		return err
	}
	return h.RemovePod(ctx, id)
}
