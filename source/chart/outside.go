package chart

import "github.com/ovi-project/ovi/source"

// outside answers one ${FROM:NAME}.
func (m *manifest) outside(n *source.Node, from, name string) (string, bool) {
	value, ok := m.fromOutside(n, from, name)
	if ok {
		m.draft.Outside(value, "${"+from+":"+name+"}")
	}
	return value, ok
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
