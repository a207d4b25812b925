package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

const (
	containerKind = "container"
	namePrefix    = "ovi-" // of containers; one that was set aside has a longer name

	labelNode     = "edge-ovi/node"
	labelName     = "edge-ovi/name"
	labelInstance = "edge-ovi/instance"
	labelMarks    = "edge-ovi/marks"
	labelSpec     = "edge-ovi/spec"
)

// runtime runs deployments as containers.
type runtime struct {
	Options
	checker *resource.Checker
}

func newRuntime(o Options) (*runtime, error) {
	kinds := o.Containers.Kinds()
	i := slices.IndexFunc(kinds, func(k resource.Kind) bool { return k.Name == containerKind })
	if i < 0 {
		return nil, fmt.Errorf("%s has no kind %s", o.Scope.Provider, containerKind)
	}
	checker, err := resource.NewChecker(kinds[i])
	return &runtime{o, checker}, err
}

// container is one container of a deployment.
type container struct {
	resource.Observed
	item  link.Item
	aside bool // an update set it aside
}

// containers are those of this node, of all deployments.
func (r *runtime) containers(ctx context.Context) ([]container, error) {
	s, err := r.Containers.Observe(ctx, provider.ObserveRequest{Scope: r.Scope, Kinds: []string{containerKind}})
	if err == nil {
		err = s.Unreachable[containerKind]
	}
	if err != nil {
		return nil, err
	}
	var out []container
	for _, o := range s.Resources {
		labels := o.Attrs.TextMap("labels")
		if o.Ref.Kind != containerKind || labels[labelNode] != r.node() {
			continue
		}
		c := container{Observed: o, item: link.Item{
			Name: labels[labelName], Instance: labels[labelInstance], Health: o.Health, Message: o.Message, Since: o.Since,
			Phase: link.Installed,
		}}
		if err := errors.Join(json.Unmarshal([]byte(labels[labelSpec]), &c.item.Spec),
			json.Unmarshal([]byte(labels[labelMarks]), &c.item.Marks)); err != nil {
			return nil, fmt.Errorf("container %s has labels of ovi that cannot be read: %w", o.Ref.Name, err)
		}
		c.item.Image, _ = o.Attrs.Text("image_id")
		name := o.Ref.Name
		if o.Natural != "" {
			name = o.Natural
		}
		c.aside = name != namePrefix+c.item.Name
		out = append(out, c)
	}
	return out, nil
}

func (r *runtime) node() string { return r.Site + "/" + r.Node }

// items are the deployments, each once.
func (r *runtime) items(ctx context.Context) ([]link.Item, error) {
	all, err := r.containers(ctx)
	var out []link.Item
	for _, c := range all {
		other := slices.ContainsFunc(all, func(x container) bool { return x.item.Name == c.item.Name && !x.aside })
		if !c.aside || !other {
			out = append(out, c.item)
		}
	}
	return out, err
}

// result is the deployment of a task as it runs; else what was asked for. An error says that it is not as was asked:
// a container program that did nothing is no success.
func (r *runtime) result(ctx context.Context, t task) (link.Item, error) {
	asked := link.Item{Name: t.Name, Spec: t.to.Spec}
	now, _, err := r.find(ctx, t.Name)
	switch {
	case err != nil:
		return asked, err
	case t.Verb == link.Delete && now != nil:
		return now.item, fmt.Errorf("container %s still exists", now.Ref.Name)
	case now == nil && t.Verb != link.Delete:
		return asked, errors.New("there is no container after it")
	case now == nil:
		return asked, nil
	case !sameSpec(now.item.Spec, t.to.Spec):
		return now.item, fmt.Errorf("version %s runs after it", now.item.Spec.Version)
	}
	return now.item, nil
}

// find returns the containers of a deployment: the one in service, and one that was set aside.
func (r *runtime) find(ctx context.Context, name string) (now, aside *container, err error) {
	all, err := r.containers(ctx)
	for i := range all {
		switch {
		case all[i].item.Name != name:
		case all[i].aside:
			aside = &all[i]
		default:
			now = &all[i]
		}
	}
	return now, aside, err
}

// resume ends updates that were interrupted. It then starts the containers of the desired state or, without one, all
// containers, within the bounds of the node and in the order of their dependencies. Its orchestrator changes versions
// and creates containers.
func (r *runtime) resume(ctx context.Context, d link.Desired, told bool) error {
	items, err := r.items(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, i := range inOrder(items, d) {
		now, err := r.afterUpdate(ctx, i.Name)
		want, is := d.Find(i.Name)
		runs := !told || is && !want.Stopped
		if err == nil && now != nil && runs && now.Health != resource.Healthy && now.Health != resource.Pending {
			if err = r.Bounds.refuse(now.item.Spec); err == nil {
				err = r.bring(ctx, now, resource.StateRunning)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// inOrder puts what others depend on before these. What is not on the node, or depends on itself, delays nothing.
func inOrder(items []link.Item, d link.Desired) []link.Item {
	out := make([]link.Item, 0, len(items))
	names := func(all []link.Item, name string) bool {
		return slices.ContainsFunc(all, func(x link.Item) bool { return x.Name == name })
	}
	for rest := items; len(rest) > 0; {
		next := slices.IndexFunc(rest, func(i link.Item) bool {
			want, _ := d.Find(i.Name)
			return !slices.ContainsFunc(want.After, func(name string) bool { return names(rest, name) })
		})
		next = max(next, 0)
		out = append(out, rest[next])
		rest = slices.Concat(rest[:next], rest[next+1:])
	}
	return out
}

// afterUpdate ends an update that was interrupted, and gives the container in service: the new one where it is
// healthy, else the one before.
func (r *runtime) afterUpdate(ctx context.Context, name string) (*container, error) {
	now, aside, err := r.find(ctx, name)
	if err != nil || aside == nil {
		return now, err
	}
	if now != nil && now.Health == resource.Healthy {
		return now, r.remove(ctx, aside)
	}
	if err := r.remove(ctx, now); err != nil {
		return nil, err
	}
	if _, err := r.Containers.Restore(ctx, provider.Request{Desired: r.named(name), Have: aside.Observed}); err != nil {
		return nil, err
	}
	now, _, err = r.find(ctx, name)
	return now, err
}

// do does a request. What is as requested already is a success.
func (r *runtime) do(ctx context.Context, q task) error {
	now, err := r.afterUpdate(ctx, q.Name)
	switch {
	case err != nil:
		return err
	case q.Verb == link.Delete:
		return r.remove(ctx, now)
	case now != nil && now.item.Instance != q.to.Instance:
		return fmt.Errorf("container %s belongs to another installation, %s", now.Ref.Name, now.item.Instance)
	case now == nil:
		_, err := r.create(ctx, q, nil)
		return err
	case !sameSpec(now.item.Spec, q.to.Spec) && q.to.Stopped: // nothing is in service
		if err := r.remove(ctx, now); err != nil {
			return err
		}
		_, err := r.create(ctx, q, nil)
		return err
	case !sameSpec(now.item.Spec, q.to.Spec):
		return r.update(ctx, q, now)
	case q.to.Stopped || q.Verb == link.Restart || now.Health != resource.Healthy:
		return r.bring(ctx, now, stateOf(q))
	}
	return nil
}

func sameSpec(a, b link.Spec) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}

// create creates a container, and starts it unless it is for an update.
func (r *runtime) create(ctx context.Context, q task, beside *resource.Observed) (resource.Observed, error) {
	desired := r.named(q.Name)
	attrs, problems := r.checker.Check(resource.SortAttrs(r.attrs(q)))
	if len(problems) > 0 {
		return resource.Observed{}, &provider.Error{
			Cause: provider.Configuration,
			Err:   fmt.Errorf("the deployment cannot run here: %s", problems[0].Summary),
		}
	}
	desired.Attrs, desired.State = attrs, stateOf(q)
	return r.Containers.Create(ctx, provider.Request{Key: q.ID, Owner: q.to.Marks.Owner, Desired: desired, Beside: beside})
}

// update swaps containers: the new one is created beside the old one, which is stopped for it, and serves
// again if the new one does not become healthy.
func (r *runtime) update(ctx context.Context, q task, now *container) error {
	old, err := r.Containers.SetAside(ctx, provider.Request{Desired: r.named(q.Name), Have: now.Observed})
	if err != nil {
		return err
	}
	fresh, err := r.create(ctx, q, &old)
	if err == nil {
		desired := r.named(q.Name)
		fresh, err = r.Containers.Switch(ctx, provider.Request{Desired: desired, Have: fresh, Beside: &old})
	}
	if err == nil && fresh.Health != resource.Healthy {
		err = unhealthy(fresh)
	}
	if _, bad := r.afterUpdate(ctx, q.Name); bad != nil {
		return errors.Join(err, bad)
	}
	if err != nil {
		return fmt.Errorf("%w; version %s runs again", err, now.item.Spec.Version)
	}
	return nil
}

// stateOf is whether a request is for a container that runs.
func stateOf(q task) resource.State {
	if q.to.Stopped {
		return resource.StateStopped
	}
	return resource.StateRunning
}

// bring starts a container, again if it runs, or stops it.
func (r *runtime) bring(ctx context.Context, c *container, to resource.State) error {
	desired := r.named(c.item.Name)
	desired.State = to
	change := resource.Change{
		On: resource.OnState, Path: resource.StatePath, To: resource.String(to),
		Effect: resource.Restart,
	}
	o, err := r.Containers.Update(ctx, provider.Request{
		Desired: desired, Have: c.Observed,
		Changes: []resource.Change{change},
	})
	health := resource.Healthy
	if to == resource.StateStopped {
		health = resource.Stopped
	}
	if err == nil && o.Health != health {
		err = unhealthy(o)
	}
	return err
}

func (r *runtime) remove(ctx context.Context, c *container) error {
	if c == nil {
		return nil
	}
	return r.Containers.Delete(ctx, provider.Request{Desired: r.named(c.item.Name), Have: c.Observed})
}

// named is the container of a deployment.
func (r *runtime) named(name string) resource.Desired {
	ref := resource.Ref{
		Stack: strings.ReplaceAll(r.node(), "/", "."), Provider: r.Scope.Provider,
		Location: r.Scope.Location, Kind: containerKind, Name: namePrefix + name,
	}
	return resource.Desired{Ref: ref, State: resource.StateRunning, Replace: resource.Swap}
}
