// Package route has the routes of HAProxy as resources.
package route

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// routes are those of one folder of HAProxy's.
type routes struct {
	haproxy.Folder
	scope resource.Scope
	group *haproxy.Group
}

// Locate resolves the word haproxy to the folder of the option.
func Locate(location, configured string) (string, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(location, string(system.OnHAProxy)), ":")
	if path == "" {
		path = configured
	}
	if !filepath.IsAbs(path) {
		return "", system.Mistake("", "set options.cluster.haproxy to the absolute path of a folder that HAProxy loads",
			"no folder of HAProxy is configured")
	}
	return string(system.OnHAProxy) + ":" + filepath.Clean(path), nil
}

// Open returns the routes of one folder; those of a group that change at a time cost one reload.
func Open(location string, f haproxy.Folder, group *haproxy.Group) (system.Verbs, error) {
	at, err := Locate(location, f.Path)
	if err != nil {
		return nil, err
	}
	f.Path = strings.TrimPrefix(at, string(system.OnHAProxy)+":")
	return &routes{f, resource.Scope{Provider: system.Name, Location: at}, group}, nil
}

func (x *routes) List(ctx context.Context) (out []resource.Observed, err error) {
	all, err := x.Read(ctx)
	for _, s := range all {
		out = append(out, x.observed(s))
	}
	return out, err
}

func (x *routes) observed(s haproxy.State) resource.Observed {
	o := resource.Observed{
		Ref: resource.Ref{Provider: system.Name, Location: x.scope.Location, Kind: system.KindRoute, Name: s.Name},
		ID:  s.Backend(), Marks: system.ParseMarks([]byte(s.Note), x.scope, system.KindRoute), Health: resource.Healthy,
		Attrs: resource.AttrsOf(system.Values{"address": resource.String(s.Address), "port": resource.Int(s.Port)}),
	}
	switch {
	case s.Problem != "":
		o.Health, o.Message = resource.Failing, s.Problem
	case s.Off:
		o.Health, o.Message = resource.Stopped, "routes.map does not lead to it"
	}
	return o
}

// Check: HAProxy answers and uses the map, and no other part of its configuration has the backend.
func (x *routes) Check(ctx context.Context, r provider.Request) error {
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
		err = system.InUse("", "rename one of them", "another file of HAProxy's configuration has a backend %s",
			name.Backend())
	}
	return err
}

func (x *routes) taken(r provider.Request) error {
	return system.InUse("", "rename it, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "a route %s exists in %s",
		r.Desired.Ref.Name, x.Path)
}

// change changes one route, with others that change at the time, and reads it. do gets the route, or the zero one
// where there is none; a result without a name removes it.
func (x *routes) change(ctx context.Context, name string,
	do func(haproxy.Route) (haproxy.Route, error),
) (resource.Observed, error) {
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
		return resource.Observed{}, system.Uncertain("the route cannot be read", err)
	}
	for _, s := range states {
		if s.Name == name {
			return x.observed(s), nil
		}
	}
	return resource.Observed{}, nil
}

func (x *routes) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if err := x.foreign(ctx, r); err != nil {
		return resource.Observed{}, err
	}
	note, err := system.MarksText(r, r.Key)
	if err != nil {
		return resource.Observed{}, err
	}
	return x.change(ctx, r.Desired.Ref.Name, func(have haproxy.Route) (haproxy.Route, error) {
		if have.Name != "" && system.ParseMarks([]byte(have.Note), x.scope, system.KindRoute).Key != r.Key {
			return have, x.taken(r)
		}
		to := haproxy.Route{
			Name: r.Desired.Ref.Name, Note: string(note), Off: r.Desired.State == resource.StateStopped,
		}
		to.Address, _ = r.Desired.Attrs.Text("address")
		port, _ := r.Desired.Attrs.Int("port")
		to.Port = int(port)
		return to, nil
	})
}

// Update brings HAProxy in step with the files too.
func (x *routes) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return x.change(ctx, haproxy.NameOf(r.Have.ID), func(have haproxy.Route) (haproxy.Route, error) {
		if err := x.same(have, r); err != nil {
			return have, err
		}
		for _, c := range r.Changes {
			text, _ := c.To.(resource.String)
			switch number, _ := c.To.(resource.Int); {
			case c.On == resource.OnState:
				have.Off = resource.State(text) == resource.StateStopped
			case c.Path == "address":
				have.Address = string(text)
			case c.Path == "port":
				have.Port = int(number)
			}
		}
		return have, nil
	})
}

// same refuses a route that another one has taken the place of.
func (x *routes) same(have haproxy.Route, r provider.Request) error {
	if have.Name == "" || system.ParseMarks([]byte(have.Note), x.scope, system.KindRoute).Key != r.Have.Marks.Key {
		return &provider.Error{Cause: provider.Configuration, Absent: true, Err: errors.New("it does not exist any more")}
	}
	return nil
}

// Remove removes the route, and no other one of its name.
func (x *routes) Remove(ctx context.Context, r provider.Request) error {
	_, err := x.change(ctx, haproxy.NameOf(r.Have.ID), func(have haproxy.Route) (haproxy.Route, error) {
		if x.same(have, r) != nil {
			return have, nil
		}
		return haproxy.Route{}, nil
	})
	return err
}

func (x *routes) Mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	note, err := system.MarksText(r, r.MarkKey)
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
