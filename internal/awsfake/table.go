package awsfake

import (
	"cmp"
	"slices"
)

// table holds the resources of one kind in one region and lists them in the order
// in which they were made, which is what pages are cut from.
type table struct {
	under map[string]map[string]bool // IDs by what they are under
	pos   map[string]int
	order []entity // nil where one was removed
	holes int
	mixed bool // order is not sorted by Seq
}

func (t *table) get(id string) entity {
	if t == nil {
		return nil
	}
	if i, ok := t.pos[id]; ok {
		return t.order[i]
	}
	return nil
}

func (t *table) put(e entity) {
	id, seq := e.meta().ID, e.meta().Seq
	if i, ok := t.pos[id]; ok {
		t.place(t.order[i], e)
		t.order[i] = e
		return
	}
	t.place(nil, e)
	if n := len(t.order); n > 0 && t.order[n-1] != nil && t.order[n-1].meta().Seq > seq {
		t.mixed = true
	}
	t.pos[id] = len(t.order)
	t.order = append(t.order, e)
}

// dependent is an entity that is found by what it is under: a volume by its instance, an instance by
// its subnet. Without that each call about one of them would read all.
type dependent interface{ parent() string }

// place moves an entity from what it was under to what it is under.
func (t *table) place(was, is entity) {
	parent := func(e entity) string {
		if d, ok := e.(dependent); ok {
			return d.parent()
		}
		return ""
	}
	from, to := parent(was), parent(is)
	if from == to {
		return
	}
	if from != "" {
		delete(t.under[from], was.meta().ID)
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
	t.under[to][is.meta().ID] = true
}

// count is how many entities are under another one.
func (t *table) count(parent string) int {
	if t == nil {
		return 0
	}
	return len(t.under[parent])
}

// below lists the entities under another one, oldest first.
func (t *table) below(parent string) []entity {
	if t == nil {
		return nil
	}
	var out []entity
	for id := range t.under[parent] {
		out = append(out, t.get(id))
	}
	slices.SortFunc(out, func(a, b entity) int { return cmp.Compare(a.meta().Seq, b.meta().Seq) })
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

// rows lists the table in order of birth. The slice may hold nils.
func (t *table) rows() []entity {
	if t == nil {
		return nil
	}
	if t.mixed || t.holes > 16 && t.holes > len(t.order)/2 {
		t.tidy()
	}
	return t.order
}

func (t *table) tidy() {
	t.order = slices.DeleteFunc(t.order, func(e entity) bool { return e == nil })
	slices.SortStableFunc(t.order, func(a, b entity) int { return cmp.Compare(a.meta().Seq, b.meta().Seq) })
	for i, e := range t.order {
		t.pos[e.meta().ID] = i
	}
	t.holes, t.mixed = 0, false
}

// state is the whole cloud in memory.
type state struct {
	tables map[string]map[string]*table // kind, then region
	seq    int64
	salt   string
	saved  map[string]bool // regions whose default resources are in the file
	kinds  *kinds
}

func newState(salt string, k *kinds) *state {
	return &state{tables: map[string]map[string]*table{}, saved: map[string]bool{}, salt: salt, kinds: k}
}

func (s *state) table(kind, region string) *table { return s.tables[kind][region] }

func (s *state) tableOf(e entity) *table {
	kind, region := s.kinds.of(e).Name, e.meta().Region
	if s.tables[kind] == nil {
		s.tables[kind] = map[string]*table{}
	}
	t := s.tables[kind][region]
	if t == nil {
		t = &table{pos: map[string]int{}}
		s.tables[kind][region] = t
	}
	return t
}

func (s *state) put(e entity) {
	s.tableOf(e).put(e)
	s.seq = max(s.seq, e.meta().Seq)
}
