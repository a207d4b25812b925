package config

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// maxOutside bounds what one ${file:…} may bring in.
const maxOutside = 1 << 20

// text reads a string of a key that is not an attribute: what is written, with what comes from
// outside. Numbers are read as they are written, so that 1.10 stays 1.10.
func (d *document) text(n *source.Node, what string) (string, bool) {
	if n.Shape != source.Scalar || n.Type == source.Null {
		d.wrong(n, what+" must be a string, got "+n.What(), "use one value after the colon")
		return "", false
	}
	if n.Type != source.String || !source.HasParts(n.Text) {
		return n.Text, true
	}
	parts, ok := d.expand(n)
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
	parts, unclosed, ok := source.Expand(n.Text, func(from, name string) (string, bool) {
		value, found := d.outside(n, from, name)
		if found {
			d.draft.Outside(value, "${"+from+":"+name+"}")
		}
		return value, found
	})
	if unclosed != "" {
		d.wrong(n, "missing } in "+source.Quote(unclosed), "use ${env:NAME}; $${ is a literal ${")
	}
	return parts, ok
}

// outside answers one ${FROM:NAME}.
func (d *document) outside(n *source.Node, from, name string) (string, bool) {
	switch {
	case from == "env" && name != "":
		if d.opts.Env != nil {
			if v, ok := d.opts.Env(name); ok {
				return v, true
			}
		}
		d.wrong(n, "the environment variable "+name+" is not set", "run `export "+name+"=…` first")
	case from == "file" && name != "":
		return d.readOutside(n, name)
	default:
		hint := "use ${env:NAME} or ${file:PATH}; $${ is a literal ${"
		if meant, ok := resource.Nearest(from, []string{"env", "file"}); ok && name != "" {
			hint = "use ${" + meant + ":" + name + "}"
		}
		d.wrong(n, "unknown variable "+source.Quote("${"+from+":"+name+"}"), hint)
	}
	return "", false
}

// readOutside reads a file relative to the folder of the configuration. One line end at its
// end is not part of the value, as in a shell.
func (d *document) readOutside(n *source.Node, name string) (string, bool) {
	p := name
	switch {
	case d.opts.Files != nil:
		p = path.Join(filepath.ToSlash(d.file.dir), name)
	case !filepath.IsAbs(p):
		p = filepath.Join(d.file.dir, p)
	}
	text, _, err := readText(d.opts.Files, p)
	switch {
	case err != nil:
		d.wrong(n, "cannot read file "+source.Quote(name)+": "+plain(err), "use a path relative to the folder of the configuration")
	case len(text) > maxOutside:
		d.wrong(n, "file "+source.Quote(name)+" is larger than 1 MiB", "use a smaller one")
	case !utf8.ValidString(text):
		d.wrong(n, "file "+source.Quote(name)+" is not UTF-8 text", "encode it, for example in base64")
	default:
		return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), true
	}
	return "", false
}
