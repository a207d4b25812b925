package chart

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
)

// manifest is a document that declares one resource.
type manifest struct {
	*loader
	text *page.Text
	n    *source.Node
	kind resource.Kind
	name *source.Node
	r    *source.Resource
	// Where what Resource holds as plain texts is written.
	dependsOn, ignore []*source.Node
	public            []string // what comes from outside and may be shown, as "env:NAME"
	labels, was       *source.Node
}

// manifest reads one document. One that is not certainly a resource is a problem of the whole
// stack: what it declares is not known.
func (l *loader) manifest(t *page.Text, n *source.Node) {
	m := &manifest{loader: l, text: t, n: n, r: &source.Resource{Provider: l.opts.Provider}}
	m.r.At = m.at(n)
	if n.Shape != source.Object {
		m.bad(n, "a manifest must be a block of keys, got "+n.Form(), "start it with apiVersion: "+apiVersion)
		return
	}
	l.unique(m, n)
	if !m.readHead() {
		return
	}
	m.hide()
	l.Draft.Sum.Add("file:manifest", string(n.AppendKey(nil)), m.kind.Name != kindSecret)
	m.readMetadata(n.Get("metadata"))
	if m.r.Name == "" {
		return
	}
	spec := n.Get("spec")
	if spec != nil && spec.Shape != source.Object && !spec.IsNull() {
		m.wrong(spec, "spec must be a block of keys, got "+spec.Form(), "use KEY: VALUE lines")
		l.Draft.Add(&source.Resource{Provider: m.opts.Provider, Name: m.r.Name, Broken: true, At: m.r.At})
		return
	}
	m.r.Attrs = m.readSpec(spec)
	m.addLabels()
	m.r.Where = m.where
	l.manifests = append(l.manifests, m)
}

func (m *manifest) at(n *source.Node) position.Position {
	at := position.Position{File: m.text.From.Name, Line: int(n.Line), Column: int(n.Column)}
	if n.File > 0 {
		at.File = m.Files[n.File-1]
	}
	return at
}

// ref is the resource's short name, as far as it is known.
func (m *manifest) ref() string {
	if m.name == nil || m.kind.Name == "" {
		return m.kind.Name
	}
	return m.kind.Name + "/" + m.name.Text
}

// bad reports a document that is not certainly a resource. If it has a name, only that name is
// unknown.
func (m *manifest) bad(n *source.Node, summary, suggestion string) {
	m.Problem(m.at(n), "", summary, suggestion)
	if name := m.n.Get("metadata").Get("name"); name != nil && name.Shape == source.Scalar && name.Text != "" {
		m.Draft.Add(&source.Resource{Provider: m.opts.Provider, Name: name.Text, Broken: true, At: m.at(n)})
		return
	}
	m.unknown(m.at(n))
}

// wrong reports a problem of the resource.
func (m *manifest) wrong(n *source.Node, summary, suggestion string) {
	m.r.Broken = true
	m.Draft.Problem(source.Problem{
		Cause: source.Validation, At: m.at(n), Ref: m.ref(), Summary: summary,
		Suggestion: suggestion,
	})
}

// unique reports keys that a block has twice, and removes them.
func (l *loader) unique(m *manifest, n *source.Node) {
	if n.Shape == source.Object {
		var again []string
		for key, first := range source.Duplicates(n) {
			m.Problem(m.at(key), m.ref(), "duplicate key "+source.Quote(key.Text),
				fmt.Sprintf("remove one; the other is on line %d", first.Line))
			again = append(again, key.Text)
		}
		if len(again) > 0 {
			var kids []source.Node
			for i := 0; i+1 < len(n.Kids); i += 2 {
				if first := (&source.Node{Shape: source.Object, Kids: kids}).Get(n.Kids[i].Text); first == nil {
					kids = append(kids, n.Kids[i], n.Kids[i+1])
				}
			}
			n.Kids = kids
		}
	}
	for i := range n.Kids {
		l.unique(m, &n.Kids[i])
	}
}

// readHead reads what kind of manifest it is.
func (m *manifest) readHead() bool {
	n := m.n
	version, kind := n.Get("apiVersion"), n.Get("kind")
	switch {
	case version == nil:
		m.bad(n, "the manifest has no apiVersion", "add apiVersion: "+apiVersion)
		return false
	case version.Text != apiVersion:
		m.bad(version, "unsupported apiVersion "+version.What(), "use apiVersion: "+apiVersion)
		return false
	case kind == nil:
		m.bad(n, "the manifest has no kind", "add kind: "+strings.Join(m.kindNames(), ", or "))
		return false
	}
	k, ok := m.kinds[kind.Text]
	if !ok {
		m.bad(kind, "unknown kind "+kind.What(),
			page.NearestOr(kind.Text, m.kindNames(), "use one of "+strings.Join(m.kindNames(), ", ")))
		return false
	}
	m.kind, m.r.Kind = k, k.Name
	m.name = n.Get("metadata").Get("name")
	for i := 0; i+1 < len(n.Kids); i += 2 {
		switch key := &n.Kids[i]; key.Text {
		case "apiVersion", "kind", "metadata", "spec":
		case "namespace":
			m.noNamespace(key)
		default:
			m.wrong(key, "unknown field "+source.Quote(key.Text),
				page.NearestOr(key.Text, []string{"apiVersion", "kind", "metadata", "spec"},
					"a manifest has apiVersion, kind, metadata and spec"))
		}
	}
	return true
}

func (m *manifest) kindNames() []string { return slices.Sorted(maps.Keys(m.kinds)) }

func (m *manifest) noNamespace(key *source.Node) {
	m.wrong(key, "a manifest has no namespace: it is given when a command runs",
		"remove it, and use --namespace "+source.Clip(m.valueOf(key)))
}

// valueOf is the text of a key's value.
func (m *manifest) valueOf(key *source.Node) string {
	for _, of := range []*source.Node{m.n, m.n.Get("metadata")} {
		if of == nil {
			continue
		}
		for i := 0; i+1 < len(of.Kids); i += 2 {
			if &of.Kids[i] == key && of.Kids[i+1].Shape == source.Scalar && of.Kids[i+1].Text != "" {
				return of.Kids[i+1].Text
			}
		}
	}
	return "NAME"
}

// metadataKeys are the keys of metadata.
func metadataKeys() []string {
	return []string{"name", "was", "labels", "dependsOn", "ignore", "replace", "blessed", "public"}
}

func (m *manifest) readMetadata(n *source.Node) {
	if n == nil || n.Shape != source.Object {
		at := m.n
		if n != nil {
			at = n
		}
		m.bad(at, "the manifest has no metadata", "add metadata: {name: NAME}")
		return
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		key, v := &n.Kids[i], &n.Kids[i+1]
		if v.IsNull() && key.Text != "namespace" && slices.Contains(metadataKeys(), key.Text) {
			if key.Text == "name" {
				m.bad(v, "metadata.name has no value", "add a name")
			}
			continue
		}
		switch key.Text {
		case "name":
			if m.r.Name = v.Text; v.Text == "" {
				m.bad(v, "metadata.name must be a string, got "+v.What(), "add a name")
			}
		case "was":
			m.was, m.r.Was = v, m.word(v, "metadata.was")
		case "labels":
			m.readLabels(v)
		case "dependsOn":
			m.r.DependsOn, m.dependsOn = m.words(v, "metadata.dependsOn", "[container/db]")
		case "ignore":
			m.r.Ignore, m.ignore = m.words(v, "metadata.ignore", "[env]")
			for j := range m.r.Ignore {
				m.r.Ignore[j] = m.attributePath(m.r.Ignore[j])
			}
		case "replace":
			switch s := resource.Strategy(v.Text); s {
			case resource.DestroyFirst, resource.CreateFirst, resource.Swap, resource.StartFirst:
				m.r.Replace = s
			default:
				m.wrong(v, "unknown way to replace "+v.What(), "use destroy-first, create-first, swap or start-first")
			}
		case "public":
			m.readPublic(v)
		case "blessed":
			if m.r.Blessed = v.Type == source.Bool && strings.EqualFold(v.Text, "true"); v.Type != source.Bool {
				m.wrong(v, "metadata.blessed must be true or false, got "+v.What(), "use blessed: true")
			}
		case "namespace":
			m.noNamespace(key)
		default:
			m.wrong(key, "unknown field "+source.Quote("metadata."+key.Text),
				page.NearestOr(key.Text, metadataKeys(), "use one of "+strings.Join(metadataKeys(), ", ")))
		}
	}
	if n.Get("name") == nil {
		m.bad(n, "the manifest has no metadata.name", "add a name")
	}
}

func (m *manifest) word(n *source.Node, what string) string {
	if n.Shape != source.Scalar || n.Type == source.Null {
		m.wrong(n, what+" must be a string, got "+n.What(), "use one value after the colon")
		return ""
	}
	return n.Text
}

func (m *manifest) words(n *source.Node, what, example string) (out []string, from []*source.Node) {
	if n.Shape != source.List {
		m.wrong(n, what+" must be a list, got "+n.Form(), "for example, "+example)
		return nil, nil
	}
	for i := range n.Kids {
		if s := m.word(&n.Kids[i], "an element of "+what); s != "" {
			out, from = append(out, s), append(from, &n.Kids[i])
		}
	}
	return out, from
}

// attributePath spells a path of a manifest as the schema does.
func (m *manifest) attributePath(path string) string {
	steps := strings.Split(strings.TrimPrefix(path, "spec."), ".")
	for i := range steps {
		for name, c := range m.fields.camel {
			if c == steps[i] {
				steps[i] = name
			}
		}
	}
	return strings.Join(steps, ".")
}

// where is the position of a path of the resource.
func (m *manifest) where(path string) position.Position {
	for i, n := range m.dependsOn {
		if path == "depends_on["+strconv.Itoa(i)+"]" {
			return m.at(n)
		}
	}
	for i, n := range m.ignore {
		if path == "ignore["+strconv.Itoa(i)+"]" {
			return m.at(n)
		}
	}
	switch {
	case path == "name":
		return m.at(m.name)
	case path == "was":
		return m.at(m.was)
	case path == "type":
		return m.at(m.n.Get("kind"))
	case m.labels != nil && (path == "tags" || strings.HasPrefix(path, "tags.")):
		return m.at(m.labels)
	}
	if n, _ := m.r.Attrs.Locate(path); n != &m.r.Attrs && n.Line > 0 {
		return m.at(n)
	}
	return m.r.At
}
