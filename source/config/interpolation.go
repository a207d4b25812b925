package config

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ovi-project/ovi/resource"
)

// maxOutside bounds what one ${file:…} may bring in.
const maxOutside = 1 << 20

// fromOutside says that a value is written with ${…}.
func (d *document) fromOutside(n *node) bool {
	return n.shape == scalar && n.typ == strT && strings.Contains(strings.ReplaceAll(n.text, "$${", ""), "${")
}

// text reads a text: what is written, with what it asks for from outside. Numbers are read
// as they are written, so that 1.10 stays 1.10.
func (d *document) text(n *node, what string) (string, bool) {
	if n.shape != scalar || n.typ == nullT {
		d.wrong(n, what+" must be a text, and this is "+n.what(), "write one value behind the colon")
		return "", false
	}
	if n.typ != strT || !strings.Contains(n.text, "${") {
		return n.text, true
	}
	return d.expand(n)
}

// expand puts in what ${env:NAME} and ${file:PATH} stand for; $${ is a plain ${. What comes
// in is not looked through again.
func (d *document) expand(n *node) (string, bool) {
	var out strings.Builder
	ok := true
	for s := n.text; ; {
		i := strings.Index(s, "${")
		switch {
		case i < 0:
			out.WriteString(s)
			return out.String(), ok
		case i > 0 && s[i-1] == '$':
			out.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		out.WriteString(s[:i])
		ask, rest, closed := strings.Cut(s[i+2:], "}")
		if !closed {
			d.wrong(n, quote(s[i:])+" is not closed", "write ${env:NAME}, or $${ for the characters themselves")
			return "", false
		}
		value, found := d.lookUp(n, ask)
		if found && value != "" {
			d.outside[value] = "${" + ask + "}"
		}
		out.WriteString(value)
		ok = ok && found
		s = rest
	}
}

// lookUp answers one ${…}.
func (d *document) lookUp(n *node, ask string) (string, bool) {
	from, name, _ := strings.Cut(ask, ":")
	switch {
	case from == "env" && name != "":
		if d.opts.Env != nil {
			if v, ok := d.opts.Env(name); ok {
				return v, true
			}
		}
		d.wrong(n, "the environment variable "+name+" is not set", "export "+name+"=… before the command")
	case from == "file" && name != "":
		return d.readOutside(n, name)
	default:
		hint := "write ${env:NAME} or ${file:PATH}, or $${ for the characters themselves"
		if meant, ok := resource.Nearest(from, []string{"env", "file"}); ok && from != ask && name != "" {
			hint = "did you mean ${" + meant + ":" + name + "}?"
		}
		d.wrong(n, quote("${"+ask+"}")+" asks for nothing that is known", hint)
	}
	return "", false
}

// readOutside reads a file beside the config. One line end at its end is not part of the
// value, as in a shell.
func (d *document) readOutside(n *node, name string) (string, bool) {
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
		d.wrong(n, "the file "+quote(name)+": "+plain(err), "paths begin at the folder of the config file")
	case len(text) > maxOutside:
		d.wrong(n, "the file "+quote(name)+" is larger than 1 MiB", "name a smaller one")
	case !utf8.ValidString(text):
		d.wrong(n, "the file "+quote(name)+" is not UTF-8 text", "encode it, in base64 for example")
	default:
		return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), true
	}
	return "", false
}
