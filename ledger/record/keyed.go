package record

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// keyed yields the resources of a snapshot in the order of their keys, each with the ref under which
// it is recorded: its own, unless several have one ref or it names another location. Nearly always
// the resources are in that order already, each once.
func keyed(s resource.Snapshot) iter.Seq2[resource.Ref, *resource.Observed] {
	return func(yield func(resource.Ref, *resource.Observed) bool) {
		if !regular(s) {
			for _, x := range renamed(s) {
				if !yield(x.as, x.o) {
					return
				}
			}
			return
		}
		for i := range s.Resources {
			if o := &s.Resources[i]; !yield(o.Ref, o) {
				return
			}
		}
	}
}

func regular(s resource.Snapshot) bool {
	for i := range s.Resources {
		r := s.Resources[i].Ref
		if r.Scope() != s.Scope || i > 0 && compareKeys(s.Resources[i-1].Ref, r) >= 0 {
			return false
		}
	}
	return true
}

type named struct {
	as resource.Ref
	o  *resource.Observed
}

// renamed assigns every resource its own ref. If several have one ref, the managed one with the smallest id
// keeps it: the choice only has to be the same each time.
func renamed(s resource.Snapshot) []named {
	all := make([]named, len(s.Resources))
	for i := range s.Resources {
		all[i] = named{s.Resources[i].Ref, &s.Resources[i]}
	}
	slices.SortFunc(all, func(a, b named) int {
		switch c := compareKeys(a.as, b.as); {
		case c != 0:
			return c
		case a.o.Managed() != b.o.Managed() && a.o.Managed():
			return -1
		case a.o.Managed() != b.o.Managed():
			return 1
		}
		return strings.Compare(a.o.ID, b.o.ID)
	})
	var last resource.Ref
	for i := range all {
		r := all[i].as
		if r.Scope() != s.Scope || r == last {
			all[i].as = resource.Ref{
				Stack: r.Stack, Provider: s.Scope.Provider, Location: s.Scope.Location, Kind: r.Kind,
				Name: r.Name + "@" + url.PathEscape(all[i].o.ID),
			}
			continue
		}
		last = r
	}
	slices.SortFunc(all, func(a, b named) int { return compareKeys(a.as, b.as) })
	return all
}

// compareKeys orders resources of one scope by their keys. Refs are ordered by parts and keys by
// bytes; where the kinds are equal that is the same.
func compareKeys(a, b resource.Ref) int {
	if a.Kind == b.Kind {
		if c := strings.Compare(a.Name, b.Name); c != 0 || a.Stack == b.Stack {
			return c
		}
		return strings.Compare(rows.Of("", a), rows.Of("", b))
	}
	return strings.Compare(a.Kind+"/"+a.Name, b.Kind+"/"+b.Name)
}
