package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Item is a resource to import.
type Item struct {
	Name     string // in the configuration
	Resource resource.Observed
}

// Ref is the ref that the configuration gives the resource, without a stack.
func (i Item) Ref() resource.Ref {
	r := i.Resource.Ref.Bare()
	r.Name = i.Name
	return r
}

// Schemas finds the schema of a kind.
type Schemas interface {
	Kind(provider, kind string) (resource.Kind, bool)
}

// Called is what users call a resource: what its kind has for that, the name that ovi gave it before, or its natural
// name, which is the ID where there is no other.
func Called(schemas Schemas, o *resource.Observed) string {
	k, _ := schemas.Kind(o.Ref.Provider, o.Ref.Kind)
	tag, _ := o.Tags.Get(k.NameTag)
	attr, _ := o.Attrs.Get(k.NameAttr)
	name, _ := attr.(resource.String)
	return cmp.Or(tag, string(name), o.Marks.Ref.Name, o.Natural, o.Ref.Name)
}

// isFree reports whether a kind's resources may have any name: their system knows them by an ID.
func isFree(k resource.Kind) bool { return k.NameTag != "" || k.NameAttr != "" }

// Names gives each resource a name that the configuration can have, in the order of their kinds and names. given are
// names by ID, such as those of another program, for resources that may have any; the others are what users call them.
// Of several with one name the
// later ones get a number.
func Names(schemas Schemas, all []resource.Observed, given map[string]string) []Item {
	items := make([]Item, len(all))
	for i := range all {
		o := &all[i]
		items[i] = Item{Called(schemas, o), *o}
		if k, _ := schemas.Kind(o.Ref.Provider, o.Ref.Kind); isFree(k) && given[o.ID] != "" {
			items[i].Name = given[o.ID]
		}
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Resource.Ref.Kind, b.Resource.Ref.Kind), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Resource.ID, b.Resource.ID))
	})
	taken := map[resource.Ref]bool{}
	for i := range items {
		ref := items[i].Resource.Ref
		var checker *resource.Checker // nil if the kind or its rules are not known
		if k, ok := schemas.Kind(ref.Provider, ref.Kind); ok {
			checker, _ = resource.NewChecker(k)
		}
		items[i].Name = free(items[i], taken, checker)
		taken[items[i].Ref()] = true
	}
	return items
}

// free is the name of an item, changed until the kind allows it and no other item has it.
func free(i Item, taken map[resource.Ref]bool, c *resource.Checker) string {
	valid := func(name string) bool { return c == nil || len(c.CheckName(name)) == 0 }
	if !valid(i.Name) {
		i.Name = plain(i.Name)
	}
	if !valid(i.Name) {
		i.Name = i.Resource.Ref.Kind + "-" + plain(i.Resource.ID)
	}
	first := i.Name
	for n := 2; taken[i.Ref()]; n++ {
		i.Name = fmt.Sprintf("%s-%d", first, n)
	}
	return i.Name
}

// plain keeps letters, digits and hyphens of a name; everything else becomes a hyphen.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return strings.Trim(name, "-")
}
