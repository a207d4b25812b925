package fake

import (
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// location is what exists in one scope. The cloud's lock guards it.
type location struct {
	objects []resource.Observed // sorted by ref, then id
	index   map[string]resource.Ref
	keys    map[string]string // idempotency key to id
	hidden  map[string]int    // id to the number of Observes that omit it
}

func order(a, b resource.Observed) int {
	if c := a.Ref.Compare(b.Ref); c != 0 {
		return c
	}
	if a.ID < b.ID {
		return -1
	}
	if a.ID > b.ID {
		return 1
	}
	return 0
}

// list gives all that lists show, and what is known.
func (p *location) list(known []provider.Known) []resource.Observed {
	if len(p.hidden) == 0 {
		return slices.Clone(p.objects)
	}
	asked := func(id string) bool {
		return slices.ContainsFunc(known, func(k provider.Known) bool { return k.ID == id })
	}
	out := slices.DeleteFunc(slices.Clone(p.objects),
		func(o resource.Observed) bool { return p.hidden[o.ID] > 0 && !asked(o.ID) })
	for id, n := range p.hidden {
		if n--; n == 0 {
			delete(p.hidden, id)
		} else {
			p.hidden[id] = n
		}
	}
	return out
}

// prepare makes the location ready to be changed.
func (p *location) prepare() {
	if p.index != nil {
		return
	}
	p.index, p.keys, p.hidden = map[string]resource.Ref{}, map[string]string{}, map[string]int{}
	for i := range p.objects {
		p.index[p.objects[i].ID] = p.objects[i].Ref
	}
}

func (p *location) byID(id string) (resource.Observed, bool) {
	p.prepare()
	ref, ok := p.index[id]
	if !ok {
		return resource.Observed{}, false
	}
	i, ok := slices.BinarySearchFunc(p.objects, resource.Observed{Ref: ref, ID: id}, order)
	if !ok {
		return resource.Observed{}, false
	}
	return p.objects[i], true
}

func (p *location) byKey(key string) (resource.Observed, bool) {
	p.prepare()
	if key == "" {
		return resource.Observed{}, false
	}
	return p.byID(p.keys[key])
}

// put sets a resource by its id.
func (p *location) put(o resource.Observed, lag int) {
	p.remove(o.ID)
	o.Ref = o.Ref.Bare() // a natural name has no stack
	i, _ := slices.BinarySearchFunc(p.objects, o, order)
	p.objects = slices.Insert(p.objects, i, o)
	p.index[o.ID] = o.Ref
	if o.Marks.Key != "" {
		p.keys[o.Marks.Key] = o.ID
	}
	if lag > 0 {
		p.hidden[o.ID] = lag
	}
}

func (p *location) remove(id string) {
	p.prepare()
	ref, ok := p.index[id]
	if !ok {
		return
	}
	i, _ := slices.BinarySearchFunc(p.objects, resource.Observed{Ref: ref, ID: id}, order)
	p.objects = slices.Delete(p.objects, i, i+1)
	delete(p.index, id)
	delete(p.hidden, id)
}
