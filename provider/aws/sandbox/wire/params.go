package wire

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Params is a node of the tree that the dotted names of a query request spell:
// TagSpecification.1.Tag.2.Key. A nil params is an empty one. Each node
// remembers whether a handler read it, so that the request log can name
// what the sandbox does not support.
type Params struct {
	Val  string
	Set  bool
	Read bool
	Kids map[string]*Params
}

const maxDepth = 12 // the deepest AWS name has about eight parts

// ParseParams reads the parameters of a query request.
func ParseParams(v url.Values) (*Params, error) {
	root := &Params{}
	for name, vals := range v {
		parts := strings.Split(name, ".")
		if len(parts) > maxDepth {
			return nil, Failf("MalformedQueryString", "The parameter name %q has too many parts.", name)
		}
		n := root
		for _, p := range parts {
			n = n.Grow(p)
		}
		n.Val, n.Set = vals[0], true
	}
	return root, nil
}

// Grow returns the child with a name, which it makes if there is none.
func (p *Params) Grow(name string) *Params {
	if p.Kids == nil {
		p.Kids = map[string]*Params{}
	}
	if p.Kids[name] == nil {
		p.Kids[name] = &Params{}
	}
	return p.Kids[name]
}

// At walks to a node by its dotted name.
func (p *Params) At(path string) *Params {
	for part := range strings.SplitSeq(path, ".") {
		if p == nil {
			return nil
		}
		p = p.Kids[part]
	}
	return p
}

// Has reports whether a parameter is set, or has parts.
func (p *Params) Has(path string) bool { return p.At(path) != nil }

// Str reads a value; an absent one is empty.
func (p *Params) Str(path string) string {
	n := p.At(path)
	if n == nil {
		return ""
	}
	n.Read = true
	return n.Val
}

// Or reads a value, or returns another one where it is empty.
func (p *Params) Or(path, other string) string {
	if s := p.Str(path); s != "" {
		return s
	}
	return other
}

// Yes reports whether a value is true.
func (p *Params) Yes(path string) bool { return p.Str(path) == "true" }

// Flag is a boolean that may be absent.
func (p *Params) Flag(path string, otherwise bool) bool {
	if s := p.Str(path); s != "" {
		return s == "true"
	}
	return otherwise
}

// Num reads a whole number; an absent one is the given default.
func (p *Params) Num(path string, otherwise int) (int, error) {
	s := p.Str(path)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, Failf("InvalidParameterValue", "Value (%s) for parameter %s is invalid. It must be a whole number.", s,
			path)
	}
	return n, nil
}

// Items returns the nodes Name.1, Name.2, ... in numerical order.
func (p *Params) Items(path string) []*Params {
	n := p.At(path)
	if n == nil {
		return nil
	}
	var at []int
	for k := range n.Kids {
		if i, err := strconv.Atoi(k); err == nil {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	out := make([]*Params, 0, len(at))
	for _, i := range at {
		if kid := n.Kids[strconv.Itoa(i)]; kid != nil {
			out = append(out, kid)
		}
	}
	return out
}

// Strs returns the values of Name.1, Name.2, ...
func (p *Params) Strs(path string) []string {
	var out []string
	for _, n := range p.Items(path) {
		n.Read = true
		out = append(out, n.Val)
	}
	return out
}

// Unread names the parameters that no handler read.
func (p *Params) Unread(prefix string, out []string) []string {
	if p.Set && !p.Read {
		out = append(out, prefix)
	}
	for name, kid := range p.Kids {
		path := name
		if prefix != "" {
			path = prefix + "." + name
		}
		out = kid.Unread(path, out)
	}
	return out
}

// Heed counts everything as read: a request that repeats an earlier one is
// answered without reading it again.
func (p *Params) Heed() {
	p.Read = true
	for _, kid := range p.Kids {
		kid.Heed()
	}
}

// Digest spells the parameters in one order, without those named: two requests
// with the same digest asked for the same resource.
func (p *Params) Digest(without ...string) string {
	var lines []string
	p.Spell("", &lines)
	lines = slices.DeleteFunc(lines, func(l string) bool {
		name, _, _ := strings.Cut(l, "=")
		return slices.Contains(without, name)
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Spell appends the lines of a digest.
func (p *Params) Spell(prefix string, lines *[]string) {
	if p.Set {
		*lines = append(*lines, prefix+"="+p.Val)
	}
	for name, kid := range p.Kids {
		path := name
		if prefix != "" {
			path = prefix + "." + name
		}
		kid.Spell(path, lines)
	}
}

// peek reads a value without counting it as read.
func (p *Params) peek(path string) string {
	if n := p.At(path); n != nil {
		return n.Val
	}
	return ""
}

// Wrapped returns the elements of a list in the query protocol, whichever of
// the two spellings a client uses: Name.Element.N or Name.member.N.
func (p *Params) Wrapped(name, element string) []*Params {
	if all := p.Items(name + "." + element); len(all) > 0 {
		return all
	}
	return p.Items(name + ".member")
}

// WrappedStrs reads the values of a list of Wrapped.
func (p *Params) WrappedStrs(name, element string) []string {
	var out []string
	for _, n := range p.Wrapped(name, element) {
		n.Read = true
		out = append(out, n.Val)
	}
	return out
}

// Atoi reads a whole number; what is none is 0.
func Atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
