// Package exposed finds evident secrets that a configuration has in plain text where others read them: in tags, labels,
// environment variables, outputs, descriptions and user data. Its findings are warnings: a finding shows the place of
// the value, and never the value. It reports no value from outside, which the configuration itself calls
// public.
package exposed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/terms"
)

// Finder collects the secrets of a configuration while it is read. It is not safe for concurrent use.
type Finder struct {
	schemas source.Schemas
	kinds   map[[2]string]*resource.Kind
	tags    map[*resource.Tag]bool // lists of tags without a secret, by their first element
	found   source.Problems
	at      map[place]int        // of found
	tagged  map[resource.Tag]int // of found: a tag of the defaults of a file, which components do not have
}

// place identifies a value of a block: the members of a for_each share it.
type place struct {
	at   position.Position
	path string
}

// New returns a Finder that knows the attributes of each kind.
func New(schemas source.Schemas) *Finder {
	return &Finder{
		schemas: schemas, kinds: map[[2]string]*resource.Kind{}, tags: map[*resource.Tag]bool{}, at: map[place]int{},
		tagged: map[resource.Tag]int{},
	}
}

// Problems returns one warning for each value, sorted by position.
func (f *Finder) Problems() source.Problems {
	if f == nil {
		return nil
	}
	out := slices.Clone(f.found)
	slices.SortStableFunc(out, func(a, b source.Problem) int { return a.At.Compare(b.At) })
	return out
}

// Added looks at one resource, or at the outputs, which have no kind. outside are the texts that came from outside.
func (f *Finder) Added(r *source.Resource, outside map[string]string) {
	if r.NoMembers || r.Lookup != nil {
		return
	}
	look := looking{f, r, outside}
	if r.Kind == "" {
		look.free("outputs", &r.Attrs, reason{
			"outputs are recorded and shown", "remove it, and read the secret where it is kept",
		})
		return
	}
	key := [2]string{r.Provider, r.Kind}
	kind, known := f.kinds[key]
	if !known {
		if found, ok := f.schemas.Kind(r.Provider, r.Kind); ok {
			kind = &found
		}
		f.kinds[key] = kind
	}
	if kind == nil {
		return
	}
	if len(r.Tags) > 0 && !kind.NoTags && !f.tags[&r.Tags[0]] {
		look.tags()
	}
	for i := 0; i+1 < len(r.Attrs.Kids); i += 2 {
		if a := attribute(kind.Attrs, r.Attrs.Kids[i].Text); a != nil {
			look.value(a.Name, a, &r.Attrs.Kids[i+1])
		}
	}
}

func attribute(of []resource.Attribute, name string) *resource.Attribute {
	for i := range of {
		if of[i].Name == name {
			return &of[i]
		}
	}
	return nil
}

// reason is the reader of a value, and where a secret belongs instead.
type reason struct{ who, next string }

func shown() reason {
	return reason{"the value is recorded and shown", "pass it as a secret, with ${env:NAME} or ${file:PATH}"}
}

// looking is the search in one resource.
type looking struct {
	f       *Finder
	r       *source.Resource
	outside map[string]string
}

// tags looks at the tags. Many resources share one list of them.
func (l looking) tags() {
	clean := true
	for _, t := range l.r.Tags {
		if l.isPublic(t.Value) {
			continue
		}
		what := formOf(t.Value)
		if what == "" && terms.SecretName(t.Key) && isEvident(t.Key, t.Value) {
			what = aSecret
		}
		if what == "" {
			continue
		}
		clean = false
		path := "tags." + t.Key
		at := l.r.At
		if l.r.Where != nil {
			at = l.r.Where(path)
		}
		if i, again := l.f.tagged[t]; again && at == l.r.At {
			l.again(i)
			continue
		}
		l.f.tagged[t] = l.report(path, at, what, reason{
			"tags are shown to everyone who can list the resources", "remove it, and keep the secret in a secret store",
		})
	}
	if clean {
		l.f.tags[&l.r.Tags[0]] = true
	}
}

// value looks at the value of an attribute.
func (l looking) value(path string, a *resource.Attribute, n *source.Node) {
	switch {
	case a.Secret && !a.SecretInFile: // a literal there is an error
	case n.Shape == source.Object && a.Type == resource.TMap:
		l.free(path, n, shown())
	case n.Shape == source.Object:
		for i := 0; i+1 < len(n.Kids); i += 2 {
			if field := attribute(a.Fields, n.Kids[i].Text); field != nil {
				l.value(path+"."+n.Kids[i].Text, field, &n.Kids[i+1])
			}
		}
	case n.Shape == source.List:
		elem := a.Elem
		if elem == nil {
			elem = &resource.Attribute{Type: resource.TString}
		}
		for i := range n.Kids {
			l.value(path+"["+strconv.Itoa(i)+"]", elem, &n.Kids[i])
		}
	case a.Secret:
		l.text(path, n, reason{
			"the file has it in plain text",
			"use ${env:NAME} or ${file:PATH}, or read it from a secret store on the instance",
		})
	default:
		l.text(path, n, shown())
	}
}

// free looks at keys with values that are not attributes of a kind: their names tell what they have.
func (l looking) free(path string, n *source.Node, why reason) {
	for i := range n.Kids {
		switch v := &n.Kids[i]; {
		case n.Shape == source.List && v.Shape != source.Scalar:
			l.free(path+"["+strconv.Itoa(i)+"]", v, why)
		case n.Shape == source.List:
			l.text(path+"["+strconv.Itoa(i)+"]", v, why)
		case i%2 == 0: // a key
		case v.Shape != source.Scalar:
			l.free(path+"."+n.Kids[i-1].Text, v, why)
		default:
			key := n.Kids[i-1].Text
			if literal, whole := l.literal(v); whole && terms.SecretName(key) && isEvident(key, literal) {
				l.report(path+"."+key, l.position(v, path+"."+key), aSecret, why)
				continue
			}
			l.text(path+"."+key, v, why)
		}
	}
}

// text looks at a text, whatever its key is.
func (l looking) text(path string, n *source.Node, why reason) {
	if n.Shape != source.Scalar || n.Type != source.String || len(n.Text) < shortestSaid && n.Parts == nil {
		return
	}
	text, _ := l.literal(n)
	what := formOf(text)
	if what == "" {
		what = saidIn(text)
	}
	if what != "" {
		l.report(path, l.position(n, path), what, why)
	}
}

// shortestSaid is the length of the shortest text that has a key and a secret.
const shortestSaid = 10

// literal returns the text that the configuration has, with ${} for a reference or a value from outside. whole
// reports that it has neither.
func (l looking) literal(n *source.Node) (text string, whole bool) {
	if n.Parts == nil {
		if l.isPublic(n.Text) {
			return "${}", false
		}
		return n.Text, true
	}
	var out strings.Builder
	whole = true
	for _, p := range *n.Parts {
		if p.Reference || p.From != "" {
			p.Text, whole = "${}", false
		}
		out.WriteString(p.Text)
	}
	return out.String(), whole
}

// isPublic reports that a text is a value from outside that the configuration names as public. The values of a chart
// come from outside, too, but nothing tells that they are public.
func (l looking) isPublic(text string) bool { return strings.HasPrefix(l.outside[text], "${") }

// position is the position of a value.
func (l looking) position(n *source.Node, path string) position.Position {
	switch {
	case n.Line > 0 && n.File > 0:
		return position.Position{File: l.r.Files[n.File-1], Line: int(n.Line), Column: int(n.Column), Used: l.r.At.Used}
	case n.Line > 0:
		return position.Position{File: l.r.At.File, Line: int(n.Line), Column: int(n.Column), Used: l.r.At.Used}
	case l.r.Where == nil:
		return l.r.At
	}
	return l.r.Where(path)
}

// aSecret is a secret that only its key tells.
const aSecret = "a secret"

// report adds a finding, and returns its number. Another resource of the same block is counted.
func (l looking) report(path string, at position.Position, what string, why reason) int {
	key := place{at, path}
	key.at.Used = ""
	if i, again := l.f.at[key]; again {
		l.again(i)
		return i
	}
	verb := " contains "
	if what == aSecret {
		verb = " looks like "
	}
	i := len(l.f.found)
	l.f.at[key] = i
	l.f.found = append(l.f.found, source.Problem{
		Cause: source.Validation, At: at, Ref: l.ref(), Summary: path + verb + what, Detail: why.who, Suggestion: why.next,
	})
	return i
}

// again counts a further resource with a finding.
func (l looking) again(i int) {
	if of := &l.f.found[i]; l.ref() != of.Ref {
		of.Same = append(of.Same, l.ref())
	}
}

// ref is the short name of the resource; the outputs have none.
func (l looking) ref() string {
	if l.r.Kind == "" {
		return ""
	}
	return l.r.Kind + "/" + l.r.Name
}
