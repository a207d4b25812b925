// Package unread finds the parts of configurations that could not be read.
package unread

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Covers reports whether a part is known to configure a resource.
func Covers(p *resource.UnreadPart, ref resource.Ref) bool { return slices.Contains(p.Refs, ref) }

// Of returns the part that a resource is in and that could not be read. A source that could not be read is one part
// without a name. deleted asks for a resource that is not configured: a part that was never accepted, or whose names
// cannot all be read, may configure it.
func Of(in *resource.Intent, ref resource.Ref, deleted bool) (resource.UnreadPart, bool) {
	if in.Stack != ref.Stack {
		return resource.UnreadPart{}, false
	}
	if in.Unread != "" {
		return resource.UnreadPart{Why: in.Unread, Read: in.Read}, true
	}
	for i := range in.Parts {
		if p := &in.Parts[i]; Covers(p, ref) || deleted && (p.Unknown || p.Any) {
			return *p, true
		}
	}
	return resource.UnreadPart{}, false
}

// All lists the parts of a source that could not be read. A whole source is one part without a name.
func All(in *resource.Intent) []resource.UnreadPart {
	if in.Unread != "" {
		return []resource.UnreadPart{{Why: in.Unread, Read: in.Read}}
	}
	return in.Parts
}

// Title names a part for users: the source itself where the part has no name.
func Title(p resource.UnreadPart, in *resource.Intent) string {
	if p.Name == "" {
		return in.Source
	}
	return p.Name
}

// Whole is a configuration of which no part could be read.
func Whole(in *resource.Intent, why string) resource.Intent {
	return resource.Intent{Stack: in.Stack, From: in.From, Source: in.Source, Unread: why}
}
