package source

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

// use is one use of another resource: by an attribute, or by depends_on. Resources with equal
// attributes share the reference.
type use struct {
	ref   *resource.Reference // nil in depends_on
	name  string              // in depends_on
	index int                 // in depends_on
	path  string              // of the attribute
	attr  *resource.Attribute
	text  bool // it is part of a longer string
	// inside is the prefix of the component that the resource is part of.
	inside string
	// optional reports that the resource may be missing: the reference is written with a ?.
	optional bool
	whole    bool // a value of any type fits
}

// mayBeGroup reports whether the name in a list can be the name of a group.
func (u *use) mayBeGroup() bool {
	return u.ref != nil && u.ref.Path == "" && !u.text && strings.HasSuffix(u.path, "]")
}

// parts reads a string that came from outside in part, or refers to resources.
func (r *reading) parts(path string, a *resource.Attribute, n *Node) resource.Value {
	if from := n.Parts.Private(); from != "" && !a.Secret {
		r.wrong(r.at(n, path), MayBeSecret(path, from), r.publish(from))
		return nil
	}
	if s, known := n.Parts.text(); known {
		if n.Parts.FromOutside() {
			return r.outsideValue(path, a, n, s)
		}
		return r.word(path, a, s)
	}
	if a.Secret && r.opts.Secrets != nil {
		r.opts.Secrets.Digest(resource.Ref{}, "", "") // its value is digested at plan and apply: the key must exist by then
	}
	if len(*n.Parts) == 1 {
		if ref, ok := r.reference(path, a, n, (*n.Parts)[0].Text, false); ok {
			return ref
		}
		return nil
	}
	switch {
	case a.Type != resource.TString:
		r.wrong(r.at(n, path), path+" must be "+a.Type.String()+", got a string with a reference in it",
			"use one reference alone, or a value")
		return nil
	case a.RefKind != "":
		r.wrong(r.at(n, path), path+" refers to a resource of kind "+a.RefKind+", and "+Quote(n.Text)+" is a longer string",
			"use one reference alone")
		return nil
	case a.Secret && r.opts.Secrets == nil:
		r.wrong(r.at(n, path), path+" is a secret, and there is no key for its digest", "report this error of ovi")
		return nil
	}
	late := false
	out := make(resource.Text, 0, len(*n.Parts))
	for _, p := range *n.Parts {
		switch {
		case p.Reference:
			ref, ok := r.reference(path, a, n, p.Text, true)
			if !ok && r.isOmitted() {
				continue
			}
			if !ok {
				return nil
			}
			out, late = append(out, ref), true
		case a.Secret:
			out = append(out, r.newSecret(p.Text))
		default:
			out = append(out, resource.String(p.Text))
		}
	}
	if !late {
		return r.withoutReferences(path, a, n)
	}
	return out
}

// reference reads the inside of ${[provider/[location/]]kind/name[.path]}.
func (r *reading) reference(path string, a *resource.Attribute, n *Node, inside string, text bool) (resource.Reference,
	bool,
) {
	wrong := func(summary, suggestion string) (resource.Reference, bool) {
		r.wrong(r.at(n, path), summary, suggestion)
		return resource.Reference{}, false
	}
	if name, is := strings.CutPrefix(inside, outputs.StackKind+"/"); is {
		out, summary, suggestion := ofStack(name)
		if summary != "" {
			return wrong(summary, suggestion)
		}
		r.uses = append(r.uses, use{ref: &out, path: path, attr: a, text: text})
		return out, true
	}
	steps := strings.Split(inside, "/")
	last := len(steps) - 1
	if last > 1 && steps[last-1] == ofUnit { // KIND/use/NAME
		steps = append(steps[:last-1], ofUnit+"/"+steps[last])
		last--
	}
	if last < 1 || strings.TrimSuffix(steps[last], "?") == "" || steps[last-1] == "" || steps[0] == "" {
		isKind := func(kind string) bool { _, ok := r.opts.Schemas.Kind(r.r.Provider, kind); return ok }
		return wrong("invalid reference "+Quote("${"+inside+"}"), cmp.Or(AdviceForTerraform(inside, isKind),
			"use ${KIND/NAME}, ${KIND/NAME.ATTRIBUTE}, ${env:NAME} or ${file:PATH}; $${ is a literal ${"))
	}
	ref := resource.Ref{Provider: r.r.Provider, Location: r.r.Location, Kind: steps[last-1]}
	if last > 1 {
		ref.Provider = steps[0]
		if rule := r.opts.LocationOf(ref.Provider); ref.Provider != r.r.Provider {
			ref.Location = cmp.Or(rule.Default, DefaultLocation)
		}
	}
	if last > 2 {
		ref.Location = strings.Join(steps[1:last-1], "/")
	}
	k, err := r.prepared(ref.Provider, ref.Kind)
	switch {
	case r.opts.Schemas.Kinds(ref.Provider) == nil:
		return wrong("unknown provider "+Quote(ref.Provider)+" in "+Quote("${"+inside+"}"),
			Suggest(ref.Provider, r.opts.Schemas.Providers()))
	case err != nil:
		return wrong(err.Error(), "report this error of the provider "+ref.Provider)
	case k == nil:
		return wrong("unknown kind "+Quote(ref.Kind)+" in "+Quote("${"+inside+"}"), r.suggestKind(ref.Kind))
	}
	name, optional := strings.CutSuffix(steps[last], "?")
	out := r.named(ref, name)
	if optional && r.omit(out.Ref) {
		return resource.Reference{}, false
	}
	r.uses = append(r.uses, use{
		ref: &out, path: path, attr: a, text: text, optional: optional, inside: r.r.Prefix,
	})
	return out, true
}

// named tells the name from the attribute behind it. Names may hold dots: the longest name
// that the stack has is meant, else the part before the first dot.
func (r *reading) named(ref resource.Ref, s string) resource.Reference {
	for end := len(s); end > 0; end = strings.LastIndexByte(s[:end], '.') {
		ref.Name = s[:end]
		if r.known[ref] {
			return resource.Reference{Ref: ref, Path: strings.TrimPrefix(s[end:], ".")}
		}
		if r.known == nil && strings.Contains(ref.Name, ".") {
			r.open.maybe = append(r.open.maybe, ref)
		}
	}
	name, path, _ := strings.Cut(s, ".")
	ref.Name = name
	return resource.Reference{Ref: ref, Path: path}
}

// checkUse checks that what a reference names has a value that fits: path, type, secrecy and
// location. It is called once the resource is known to exist.
func (d *Draft) checkUse(self resource.Ref, u *use) (summary, suggestion string) {
	ref := *u.ref
	shown := "${" + ref.String() + "}"
	if ref.Path == "" {
		if ref.Ref.Scope() != self.Scope() && !u.attr.Anywhere {
			return fmt.Sprintf("%s is in %s, and %s accepts ids of %s only", ref.Ref.Short(), ref.Ref.Scope(), u.path,
				self.Scope()), "use a resource of " + self.Location
		}
		return "", ""
	}
	k, err := d.prepared(ref.Ref.Provider, ref.Ref.Kind)
	if k == nil || err != nil {
		return "", ""
	}
	target := k.schemaAt(ref.Path)
	switch {
	case target == nil && ref.Path == "id":
		return fmt.Sprintf("unknown attribute %s of %s in %s", Quote(ref.Path), ref.Ref.Short(), shown),
			"use ${" + ref.Ref.Short() + "}: without a path it is the id"
	case target == nil:
		return fmt.Sprintf("unknown attribute %s of %s in %s", Quote(ref.Path), ref.Ref.Short(), shown),
			Suggest(ref.Path, d.attributeNames(ref.Ref.Provider, []string{ref.Ref.Kind})[1:])
	case isSecretAt(k, ref.Path) && !u.attr.Secret:
		return fmt.Sprintf("%s is a secret, and %s is not a secret attribute", shown, u.path),
			"use it in a secret attribute only"
	case target.WriteOnly && !isSecretAt(k, ref.Path):
		return fmt.Sprintf("%s cannot be read back from the provider", shown), "use the value itself"
	case !fits(target, u):
		return fmt.Sprintf("%s must be %s, and %s is %s", u.path, u.attr.Type, shown, target.Type),
			"use an attribute of that type"
	}
	return "", ""
}

// isSecretAt reports that the attribute at a path, or one around it, is a secret.
func isSecretAt(k *kind, path string) bool {
	for {
		if a := k.schemaAt(path); a != nil && a.Secret {
			return true
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

// fits reports whether an attribute's value can be used where a reference is.
func fits(target *resource.Attribute, u *use) bool {
	scalar := target.Type <= resource.TBool
	switch {
	case u.whole:
		return true
	case u.text, u.attr.Type == resource.TString:
		return scalar
	case u.attr.Type == resource.TFloat:
		return target.Type == resource.TFloat || target.Type == resource.TInt
	}
	return target.Type == u.attr.Type
}
