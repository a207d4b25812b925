package cluster

import (
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// The annotations of the marks on an object in a cluster.
const (
	markPrefix  = "ovi/"
	markRef     = markPrefix + "ref"
	markStack   = markPrefix + "stack"
	markOwner   = markPrefix + "owner"
	markKey     = markPrefix + "key"
	markBlessed = markPrefix + "blessed"
)

// marksIn reads the marks among annotations. What names no resource of the kind and scope is no mark.
func marksIn(notes map[string]string, scope resource.Scope, kind string) resource.Marks {
	ref, err := resource.ParseRef(notes[markRef])
	if err != nil || ref.Stack != "" || ref.Scope() != scope || ref.Kind != kind {
		return resource.Marks{}
	}
	return resource.Marks{Ref: ref.In(notes[markStack]), Owner: notes[markOwner], Key: notes[markKey], Blessed: notes[markBlessed] == "true"}
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
	out := map[string]string{markRef: m.Ref.Bare().String(), markStack: m.Ref.Stack, markOwner: m.Owner, markKey: m.Key}
	if m.Blessed {
		out[markBlessed] = "true"
	}
	return out
}
