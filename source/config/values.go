package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// checked is the outcome of reading one set of attributes, kept for the next block that
// says the same.
type checked struct {
	attrs resource.Attrs
	uses  []use
	paths []string // of the uses
}

// reading is the reading of one block's attributes.
type reading struct {
	*block
	uses      []use
	paths     []string // of the uses
	outside   []string // paths of values that came from outside
	explained []string // attributes whose problem has been told
}

// attributes reads and checks what the kind's schema knows. Blocks that say the same share
// one result: in big files most do.
func (b *block) attributes() resource.Attrs {
	key := b.memoKey()
	if c, ok := b.memo[string(key)]; ok {
		b.again(c)
		return c.attrs
	}
	memo := string(key) // the scratch is used again below
	r := &reading{block: b}
	in, ok := r.read()
	checker := b.kind.checker
	if !ok {
		checker = b.kind.partial
	}
	attrs, problems := checker.Check(resource.NewAttrs(in...))
	for _, p := range problems {
		r.report(p)
	}
	if !b.failed && len(b.memo) < most {
		b.memo[memo] = &checked{attrs, r.uses, r.paths}
	}
	b.uses = append(b.uses, r.uses...)
	return attrs
}

// read gives the attributes that could be read; ok says that those are all.
func (r *reading) read() (in []resource.Attr, ok bool) {
	in, ok = make([]resource.Attr, 0, len(r.attrs)), true
	for _, i := range r.attrs {
		k, v := &r.n.kids[i], &r.n.kids[i+1]
		a, known := r.kind.attrs[k.text]
		switch {
		case !known:
			r.wrong(k, r.kind.Name+" has no attribute "+quote(k.text), didYouMean(k.text, r.kind.names))
			meant, _ := resource.Nearest(k.text, r.kind.names)
			r.explained, ok = append(r.explained, meant), false
		default:
			value := r.value(a.Name, a, v)
			if value == nil {
				r.explained, ok = append(r.explained, a.Name), false
				continue
			}
			in = append(in, resource.Attr{Name: a.Name, Value: value})
		}
	}
	return in, ok
}

// report tells a problem that the schema found, at its place. What is said of a value that
// came from outside is said without the value.
func (r *reading) report(p resource.Problem) {
	if slices.Contains(r.explained, p.Path) {
		return
	}
	for _, o := range r.outside {
		if p.Path == o || strings.HasPrefix(o, p.Path+".") || strings.HasPrefix(o, p.Path+"[") {
			n, _ := r.n.locate(o)
			r.wrong(n, o+" can't be what "+quote(n.text)+" stands for", rule(r.kind.schemaAt(o)))
			return
		}
	}
	at, _ := r.n.locate(p.Path)
	suggestion := p.Suggestion
	if suggestion == "" {
		suggestion = rule(r.kind.schemaAt(p.Path))
	}
	r.wrong(at, p.Summary, suggestion)
}

// rule says what an attribute may be, without any value.
func rule(a *resource.Attribute) string {
	switch {
	case a == nil:
		return "`ovi kinds` says what each attribute may be"
	case len(a.Enum) > 0:
		return "one of " + strings.Join(a.Enum, ", ")
	case a.Min != nil && a.Type == resource.TInt:
		return "it must be " + between(a)
	case a.Example != "":
		return "such as " + a.Example
	}
	return "write " + a.Type.String()
}

// schemaAt finds the schema of the attribute that a path names; nil if there is none.
func (k *kind) schemaAt(p string) *resource.Attribute {
	fields, found := k.Attrs, (*resource.Attribute)(nil)
	for _, step := range strings.FieldsFunc(p, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		_, notIndex := strconv.Atoi(step)
		i := slices.IndexFunc(fields, func(a resource.Attribute) bool { return a.Name == step })
		switch {
		case notIndex == nil && found != nil && found.Elem != nil:
			found = found.Elem
		case i >= 0:
			found = &fields[i]
		default:
			return nil
		}
		fields = found.Fields
	}
	return found
}

// locate finds the node that a path of a problem speaks of, or the deepest one above it.
func (n *node) locate(p string) (found *node, exact bool) {
	for p != "" {
		step := p
		if i := strings.IndexAny(p, ".["); i >= 0 {
			step, p = p[:i], strings.TrimLeft(p[i:], ".[")
		} else {
			p = ""
		}
		next := n.get(strings.TrimSuffix(step, "]"))
		// A number behind a dot counts in a set that has been sorted since: with more than
		// one element it does not say which.
		if i, err := strconv.Atoi(strings.TrimSuffix(step, "]")); err == nil && n.shape == list && i >= 0 && i < len(n.kids) {
			if strings.HasSuffix(step, "]") || len(n.kids) == 1 {
				next = &n.kids[i]
			}
		}
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, true
}

// again takes over an earlier result; only the places of names are this block's own.
func (b *block) again(c *checked) {
	b.uses = slices.Grow(b.uses, len(c.uses))
	for i, u := range c.uses {
		n, _ := b.n.locate(c.paths[i])
		u.line, u.col = n.line, n.col
		b.uses = append(b.uses, u)
	}
}

// memoKey says everything that the result depends on.
func (b *block) memoKey() []byte {
	k := append(b.scratch[:0], b.provider...)
	for _, s := range [...]string{b.location, b.kind.Name, b.file.dir} {
		k = append(append(k, 0), s...)
	}
	for _, i := range b.attrs {
		k = b.n.kids[i].appendKey(k)
		k = b.n.kids[i+1].appendKey(k)
	}
	b.scratch = k
	return k
}
