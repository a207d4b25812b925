// Package jsonschema writes the part of JSON Schema that the sources of YAML files need.
package jsonschema

import (
	"bytes"
	"encoding/json"
)

// Dialect is the version of JSON Schema.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema is the part of JSON Schema (draft 2020-12) that is written here. Its fields are
// in reading order.
type Schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Title       string             `json:"title,omitempty"`
	Doc         string             `json:"description,omitempty"`
	Type        Types              `json:"type,omitempty"`
	Const       string             `json:"const,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Default     json.RawMessage    `json:"default,omitempty"`
	Examples    []string           `json:"examples,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Min         *int64             `json:"minimum,omitempty"`
	Max         *int64             `json:"maximum,omitempty"`
	MinLength   *int64             `json:"minLength,omitempty"`
	MaxLength   *int64             `json:"maxLength,omitempty"`
	MinItems    *int64             `json:"minItems,omitempty"`
	MaxItems    *int64             `json:"maxItems,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Patterns    map[string]*Schema `json:"patternProperties,omitempty"`
	Others      *Others            `json:"additionalProperties,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	AllOf       []*Schema          `json:"allOf,omitempty"`
	If          *Schema            `json:"if,omitempty"`
	Then        *Schema            `json:"then,omitempty"`
	Else        *Schema            `json:"else,omitempty"`
	Definitions map[string]*Schema `json:"$defs,omitempty"`
}

// Types is one type or several.
type Types []string

// MarshalJSON implements json.Marshaler.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Others is what other keys are allowed: none, or those of a schema.
type Others struct{ Of *Schema }

// MarshalJSON implements json.Marshaler.
func (o *Others) MarshalJSON() ([]byte, error) {
	if o.Of == nil {
		return []byte("false"), nil
	}
	return json.Marshal(o.Of)
}

// OneOf is one of these types.
func OneOf(kinds ...string) Types { return kinds }

// Closed allows no other keys.
func Closed() *Others { return &Others{} }

// FromOutside matches a string with ${…} in it.
func FromOutside() *Schema {
	return &Schema{Type: OneOf("string"), Pattern: `\$\{[^}]+\}`}
}

// OrOutside also accepts a value that comes from outside or from another resource.
func OrOutside(s *Schema) *Schema {
	doc, examples, def := s.Doc, s.Examples, s.Default
	s.Doc, s.Examples, s.Default = "", nil, nil
	return &Schema{Doc: doc, Examples: examples, Default: def, AnyOf: []*Schema{s, FromOutside()}}
}

// Bytes is the schema as it is published. The same schema gives the same bytes.
func (s *Schema) Bytes() []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return nil // every value of it is JSON
	}
	return out.Bytes()
}
