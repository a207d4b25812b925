package source

import (
	"cmp"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// lookup adds a resource that others own.
func (a *adding) lookup() {
	r := a.r
	a.checkLocation()
	found, summary, suggestion := a.meant()
	if summary != "" {
		a.wrong(r.where("lookup"), summary, suggestion)
	}
	if own := a.ownSetting(); own != "" {
		a.wrong(r.where(own), "a resource that is looked up has no "+own, "remove "+own+": its owner sets it")
	}
	if a.failed {
		a.invalid[resource.Ref{Provider: r.Provider, Location: r.Location, Kind: a.kind.Name, Name: r.Name}] = true
		return
	}
	if of := found.Of; !of.IsZero() {
		a.scopes[of.Scope()] = true
	}
	a.keep(nil, nil)
	d := &a.desired[len(a.desired)-1]
	d.Lookup, d.Tags, d.State, d.Defaulted = found, nil, "", nil
}

// ownSetting returns a key of the block that only its owner can set; "" if there is none.
func (a *adding) ownSetting() string {
	r := a.r
	switch {
	case len(r.Attrs.Kids) > 0:
		return r.Attrs.Kids[0].Text
	case r.Counted:
		return "count"
	case r.OwnTags:
		return "tags"
	case r.Blessed:
		return "blessed"
	case r.Was != "":
		return "was"
	case r.State != "":
		return "state"
	case r.Replace != "":
		return "replace"
	case r.Owner != "":
		return "owner"
	case len(r.Ignore) > 0:
		return "ignore"
	case len(r.DependsOn) > 0:
		return "depends_on"
	}
	return ""
}

// meant returns the resource that the block names.
func (a *adding) meant() (found *resource.Lookup, summary, suggestion string) {
	const use = "use lookup: {id: ID} or lookup: {stack: STACK, ref: KIND/NAME}"
	r, l := a.r, a.r.Lookup
	switch {
	case l.ID != "" && l.Stack == "" && l.Ref == "":
		return &resource.Lookup{ID: l.ID}, "", ""
	case l.ID != "" || l.Stack == "" || l.Ref == "":
		return nil, "lookup needs either an ID, or a stack and a ref", use
	}
	of := resource.Ref{Stack: l.Stack, Provider: r.Provider, Location: r.Location}
	if whole, err := resource.ParseRef(l.Ref); err == nil && whole.Stack == "" {
		of = whole.In(l.Stack)
	} else if parts := strings.Split(l.Ref, "/"); len(parts) == 2 && parts[0] != "" && parts[1] != "" {
		of.Kind, of.Name = parts[0], parts[1]
	} else {
		return nil, "invalid ref " + Quote(l.Ref), use
	}
	if of.Kind != a.kind.Name || of.Provider != r.Provider {
		return nil, "the ref names a " + of.Kind + ", and the block a " + a.kind.Name,
			"use ref: " + a.kind.Name + "/" + cmp.Or(of.Name, "NAME")
	}
	return &resource.Lookup{Of: of}, "", ""
}
