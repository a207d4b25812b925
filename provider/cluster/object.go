package cluster

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/resource"
)

// metadata is that of an object of Kubernetes.
type metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid,omitempty"`
	Created     *time.Time        `json:"creationTimestamp,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Owners      []owner           `json:"ownerReferences,omitempty"`
}

type owner struct {
	UID string `json:"uid"`
}

// object is what a kind says about one of its objects.
type object interface {
	meta() *metadata
	fill(o *resource.Observed) // health and attributes
}

// objects are those of one kind in a namespace of a cluster, and its verbs.
type objects struct {
	*kube.Client
	scope  resource.Scope
	kind   string
	path   string // of the list
	prefix string // of the names of objects, before that of the resource
	query  url.Values
	empty  func() object
	build  func(r provider.Request) (object, error) // what is configured
	// gone waits for what must end before the next deletion, once an object was applied or removed. Nil: nothing.
	gone func(ctx context.Context, uid string, left object) error
}

// inner reaches the cluster of a location.
func (p *Provider) inner(ctx context.Context, location string) (*kube.Client, resource.Scope, error) {
	at, err := p.Locate(ctx, location)
	if err != nil {
		return nil, resource.Scope{}, err
	}
	c, err := p.api(ctx, at)
	return c, resource.Scope{Provider: Name, Location: at}, err
}

// listOf is a list of objects as the API answers it, each read on its own.
type listOf struct {
	Items []json.RawMessage `json:"items"`
}

func (x *objects) list(ctx context.Context) (out []resource.Observed, err error) {
	var all listOf
	if err := x.Get(ctx, x.path, x.query, &all); err != nil {
		return nil, err
	}
	for _, text := range all.Items {
		o := x.empty()
		if err := json.Unmarshal(text, o); err != nil {
			return nil, err
		}
		out = append(out, x.observed(o))
	}
	slices.SortFunc(out, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

func (x *objects) at(name string) string { return x.path + "/" + name }

func (x *objects) get(ctx context.Context, name string) (object, error) {
	o := x.empty()
	return o, x.Get(ctx, x.at(name), nil, o)
}

func (x *objects) observed(of object) resource.Observed {
	m := of.meta()
	o := resource.Observed{
		Ref: resource.Ref{Provider: Name, Location: x.scope.Location, Kind: x.kind, Name: m.Name[min(len(x.prefix), len(m.Name)):]},
		ID:  m.Name, UID: m.UID, Marks: marksIn(m.Annotations, x.scope, x.kind), Health: resource.Healthy,
	}
	if m.Created != nil {
		o.Since = *m.Created
	}
	of.fill(&o)
	return o
}

// check: the objects can be read, and the name is free.
func (x *objects) check(ctx context.Context, r provider.Request) error {
	o, err := x.get(ctx, x.prefix+r.Desired.Ref.Name)
	if kube.IsNotFound(err) || err == nil && o.meta().Name == r.Have.ID {
		return nil
	}
	if err == nil {
		err = x.taken(r)
	}
	return err
}

func (x *objects) taken(r provider.Request) error {
	return conflict("", "rename it, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "%s exists in the cluster", x.prefix+r.Desired.Ref.Name)
}

// create applies the object, if there is none of its name. Two creations at a time conflict on the server.
func (x *objects) create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	o, err := x.get(ctx, x.prefix+r.Desired.Ref.Name)
	switch {
	case err == nil && o.meta().Annotations[markKey] == r.Key:
		return x.observed(o), nil
	case err == nil:
		return resource.Observed{}, x.taken(r)
	case !kube.IsNotFound(err):
		return resource.Observed{}, err
	}
	return x.apply(ctx, r, x.prefix+r.Desired.Ref.Name, "", marksFor(r, r.Key))
}

// update applies the whole configuration again, with the marks as they are.
func (x *objects) update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if len(r.Changes) == 0 {
		o, err := x.get(ctx, r.Have.ID)
		if err != nil {
			return resource.Observed{}, err
		}
		return x.observed(o), nil
	}
	var notes map[string]string
	if !r.Have.Marks.IsZero() {
		notes = notesOf(r.Have.Marks)
	}
	return x.apply(ctx, r, r.Have.ID, r.Have.UID, notes)
}

// apply makes the object what is configured. A UID that is not that of the object is refused.
func (x *objects) apply(ctx context.Context, r provider.Request, name, uid string, notes map[string]string) (resource.Observed, error) {
	want, err := x.build(r)
	if err != nil {
		return resource.Observed{}, err
	}
	m := want.meta()
	m.Name, m.UID = name, uid
	if m.Annotations == nil {
		m.Annotations = map[string]string{}
	}
	for k, v := range notes {
		m.Annotations[k] = v
	}
	out := x.empty()
	if err := x.Apply(ctx, x.at(name), want, out); err != nil {
		return resource.Observed{}, err
	}
	if x.gone != nil {
		if err := x.gone(ctx, out.meta().UID, want); err != nil {
			return resource.Observed{}, err
		}
	}
	return x.observed(out), nil
}

// remove deletes the object, and no other one of its name.
func (x *objects) remove(ctx context.Context, r provider.Request) error {
	err := x.Remove(ctx, x.at(r.Have.ID), r.Have.UID)
	if err != nil && !kube.IsNotFound(err) && !kube.IsConflict(err) { // else it does not exist, or another one does
		return err
	}
	if x.gone != nil {
		return x.gone(ctx, r.Have.UID, nil)
	}
	return nil
}

// mark writes the marks alone.
func (x *objects) mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	patch := struct {
		Metadata struct {
			UID         string             `json:"uid"`
			Annotations map[string]*string `json:"annotations"`
		} `json:"metadata"`
	}{}
	patch.Metadata.UID, patch.Metadata.Annotations = r.Have.UID, map[string]*string{markBlessed: nil}
	for k, v := range marksFor(r, r.MarkKey) {
		patch.Metadata.Annotations[k] = &v
	}
	out := x.empty()
	if err := x.Patch(ctx, x.at(r.Have.ID), patch, out); err != nil {
		return resource.Observed{}, err
	}
	return x.observed(out), nil
}
