package chart

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Labels of every resource of a chart, as of its creation. They are not compared: a new version
// changes nothing by itself, and what is adopted has none.
const (
	labelGroup   = "cutepod.io/"
	labelChart   = labelGroup + "chart"
	labelVersion = labelGroup + "version"
	labels       = "labels" // the attribute
)

func (m *manifest) hasLabels() bool {
	return slices.ContainsFunc(m.kind.Attrs, func(a resource.Attribute) bool { return a.Name == labels })
}

// readLabels reads metadata.labels: the attribute labels of kinds that have one, else tags.
func (m *manifest) readLabels(n *source.Node) {
	if n.Shape != source.Object {
		m.wrong(n, "metadata.labels must be keys with values, got "+n.Form(), "for example, {team: shop}")
		return
	}
	valid := *n
	valid.Kids = nil
	m.labels = &valid
	tags := map[string]string{}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		key, v := &n.Kids[i], &n.Kids[i+1]
		switch {
		case strings.HasPrefix(key.Text, labelGroup):
			m.wrong(key, "the label "+source.Quote(key.Text)+" is reserved: ovi sets it", "remove it")
		case v.Shape != source.Scalar || v.Type == source.Null || v.Type == source.Bool:
			m.wrong(v, "the label "+key.Text+" must be a string, got "+v.What(), "quote it")
		default:
			tags[key.Text] = v.Text
			valid.Kids = append(valid.Kids, *key, *v)
		}
	}
	if !m.hasLabels() {
		m.r.Tags, m.r.OwnTags = resource.TagsOf(tags), len(tags) > 0
	}
}

// addLabels completes the attribute labels.
func (m *manifest) addLabels() {
	if !m.hasLabels() {
		return
	}
	n := source.Node{Shape: source.Object, Line: m.name.Line, Column: m.name.Column, File: m.name.File}
	if m.labels != nil {
		n = m.labels.Clone()
	}
	add := func(key, value string) {
		k, v := *m.name, *m.name
		k.Text, v.Text, v.Type, v.Quoted = key, value, source.String, true
		n.Kids = append(n.Kids, k, v)
	}
	add(labelChart, m.about.name)
	m.r.Ignore = append(slices.Clone(m.r.Ignore), labels+"."+labelChart)
	if m.about.version != "" {
		add(labelVersion, m.about.version)
		m.r.Ignore = append(m.r.Ignore, labels+"."+labelVersion)
	}
	key := *m.name
	key.Text = labels
	m.r.Attrs.Kids = append(m.r.Attrs.Kids, key, n)
}
