// Package environment has the environments of a Portainer, and the agents in clusters that connect them.
package environment

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

const (
	// markTag starts the name of the tag with the marks of an environment.
	markTag = "ovi "
	// managedTag is on all environments that ovi created, for users.
	managedTag = "managed-by-ovi"
)

// endpoints are the environments of one Portainer.
type endpoints struct {
	portainer.Client
	scope  resource.Scope
	digest func(ref resource.Ref, path, plain string) resource.Digest
}

// Locate resolves the word portainer to the URL of the option.
func Locate(location, configured string) (string, error) {
	at := strings.TrimPrefix(strings.TrimPrefix(location, string(system.OnPortainer)), ":")
	if at == "" {
		at = configured
	}
	if !strings.HasPrefix(at, "http://") && !strings.HasPrefix(at, "https://") {
		return "", system.Mistake("", "set options.cluster.portainer to its URL", "no Portainer is configured")
	}
	return string(system.OnPortainer) + ":" + strings.TrimRight(at, "/"), nil
}

// Endpoints returns the environments of one Portainer; digest may be nil.
func Endpoints(location string, c portainer.Client,
	digest func(ref resource.Ref, path, plain string) resource.Digest,
) (system.Verbs, error) {
	at, err := Locate(location, c.URL)
	c.URL = strings.TrimPrefix(at, string(system.OnPortainer)+":")
	return &endpoints{c, resource.Scope{Provider: system.Name, Location: at}, digest}, err
}

func (x *endpoints) List(ctx context.Context) (out []resource.Observed, err error) {
	all, err := x.Endpoints(ctx)
	if err != nil {
		return nil, err
	}
	names, err := x.tagNames(ctx)
	for i := range all {
		if all[i].IsEdge() {
			out = append(out, x.observed(&all[i], names))
		}
	}
	slices.SortFunc(out, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, err
}

func (x *endpoints) tagNames(ctx context.Context) (map[int]string, error) {
	out := map[int]string{}
	all, err := x.Tags(ctx)
	for _, t := range all {
		out[t.ID] = t.Name
	}
	return out, err
}

func (x *endpoints) ref(e *portainer.Endpoint) resource.Ref {
	return resource.Ref{Provider: system.Name, Location: x.scope.Location, Kind: system.KindEndpoint, Name: e.Name}
}

func (x *endpoints) observed(e *portainer.Endpoint, tags map[int]string) resource.Observed {
	id := strconv.Itoa(e.ID)
	o := resource.Observed{
		Ref: x.ref(e), ID: id, Health: resource.Healthy,
	}
	for _, t := range e.TagIDs {
		if text, ok := strings.CutPrefix(tags[t], markTag); ok {
			o.Marks = system.ParseMarks([]byte(text), x.scope, system.KindEndpoint)
		}
	}
	if !e.Beats && e.Seen == 0 {
		o.Message = "its agent has never connected"
	}
	set := system.Values{
		"group": resource.Int(e.GroupID), "url": resource.String(e.Server()), "edge_id": resource.String(id),
	}
	if x.digest != nil && e.EdgeKey != "" {
		set["edge_key"] = x.digest(o.Ref, "edge_key", e.EdgeKey)
	}
	o.Attrs = resource.AttrsOf(set)
	return o
}

// named finds the environment of a name; false if there is none.
func (x *endpoints) named(ctx context.Context, name string) (resource.Observed, bool, error) {
	all, err := x.List(ctx)
	i := slices.IndexFunc(all, func(o resource.Observed) bool { return o.Ref.Name == name })
	if err != nil || i < 0 {
		return resource.Observed{}, false, err
	}
	return all[i], true, nil
}

func (x *endpoints) Check(ctx context.Context, r provider.Request) error {
	have, exists, err := x.named(ctx, r.Desired.Ref.Name)
	if err == nil && exists && have.ID != r.Have.ID {
		err = x.taken(r)
	}
	return err
}

func (x *endpoints) taken(r provider.Request) error {
	return system.InUse("", "rename it, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
		"Portainer has an environment %s", r.Desired.Ref.Name)
}

// Create makes the environment with its marks in one call; the tag that holds them is made before.
func (x *endpoints) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	have, exists, err := x.named(ctx, r.Desired.Ref.Name)
	switch {
	case err != nil:
		return resource.Observed{}, err
	case exists && have.Marks.Key == r.Key:
		return have, nil
	case exists:
		return resource.Observed{}, x.taken(r)
	}
	text, err := system.MarksText(r, r.Key)
	if err != nil {
		return resource.Observed{}, err
	}
	var tags []int
	for _, name := range []string{markTag + string(text), managedTag} {
		id, err := x.Tag(ctx, name)
		if err != nil {
			return resource.Observed{}, err
		}
		tags = append(tags, id)
	}
	server, _ := r.Desired.Attrs.Text("url")
	group, _ := r.Desired.Attrs.Int("group")
	e, err := x.Client.Create(ctx, r.Desired.Ref.Name, server, int(group), tags)
	if portainer.IsTaken(err) {
		err = x.taken(r)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return x.observed(&e, map[int]string{tags[0]: markTag + string(text)}), nil
}

func (x *endpoints) get(ctx context.Context, id string) (portainer.Endpoint, error) {
	n, err := strconv.Atoi(id)
	if err != nil {
		return portainer.Endpoint{}, provider.Errorf("invalid ID of an environment %q", id)
	}
	return x.Endpoint(ctx, n)
}

func (x *endpoints) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	e, err := x.get(ctx, r.Have.ID)
	if err != nil {
		return resource.Observed{}, err
	}
	for _, c := range r.Changes {
		group, ok := c.To.(resource.Int)
		if c.On != resource.OnAttribute || c.Path != "group" || !ok {
			return resource.Observed{}, provider.ErrReplace
		}
		if err := x.Move(ctx, e.ID, int(group)); err != nil {
			return resource.Observed{}, err
		}
		e.GroupID = int(group)
	}
	names, err := x.tagNames(ctx)
	return x.observed(&e, names), err
}

// Remove deletes the environment, and the tag with its marks.
func (x *endpoints) Remove(ctx context.Context, r provider.Request) error {
	e, err := x.get(ctx, r.Have.ID)
	if portainer.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := x.tagNames(ctx)
	if err != nil {
		return err
	}
	if err := x.Delete(ctx, e.ID); err != nil && !portainer.IsNotFound(err) {
		return err
	}
	for _, t := range e.TagIDs {
		if strings.HasPrefix(names[t], markTag) {
			if err := x.DeleteTag(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reveal gives the key of an environment.
func (x *endpoints) Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error) {
	e, err := x.get(ctx, have.ID)
	if err == nil && path != "edge_key" {
		err = system.Mistake("", "", "%s has no %s", have.Ref.Short(), path)
	}
	if err != nil {
		return resource.Secret{}, err
	}
	var d resource.Digest
	if x.digest != nil {
		d = x.digest(x.ref(&e), path, e.EdgeKey) // as it is observed
	}
	return resource.NewSecret(e.EdgeKey, d), nil
}
