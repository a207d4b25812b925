package read

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// Reader reads the keys of one document. What is wrong is reported with its position.
type Reader struct {
	Opts     source.Options
	Env      func(name string) (value string, ok bool)
	Files    fs.FS
	Draft    *source.Draft
	File     *input.File
	Provider string           // of the document
	Public   []string         // what comes from outside and may be shown, as "env:NAME"
	Resource *source.Resource // the one being read, if any
}

// Text reads a string of a key that is not an attribute: what is written, with what comes from
// outside. Numbers are read as they are written, so that 1.10 stays 1.10.
func (r *Reader) Text(n *source.Node, what string) (string, bool) {
	if n.Shape != source.Scalar || n.Type == source.Null {
		r.Wrong(n, what+" must be a string, got "+n.Form(), "use one value after the colon")
		return "", false
	}
	if n.Bad { // its problem is reported
		r.breakResource()
		return "", false
	}
	if n.Type != source.String || n.Parts == nil && !source.HasParts(n.Text) {
		return n.Text, true
	}
	parts, ok := source.Parts(nil), true
	if n.Parts != nil {
		parts = *n.Parts
	} else {
		parts, ok = r.expand(n)
	}
	if from := parts.Private(); ok && from != "" {
		r.Wrong(n, source.MayBeSecret(what, from), Publish(from))
		return "", false
	}
	var out strings.Builder
	for _, p := range parts {
		if p.Reference && strings.HasPrefix(p.Text, "stack/") {
			r.Wrong(n, what+" cannot have an output of another stack: "+source.Quote("${"+p.Text+"}"),
				"use a variable, and set its value in the file or with --set: an output is known after apply")
			return "", false
		}
		if p.Reference {
			r.Wrong(n, what+" cannot refer to a resource: "+source.Quote("${"+p.Text+"}"), cmp.Or(
				numbered(what, n.Text, p.Text), source.AdviceForTerraform(p.Text, nil), late(p.Text),
				"use ${env:NAME} or ${file:PATH}; $${ is a literal ${"))
			return "", false
		}
		out.WriteString(p.Text)
	}
	return out.String(), ok
}

// late suggests what to use instead of a reference to a resource; "" for other texts.
func late(text string) string {
	if !strings.Contains(text, "/") {
		return ""
	}
	return "use a variable or a text: a reference is known after apply, and works in attributes only"
}

// isOutside reports that a value is written with ${…}.
func (r *Reader) isOutside(n *source.Node) bool {
	return n.Parts != nil || n.Shape == source.Scalar && n.Type == source.String &&
		source.HasParts(strings.ReplaceAll(n.Text, "$${", ""))
}

// ExpandAll expands every string below a node. What cannot be expanded is reported here, and
// only once.
func (r *Reader) ExpandAll(n *source.Node) {
	if n.Shape == source.Scalar {
		if n.Type == source.String && n.Parts == nil && !n.Bad && source.HasParts(n.Text) {
			parts, ok := r.expand(n)
			n.Parts, n.Bad = &parts, !ok
		}
		return
	}
	for i := range n.Kids {
		if n.Shape == source.List || i%2 == 1 {
			r.ExpandAll(&n.Kids[i])
		}
	}
}

// Outside returns the value of ${FROM:NAME}, and reports problems with it.
func (r *Reader) Outside(n *source.Node, from, name string) (source.Part, bool) {
	o := source.Outside{Env: r.Env, Files: r.Files, Dir: r.File.Dir}
	value, summary, suggestion := o.Value(from, name)
	if summary != "" {
		r.Wrong(n, summary, suggestion)
	}
	whole := from + ":" + name
	p := source.Part{Text: value, From: whole, Public: slices.Contains(r.Public, whole)}
	if summary == "" {
		r.Draft.Outside(value, "${"+whole+"}")
		r.Draft.Sum.Add(whole, value, p.Public)
	}
	return p, summary == ""
}

// expand replaces ${env:NAME} and ${file:PATH}.
func (r *Reader) expand(n *source.Node) (source.Parts, bool) {
	parts, unclosed, ok := source.Expand(n.Text, func(from, name string) (source.Part, bool) {
		return r.Outside(n, from, name)
	})
	if unclosed != "" {
		r.Wrong(n, "a ${ without its }", "use ${env:NAME}; $${ is a literal ${")
	}
	return parts, ok
}

// ReadPublic reads what comes from outside and is no secret. It is read before any value is.
func (r *Reader) ReadPublic(n *source.Node) {
	if n.Shape != source.List {
		r.Wrong(n, "public must be a list, got "+n.Form(), "use public: [env:NAME, file:PATH]")
		return
	}
	for i := range n.Kids {
		item := &n.Kids[i]
		if summary, suggestion := source.CheckPublic(item); summary != "" {
			r.Wrong(item, summary, suggestion)
			continue
		}
		r.Public = append(r.Public, item.Text)
	}
}

// Publish suggests how a file calls public what comes from outside.
func Publish(from string) string {
	if strings.HasPrefix(from, "vars.") {
		return "use it in a secret attribute, or declare another type than secret"
	}
	return "if everyone may see it, add public: [" + from + "] at the top of the file"
}

// Whole reads a whole number between bounds, also one that comes from outside.
func (r *Reader) Whole(n *source.Node, what string, low, high int) (int, bool) {
	s, ok := r.Text(n, what)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < low || v > high || n.Quoted && !r.isOutside(n) {
		r.Wrong(n, fmt.Sprintf("%s must be a whole number from %d to %d, got %s", what, low, high, n.What()),
			cmp.Or(source.AsExpression(n.Text), "for example, "+what+": "+strconv.Itoa(max(low, 3))))
		return 0, false
	}
	return v, true
}

// Boolean reads true or false, also one that comes from outside.
func (r *Reader) Boolean(n *source.Node, what string) (value, ok bool) {
	s := n.Text
	if r.isOutside(n) {
		if s, ok = r.Text(n, what); !ok {
			return false, false
		}
	} else if n.Shape != source.Scalar || n.Type != source.Bool {
		s = ""
	}
	v, err := strconv.ParseBool(s)
	if err != nil {
		r.Wrong(n, what+" must be true or false, got "+n.What(), cmp.Or(source.AsExpression(n.Text), "use "+what+": true"))
	}
	return v, err == nil
}

// breakResource marks the block being read as one with a problem.
func (r *Reader) breakResource() {
	if r.Resource != nil {
		r.Resource.Broken = true
	}
}

// Wrong reports a problem, of the block being read if there is one.
func (r *Reader) Wrong(n *source.Node, summary, suggestion string) {
	ref := ""
	if r.Resource != nil {
		r.Resource.Broken = true
		if ref = r.Resource.Kind; ref != "" && r.Resource.Name != "" { // the name as far as it is known
			ref += "/" + r.Resource.Name
		}
	}
	r.Draft.Problem(source.Problem{At: r.File.At(n.Line, n.Column), Ref: ref, Summary: summary, Suggestion: suggestion})
}

// Duplicates reports keys that a block has twice.
func (r *Reader) Duplicates(n *source.Node) {
	for again, first := range source.Duplicates(n) {
		r.Wrong(again, "duplicate key "+source.Quote(again.Text),
			fmt.Sprintf("remove one; the other is on line %d", first.Line))
	}
}

// ReadVersion checks the version of the format.
func (r *Reader) ReadVersion(n *source.Node) {
	if n.Shape != source.Scalar || n.Text != "v1" {
		r.Wrong(n, "unsupported version "+n.What(), "use version: v1")
	}
}

// SomeKind is a kind for an example.
func (r *Reader) SomeKind() string {
	for _, p := range r.Opts.Schemas.Providers() {
		if kinds := r.Opts.Schemas.Kinds(p); len(kinds) > 0 && (r.Provider == "" || r.Provider == p) {
			return kinds[0].Name
		}
	}
	return "KIND"
}

// KindNames lists the kinds of the document's provider, or of all.
func (r *Reader) KindNames() []string {
	var out []string
	for _, p := range r.Opts.Schemas.Providers() {
		if r.Provider != "" && p != r.Provider {
			continue
		}
		for _, k := range r.Opts.Schemas.Kinds(p) {
			out = append(out, k.Name)
		}
	}
	return out
}

// ProviderName reads the name of a provider.
func (r *Reader) ProviderName(n *source.Node) string {
	providers := r.Opts.Schemas.Providers()
	name, ok := r.Text(n, "provider")
	if !ok {
		return ""
	}
	if i := slices.Index(providers, name); i >= 0 {
		return providers[i]
	}
	r.Wrong(n, "unknown provider "+source.Quote(name), source.Suggest(name, providers))
	return ""
}

// CheckIgnore checks a pattern by the document's provider, or by all.
func (r *Reader) CheckIgnore(s string, kinds []string) (summary, suggestion string) {
	providers := []string{r.Provider}
	if r.Provider == "" {
		providers = r.Opts.Schemas.Providers()
	}
	for _, p := range providers {
		if summary, suggestion = r.Draft.CheckIgnore(s, p, kinds...); summary == "" {
			break
		}
	}
	return summary, suggestion
}

// numbered suggests a name without the number that a count adds. It returns "" for other keys and texts.
func numbered(what, text, part string) string {
	if what != "name" || part != "count.index" {
		return ""
	}
	before, after, _ := strings.Cut(text, "${")
	_, after, _ = strings.Cut(after, "}")
	name := strings.Trim(before+after, "-")
	if name == "" || source.HasParts(name) {
		name = "NAME"
	}
	return "use name: " + name + "; the count adds -0, -1 and so on"
}
