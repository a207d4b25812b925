package config

import "encoding/json"

// jsonSchema is the part of JSON Schema (draft 2020-12) that is written here. Its fields are
// in reading order.
type jsonSchema struct {
	Dialect     string                 `json:"$schema,omitempty"`
	Ref         string                 `json:"$ref,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Doc         string                 `json:"description,omitempty"`
	Type        types                  `json:"type,omitempty"`
	Const       string                 `json:"const,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	Default     json.RawMessage        `json:"default,omitempty"`
	Examples    []string               `json:"examples,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"`
	Min         *int64                 `json:"minimum,omitempty"`
	Max         *int64                 `json:"maximum,omitempty"`
	MinLength   *int64                 `json:"minLength,omitempty"`
	MaxLength   *int64                 `json:"maxLength,omitempty"`
	MinItems    *int64                 `json:"minItems,omitempty"`
	MaxItems    *int64                 `json:"maxItems,omitempty"`
	Items       *jsonSchema            `json:"items,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Properties  map[string]*jsonSchema `json:"properties,omitempty"`
	Others      *others                `json:"additionalProperties,omitempty"`
	AnyOf       []*jsonSchema          `json:"anyOf,omitempty"`
	AllOf       []*jsonSchema          `json:"allOf,omitempty"`
	If          *jsonSchema            `json:"if,omitempty"`
	Then        *jsonSchema            `json:"then,omitempty"`
	Else        *jsonSchema            `json:"else,omitempty"`
	Definitions map[string]*jsonSchema `json:"$defs,omitempty"`
}

// types is one type or several.
type types []string

func (t types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// others is what other keys are allowed: none, or those of a schema.
type others struct{ of *jsonSchema }

func (o *others) MarshalJSON() ([]byte, error) {
	if o.of == nil {
		return []byte("false"), nil
	}
	return json.Marshal(o.of)
}

func oneOf(kinds ...string) types { return kinds }

func closed() *others { return &others{} }

// fromOutsideSchema matches a string with ${…} in it.
func fromOutsideSchema() *jsonSchema {
	return &jsonSchema{Type: oneOf("string"), Pattern: `\$\{[^}]+\}`}
}

// orOutside also accepts a value that comes from outside or from another resource.
func orOutside(s *jsonSchema) *jsonSchema {
	doc, examples, def := s.Doc, s.Examples, s.Default
	s.Doc, s.Examples, s.Default = "", nil, nil
	return &jsonSchema{Doc: doc, Examples: examples, Default: def, AnyOf: []*jsonSchema{s, fromOutsideSchema()}}
}
