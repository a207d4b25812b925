package config

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// text reads a string of a key that is not an attribute: what is written, with what comes from
// outside. Numbers are read as they are written, so that 1.10 stays 1.10.
func (d *document) text(n *source.Node, what string) (string, bool) {
	if n.Shape != source.Scalar || n.Type == source.Null {
		d.wrong(n, what+" must be a string, got "+n.Form(), "use one value after the colon")
		return "", false
	}
	if n.Type != source.String || !source.HasParts(n.Text) {
		return n.Text, true
	}
	parts, ok := d.expand(n)
	if from := parts.Private(); ok && from != "" {
		d.wrong(n, source.MayBeSecret(what, from), publish(from))
		return "", false
	}
	var out strings.Builder
	for _, p := range parts {
		if p.Reference {
			d.wrong(n, what+" cannot refer to a resource: "+source.Quote("${"+p.Text+"}"), "use ${env:NAME} or ${file:PATH}; $${ is a literal ${")
			return "", false
		}
		out.WriteString(p.Text)
	}
	return out.String(), ok
}

// isOutside reports that a value is written with ${…}.
func (d *document) isOutside(n *source.Node) bool {
	return n.Shape == source.Scalar && n.Type == source.String && source.HasParts(strings.ReplaceAll(n.Text, "$${", ""))
}

// expandAll expands every string below a node. What cannot be expanded is reported here, and
// only once.
func (d *document) expandAll(n *source.Node) {
	if n.Shape == source.Scalar {
		if n.Type == source.String && source.HasParts(n.Text) {
			parts, ok := d.expand(n)
			n.Parts, n.Bad = &parts, !ok
		}
		return
	}
	for i := range n.Kids {
		if n.Shape == source.List || i%2 == 1 {
			d.expandAll(&n.Kids[i])
		}
	}
}

// expand replaces ${env:NAME} and ${file:PATH}.
func (d *document) expand(n *source.Node) (source.Parts, bool) {
	parts, unclosed, ok := source.Expand(n.Text, func(from, name string) (source.Part, bool) {
		value, found := d.outside(n, from, name)
		whole := from + ":" + name
		if found {
			d.draft.Outside(value, "${"+whole+"}")
		}
		return source.Part{Text: value, From: whole, Public: slices.Contains(d.public, whole)}, found
	})
	if unclosed != "" {
		d.wrong(n, "a ${ without its }", "use ${env:NAME}; $${ is a literal ${")
	}
	return parts, ok
}

// outside answers one ${FROM:NAME}.
func (d *document) outside(n *source.Node, from, name string) (string, bool) {
	o := source.Outside{Env: d.opts.Env, Files: d.opts.Files, Dir: d.file.dir}
	value, summary, suggestion := o.Value(from, name)
	if summary != "" {
		d.wrong(n, summary, suggestion)
	}
	return value, summary == ""
}

// readPublic reads what comes from outside and is no secret. It is read before any value is.
func (d *document) readPublic(n *source.Node) {
	if n.Shape != source.List {
		d.wrong(n, "public must be a list, got "+n.Form(), "use public: [env:NAME, file:PATH]")
		return
	}
	for i := range n.Kids {
		item := &n.Kids[i]
		if summary, suggestion := source.CheckPublic(item); summary != "" {
			d.wrong(item, summary, suggestion)
			continue
		}
		d.public = append(d.public, item.Text)
	}
}

// publish suggests how a file calls public what comes from outside.
func publish(from string) string {
	return "if everyone may see it, add public: [" + from + "] at the top of the file"
}
