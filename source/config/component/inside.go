package component

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/language"
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// inside returns the options of the language of a unit.
func (t *Tree) inside(u *Unit) language.Options {
	base := t.opts.Language
	files := u.folder.place.files()
	public := map[string]bool{}
	for _, n := range listed(u.Root.Get("public")) {
		public[n.Text] = true
	}
	o := language.Options{
		LocationWords: base.LocationWords, KeepOrigins: base.KeepOrigins, Hide: base.Hide,
		HasKind: t.hasKind, IsID: t.isID, Prefix: u.Prefix(), Used: u.Level.used,
	}
	if o.Within = t.top.lang; u.around != nil {
		o.Within = u.around.Language
	}
	o.Wrong = func(at position.Position, ref, summary, suggestion string) {
		if ref == "" {
			ref = "use/" + u.Name
			if e := t.top.lang.EnvironmentName(); e != "" {
				ref += ", environment " + e
			}
		}
		base.Wrong(at, ref, summary, suggestion)
	}
	o.Outside = func(f *input.File, n *source.Node, from, name string) (source.Part, bool) {
		summary, suggestion, value := "a component has no ${env:NAME}: it reads its own variables",
			"declare a variable, and set it where the component is used", ""
		if from != "env" {
			value, summary, suggestion = source.Outside{Files: files}.Value(from, name)
			if from == "file" && !filepath.IsLocal(name) {
				summary = "the file " + source.Quote(name) + " is outside of the folder of the component"
			}
			if from == "file" && summary != "" {
				suggestion = "name a file in the folder of the component"
			}
		}
		if summary != "" {
			o.Wrong(f.At(n.Line, n.Column), "", summary, suggestion)
			return source.Part{}, false
		}
		p := source.Part{Text: value, From: from + ":" + name, Public: public[from+":"+name]}
		base.Hide(value, "${"+p.From+"}")
		base.Depends(p.From, value, p.Public)
		return p, true
	}
	return o
}

// listed returns the items of a list.
func listed(n *source.Node) []source.Node {
	if n == nil || n.Shape != source.List {
		return nil
	}
	return n.Kids
}

// Resources evaluates the variables of a unit, and returns the blocks of its resources.
func (u *Unit) Resources() []source.Node {
	if u.broken {
		return nil
	}
	language.BareLocals(u.Language)
	u.Language.EvaluateAll()
	return listed(u.Root.Get("resources"))
}

// Finish evaluates all outputs, so that a problem of one that is not read is reported.
func (u *Unit) Finish() {
	if u.broken || u.Root.Get("outputs") == nil {
		return
	}
	out := u.Root.Get("outputs")
	for i := 0; i+1 < len(out.Kids); i += 2 {
		u.output(out.Kids[i].Text)
	}
}

// hasKind reports whether a provider has a kind.
func (t *Tree) hasKind(kind string) bool {
	for _, p := range t.opts.Schemas.Providers() {
		if _, ok := t.opts.Schemas.Kind(p, kind); ok {
			return true
		}
	}
	return false
}

// isID reports whether a text is an ID of a kind, as an attribute that refers to the kind recognizes it.
func (t *Tree) isID(kind, text string) bool {
	for _, p := range t.opts.Schemas.Providers() {
		for _, k := range t.opts.Schemas.Kinds(p) {
			if hasID(k.Attrs, kind, text) {
				return true
			}
		}
	}
	return false
}

func hasID(attrs []resource.Attribute, kind, text string) bool {
	for i := range attrs {
		for a := &attrs[i]; a != nil; a = a.Elem {
			if a.RefKind == kind && a.IDPrefix != "" && strings.HasPrefix(text, a.IDPrefix) || hasID(a.Fields, kind, text) {
				return true
			}
		}
	}
	return false
}

// isSecretRef reports whether a reference reads a secret attribute.
func (t *Tree) isSecretRef(text string) bool {
	steps := strings.Split(text, "/")
	if len(steps) < 2 {
		return false
	}
	last := steps[len(steps)-1]
	for i := range last { // a name can have dots
		if last[i] == '.' && t.isSecretAt(steps[len(steps)-2], strings.Split(strings.TrimSuffix(last[i+1:], "?"), ".")) {
			return true
		}
	}
	return false
}

func (t *Tree) isSecretAt(kind string, path []string) bool {
	for _, p := range t.opts.Schemas.Providers() {
		k, ok := t.opts.Schemas.Kind(p, kind)
		if !ok {
			continue
		}
		attrs := k.Attrs
		for _, step := range path {
			i := slices.IndexFunc(attrs, func(a resource.Attribute) bool { return a.Name == step })
			if i < 0 {
				break
			}
			if attrs[i].Secret {
				return true
			}
			if attrs = attrs[i].Fields; len(attrs) == 0 {
				break
			}
		}
	}
	return false
}

// At returns the position of the use block.
func (u *Unit) At() position.Position { return u.at }
