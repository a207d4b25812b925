package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/resource"
)

func (h *host) create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	with, _ := r.Desired.Attrs.Text("provider")
	name := r.Desired.Ref.Name
	have, err := h.existing(ctx, with, r)
	if err != nil {
		return resource.Observed{}, err
	}
	if have == nil {
		if err := h.begin(ctx, with, r); err != nil {
			return resource.Observed{}, err
		}
		if have, err = h.named(ctx, with, name); err != nil || have == nil || have.id == "" {
			return resource.Observed{}, uncertain("the new cluster is not listed", err)
		}
		if err := h.Touch(ctx, have.id, completeFile); err != nil {
			return resource.Observed{}, uncertain("its creation was not marked as finished", err)
		}
	}
	state := r.Desired.State
	if state == "" {
		state = resource.StateRunning
	}
	o, err := h.reach(ctx, have.id, state, r.Progress)
	if late := new(provider.Error); errors.As(err, &late) && late.Code == provider.NotHealthy {
		late.Class = provider.Uncertain // it exists: the next observation tells what became of it
	}
	return o, err
}

// existing finds the cluster that an earlier call with the same key created, and removes what an
// interrupted call left.
func (h *host) existing(ctx context.Context, with string, r provider.Request) (*found, error) {
	name := r.Desired.Ref.Name
	have, err := h.named(ctx, with, name)
	if err != nil || have == nil {
		return nil, err
	}
	if have.id != "" {
		o, err := h.observe(ctx, have)
		switch {
		case err != nil:
			return nil, err
		case o.Marks.Key != r.Key:
			return nil, conflict("", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "a cluster %s of %s exists", name, with)
		case o.Attrs.Bool("complete"):
			return have, nil
		}
	}
	return nil, h.clear(ctx, have, r)
}

// begin lets kind, k3d or the user's command create the cluster.
func (h *host) begin(ctx context.Context, with string, r provider.Request) error {
	switch {
	case len(h.opts.Hooks.Create) > 0:
		return h.hookCreate(ctx, with, r)
	case with == withK3d:
		return h.createK3d(ctx, r)
	}
	return h.createKind(ctx, r)
}

func (h *host) update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	var state resource.State
	for _, c := range r.Changes {
		switch {
		case c.On == resource.OnState && r.Have.Attrs.Bool("complete"):
			to, _ := c.To.(resource.String)
			state = resource.State(to)
		case c.On == resource.OnAttribute && (c.Path == "node_port" || c.Path == "pf_port"): // in the record alone
		default:
			return resource.Observed{}, provider.ErrReplace
		}
	}
	return h.reach(ctx, r.Have.ID, state, r.Progress)
}

// remove deletes the cluster that has the ID, if there is one.
func (h *host) remove(ctx context.Context, r provider.Request) error {
	f, err := h.byID(ctx, r.Have.ID)
	if err != nil || f == nil {
		return err
	}
	return h.clear(ctx, f, r)
}

// clear lets kind, k3d or the user's command delete a cluster, and checks that nothing of it is listed.
func (h *host) clear(ctx context.Context, f *found, r provider.Request) error {
	if err := h.endCommand(ctx, f); err != nil {
		return fmt.Errorf("end the command that creates the cluster: %w", err)
	}
	by, err := h.wipe(ctx, f, r)
	if err != nil {
		return err
	}
	left, err := h.named(ctx, f.program.name, f.name)
	switch {
	case err != nil:
		return uncertain("it is unknown what is left of the cluster", err)
	case left != nil:
		return permanent("", "remove them by hand", "%s deleted the cluster, and %d of its containers are left", by, len(left.nodes()))
	}
	if err := h.RemoveVolume(ctx, noteOf(f.program.name, f.name)); err != nil {
		return fmt.Errorf("remove the note of its creation: %w", err)
	}
	return h.removeNetwork(ctx, f)
}

// wipe deletes a cluster, and names what did.
func (h *host) wipe(ctx context.Context, f *found, r provider.Request) (by string, err error) {
	if words := h.opts.Hooks.Delete; len(words) > 0 {
		attrs := r.Have.Attrs.With("provider", resource.String(f.program.name))
		return "delete_command", h.hook(ctx, deleteWait, r.Progress, "delete_command", words, h.ref(f.name), attrs)
	}
	args := []string{"delete", "cluster", "--name", f.name}
	if f.program.name == withK3d {
		args = []string{"cluster", "delete", f.name}
	}
	return f.program.name, h.run(ctx, deleteWait, r.Progress, f.program.name, args...)
}

// removeNetwork removes the network that k3d leaves where it did not make it itself.
func (h *host) removeNetwork(ctx context.Context, f *found) error {
	if f.program.name != withK3d {
		return nil
	}
	all, err := h.Networks(ctx)
	if err != nil {
		return err
	}
	name := k3dNetwork(f.name)
	if !slices.ContainsFunc(all, func(n docker.Network) bool { return n.Name == name }) {
		return nil
	}
	if err := h.RemoveNetwork(ctx, name); err != nil && !engineapi.IsNotFound(err) {
		return fmt.Errorf("remove the network %s: %w", name, err)
	}
	return nil
}

// poll is how often a cluster that starts is asked.
const poll = 200 * time.Millisecond

// reach brings a cluster to a state, verifies one that runs then, and returns it; "" only reads it.
func (h *host) reach(ctx context.Context, id string, state resource.State, show func(provider.Progress)) (resource.Observed, error) {
	ctx, stop := context.WithTimeoutCause(ctx, startWait, errSlow)
	defer stop()
	f, err := h.byID(ctx, id)
	switch {
	case err != nil:
		return resource.Observed{}, err
	case f == nil:
		return resource.Observed{}, &provider.Error{Class: provider.NotFound, Err: errors.New("the cluster does not exist")}
	}
	if err := h.switchTo(ctx, f, state); err != nil {
		return resource.Observed{}, err
	}
	var last resource.Observed // as it was read in full
	for {
		o, now, err := h.reread(ctx, id)
		if err != nil && ctx.Err() != nil && last.ID != "" { // the time was over while it was read again
			return resource.Observed{}, f.late(last, state, context.Cause(ctx))
		}
		done := state == "" || state == resource.StateRunning && o.Health == resource.Healthy || state == resource.StateStopped && o.Health == resource.Stopped
		switch {
		case err != nil:
			return resource.Observed{}, uncertain("the cluster cannot be read", err)
		case state == resource.StateRunning && unfinished(o):
			return o, fmt.Errorf("%w: %s", provider.ErrReplace, o.Message)
		case done && state == resource.StateRunning:
			return o, h.hookVerify(ctx, now, &o, show)
		case done:
			return o, nil
		}
		select {
		case <-ctx.Done():
			return resource.Observed{}, now.late(o, state, context.Cause(ctx))
		case <-time.After(poll):
			f, last = now, o
		}
	}
}

// reread reads a cluster that existed a moment ago.
func (h *host) reread(ctx context.Context, id string) (resource.Observed, *found, error) {
	f, err := h.byID(ctx, id)
	if err == nil && f == nil {
		err = errNotListed
	}
	if err != nil {
		return resource.Observed{}, nil, err
	}
	o, err := h.observe(ctx, f)
	return o, f, err
}

// switchTo starts or stops the containers of a cluster.
func (h *host) switchTo(ctx context.Context, f *found, state resource.State) error {
	nodes := f.nodes()
	if state == resource.StateStopped {
		slices.Reverse(nodes)
	}
	for _, n := range nodes {
		var err error
		switch {
		case state == resource.StateStopped && n.State == "running":
			err = h.Stop(ctx, n.ID, stopWait)
		case state == resource.StateRunning && n.State == "paused":
			err = h.Unpause(ctx, n.ID)
		case state == resource.StateRunning && n.State != "running":
			err = h.Start(ctx, n.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", n.Name(), err)
		}
	}
	return nil
}

// unfinished reports whether a cluster was read, and its creation was interrupted.
func unfinished(o resource.Observed) bool {
	v, known := o.Attrs.Get("complete")
	return known && v == resource.Bool(false)
}

var errSlow = fmt.Errorf("it did not get there in %s", startWait)

// late is the error of a cluster that has not come to its state in time, or until it was interrupted.
func (f *found) late(o resource.Observed, state resource.State, err error) error {
	out := &provider.Error{Class: provider.Uncertain, Err: fmt.Errorf("it is %s (%s): %w", o.Health, o.Message, err)}
	if errors.Is(err, errSlow) {
		out.Class, out.Code = provider.Permanent, provider.NotHealthy
	}
	if state == resource.StateRunning && len(f.servers) > 0 {
		out.Hint = fmt.Sprintf("read the log of the container %s; if the cluster cannot be saved, delete it with `%s`, and the next apply creates it again",
			f.servers[0].Name(), f.deletion())
	}
	return out
}

// deletion is the command with which a user deletes a cluster.
func (f *found) deletion() string {
	if f.program.name == withK3d {
		return "k3d cluster delete " + f.name
	}
	return "kind delete cluster --name " + f.name
}

var errNotListed = errors.New("it is not listed")

func uncertain(what string, err error) error {
	if err == nil {
		err = errNotListed
	}
	return &provider.Error{Class: provider.Uncertain, Err: fmt.Errorf("%s: %w", what, err)}
}
