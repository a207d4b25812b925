package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
)

// form is a field whose form in a manifest is not that of its attribute. It changes the spec, in
// the names of the manifest, before the schema is applied.
type form struct {
	kind, key string
	change    func(m *manifest, spec, key, value *source.Node)
}

// The kinds whose manifests have fields of another form.
const (
	kindContainer = "container"
	kindPod       = "pod"
	kindSecret    = "secret"
	kindVolume    = "volume"
)

// forms are read in this order.
func forms() []form {
	return []form{
		{kindContainer, "env", (*manifest).envList},
		{kindContainer, "envFile", (*manifest).envFile},
		{kindPod, "containers", (*manifest).podContainers},
		{kindSecret, "data", (*manifest).secretData},
		{kindSecret, "stringData", (*manifest).secretText},
		{kindSecret, "envFile", (*manifest).secretFile},
		{kindVolume, "hostPath", (*manifest).hostPath},
	}
}

// foreignKeys are the fields of the kind that no attribute has.
func (m *manifest) foreignKeys() []string {
	var out []string
	for _, f := range forms() {
		if f.kind == m.kind.Name && !slices.ContainsFunc(m.kind.Attrs,
			func(a resource.Attribute) bool { return camel(a.Name) == f.key }) {
			out = append(out, f.key)
		}
	}
	return out
}

// foreign changes the fields of other forms.
func (m *manifest) foreign(spec *source.Node) {
	for _, f := range forms() {
		if f.kind != m.kind.Name {
			continue
		}
		for i := 0; i+1 < len(spec.Kids); i += 2 {
			if spec.Kids[i].Text == f.key {
				key, v := spec.Kids[i], spec.Kids[i+1]
				f.change(m, spec, &key, &v)
				break
			}
		}
	}
	if m.kind.Name == kindSecret {
		m.needData(spec)
	}
}

// envList reads env as a list of {name, value}; a map is what the schema has.
func (m *manifest) envList(spec, _, n *source.Node) {
	if n.Shape != source.List {
		return
	}
	out := source.Node{Shape: source.Object, Line: n.Line, Column: n.Column, File: n.File}
	for i := range n.Kids {
		item := &n.Kids[i]
		if item.Shape != source.Object {
			m.wrong(item, "an element of spec.env must be a block of keys, got "+item.Form(), "use - {name: KEY, value: VALUE}")
			continue
		}
		for j := 0; j+1 < len(item.Kids); j += 2 {
			if key := &item.Kids[j]; key.Text != "name" && key.Text != "value" {
				m.wrong(key, "unknown field "+source.Quote("spec.env."+key.Text),
					page.NearestOr(key.Text, []string{"name", "value"}, "use name and value; a secret is given by spec.secrets"))
			}
		}
		name, value := item.Get("name"), item.Get("value")
		switch {
		case name == nil || name.Shape != source.Scalar || name.Text == "":
			m.wrong(item, "an element of spec.env has no name", "use - {name: KEY, value: VALUE}")
		case value == nil || value.IsNull():
			m.wrong(item, "the environment variable "+source.Quote(name.Text)+" has no value", `add a value, or use value: ""`)
		case out.Get(name.Text) != nil:
			m.wrong(name, "duplicate environment variable "+source.Quote(name.Text),
				fmt.Sprintf("remove one; the other is on line %d", out.Get(name.Text).Line))
		default:
			out.Kids = append(out.Kids, *name, *value)
		}
	}
	put(spec, "env", &out)
}

// envFile adds the variables of files to env, unless env sets them. Of several files the last
// wins.
func (m *manifest) envFile(spec, _, n *source.Node) {
	put(spec, "envFile", nil)
	env := source.Node{Shape: source.Object, Line: n.Line, Column: n.Column, File: n.File}
	if have := spec.Get("env"); have != nil {
		if have.Shape != source.Object {
			return // reported by the schema
		}
		env = have.Clone()
	}
	m.eachVariable(n, false, func(f *source.Node, key, value string, added map[string]bool) {
		m.addVariable(&env, f, key, value, added)
	})
	put(spec, "env", &env)
}

// secretFile adds the variables of files to the data of a secret, unless data sets them. An empty variable is
// not added, because Podman keeps no empty secret.
func (m *manifest) secretFile(spec, _, n *source.Node) {
	put(spec, "envFile", nil)
	data := source.Node{Shape: source.Object, Line: n.Line, Column: n.Column, File: n.File}
	if have := spec.Get("data"); have != nil {
		data = have.Clone()
	}
	m.eachVariable(n, true, func(f *source.Node, key, value string, added map[string]bool) {
		if value != "" && data.Shape == source.Object {
			m.addVariable(&data, f, key, value, added)
		}
	})
	data.Bad = data.Bad || m.r.Broken
	put(spec, "data", &data)
}

// eachVariable calls add for each variable of the files that a node names. Without secret, a file must be public.
func (m *manifest) eachVariable(
	n *source.Node, secret bool, add func(f *source.Node, key, value string, added map[string]bool),
) {
	files := []source.Node{*n}
	if n.Shape == source.List {
		files = n.Kids
	}
	added := map[string]bool{}
	for i := range files {
		f := &files[i]
		if f.Shape != source.Scalar || f.Type != source.String {
			m.wrong(f, "spec.envFile must be the name of a file, got "+f.What(), "for example, envFile: app.env")
			continue
		}
		s, ok := m.fromOutside(f, "file", f.Text)
		if !ok {
			continue
		}
		if from := "file:" + f.Text; !secret && !slices.Contains(m.public, from) {
			m.wrong(f, source.MayBeSecret("every variable of an env file", from), "move envFile to a CuteSecret, and add "+
				"the secret to spec.secrets with env: true; if everyone may see it, add public: ["+from+"] to metadata")
			continue
		}
		for number, line := range slices.Collect(strings.Lines(s)) {
			key, value, isSet := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
			key = strings.TrimSpace(key)
			if key == "" && !isSet || strings.HasPrefix(key, "#") {
				continue
			}
			if !isSet || key == "" {
				m.wrong(f, fmt.Sprintf("line %d of %s sets no variable", number+1, source.Quote(f.Text)), "use KEY=VALUE lines")
				continue
			}
			add(f, key, value, added)
		}
	}
}

// addVariable adds a variable of a file. What is in the file is not shown.
func (m *manifest) addVariable(env, from *source.Node, key, value string, added map[string]bool) {
	if env.Get(key) != nil && !added[key] {
		return
	}
	m.Draft.Outside(value, "the value of "+key+" in "+from.Text)
	k, v := *from, *from
	k.Text = key
	v.Text, v.Quoted = value, true
	v.Parts = &source.Parts{m.part(value, "file:"+from.Text)}
	m.Draft.Sum.Add("file:"+from.Text, value, false)
	if added[key] {
		put(env, key, &v)
		return
	}
	added[key] = true
	env.Kids = append(env.Kids, k, v)
}

// hostPath reads a path alone.
func (m *manifest) hostPath(spec, key, n *source.Node) {
	if n.Shape != source.Scalar || n.IsNull() {
		return
	}
	path := *key
	path.Text = "path"
	put(spec, "hostPath", &source.Node{
		Shape: source.Object, Line: n.Line, Column: n.Column, File: n.File,
		Kids: []source.Node{path, *n},
	})
}
