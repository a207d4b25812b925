package chart

import (
	"slices"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
)

// readAbout reads a Chart.yaml. Without a name the stack is not known: that is an error.
func (l *loader) readAbout(name string) source.Problems {
	s, problem := l.ReadText(name)
	if problem != nil {
		return source.Problems{*problem}
	}
	var problems source.Problems
	fail := func(n *source.Node, summary, suggestion string) {
		problems = append(problems, source.Problem{
			At: page.At(name, n.Line, n.Column), Summary: summary,
			Suggestion: suggestion,
		})
	}
	before := l.Draft.Failed()
	nodes := l.Nodes(page.PlainText(&page.File{Name: name, Text: s}))
	if l.Draft.Failed() > before {
		_, problems := source.Resolve([]*source.Draft{l.Draft})
		return problems
	}
	if len(nodes) != 1 || nodes[0].Shape != source.Object {
		return source.Problems{{
			At: position.Position{File: name, Line: 1, Column: 1}, Summary: "the chart has no name",
			Suggestion: "add name: NAME and version: 0.1.0",
		}}
	}
	n := &nodes[0]
	text := func(key string) string {
		v := n.Get(key)
		switch {
		case v == nil || v.IsNull():
			return ""
		case v.Shape != source.Scalar:
			fail(v, key+" must be a string, got "+v.What(), "use one value after the colon")
		}
		return v.Text
	}
	keys := []string{"name", "version", "description", "rules", "moved", "removed"}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if key := n.Kids[i].Text; !slices.Contains(keys, key) {
			fail(&n.Kids[i], "unknown field "+source.Quote(key)+" in "+chartFile,
				page.NearestOr(key, keys, "a chart has name, version, description, rules, moved and removed"))
		}
	}
	l.Draft.Rules.DestroyAuto = true
	if r := n.Get("rules"); r != nil {
		destroy := r.Get("destroy")
		switch {
		case destroy == nil || len(r.Kids) != 2:
			fail(r, "the rules of a chart are destroy alone",
				"use rules: {destroy: manual}; other rules are in files for --policy")
		case destroy.Text != "auto" && destroy.Text != "manual":
			fail(destroy, "invalid destroy "+destroy.What(), "use auto or manual")
		}
		l.Draft.Rules.DestroyAuto = destroy == nil || destroy.Text == "auto"
	}
	entries := source.Entries{Wrong: fail, Provider: l.opts.Provider}
	entries.At = func(n *source.Node) position.Position { return page.At(name, n.Line, n.Column) }
	if removed := n.Get("removed"); removed != nil {
		l.Draft.Removed = entries.Removed(removed)
	}
	if moved := n.Get("moved"); moved != nil {
		l.Draft.Moved = entries.Moved(moved)
	}
	l.about = about{text("name"), text("version"), text("description")}
	switch {
	case l.about.name == "":
		fail(n, "the chart has no name", "add name: NAME")
	case !label.MatchString(l.about.name):
		fail(n.Get("name"), "invalid chart name "+source.Quote(l.about.name), "use "+labelDoc)
	}
	if l.about.version == "" {
		fail(n, "the chart has no version", "add version: 0.1.0")
	}
	return problems
}
