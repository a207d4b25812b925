// Package object has the verbs of resources that are objects of Kubernetes, with their marks as annotations. An
// object is applied on the server's side, and no object of another UID is changed.
package object

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Metadata is that of an object of Kubernetes.
type Metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid,omitempty"`
	Created     *time.Time        `json:"creationTimestamp,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Owners      []Owner           `json:"ownerReferences,omitempty"`
}

// Owner is an object that another one belongs to.
type Owner struct {
	UID string `json:"uid"`
}

// Object is what a kind says about one of its objects.
type Object interface {
	Meta() *Metadata
	Fill(o *resource.Observed) // health and attributes
}

// Objects are those of one kind in a namespace of a cluster, and its verbs.
type Objects struct {
	*kube.Client
	Scope  resource.Scope
	Kind   string
	Path   string // of the list
	Prefix string // of the names of objects, before that of the resource
	Query  url.Values
	Empty  func() Object
	Build  func(r provider.Request) (Object, error) // what is configured
	// Gone waits until dependents have ended, once an object was applied or removed and before the next
	// deletion. Nil means that nothing must end.
	Gone func(ctx context.Context, uid string, left Object) error
}

// listOf is a list of objects as the API answers it, each read on its own.
type listOf struct {
	Items []json.RawMessage `json:"items"`
}

// List reads all objects of the kind, sorted by ref.
func (x *Objects) List(ctx context.Context) (out []resource.Observed, err error) {
	var all listOf
	if err := x.Get(ctx, x.Path, x.Query, &all); err != nil {
		return nil, err
	}
	for _, text := range all.Items {
		o := x.Empty()
		if err := json.Unmarshal(text, o); err != nil {
			return nil, err
		}
		out = append(out, x.Observed(o))
	}
	slices.SortFunc(out, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

func (x *Objects) at(name string) string { return x.Path + "/" + name }

// One reads the object of a name.
func (x *Objects) One(ctx context.Context, name string) (Object, error) {
	o := x.Empty()
	return o, x.Get(ctx, x.at(name), nil, o)
}

// Observed returns an object as a resource.
func (x *Objects) Observed(of Object) resource.Observed {
	m := of.Meta()
	o := resource.Observed{
		Ref: resource.Ref{
			Provider: system.Name, Location: x.Scope.Location, Kind: x.Kind, Name: m.Name[min(len(x.Prefix), len(m.Name)):],
		},
		ID: m.Name, UID: m.UID, Marks: marksIn(m.Annotations, x.Scope, x.Kind), Health: resource.Healthy,
	}
	if m.Created != nil {
		o.Since = *m.Created
	}
	of.Fill(&o)
	return o
}

// Check: the objects can be read, and the name is free.
func (x *Objects) Check(ctx context.Context, r provider.Request) error {
	o, err := x.One(ctx, x.Prefix+r.Desired.Ref.Name)
	if kube.IsNotFound(err) || err == nil && o.Meta().Name == r.Have.ID {
		return nil
	}
	if err == nil {
		err = x.taken(r)
	}
	return err
}

func (x *Objects) taken(r provider.Request) error {
	return system.InUse("", "rename it, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "%s exists in the cluster",
		x.Prefix+r.Desired.Ref.Name)
}

// Create applies the object, if there is none of its name. Two creations at a time conflict on the server.
func (x *Objects) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	o, err := x.One(ctx, x.Prefix+r.Desired.Ref.Name)
	switch {
	case err == nil && o.Meta().Annotations[MarkKey] == r.Key:
		return x.Observed(o), nil
	case err == nil:
		return resource.Observed{}, x.taken(r)
	case !kube.IsNotFound(err):
		return resource.Observed{}, err
	}
	return x.apply(ctx, r, x.Prefix+r.Desired.Ref.Name, "", marksFor(r, r.Key))
}

// Update applies the whole configuration again, with the marks as they are.
func (x *Objects) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if len(r.Changes) == 0 {
		o, err := x.One(ctx, r.Have.ID)
		if err != nil {
			return resource.Observed{}, err
		}
		return x.Observed(o), nil
	}
	var notes map[string]string
	if !r.Have.Marks.IsZero() {
		notes = notesOf(r.Have.Marks)
	}
	return x.apply(ctx, r, r.Have.ID, r.Have.UID, notes)
}

// apply makes the object what is configured. A UID that is not that of the object is refused.
func (x *Objects) apply(ctx context.Context, r provider.Request, name, uid string,
	notes map[string]string,
) (resource.Observed, error) {
	want, err := x.Build(r)
	if err != nil {
		return resource.Observed{}, err
	}
	m := want.Meta()
	m.Name, m.UID = name, uid
	if m.Annotations == nil {
		m.Annotations = map[string]string{}
	}
	for k, v := range notes {
		m.Annotations[k] = v
	}
	out := x.Empty()
	if err := x.Apply(ctx, x.at(name), want, out); err != nil {
		return resource.Observed{}, err
	}
	if x.Gone != nil {
		if err := x.Gone(ctx, out.Meta().UID, want); err != nil {
			return resource.Observed{}, err
		}
	}
	return x.Observed(out), nil
}

// Remove deletes the object, and no other one of its name.
func (x *Objects) Remove(ctx context.Context, r provider.Request) error {
	err := x.Client.Remove(ctx, x.at(r.Have.ID), r.Have.UID)
	if err != nil && !kube.IsNotFound(err) && !kube.IsConflict(err) { // else it does not exist, or another one does
		return err
	}
	if x.Gone != nil {
		return x.Gone(ctx, r.Have.UID, nil)
	}
	return nil
}

// Mark writes the marks alone.
func (x *Objects) Mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
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
	out := x.Empty()
	if err := x.Patch(ctx, x.at(r.Have.ID), patch, out); err != nil {
		return resource.Observed{}, err
	}
	return x.Observed(out), nil
}

// The annotations of the marks on an object in a cluster.
const (
	MarkPrefix  = "ovi/"
	markRef     = MarkPrefix + "ref"
	markStack   = MarkPrefix + "stack"
	markOwner   = MarkPrefix + "owner"
	MarkKey     = MarkPrefix + "key"
	markBlessed = MarkPrefix + "blessed"
)

// marksIn reads the marks among annotations. What names no resource of the kind and scope is no mark.
func marksIn(notes map[string]string, scope resource.Scope, kind string) resource.Marks {
	ref, err := resource.ParseRef(notes[markRef])
	if err != nil || ref.Stack != "" || ref.Scope() != scope || ref.Kind != kind {
		return resource.Marks{}
	}
	return resource.Marks{
		Ref: ref.In(notes[markStack]), Owner: notes[markOwner], Key: notes[MarkKey], Blessed: notes[markBlessed] == "true",
	}
}

func marksFor(r provider.Request, key string) map[string]string {
	m := resource.Marks{Ref: r.Desired.Ref, Owner: r.Owner, Key: key, Blessed: r.Desired.Blessed}
	if r.Desired.Owner != "" {
		m.Owner = r.Desired.Owner
	}
	return notesOf(m)
}

// notesOf are marks as annotations.
func notesOf(m resource.Marks) map[string]string {
	out := map[string]string{markRef: m.Ref.Bare().String(), markStack: m.Ref.Stack, markOwner: m.Owner, MarkKey: m.Key}
	if m.Blessed {
		out[markBlessed] = "true"
	}
	return out
}
