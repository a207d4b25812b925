package edge

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// follow sends nodes what their deployments depend on, where that is another order than the one they hold: no
// request follows from it, so that they would have it with the next one only. One that is not connected gets it when it
// is. all are the configured resources of a site, called are those that have another name on their node.
func (p *Provider) follow(all []resource.Desired, called map[resource.Ref]string) error {
	orders := map[resource.Scope]map[string][]string{}
	for i := range all {
		d := &all[i]
		if d.Ref.Kind != Kind || d.Ref.Provider != Name {
			continue
		}
		names := orders[d.Ref.Scope()]
		if names == nil {
			names = map[string][]string{}
			orders[d.Ref.Scope()] = names
		}
		names[cmp.Or(called[d.Ref], d.Ref.Name)] = after(d, called)
	}
	var errs []error
	for scope, names := range orders {
		errs = append(errs, p.nodes.follow(scope, names, p.opts.Version(all[0].Ref.Stack)))
	}
	return errors.Join(errs...)
}

// follow tells one node the order of its deployments, if it is another one. The node has it for good when it returns,
// or
// when it dials next.
func (n *nodes) follow(scope resource.Scope, names map[string][]string, commit string) error {
	n.mu.Lock()
	x := n.all[scope]
	n.mu.Unlock()
	if x == nil {
		return nil
	}
	x.telling.Lock()
	defer x.telling.Unlock()
	n.mu.Lock()
	last, ahead := x.last, x.ahead != nil
	n.mu.Unlock()
	d, changed := ordered(last.desired, names)
	if ahead || !changed {
		return nil
	}
	d.Generation, d.Epoch = last.held.Generation+1, n.desk.epoch()
	if commit != "" {
		d.Commit = commit
	}
	t, err := n.desk.tell(scope.Location, d)
	if err != nil {
		return err
	}
	n.mu.Lock()
	x.last = t
	send := x.send
	n.mu.Unlock()
	if send == nil {
		return nil
	}
	return send(link.ToNode{Desired: &t.signed})
}

// ordered is a desired state with another order of its deployments; false if it is the same one. What is not configured
// keeps what it depended on, until it is deleted.
func ordered(d link.Desired, names map[string][]string) (link.Desired, bool) {
	changed := false
	d.Deployments = slices.Clone(d.Deployments)
	for i := range d.Deployments {
		x := &d.Deployments[i]
		if now, is := names[x.Name]; is && !slices.Equal(now, x.After) {
			x.After, changed = now, true
		}
	}
	return d, changed
}
