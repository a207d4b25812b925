package config

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// reader reads the keys of one document. What is wrong is reported with its position.
type reader struct {
	opts     source.Options
	env      func(name string) (value string, ok bool)
	files    fs.FS
	draft    *source.Draft
	file     *file
	provider string           // of the document
	public   []string         // what comes from outside and may be shown, as "env:NAME"
	resource *source.Resource // the one being read, if any
}

// refOf is the resource's short name, as far as it is known.
func refOf(r *source.Resource) string {
	if r.Kind == "" || r.Name == "" {
		return r.Kind
	}
	return r.Kind + "/" + r.Name
}

// text reads a string of a key that is not an attribute: what is written, with what comes from
// outside. Numbers are read as they are written, so that 1.10 stays 1.10.
func (r *reader) text(n *source.Node, what string) (string, bool) {
	if n.Shape != source.Scalar || n.Type == source.Null {
		r.wrong(n, what+" must be a string, got "+n.Form(), "use one value after the colon")
		return "", false
	}
	if n.Type != source.String || !source.HasParts(n.Text) {
		return n.Text, true
	}
	parts, ok := r.expand(n)
	if from := parts.Private(); ok && from != "" {
		r.wrong(n, source.MayBeSecret(what, from), publish(from))
		return "", false
	}
	var out strings.Builder
	for _, p := range parts {
		if p.Reference {
			r.wrong(n, what+" cannot refer to a resource: "+source.Quote("${"+p.Text+"}"), "use ${env:NAME} or ${file:PATH}; $${ is a literal ${")
			return "", false
		}
		out.WriteString(p.Text)
	}
	return out.String(), ok
}

// isOutside reports that a value is written with ${…}.
func (r *reader) isOutside(n *source.Node) bool {
	return n.Shape == source.Scalar && n.Type == source.String && source.HasParts(strings.ReplaceAll(n.Text, "$${", ""))
}

// expandAll expands every string below a node. What cannot be expanded is reported here, and
// only once.
func (r *reader) expandAll(n *source.Node) {
	if n.Shape == source.Scalar {
		if n.Type == source.String && source.HasParts(n.Text) {
			parts, ok := r.expand(n)
			n.Parts, n.Bad = &parts, !ok
		}
		return
	}
	for i := range n.Kids {
		if n.Shape == source.List || i%2 == 1 {
			r.expandAll(&n.Kids[i])
		}
	}
}

// expand replaces ${env:NAME} and ${file:PATH}.
func (r *reader) expand(n *source.Node) (source.Parts, bool) {
	parts, unclosed, ok := source.Expand(n.Text, func(from, name string) (source.Part, bool) {
		value, found := r.outside(n, from, name)
		whole := from + ":" + name
		if found {
			r.draft.Outside(value, "${"+whole+"}")
		}
		return source.Part{Text: value, From: whole, Public: slices.Contains(r.public, whole)}, found
	})
	if unclosed != "" {
		r.wrong(n, "a ${ without its }", "use ${env:NAME}; $${ is a literal ${")
	}
	return parts, ok
}

// outside answers one ${FROM:NAME}.
func (r *reader) outside(n *source.Node, from, name string) (string, bool) {
	o := source.Outside{Env: r.env, Files: r.files, Dir: r.file.dir}
	value, summary, suggestion := o.Value(from, name)
	if summary != "" {
		r.wrong(n, summary, suggestion)
	}
	return value, summary == ""
}

// readPublic reads what comes from outside and is no secret. It is read before any value is.
func (r *reader) readPublic(n *source.Node) {
	if n.Shape != source.List {
		r.wrong(n, "public must be a list, got "+n.Form(), "use public: [env:NAME, file:PATH]")
		return
	}
	for i := range n.Kids {
		item := &n.Kids[i]
		if summary, suggestion := source.CheckPublic(item); summary != "" {
			r.wrong(item, summary, suggestion)
			continue
		}
		r.public = append(r.public, item.Text)
	}
}

// publish suggests how a file calls public what comes from outside.
func publish(from string) string {
	return "if everyone may see it, add public: [" + from + "] at the top of the file"
}

// whole reads a whole number between bounds, also one that comes from outside.
func (r *reader) whole(n *source.Node, what string, low, high int) (int, bool) {
	s, ok := r.text(n, what)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < low || v > high || n.Quoted && !r.isOutside(n) {
		r.wrong(n, fmt.Sprintf("%s must be a whole number from %d to %d, got %s", what, low, high, n.What()), "for example, "+what+": "+strconv.Itoa(max(low, 3)))
		return 0, false
	}
	return v, true
}

func (r *reader) boolean(n *source.Node, what string) (value, ok bool) {
	s := n.Text
	if r.isOutside(n) {
		if s, ok = r.text(n, what); !ok {
			return false, false
		}
	} else if n.Shape != source.Scalar || n.Type != source.Bool {
		s = ""
	}
	v, err := strconv.ParseBool(s)
	if err != nil {
		r.wrong(n, what+" must be true or false, got "+n.What(), "use "+what+": true")
	}
	return v, err == nil
}

// wrong reports a problem, of the block being read if there is one.
func (r *reader) wrong(n *source.Node, summary, suggestion string) {
	ref := ""
	if r.resource != nil {
		ref, r.resource.Broken = refOf(r.resource), true
	}
	r.draft.Problem(source.Problem{At: r.file.at(n.Line, n.Column), Ref: ref, Summary: summary, Suggestion: suggestion})
}

// duplicates reports keys that a block has twice.
func (r *reader) duplicates(n *source.Node) {
	for again, first := range source.Duplicates(n) {
		r.wrong(again, "duplicate key "+source.Quote(again.Text), fmt.Sprintf("remove one; the other is on line %d", first.Line))
	}
}

func (r *reader) readVersion(n *source.Node) {
	if n.Shape != source.Scalar || n.Text != "v1" {
		r.wrong(n, "unsupported version "+n.What(), "use version: v1")
	}
}

// someKind is a kind for an example.
func (r *reader) someKind() string {
	for _, p := range r.opts.Schemas.Providers() {
		if kinds := r.opts.Schemas.Kinds(p); len(kinds) > 0 && (r.provider == "" || r.provider == p) {
			return kinds[0].Name
		}
	}
	return "KIND"
}

// kindNames lists the kinds of the document's provider, or of all.
func (r *reader) kindNames() []string {
	var out []string
	for _, p := range r.opts.Schemas.Providers() {
		if r.provider != "" && p != r.provider {
			continue
		}
		for _, k := range r.opts.Schemas.Kinds(p) {
			out = append(out, k.Name)
		}
	}
	return out
}

// providerName reads the name of a provider.
func (r *reader) providerName(n *source.Node) string {
	providers := r.opts.Schemas.Providers()
	name, ok := r.text(n, "provider")
	if !ok {
		return ""
	}
	if i := slices.Index(providers, name); i >= 0 {
		return providers[i]
	}
	r.wrong(n, "unknown provider "+source.Quote(name), source.Suggest(name, providers))
	return ""
}

// checkIgnore checks a pattern by the document's provider, or by all.
func (r *reader) checkIgnore(s string, kinds []string) (summary, suggestion string) {
	providers := []string{r.provider}
	if r.provider == "" {
		providers = r.opts.Schemas.Providers()
	}
	for _, p := range providers {
		if summary, suggestion = r.draft.CheckIgnore(s, p, kinds...); summary == "" {
			break
		}
	}
	return summary, suggestion
}
