package core

import (
	"cmp"
	"slices"
)

// table holds the resources of one kind in one region and lists them in the order
// in which they were made, which is what pages are cut from.
type table struct {
	under map[string]map[string]bool // IDs by what they are under
	pos   map[string]int
	order []Entity // nil where one was removed
	holes int
	mixed bool // order is not sorted by Seq
}

// Get returns the entity with an ID; nil if there is none.
func (t *table) Get(id string) Entity {
	if t == nil {
		return nil
	}
	if i, ok := t.pos[id]; ok {
		return t.order[i]
	}
	return nil
}

func (t *table) put(e Entity) {
	id, seq := e.Meta().ID, e.Meta().Seq
	if i, ok := t.pos[id]; ok {
		t.place(t.order[i], e)
		t.order[i] = e
		return
	}
	t.place(nil, e)
	if n := len(t.order); n > 0 && t.order[n-1] != nil && t.order[n-1].Meta().Seq > seq {
		t.mixed = true
	}
	t.pos[id] = len(t.order)
	t.order = append(t.order, e)
}

// Dependent is an entity that is found by what it is under: a volume by its instance, an instance by
// its subnet. Without that each call about one of them would read all.
type Dependent interface{ Parent() string }

// place moves an entity from what it was under to what it is under.
func (t *table) place(was, is Entity) {
	parent := func(e Entity) string {
		if d, ok := e.(Dependent); ok {
			return d.Parent()
		}
		return ""
	}
	from, to := parent(was), parent(is)
	if from == to {
		return
	}
	if from != "" {
		delete(t.under[from], was.Meta().ID)
		if len(t.under[from]) == 0 {
			delete(t.under, from)
		}
	}
	if to == "" {
		return
	}
	if t.under == nil {
		t.under = map[string]map[string]bool{}
	}
	if t.under[to] == nil {
		t.under[to] = map[string]bool{}
	}
	t.under[to][is.Meta().ID] = true
}

// Count is how many entities are under another one.
func (t *table) Count(parent string) int {
	if t == nil {
		return 0
	}
	return len(t.under[parent])
}

// Below lists the entities under another one, oldest first.
func (t *table) Below(parent string) []Entity {
	if t == nil {
		return nil
	}
	var out []Entity
	for id := range t.under[parent] {
		out = append(out, t.Get(id))
	}
	slices.SortFunc(out, func(a, b Entity) int { return cmp.Compare(a.Meta().Seq, b.Meta().Seq) })
	return out
}

func (t *table) drop(id string) {
	i, ok := t.pos[id]
	if !ok {
		return
	}
	t.place(t.order[i], nil)
	t.order[i] = nil
	delete(t.pos, id)
	t.holes++
}

// Rows lists the table in order of birth. The slice may hold nils.
func (t *table) Rows() []Entity {
	if t == nil {
		return nil
	}
	if t.mixed || t.holes > 16 && t.holes > len(t.order)/2 {
		t.order = slices.DeleteFunc(t.order, func(e Entity) bool { return e == nil })
		slices.SortStableFunc(t.order, func(a, b Entity) int { return cmp.Compare(a.Meta().Seq, b.Meta().Seq) })
		for i, e := range t.order {
			t.pos[e.Meta().ID] = i
		}
		t.holes, t.mixed = 0, false
	}
	return t.order
}

// State is the whole cloud in memory.
type State struct {
	Tables map[string]map[string]*table // kind, then region
	Seq    int64
	Salt   string
	Saved  map[string]bool // regions whose default resources are in the file
	Kinds  *Kinds
}

// NewState returns an empty account of these kinds.
func NewState(salt string, k *Kinds) *State {
	return &State{Tables: map[string]map[string]*table{}, Saved: map[string]bool{}, Salt: salt, Kinds: k}
}

// Table returns the entities of a kind in a region, by the name of the kind.
func (s *State) Table(kind, region string) *table { return s.Tables[kind][region] }

func (s *State) tableOf(e Entity) *table {
	kind, region := s.Kinds.Of(e).Name, e.Meta().Region
	if s.Tables[kind] == nil {
		s.Tables[kind] = map[string]*table{}
	}
	t := s.Tables[kind][region]
	if t == nil {
		t = &table{pos: map[string]int{}}
		s.Tables[kind][region] = t
	}
	return t
}

// Put adds an entity outside a transaction.
func (s *State) Put(e Entity) {
	s.tableOf(e).put(e)
	s.Seq = max(s.Seq, e.Meta().Seq)
}
