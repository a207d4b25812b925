package awsfake

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// params is a node of the tree that the dotted names of a query request spell:
// TagSpecification.1.Tag.2.Key. A nil params is an empty one. Each node
// remembers whether a handler read it, so that the request log can name
// what the sandbox does not support.
type params struct {
	val  string
	set  bool
	read bool
	kids map[string]*params
}

const maxDepth = 12 // the deepest AWS name has about eight parts

func parseParams(v url.Values) (*params, error) {
	root := &params{}
	for name, vals := range v {
		parts := strings.Split(name, ".")
		if len(parts) > maxDepth {
			return nil, failf("MalformedQueryString", "The parameter name %q has too many parts.", name)
		}
		n := root
		for _, p := range parts {
			n = n.grow(p)
		}
		n.val, n.set = vals[0], true
	}
	return root, nil
}

func (p *params) grow(name string) *params {
	if p.kids == nil {
		p.kids = map[string]*params{}
	}
	if p.kids[name] == nil {
		p.kids[name] = &params{}
	}
	return p.kids[name]
}

// at walks to a node by its dotted name.
func (p *params) at(path string) *params {
	for part := range strings.SplitSeq(path, ".") {
		if p == nil {
			return nil
		}
		p = p.kids[part]
	}
	return p
}

func (p *params) has(path string) bool { return p.at(path) != nil }

func (p *params) str(path string) string {
	n := p.at(path)
	if n == nil {
		return ""
	}
	n.read = true
	return n.val
}

func (p *params) or(path, other string) string {
	if s := p.str(path); s != "" {
		return s
	}
	return other
}

func (p *params) yes(path string) bool { return p.str(path) == "true" }

// flag is a boolean that may be absent.
func (p *params) flag(path string, otherwise bool) bool {
	if s := p.str(path); s != "" {
		return s == "true"
	}
	return otherwise
}

// num reads a whole number; an absent one is the given default.
func (p *params) num(path string, otherwise int) (int, error) {
	s := p.str(path)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, failf("InvalidParameterValue", "Value (%s) for parameter %s is invalid. It must be a whole number.", s, path)
	}
	return n, nil
}

// items gives the nodes Name.1, Name.2, ... in numerical order.
func (p *params) items(path string) []*params {
	n := p.at(path)
	if n == nil {
		return nil
	}
	var at []int
	for k := range n.kids {
		if i, err := strconv.Atoi(k); err == nil {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	out := make([]*params, 0, len(at))
	for _, i := range at {
		if kid := n.kids[strconv.Itoa(i)]; kid != nil {
			out = append(out, kid)
		}
	}
	return out
}

// strs gives the values of Name.1, Name.2, ...
func (p *params) strs(path string) []string {
	var out []string
	for _, n := range p.items(path) {
		n.read = true
		out = append(out, n.val)
	}
	return out
}

// unread names the parameters that no handler read.
func (p *params) unread(prefix string, out []string) []string {
	if p.set && !p.read {
		out = append(out, prefix)
	}
	for name, kid := range p.kids {
		path := name
		if prefix != "" {
			path = prefix + "." + name
		}
		out = kid.unread(path, out)
	}
	return out
}

// heed counts everything as read: a request that repeats an earlier one is
// answered without reading it again.
func (p *params) heed() {
	p.read = true
	for _, kid := range p.kids {
		kid.heed()
	}
}

// digest spells the parameters in one order, without those named: two requests
// with the same digest asked for the same resource.
func (p *params) digest(without ...string) string {
	var lines []string
	p.spell("", &lines)
	lines = slices.DeleteFunc(lines, func(l string) bool {
		name, _, _ := strings.Cut(l, "=")
		return slices.Contains(without, name)
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (p *params) spell(prefix string, lines *[]string) {
	if p.set {
		*lines = append(*lines, prefix+"="+p.val)
	}
	for name, kid := range p.kids {
		path := name
		if prefix != "" {
			path = prefix + "." + name
		}
		kid.spell(path, lines)
	}
}

// peek reads a value without counting it as read.
func (p *params) peek(path string) string {
	if n := p.at(path); n != nil {
		return n.val
	}
	return ""
}

// wrapped gives the elements of a list in the query protocol, whichever of
// the two spellings a client uses: Name.Element.N or Name.member.N.
func (p *params) wrapped(name, element string) []*params {
	if all := p.items(name + "." + element); len(all) > 0 {
		return all
	}
	return p.items(name + ".member")
}

func (p *params) wrappedStrs(name, element string) []string {
	var out []string
	for _, n := range p.wrapped(name, element) {
		n.read = true
		out = append(out, n.val)
	}
	return out
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
