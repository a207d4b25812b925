package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ovi-project/ovi/resource"
)

// value reads a node as far as the schema is needed to understand it: names of things,
// secrets, numbers that are texts. Everything else is the checker's. Nil means that the
// problem has been told.
func (r *reading) value(path string, a *resource.Attribute, n *node) resource.Value {
	switch {
	case a.Computed:
		r.wrong(n, path+" is only reported, it can't be wished", "leave it out")
		return nil
	case n.null():
		r.wrong(n, path+" has no value", "give it one"+such(a)+", or leave the key out")
		return nil
	case a.Secret:
		return r.secret(path, a, n)
	case n.shape == list:
		return r.list(path, a, n)
	case n.shape == object:
		return r.object(path, a, n)
	}
	return r.scalar(path, a, n)
}

func (r *reading) list(path string, a *resource.Attribute, n *node) resource.Value {
	elem := a.Elem
	if elem == nil {
		elem = &resource.Attribute{RefKind: a.RefKind, IDPrefix: a.IDPrefix}
	}
	out, ok := make(resource.List, len(n.kids)), true
	for i := range n.kids {
		out[i] = r.value(path+"["+strconv.Itoa(i)+"]", elem, &n.kids[i])
		ok = ok && out[i] != nil
	}
	if !ok {
		return nil
	}
	return out
}

func (r *reading) object(path string, a *resource.Attribute, n *node) resource.Value {
	r.doubles(n)
	out, ok := make([]resource.Attr, 0, len(n.kids)/2), true
	for i := 0; i+1 < len(n.kids); i += 2 {
		k := &n.kids[i]
		field := r.field(path, a, k)
		if field == nil {
			ok = false
			continue
		}
		v := r.value(path+"."+k.text, field, &n.kids[i+1])
		ok = ok && v != nil
		out = append(out, resource.Attr{Name: r.intern.text(k.text), Value: v})
	}
	if !ok {
		return nil
	}
	return resource.NewAttrs(out...)
}

// field finds the schema of a key. Where no object is expected any key will do: the checker
// says that the whole is wrong.
func (r *reading) field(path string, a *resource.Attribute, k *node) *resource.Attribute {
	if a.Type != resource.TObject {
		if a.Elem != nil {
			return a.Elem
		}
		return &resource.Attribute{}
	}
	names := make([]string, 0, len(a.Fields))
	for i := range a.Fields {
		if a.Fields[i].Name == k.text {
			return &a.Fields[i]
		}
		names = append(names, a.Fields[i].Name)
	}
	r.wrong(k, path+" has no key "+quote(k.text), didYouMean(k.text, names))
	return nil
}

func (r *reading) scalar(path string, a *resource.Attribute, n *node) resource.Value {
	if n.typ == strT {
		s, ok := r.text(n, path)
		switch {
		case !ok:
			return nil
		case r.fromOutside(n):
			return r.brought(path, a, n, s)
		}
		return r.word(path, a, n, s)
	}
	if a.Type == resource.TString && n.typ != boolT {
		return r.word(path, a, n, n.text)
	}
	switch n.typ {
	case boolT:
		return resource.Bool(strings.EqualFold(n.text, "true"))
	case intT:
		return r.number(path, n)
	default:
		f, err := strconv.ParseFloat(n.text, 64)
		if err != nil {
			r.wrong(n, path+" is "+n.what()+", which is no plain number", "write it in digits, such as 1.5")
			return nil
		}
		return resource.Float(f)
	}
}

// number reads a whole number. Other bases and leading zeros mean one thing to some readers
// of YAML and another to others.
func (r *reading) number(path string, n *node) resource.Value {
	v, err := strconv.ParseInt(n.text, 10, 64)
	if err != nil || strings.TrimLeft(n.text, "+-0") != strings.TrimLeft(n.text, "+-") && v != 0 {
		r.wrong(n, path+" is "+n.what()+", which can be read in more than one way", "write it in plain decimal digits, or in quotes if it is a text")
		return nil
	}
	return resource.Int(v)
}

// word makes a text, or the reference it is where the schema expects a thing. What begins as
// an id does is one, unless a thing of the stack has that very name.
func (r *reading) word(path string, a *resource.Attribute, n *node, s string) resource.Value {
	if a.RefKind == "" {
		return r.intern.value(s)
	}
	ref := resource.Ref{Provider: r.provider, Location: r.location, Kind: a.RefKind, Name: r.intern.text(s)}
	id := a.IDPrefix != "" && strings.HasPrefix(s, a.IDPrefix) && !r.taken[ref]
	r.uses = append(r.uses, use{ref: &ref, id: id, line: n.line, col: n.col})
	r.paths = append(r.paths, path)
	if id {
		return r.intern.value(s)
	}
	return resource.Reference{Ref: ref}
}

// brought makes a value of the schema's type from what came from outside, which is always a
// text. It never says what came.
func (r *reading) brought(path string, a *resource.Attribute, n *node, s string) resource.Value {
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
		return r.word(path, a, n, s)
	}
	r.wrong(n, fmt.Sprintf("%s must be %s, and what %s stands for is not", path, a.Type, quote(n.text)), rule(a))
	return nil
}

// secret reads a secret, which must come from outside, and says nothing about it.
func (r *reading) secret(path string, a *resource.Attribute, n *node) resource.Value {
	if n.shape != scalar || !a.SecretInFile && !r.fromOutside(n) {
		r.wrong(n, path+" is a secret and must not stand in the file", "write "+path+": ${env:NAME} or ${file:PATH}")
		return nil
	}
	s, ok := r.text(n, path)
	if !ok {
		return nil
	}
	long := int64(utf8.RuneCountInString(s))
	switch {
	case s == "":
		r.wrong(n, path+" is empty: "+quote(n.text)+" stands for nothing", "set what it names")
	case a.Min != nil && long < *a.Min, a.Max != nil && long > *a.Max:
		r.wrong(n, path+" is too short or too long", "it must have "+between(a)+" characters")
	case r.opts.Digest == nil:
		r.wrong(n, path+" is a secret, and there is no key to keep its digest with", "this is a fault of the program, not of the file")
	default:
		return resource.NewSecret(s, resource.Digest(r.opts.Digest([]byte(s))))
	}
	return nil
}

func between(a *resource.Attribute) string {
	switch {
	case a.Max == nil:
		return fmt.Sprintf("at least %d", *a.Min)
	case a.Min == nil:
		return fmt.Sprintf("at most %d", *a.Max)
	}
	return fmt.Sprintf("from %d to %d", *a.Min, *a.Max)
}

func such(a *resource.Attribute) string {
	if a.Example == "" {
		return ""
	}
	return ", such as " + a.Example
}
