package charts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// hostNames maps resources of a chart to their names on the host, if these differ. Podman renames containers alone: a
// volume that was renamed in the chart keeps its name there, and a volume of the new name would be empty.
type hostNames map[named]string

// add keeps the name of a managed resource, unless the next update renames it.
func (h hostNames) add(entries []provider.Entry, o *resource.Observed) {
	if !o.Managed() || o.Natural == "" {
		return
	}
	for _, e := range entries {
		if e.Name == o.Ref.Provider && !slices.ContainsFunc(e.Kinds(), func(k resource.Kind) bool {
			return k.Name == o.Ref.Kind && k.Renames
		}) {
			h[named{o.Ref.Kind, o.Ref.Name}] = o.Natural
		}
	}
}

func (h hostNames) ref(r resource.Ref) resource.Ref {
	if name, is := h[named{r.Kind, r.Name}]; is {
		r.Name = name
	}
	return r
}

// of returns a resource under its name on the host. So are its references.
func (h hostNames) of(d resource.Desired) resource.Desired {
	if len(h) == 0 {
		return d
	}
	d.Ref, d.DependsOn = h.ref(d.Ref), slices.Clone(d.DependsOn)
	for i := range d.DependsOn {
		d.DependsOn[i] = h.ref(d.DependsOn[i])
	}
	d.Attrs, _ = resource.MapRefs(d.Attrs, func(r resource.Reference) resource.Value {
		r.Ref = h.ref(r.Ref)
		return r
	}).(resource.Attrs)
	return d
}

// plannedNames returns the names on the host after an apply of a plan: a replaced resource gets the name of the chart.
func plannedNames(entries []provider.Entry, p *engine.Planned) hostNames {
	out := hostNames{}
	out.addAll(entries, p.Live, p.Stacks)
	for i := range p.Plan.Decisions {
		if d := &p.Plan.Decisions[i]; d.Action == decider.Replace || d.Action == decider.Revert {
			delete(out, named{d.Ref.Kind, d.Ref.Name})
		}
	}
	return out
}

// addAll keeps the names of the resources of some stacks.
func (h hostNames) addAll(entries []provider.Entry, live resource.LiveState, stacks []string) {
	for _, s := range live.Scopes {
		for i := range s.Resources {
			if o := &s.Resources[i]; slices.Contains(stacks, o.Ref.Stack) {
				h.add(entries, o)
			}
		}
	}
}

// recordedNames returns the recorded names of a stack on the host; none if nothing was applied.
func recordedNames(c *command.Call, dir, stack string) (hostNames, error) {
	if c.StoreName() == "" {
		if _, err := os.Stat(filepath.Join(dir, command.StoreFile)); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	l, err := session.OpenLedger(c, dir)
	if err != nil {
		return nil, err
	}
	live, _, err := l.LiveState(c, storage.Now)
	out := hostNames{}
	out.addAll(c.Entries(), live, []string{stack})
	return out, errors.Join(err, l.Close())
}
