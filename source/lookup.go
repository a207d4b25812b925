package source

import "github.com/ovi-project/ovi/resource"

// lookup adds a resource that others own.
func (a *adding) lookup() {
	r, l := a.r, a.r.Lookup
	a.checkLocation()
	found, summary, suggestion := l.Meant(resource.Ref{Provider: r.Provider, Location: r.Location}, &a.kind.Kind)
	if summary != "" && (!r.Broken || !l.IsEmpty()) { // a value that could not be read has its own problem
		a.wrong(r.where("lookup"), summary, suggestion)
	}
	a.failed = a.failed || summary != ""
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
