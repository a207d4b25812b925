package chart

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// maxOutside bounds what one ${file:…} or environment file may bring in.
const maxOutside = 1 << 20

// outside answers one ${FROM:NAME}.
func (m *manifest) outside(n *source.Node, from, name string) (string, bool) {
	switch {
	case from == "env" && name != "":
		if m.opts.Env != nil {
			if v, ok := m.opts.Env(name); ok {
				m.draft.Outside(v, "${env:"+name+"}")
				return v, true
			}
		}
		m.wrong(n, "the environment variable "+name+" is not set", "run `export "+name+"=…` first")
	case from == "file" && name != "":
		s, ok := m.readOutside(n, name)
		if ok {
			m.draft.Outside(s, "${file:"+name+"}")
		}
		return s, ok
	default:
		hint := "use ${env:NAME} or ${file:PATH}; $${ is a literal ${"
		if meant, ok := resource.Nearest(from, []string{"env", "file"}); ok && name != "" {
			hint = "use ${" + meant + ":" + name + "}"
		}
		m.wrong(n, "unknown variable "+source.Quote("${"+from+":"+name+"}"), hint)
	}
	return "", false
}

// readOutside reads a file relative to the folder of the chart. One line end at its end is not
// part of the value, as in a shell.
func (m *manifest) readOutside(n *source.Node, name string) (string, bool) {
	p := name
	if !filepath.IsAbs(p) || m.opts.Files != nil {
		p = filepath.Join(m.dir, p)
	}
	s, err := m.disk.read(p)
	switch {
	case err != nil:
		m.wrong(n, "cannot read file "+source.Quote(name)+": "+plain(err), "use a path relative to "+m.dir)
	case len(s) > maxOutside:
		m.wrong(n, "file "+source.Quote(name)+" is larger than 1 MiB", "use a smaller one")
	case !utf8.ValidString(s):
		m.wrong(n, "file "+source.Quote(name)+" is not UTF-8 text", "encode it, for example in base64")
	default:
		return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r"), true
	}
	return "", false
}
