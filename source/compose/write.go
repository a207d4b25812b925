package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// object is a block of keys in their order.
type object []pair

type pair struct {
	key   string
	value any // string, raw, int, bool, []any, object
}

// raw is a value that is written without quotes: a number, also one that a template prints.
type raw string

func (o *object) set(key string, v any) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = v
			return
		}
	}
	*o = append(*o, pair{key, v})
}

// setIf sets a block unless it is empty.
func (o *object) setIf(key string, v object) {
	if len(v) > 0 {
		o.set(key, v)
	}
}

func (o object) get(key string) any {
	for _, p := range o {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// files are the files of the chart.
func (i *importer) files() map[string]string {
	out := map[string]string{
		"Chart.yaml":  "name: " + i.name + "\nversion: 0.1.0\ndescription: Imported from a Compose file.\n",
		"values.yaml": i.valuesFile(),
	}
	for name, all := range i.manifests {
		var b strings.Builder
		for k, m := range all {
			if k > 0 {
				b.WriteString("---\n")
			}
			metadata := append(object{{"name", m.name}}, m.metadata...)
			doc := object{{"apiVersion", "cutepod/v1alpha0"}, {"kind", m.kind}, {"metadata", metadata}}
			doc.setIf("spec", m.spec)
			b.WriteString(i.write(doc))
		}
		out["templates/"+name] = b.String()
	}
	return out
}

func (i *importer) valuesFile() string {
	var b strings.Builder
	b.WriteString("# The variables of the Compose file.\n")
	for _, name := range slices.Sorted(maps.Keys(i.variables.values)) {
		b.WriteString(i.write(object{{name, i.variables.values[name]}}))
	}
	for _, name := range slices.Sorted(maps.Keys(i.variables.unset)) {
		fmt.Fprintf(&b, "# %s:    # has no default: set it here, or with --set %s=VALUE\n", name, name)
	}
	return b.String()
}

// write writes a block as YAML.
func (i *importer) write(o object) string {
	w := writer{}
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(w.node(o))
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		i.problem(i.root, err.Error(), "report this error of ovi")
	}
	return strings.NewReplacer(w.raws...).Replace(b.String())
}

// writer makes nodes of the YAML library. What is raw gets a mark that the text has in its place
// once it is written.
type writer struct{ raws []string }

func (w *writer) node(v any) *yaml.Node {
	switch v := v.(type) {
	case object:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, p := range v {
			n.Content = append(n.Content, w.node(p.key), w.node(p.value))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, x := range v {
			n.Content = append(n.Content, w.node(x))
		}
		return n
	case raw:
		mark := fmt.Sprintf("raw-value-%d-of-ovi", len(w.raws)/2)
		w.raws = append(w.raws, mark, string(v))
		return &yaml.Node{Kind: yaml.ScalarNode, Value: mark}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: fmt.Sprint(v)}
	if strings.Contains(n.Value, "{{") && !strings.Contains(n.Value, "\n") {
		n.Style = yaml.SingleQuotedStyle // what a template prints may look like a number
	}
	return n
}
