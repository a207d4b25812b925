// Package editor adds to the JSON Schema of configurations the declarations of one file: its variables, which its
// environments set, and the variables of the components that it uses. An editor then completes and checks them.
package editor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/source/jsonschema"
	"github.com/ovi-project/ovi/source/syntax"
)

// mostDepth bounds the nesting of types.
const mostDepth = 8

// Complete adds the declarations of a file to the schema of all files. component returns the text of the component in a
// folder. Complete returns the folders without a readable component; it adds nothing for them.
func Complete(
	root *jsonschema.Schema, text string, component func(folder string) (string, error),
) (unread []string, err error) {
	docs, err := syntax.Parse(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	use := root.Definitions["use"]
	known := map[string]bool{}
	vars := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}}
	for _, doc := range docs {
		file := content(doc)
		add(vars, get(file, "vars"))
		for _, block := range items(get(file, "resources")) {
			folder := word(get(block, "use"))
			if folder == "" || known[folder] {
				continue
			}
			known[folder] = true
			inner, err := component(folder)
			if err != nil {
				unread = append(unread, folder)
				continue
			}
			of, err := syntax.Parse(strings.NewReader(inner))
			if err != nil || len(of) == 0 {
				unread = append(unread, folder)
				continue
			}
			use.AllOf = append(use.AllOf, whenUsed(folder, get(content(of[0]), "vars")))
		}
	}
	if environments := root.Properties["environments"]; environments != nil && len(vars.Properties) > 0 {
		one := *environments.Others.Of
		one.Properties = map[string]*jsonschema.Schema{}
		for name, s := range environments.Others.Of.Properties {
			one.Properties[name] = s
		}
		one.Properties["vars"] = closed(vars, false)
		environments.Others = &jsonschema.Others{Of: &one}
	}
	return unread, nil
}

// whenUsed is the schema of blocks that use a folder: their vars are those that the component declares.
func whenUsed(folder string, declared *yaml.Node) *jsonschema.Schema {
	vars := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}}
	add(vars, declared)
	then := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"vars": closed(vars, true)}}
	if len(vars.Required) > 0 {
		then.Required = []string{"vars"}
	}
	return &jsonschema.Schema{
		If: &jsonschema.Schema{
			Required: []string{"use"}, Properties: map[string]*jsonschema.Schema{"use": {Const: folder}},
		},
		Then: then,
	}
}

// closed allows the declared variables alone. Values without a default are required where nothing else can set them.
func closed(vars *jsonschema.Schema, required bool) *jsonschema.Schema {
	out := &jsonschema.Schema{
		Type: jsonschema.OneOf("object"), Properties: vars.Properties, Others: jsonschema.Closed(),
	}
	if required {
		out.Required = vars.Required
	}
	return out
}

// add adds the variables that a `vars` declares.
func add(vars *jsonschema.Schema, declared *yaml.Node) {
	for i := 0; declared != nil && declared.Kind == yaml.MappingNode && i+1 < len(declared.Content); i += 2 {
		name, decl := declared.Content[i].Value, content(declared.Content[i+1])
		vars.Properties[name] = variable(decl)
		optional := strings.HasSuffix(word(get(decl, "type")), "?")
		if decl.Kind == yaml.MappingNode && get(decl, "default") == nil && !optional {
			vars.Required = append(vars.Required, name)
		}
	}
	slices.Sort(vars.Required)
}

// variable is the schema of the values of a variable. A variable without a declared type has the type of its default.
func variable(decl *yaml.Node) *jsonschema.Schema {
	if decl.Kind != yaml.MappingNode {
		return jsonschema.OrOutside(like(decl, 0))
	}
	of := word(get(decl, "type"))
	s := typed(strings.TrimSuffix(of, "?"), 0)
	if s.Type == nil {
		s = like(get(decl, "default"), 0)
	}
	for _, n := range items(get(decl, "one_of")) {
		s.Enum = append(s.Enum, n.Value)
	}
	if slices.Contains(s.Type, "integer") || slices.Contains(s.Type, "number") {
		s.Enum, s.Min, s.Max = nil, number(get(decl, "min")), number(get(decl, "max"))
	}
	if match := word(get(decl, "match")); match != "" {
		if _, err := regexp.Compile(match); err == nil {
			s.Pattern = "^(?:" + match + ")$"
		}
	}
	s.Doc = word(get(decl, "doc"))
	if strings.HasSuffix(of, "?") && s.Type != nil {
		s.Type = append(s.Type, "null")
	}
	return jsonschema.OrOutside(s)
}

// typed is the schema of a type such as list(string). An unknown type allows everything.
func typed(name string, depth int) *jsonschema.Schema {
	outer, inner, nested := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	switch {
	case depth > mostDepth:
	case nested && outer == "list":
		return &jsonschema.Schema{Type: jsonschema.OneOf("array"), Items: typed(inner, depth+1)}
	case nested && outer == "map":
		return &jsonschema.Schema{
			Type: jsonschema.OneOf("object"), Others: &jsonschema.Others{Of: typed(inner, depth+1)},
		}
	case name == "string", name == "secret", nested && outer == "ref":
		return &jsonschema.Schema{Type: jsonschema.OneOf("string")}
	case name == "int":
		return &jsonschema.Schema{Type: jsonschema.OneOf("integer")}
	case name == "number":
		return &jsonschema.Schema{Type: jsonschema.OneOf("number")}
	case name == "bool":
		return &jsonschema.Schema{Type: jsonschema.OneOf("boolean")}
	case name == "object":
		return &jsonschema.Schema{Type: jsonschema.OneOf("object")}
	}
	return &jsonschema.Schema{}
}

// like is the schema of values of the same type as a default, in which an alias may be inside its own anchor.
func like(n *yaml.Node, depth int) *jsonschema.Schema {
	if n == nil || depth > mostDepth {
		return &jsonschema.Schema{}
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		s := &jsonschema.Schema{Type: jsonschema.OneOf("array")}
		if len(n.Content) > 0 {
			s.Items = jsonschema.OrOutside(like(content(n.Content[0]), depth+1))
		}
		return s
	case n.Kind == yaml.MappingNode:
		return &jsonschema.Schema{Type: jsonschema.OneOf("object")}
	case strings.Contains(n.Value, "${"):
		return &jsonschema.Schema{}
	case n.Tag == "!!int":
		return &jsonschema.Schema{Type: jsonschema.OneOf("integer")}
	case n.Tag == "!!float":
		return &jsonschema.Schema{Type: jsonschema.OneOf("number")}
	case n.Tag == "!!bool":
		return &jsonschema.Schema{Type: jsonschema.OneOf("boolean")}
	case n.Tag == "!!str":
		return &jsonschema.Schema{Type: jsonschema.OneOf("string")}
	}
	return &jsonschema.Schema{}
}

// content follows a document to its root, and an alias to its target.
func content(n *yaml.Node) *yaml.Node {
	for i := 0; i < 2 && n != nil; i++ {
		switch {
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		}
	}
	return n
}

// get is the value of a key of a mapping; nil if there is none.
func get(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return content(n.Content[i+1])
		}
	}
	return nil
}

// items are the elements of a list.
func items(n *yaml.Node) (out []*yaml.Node) {
	for i := 0; n != nil && n.Kind == yaml.SequenceNode && i < len(n.Content); i++ {
		out = append(out, content(n.Content[i]))
	}
	return out
}

// word is the text of a scalar; "" for anything else.
func word(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// number is a whole number; nil for anything else.
func number(n *yaml.Node) *int64 {
	v, err := strconv.ParseInt(word(n), 10, 64)
	if err != nil {
		return nil
	}
	return &v
}
