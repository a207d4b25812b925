package expansion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Head is the first part of a configuration.
type Head struct {
	Stack, Environment string
	Identifier         string // of options
	Outputs            []Key
}

// YAML writes blocks as a configuration. With origins, each value has a comment with its origin.
func YAML(h Head, blocks []Block, origins bool) ([]byte, error) {
	w := writer{origins: origins}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	if len(blocks) == 0 {
		list.Style = yaml.FlowStyle
	}
	for i := range blocks {
		list.Content = append(list.Content, w.node(blocks[i].whole()))
	}
	doc := &yaml.Node{Kind: yaml.MappingNode}
	doc.Content = append(doc.Content, scalar("version"), scalar("v1"), scalar("stack"), scalar(h.Stack))
	if h.Identifier != "" {
		options := Value{IsMap: true, Map: []Key{{"identifier", Value{Text: h.Identifier}}}}
		doc.Content = append(doc.Content, scalar("options"), w.node(options))
	}
	doc.Content = append(doc.Content, scalar("resources"), list)
	if len(h.Outputs) > 0 {
		doc.Content = append(doc.Content, scalar("outputs"), w.node(Value{IsMap: true, Map: h.Outputs}))
	}
	if h.Environment != "" {
		doc.Content[0].HeadComment = "# The environment " + h.Environment + " without expressions."
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("writing the configuration: %w", err)
	}
	return out.Bytes(), nil
}

type writer struct{ origins bool }

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// node returns a value as a node of YAML.
func (w writer) node(v Value) *yaml.Node {
	switch {
	case v.IsMap:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, k := range v.Map {
			n.Content = append(n.Content, scalar(k.Name), w.node(k.Value))
		}
		return n
	case v.IsList:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, x := range v.List {
			n.Content = append(n.Content, w.node(x))
		}
		if len(v.List) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n
	}
	n := scalar(v.Text)
	if v.Plain {
		n.Tag = "" // a number, true or false
	}
	if w.origins && v.Origin != "" {
		n.LineComment = "# " + v.Origin
	}
	return n
}

// whole returns a block with the keys that name it.
func (b *Block) whole() Value {
	keys := []Key{
		{"type", Value{Text: b.Kind, Origin: b.At.String()}},
		{"name", Value{Text: b.Name}},
		{"provider", Value{Text: b.Provider}},
		{"location", Value{Text: b.Location}},
	}
	if b.Count > 0 {
		keys = append(keys, Key{"count", Value{Text: strconv.Itoa(b.Count), Plain: true}})
	}
	return Value{IsMap: true, Map: append(keys, b.Keys...)}
}

// Published returns the outputs for programs.
func (h Head) Published() any { return Value{IsMap: true, Map: h.Outputs}.data() }

// Data returns a block for programs.
func (b *Block) Data() map[string]any {
	out, _ := b.whole().data().(map[string]any)
	return out
}

func (v Value) data() any {
	switch {
	case v.IsMap:
		out := make(map[string]any, len(v.Map))
		for _, k := range v.Map {
			out[k.Name] = k.Value.data()
		}
		return out
	case v.IsList:
		out := make([]any, 0, len(v.List))
		for _, x := range v.List {
			out = append(out, x.data())
		}
		return out
	case v.Plain && strings.EqualFold(v.Text, "true"), v.Plain && strings.EqualFold(v.Text, "false"):
		return strings.EqualFold(v.Text, "true")
	case v.Plain && json.Valid([]byte(v.Text)):
		return json.Number(v.Text)
	}
	return v.Text
}
