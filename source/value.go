package source

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/terms"
)

// value reads a node as far as the schema is needed to understand it: references, secrets,
// numbers that are strings. The rest is the checker's. Nil means that the problem is reported.
func (r *reading) value(path string, a *resource.Attribute, n *Node) resource.Value {
	switch {
	case n.Bad:
		r.failed = true
		return nil
	case a.Computed:
		r.wrong(r.at(n, path), path+" is read-only: the provider reports it", "remove "+path)
		return nil
	case n.IsNull():
		r.wrong(r.at(n, path), path+" has no value", "add a value"+such(a)+", or remove the key")
		return nil
	case a.Secret:
		return r.secret(path, a, n)
	case n.Shape == List:
		return r.list(path, a, n)
	case n.Shape == Object:
		return r.object(path, a, n)
	}
	return r.scalar(path, a, n)
}

func (r *reading) list(path string, a *resource.Attribute, n *Node) resource.Value {
	if a.Type != resource.TList && a.Type != resource.TSet {
		r.wrong(r.at(n, path), path+" must be "+a.Type.String()+", got a list", rule(a))
		return nil
	}
	elem := a.Elem
	if elem == nil {
		elem = &resource.Attribute{
			RefKind: a.RefKind, IDPrefix: a.IDPrefix, RefPath: a.RefPath, Pattern: a.Pattern, AnyName: a.AnyName,
		}
	}
	out, ok := make(resource.List, 0, len(n.Kids)), true
	for i := range n.Kids {
		v := r.value(path+"["+strconv.Itoa(i)+"]", elem, &n.Kids[i])
		if v == nil && r.isOmitted() {
			continue
		}
		out, ok = append(out, v), ok && v != nil
	}
	if !ok {
		return nil
	}
	return out
}

func (r *reading) object(path string, a *resource.Attribute, n *Node) resource.Value {
	if a.Type != resource.TObject && a.Type != resource.TMap {
		r.wrong(r.at(n, path), path+" must be "+a.Type.String()+", got a block of keys", rule(a))
		return nil
	}
	ok := r.unique(path, n)
	out := make([]resource.Attr, 0, len(n.Kids)/2)
	for i := 0; i+1 < len(n.Kids); i += 2 {
		k := &n.Kids[i]
		field := r.field(path, a, k)
		if field == nil {
			ok = false
			continue
		}
		v := r.value(path+"."+k.Text, field, &n.Kids[i+1])
		if v == nil && r.isOmitted() {
			continue
		}
		ok = ok && v != nil
		out = append(out, resource.Attr{Name: k.Text, Value: v})
	}
	if !ok {
		return nil
	}
	return resource.SortAttrs(out)
}

// unique reports keys that an object has twice.
func (r *reading) unique(path string, n *Node) bool {
	ok := true
	for key, first := range Duplicates(n) {
		ok = false
		r.wrong(r.at(key, path), "duplicate key "+Quote(key.Text),
			fmt.Sprintf("remove one; the other is on line %d", first.Line))
	}
	return ok
}

// field finds the schema of a key.
func (r *reading) field(path string, a *resource.Attribute, k *Node) *resource.Attribute {
	if a.Type == resource.TMap {
		if a.Elem != nil {
			return a.Elem
		}
		return &resource.Attribute{Type: resource.TString}
	}
	names := make([]string, 0, len(a.Fields))
	for i := range a.Fields {
		if a.Fields[i].Name == k.Text {
			return &a.Fields[i]
		}
		names = append(names, a.Fields[i].Name)
	}
	suggestion := Suggest(k.Text, names)
	if meant, ok := terms.Attribute(k.Text, names); ok {
		suggestion = "use " + meant
	}
	r.wrong(r.at(k, path), "unknown key "+Quote(k.Text)+" in "+path, suggestion)
	return nil
}

func (r *reading) scalar(path string, a *resource.Attribute, n *Node) resource.Value {
	if n.Type == String {
		if n.Parts != nil {
			return r.parts(path, a, n)
		}
		return r.word(path, a, n.Text)
	}
	if a.Type == resource.TString && n.Type != Bool {
		return r.word(path, a, n.Text)
	}
	switch n.Type {
	case Bool:
		return resource.Bool(strings.EqualFold(n.Text, "true"))
	case Int:
		// Other bases and leading zeros mean different numbers to different readers of YAML.
		v, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || strings.TrimLeft(n.Text, "+-0") != strings.TrimLeft(n.Text, "+-") && v != 0 {
			r.wrong(r.at(n, path), "ambiguous number for "+path, "use plain decimal digits, or quotes if it is a string")
			return nil
		}
		return resource.Int(v)
	default:
		if whole, err := strconv.ParseInt(n.Text, 10, 64); err == nil { // the result of an expression
			return resource.Int(whole)
		}
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			r.wrong(r.at(n, path), "invalid number for "+path, "use digits, for example 1.5")
			return nil
		}
		return resource.Float(f)
	}
}

// word makes a string, or a reference where the schema expects a resource. A word that may be an ID is one, unless a
// resource of the stack has that name.
func (r *reading) word(path string, a *resource.Attribute, s string) resource.Value {
	if a.RefKind == "" {
		return resource.String(s)
	}
	name, optional := strings.CutSuffix(s, "?")
	if optional = optional && name != ""; optional {
		s = name
	}
	ref := resource.Ref{Provider: r.r.Provider, Location: r.r.Location, Kind: a.RefKind, Name: Inside(r.r.Prefix, s)}
	if optional {
		if r.omit(ref) {
			return nil
		}
		to := resource.Reference{Ref: ref, Path: a.RefPath}
		r.uses = append(r.uses, use{ref: &to, path: path, attr: a, optional: true, inside: r.r.Prefix})
		return to
	}
	if mayBeID(a, s) && !r.known[ref] {
		r.open.maybe = append(r.open.maybe, ref)
		return resource.String(s)
	}
	to := resource.Reference{Ref: ref, Path: a.RefPath}
	r.uses = append(r.uses, use{ref: &to, path: path, attr: a, inside: r.r.Prefix})
	return to
}

// mayBeID reports whether a word may be an ID, or a name in the system.
func mayBeID(a *resource.Attribute, s string) bool {
	if a.AnyName || a.IDPrefix != "" && strings.HasPrefix(s, a.IDPrefix) {
		return true
	}
	if a.RefPath == "" || a.Pattern == "" {
		return false
	}
	fits, err := regexp.MatchString(`\A(?:`+a.Pattern+`)\z`, s)
	return fits && err == nil
}

// outsideValue makes a value of the schema's type from what came from outside, which is always
// a string. It never shows the value.
func (r *reading) outsideValue(path string, a *resource.Attribute, n *Node, s string) resource.Value {
	r.outside = append(r.outside, path)
	switch a.Type {
	case resource.TInt:
		if v, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
			return resource.Int(v)
		}
	case resource.TFloat:
		if v, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			return resource.Float(v)
		}
	case resource.TBool:
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true", "1":
			return resource.Bool(true)
		case "false", "0":
			return resource.Bool(false)
		}
	default:
		return r.word(path, a, s)
	}
	r.wrong(r.at(n, path), fmt.Sprintf("%s must be %s, which the value of %s is not", path, a.Type, Quote(n.Text)),
		rule(a))
	return nil
}

// secret reads a secret, which must come from outside or from another resource. It never
// shows it.
func (r *reading) secret(path string, a *resource.Attribute, n *Node) resource.Value {
	if n.Shape != Scalar || !a.SecretInFile && n.Parts == nil {
		r.wrong(r.at(n, path), path+" is a secret and must not be written in the configuration",
			"use "+path+": ${env:NAME} or ${file:PATH}")
		return nil
	}
	if n.Parts == nil {
		return r.sealed(path, a, n, n.Text)
	}
	s, known := n.Parts.text()
	if !known {
		return r.parts(path, a, n)
	}
	if !a.SecretInFile && !n.Parts.FromOutside() {
		r.wrong(r.at(n, path), path+" is a secret and must not be written in the configuration",
			"use "+path+": ${env:NAME} or ${file:PATH}")
		return nil
	}
	return r.sealed(path, a, n, s)
}

func (r *reading) sealed(path string, a *resource.Attribute, n *Node, s string) resource.Value {
	long := int64(utf8.RuneCountInString(s))
	switch {
	case s == "":
		r.wrong(r.at(n, path), path+" is empty: "+Quote(n.Text)+" has no value", "set "+Quote(n.Text))
	case a.Min != nil && long < *a.Min, a.Max != nil && long > *a.Max:
		r.wrong(r.at(n, path), path+" is too short or too long", "use "+between(a)+" characters")
	case r.opts.Secrets == nil:
		r.wrong(r.at(n, path), path+" is a secret, and there is no key for its digest", "report this error of ovi")
	default:
		from := "" // also if a part of the secret is written in the configuration
		if n.Parts != nil && len(*n.Parts) == 1 {
			from = (*n.Parts)[0].From
		}
		return r.newSecret(s).WithSource(from)
	}
	return nil
}

// newSecret has a digest that is bound to nothing: what is read once serves many resources. It is
// bound to each of them once they have their names.
func (r *reading) newSecret(s string) resource.Secret {
	r.secrets = true
	return resource.NewSecret(s, r.opts.Secrets.Digest(resource.Ref{}, "", s))
}
