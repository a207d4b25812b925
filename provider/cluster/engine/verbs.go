package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/k3d"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Create creates a cluster, unless an earlier call with the same key did, and waits until it is in service.
func (h *Host) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
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
			return resource.Observed{}, system.Uncertain("the new cluster is not listed", err)
		}
		if err := h.Touch(ctx, have.id, completeFile); err != nil {
			return resource.Observed{}, system.Uncertain("its creation was not marked as finished", err)
		}
	}
	state := r.Desired.State
	if state == "" {
		state = resource.StateRunning
	}
	o, err := h.reach(ctx, have.id, state, r.Progress)
	if late := new(provider.Error); errors.As(err, &late) && late.Code == provider.NotHealthy {
		late.Cause = provider.UnknownResult // it exists: the next observation shows its state
	}
	return o, err
}

// existing finds the cluster that an earlier call with the same key created, and removes what an
// interrupted call left.
func (h *Host) existing(ctx context.Context, with string, r provider.Request) (*found, error) {
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
			return nil, system.InUse("", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
				"a cluster %s of %s exists", name, with)
		case o.Condition == "":
			return have, nil
		case o.Condition != resource.Unfinished:
			return nil, system.InUse("", "repair it, or delete it with `ovi apply --replace "+r.Desired.Ref.Short()+"`",
				"a cluster %s of %s exists and is %s: %s", name, with, o.Condition, o.Message)
		}
	}
	return nil, h.clear(ctx, have, r)
}

// begin lets kind, k3d or the user's command create the cluster.
func (h *Host) begin(ctx context.Context, with string, r provider.Request) error {
	switch {
	case len(h.Hooks.Create) > 0:
		return h.hookCreate(ctx, with, r)
	case with == k3d.Name:
		return h.createK3d(ctx, r)
	}
	return h.createKind(ctx, r)
}

// Update starts or stops a cluster.
func (h *Host) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	var state resource.State
	for _, c := range r.Changes {
		switch {
		case c.On == resource.OnState && r.Have.Condition == "":
			to, _ := c.To.(resource.String)
			state = resource.State(to)
		case c.On == resource.OnAttribute && (c.Path == "node_port" || c.Path == "pf_port"): // in the record alone
		default:
			return resource.Observed{}, provider.ErrReplace
		}
	}
	return h.reach(ctx, r.Have.ID, state, r.Progress)
}

// Remove deletes the cluster that has the ID, if there is one.
func (h *Host) Remove(ctx context.Context, r provider.Request) error {
	f, err := h.byID(ctx, r.Have.ID)
	if err != nil || f == nil {
		return err
	}
	return h.clear(ctx, f, r)
}

// clear lets kind, k3d or the user's command delete a cluster, and checks that nothing of it is listed.
func (h *Host) clear(ctx context.Context, f *found, r provider.Request) error {
	if err := h.endCommand(ctx, f); err != nil {
		return provider.Errorf("end the command that creates the cluster: %w", err)
	}
	by, err := h.wipe(ctx, f, r)
	if err != nil {
		return err
	}
	left, err := h.named(ctx, f.Program.Name, f.name)
	switch {
	case err != nil:
		return system.Uncertain("it is unknown what is left of the cluster", err)
	case left != nil:
		return system.Mistake("", "remove them by hand", "%s deleted the cluster, and %d of its containers are left", by,
			len(left.nodes()))
	}
	if err := h.RemoveVolume(ctx, noteOf(f.Program.Name, f.name)); err != nil {
		return provider.Errorf("remove the note of its creation: %w", err)
	}
	if f.Program.Name != k3d.Name {
		return nil
	}
	// k3d leaves the network where it did not make it itself.
	all, err := h.Networks(ctx)
	if err != nil {
		return err
	}
	name := k3d.Network(f.name)
	if !slices.ContainsFunc(all, func(n docker.Network) bool { return n.Name == name }) {
		return nil
	}
	if err := h.RemoveNetwork(ctx, name); err != nil && !engineapi.IsNotFound(err) {
		return provider.Errorf("remove the network %s: %w", name, err)
	}
	return nil
}

// wipe deletes a cluster, and names what did.
func (h *Host) wipe(ctx context.Context, f *found, r provider.Request) (by string, err error) {
	if words := h.Hooks.Delete; len(words) > 0 {
		attrs := r.Have.Attrs.With("provider", resource.String(f.Program.Name))
		return "delete_command", h.hook(ctx, deleteWait, r.Progress, "delete_command", words, h.ref(f.name), attrs)
	}
	args := slices.Concat(f.Program.Deletion, []string{f.name})
	return f.Program.Name, h.run(ctx, deleteWait, r.Progress, f.Program.Name, args...)
}

// reach brings a cluster to a state, verifies one that runs then, and returns it; "" only reads it.
func (h *Host) reach(ctx context.Context, id string, state resource.State,
	show func(provider.Progress),
) (resource.Observed, error) {
	ctx, stop := context.WithTimeoutCause(ctx, startWait, errSlow)
	defer stop()
	f, err := h.byID(ctx, id)
	switch {
	case err != nil:
		return resource.Observed{}, err
	case f == nil:
		return resource.Observed{}, &provider.Error{
			Cause: provider.Configuration, Absent: true, Err: errors.New("the cluster does not exist"),
		}
	}
	if err := h.switchTo(ctx, f, state); err != nil {
		return resource.Observed{}, err
	}
	defer provider.Waiting(ctx)()
	var last resource.Observed // as it was read in full
	for {
		o, now, err := h.reread(ctx, id)
		if err != nil && ctx.Err() != nil && last.ID != "" { // the time was over while it was read again
			return resource.Observed{}, f.late(last, state, context.Cause(ctx))
		}
		done := state == "" || state == resource.StateRunning && o.Health == resource.Healthy ||
			state == resource.StateStopped && o.Health == resource.Stopped
		switch {
		case err != nil:
			return resource.Observed{}, system.Uncertain("the cluster cannot be read", err)
		case state == resource.StateRunning && o.Condition == resource.Unfinished:
			return o, provider.Errorf("%w: %s", provider.ErrReplace, o.Message)
		case state == resource.StateRunning && o.Condition == resource.Broken:
			return o, system.Mistake("", "repair it, or add --replace "+o.Ref.Short(), "it is broken: %s",
				o.Message)
		case done && state == resource.StateRunning:
			return o, h.hookVerify(ctx, now, &o, show)
		case done:
			return o, nil
		}
		select {
		case <-ctx.Done():
			return resource.Observed{}, now.late(o, state, context.Cause(ctx))
		case <-time.After(system.Poll):
			f, last = now, o
		}
	}
}

// reread reads a cluster that existed a moment ago.
func (h *Host) reread(ctx context.Context, id string) (resource.Observed, *found, error) {
	f, err := h.byID(ctx, id)
	if err == nil && f == nil {
		err = system.ErrNotListed
	}
	if err != nil {
		return resource.Observed{}, nil, err
	}
	o, err := h.observe(ctx, f)
	return o, f, err
}

// switchTo starts or stops the containers of a cluster.
func (h *Host) switchTo(ctx context.Context, f *found, state resource.State) error {
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
			return provider.Errorf("%s: %w", n.Name(), err)
		}
	}
	return nil
}

var errSlow = fmt.Errorf("it did not get there in %s", startWait)

// late is the error of a cluster that has not come to its state in time, or until it was interrupted.
func (f *found) late(o resource.Observed, state resource.State, err error) error {
	out := &provider.Error{
		Cause: provider.UnknownResult, Err: provider.Errorf("it is %s (%s): %w", o.Health, o.Message, err),
	}
	if errors.Is(err, errSlow) {
		out.Cause, out.Code = provider.Unclassified, provider.NotHealthy
	}
	if state == resource.StateRunning && len(f.servers) > 0 {
		out.Quotes = true
		out.Hint = fmt.Sprintf("read the log of the container %s; if the cluster cannot be saved, delete it with `%s`, and "+
			"the next apply creates it again",
			f.servers[0].Name(), strings.Join(slices.Concat([]string{f.Program.Name}, f.Program.Deletion, []string{f.name}),
				" "))
	}
	return out
}
