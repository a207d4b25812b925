package cluster

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/resource"
)

// routes are those of one folder of HAProxy's.
type routes struct {
	haproxy.Folder
	scope resource.Scope
	group *haproxy.Group
}

// locateHAProxy resolves the word haproxy to the folder of the option.
func (p *Provider) locateHAProxy(location string) (string, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(location, string(onHAProxy)), ":")
	if path == "" {
		path = p.opts.HAProxy.Path
	}
	if !filepath.IsAbs(path) {
		return "", permanent("", "set options.cluster.haproxy to the absolute path of a folder that HAProxy loads", "no folder of HAProxy is configured")
	}
	return string(onHAProxy) + ":" + filepath.Clean(path), nil
}

func (p *Provider) routes(_ context.Context, location string) (*routes, error) {
	at, err := p.locateHAProxy(location)
	if err != nil {
		return nil, err
	}
	f := p.opts.HAProxy
	f.Path = strings.TrimPrefix(at, string(onHAProxy)+":")
	return &routes{f, resource.Scope{Provider: Name, Location: at}, &p.routing}, nil
}

func (x *routes) list(ctx context.Context) (out []resource.Observed, err error) {
	all, err := x.Read(ctx)
	for _, s := range all {
		out = append(out, x.observed(s))
	}
	return out, err
}

func (x *routes) observed(s haproxy.State) resource.Observed {
	o := resource.Observed{
		Ref: resource.Ref{Provider: Name, Location: x.scope.Location, Kind: kindRoute, Name: s.Name},
		ID:  s.Backend(), Marks: parseMarks([]byte(s.Note), x.scope, kindRoute), Health: resource.Healthy,
		Attrs: resource.AttrsOf(values{"address": resource.String(s.Address), "port": resource.Int(s.Port)}),
	}
	switch {
	case s.Problem != "":
		o.Health, o.Message = resource.Failing, s.Problem
	case s.Off:
		o.Health, o.Message = resource.Stopped, "routes.map does not lead to it"
	}
	return o
}

// check: HAProxy answers and uses the map, and no other part of its configuration has the backend.
func (x *routes) check(ctx context.Context, r provider.Request) error {
	all, err := x.Read(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Backend() != r.Have.ID && s.Name == r.Desired.Ref.Name {
			return x.taken(r)
		}
	}
	return x.foreign(ctx, r)
}

func (x *routes) foreign(ctx context.Context, r provider.Request) error {
	name := haproxy.Route{Name: r.Desired.Ref.Name}
	foreign, err := x.Foreign(ctx, name.Name)
	if err == nil && foreign {
		err = conflict("", "rename one of them", "another file of HAProxy's configuration has a backend %s", name.Backend())
	}
	return err
}

func (x *routes) taken(r provider.Request) error {
	return conflict("", "rename it, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "a route %s exists in %s", r.Desired.Ref.Name, x.Path)
}

// change changes one route, with others that change at the time, and reads it. do gets the route, or the zero one where there is none; a result
// without a name removes it.
func (x *routes) change(ctx context.Context, name string, do func(haproxy.Route) (haproxy.Route, error)) (resource.Observed, error) {
	err := x.group.Change(ctx, x.Folder, func(all map[string]haproxy.Route) error {
		next, err := do(all[name])
		switch {
		case err != nil:
			return err
		case next.Name == "":
			delete(all, name)
		default:
			all[name] = next
		}
		return nil
	})
	if err != nil {
		return resource.Observed{}, err
	}
	states, err := x.Read(ctx)
	if err != nil {
		return resource.Observed{}, uncertain("the route cannot be read", err)
	}
	for _, s := range states {
		if s.Name == name {
			return x.observed(s), nil
		}
	}
	return resource.Observed{}, nil
}

func (x *routes) create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if err := x.foreign(ctx, r); err != nil {
		return resource.Observed{}, err
	}
	note, err := marksText(r, r.Key)
	if err != nil {
		return resource.Observed{}, err
	}
	return x.change(ctx, r.Desired.Ref.Name, func(have haproxy.Route) (haproxy.Route, error) {
		if have.Name != "" && parseMarks([]byte(have.Note), x.scope, kindRoute).Key != r.Key {
			return have, x.taken(r)
		}
		return routeTo(r, haproxy.Route{Name: r.Desired.Ref.Name, Note: string(note), Off: r.Desired.State == resource.StateStopped}), nil
	})
}

// routeTo is a route with the configured address.
func routeTo(r provider.Request, to haproxy.Route) haproxy.Route {
	to.Address, _ = r.Desired.Attrs.Text("address")
	port, _ := r.Desired.Attrs.Int("port")
	to.Port = int(port)
	return to
}

// update brings HAProxy in step with the files too.
func (x *routes) update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return x.change(ctx, haproxy.NameOf(r.Have.ID), func(have haproxy.Route) (haproxy.Route, error) {
		if err := x.same(have, r); err != nil {
			return have, err
		}
		for _, c := range r.Changes {
			change(&have, c)
		}
		return have, nil
	})
}

// change makes one change to a route.
func change(to *haproxy.Route, c resource.Change) {
	text, _ := c.To.(resource.String)
	switch number, _ := c.To.(resource.Int); {
	case c.On == resource.OnState:
		to.Off = resource.State(text) == resource.StateStopped
	case c.Path == "address":
		to.Address = string(text)
	case c.Path == "port":
		to.Port = int(number)
	}
}

// same refuses a route that another one has taken the place of.
func (x *routes) same(have haproxy.Route, r provider.Request) error {
	if have.Name == "" || parseMarks([]byte(have.Note), x.scope, kindRoute).Key != r.Have.Marks.Key {
		return &provider.Error{Class: provider.NotFound, Err: errors.New("it does not exist any more")}
	}
	return nil
}

// remove removes the route, and no other one of its name.
func (x *routes) remove(ctx context.Context, r provider.Request) error {
	_, err := x.change(ctx, haproxy.NameOf(r.Have.ID), func(have haproxy.Route) (haproxy.Route, error) {
		if x.same(have, r) != nil {
			return have, nil
		}
		return haproxy.Route{}, nil
	})
	return err
}

func (x *routes) mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	note, err := marksText(r, r.MarkKey)
	if err != nil {
		return resource.Observed{}, err
	}
	return x.change(ctx, haproxy.NameOf(r.Have.ID), func(have haproxy.Route) (haproxy.Route, error) {
		if err := x.same(have, r); err != nil && have.Note != string(note) { // else it is marked already
			return have, err
		}
		have.Note = string(note)
		return have, nil
	})
}
