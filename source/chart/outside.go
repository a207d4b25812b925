package chart

import (
	"slices"

	"github.com/ovi-project/ovi/source"
)

// outside answers one ${FROM:NAME}.
func (m *manifest) outside(n *source.Node, from, name string) (source.Part, bool) {
	value, ok := m.fromOutside(n, from, name)
	p := m.part(value, from+":"+name)
	if ok {
		m.Draft.Outside(value, "${"+from+":"+name+"}")
		m.Draft.Sum.Add(p.From, value, p.Public)
	}
	return p, ok
}

// part is a text that came from outside.
func (m *manifest) part(text, from string) source.Part {
	return source.Part{Text: text, From: from, Public: slices.Contains(m.public, from)}
}

// readPublic reads what comes from outside and is no secret.
func (m *manifest) readPublic(n *source.Node) {
	if n.Shape != source.List {
		m.wrong(n, "metadata.public must be a list, got "+n.Form(), "use public: [env:NAME, file:PATH]")
		return
	}
	for i := range n.Kids {
		if summary, suggestion := source.CheckPublic(&n.Kids[i]); summary != "" {
			m.wrong(&n.Kids[i], summary, suggestion)
			continue
		}
		m.public = append(m.public, n.Kids[i].Text)
	}
}

// publish suggests what to do about a value from outside that may be a secret.
func publish(from string) string {
	return "put it in a CuteSecret; if everyone may see it, add public: [" + from + "] to metadata"
}

// fromOutside returns an environment variable, or a file relative to the folder of the chart.
func (m *manifest) fromOutside(n *source.Node, from, name string) (string, bool) {
	o := source.Outside{Env: m.opts.Env, Files: m.opts.Files, Dir: m.dir}
	value, summary, suggestion := o.Value(from, name)
	if summary != "" {
		m.wrong(n, summary, suggestion)
	}
	return value, summary == ""
}
