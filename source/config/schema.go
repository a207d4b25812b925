package config

import (
	"bytes"
	"encoding/json"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Schema gives the JSON Schema (draft 2020-12) of config files with the kinds that there
// are, for editors and other tools. The same schemas give the same bytes. What it refuses
// the config refuses too; names that nothing has and rules across attributes only the config
// knows.
func Schema(schemas source.Schemas) []byte {
	root := &jsonSchema{
		Dialect: "https://json-schema.org/draft/2020-12/schema", Title: "ovi config",
		Doc:  "What one stack wants: see docs/config.md.",
		Type: oneOf("object"), Required: []string{"version"}, Others: closed(),
		Properties: properties(fileKeys(), schemas), Definitions: map[string]*jsonSchema{},
	}
	for _, p := range schemas.Providers() {
		blocks := &jsonSchema{Type: oneOf("object"), Required: []string{"type"}}
		var names []string
		for _, k := range schemas.Kinds(p) {
			names = append(names, k.Name)
			root.Definitions[p+"."+k.Name] = kindSchema(k, schemas)
			blocks.AllOf = append(blocks.AllOf, &jsonSchema{If: when("type", k.Name), Then: &jsonSchema{Ref: "#/$defs/" + p + "." + k.Name}})
		}
		blocks.Properties = map[string]*jsonSchema{"type": {Enum: names}}
		root.Definitions[p] = blocks
		root.AllOf = append(root.AllOf, &jsonSchema{
			If:   when("provider", p),
			Then: &jsonSchema{Properties: map[string]*jsonSchema{"resources": {Items: &jsonSchema{Ref: "#/$defs/" + p}}}},
		})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		return nil // only a value that can't be JSON could do that, and there is none
	}
	return out.Bytes()
}

// when matches an object in which a key has a value.
func when(key, value string) *jsonSchema {
	return &jsonSchema{Required: []string{key}, Properties: map[string]*jsonSchema{key: {Const: value}}}
}

func properties[T any](table []key[T], schemas source.Schemas) map[string]*jsonSchema {
	out := map[string]*jsonSchema{}
	for _, k := range table {
		s := formSchema(k.form, schemas)
		s.Doc, s.Examples = k.doc, nil
		out[k.name] = s
	}
	return out
}

// formSchema is what each form of a key's value looks like.
func formSchema(f form, schemas source.Schemas) *jsonSchema {
	object := func(p map[string]*jsonSchema) *jsonSchema {
		return &jsonSchema{Type: oneOf("object"), Properties: p, Others: closed()}
	}
	list := func(of *jsonSchema) *jsonSchema { return &jsonSchema{Type: oneOf("array"), Items: of} }
	word := &jsonSchema{Type: oneOf("string", "number")}
	switch f {
	case formVersion:
		return &jsonSchema{Const: "v1"}
	case formProvider:
		return &jsonSchema{Enum: schemas.Providers()}
	case formType:
		return &jsonSchema{Type: oneOf("string")}
	case formCount, formNumber:
		return orOutside(&jsonSchema{Type: oneOf("integer"), Min: new(int64)})
	case formBool:
		return orOutside(&jsonSchema{Type: oneOf("boolean")})
	case formTags:
		return &jsonSchema{Type: oneOf("object"), Others: &others{&jsonSchema{Type: oneOf("string", "number", "boolean")}}}
	case formNames, formPaths:
		return list(word)
	case formIgnore:
		return &jsonSchema{AnyOf: []*jsonSchema{list(word), {Type: oneOf("object"), Others: &others{list(word)}}}}
	case formBudget:
		return &jsonSchema{AnyOf: []*jsonSchema{{Type: oneOf("integer"), Min: new(int64)}, {Type: oneOf("string"), Pattern: `^[0-9]+%?$`}, fromOutsideSchema()}}
	case formBlocks:
		return list(&jsonSchema{Type: oneOf("object")})
	case formDefaults:
		return object(properties(defaultsKeys(), schemas))
	case formPolicy:
		return object(properties(policyKeys(), schemas))
	case formWindows:
		return list(object(properties(windowKeys(), schemas)))
	case formApprovals:
		return list(object(properties(approvalKeys(), schemas)))
	case formRules:
		return list(object(properties(ruleKeys(), schemas)))
	case formDays:
		return list(&jsonSchema{Enum: weekdays()})
	case formActions:
		return list(&jsonSchema{Enum: actions()})
	case formKinds:
		return list(word)
	case formEffect:
		return &jsonSchema{Enum: effects()}
	case formTime:
		return &jsonSchema{Type: oneOf("string"), Pattern: `^([01]?[0-9]|2[0-3]):[0-5][0-9]$`}
	case formOptions:
		return object(properties(optionsKeys(), schemas))
	}
	return word
}

// kindSchema is the schema of a block of one kind.
func kindSchema(k resource.Kind, schemas source.Schemas) *jsonSchema {
	out := &jsonSchema{Doc: k.Doc, Type: oneOf("object"), Required: []string{"type"}, Properties: properties(blockKeys(), schemas), Others: closed()}
	if k.NoTags {
		delete(out.Properties, "tags")
	}
	if k.NamePattern != "" {
		doc := out.Properties["name"].Doc
		if k.NameDoc != "" {
			doc += " It has " + k.NameDoc + "."
		}
		out.Properties["name"] = orOutside(&jsonSchema{Type: oneOf("string", "number"), Doc: doc, Pattern: "^(?:" + k.NamePattern + ")$"})
	}
	fieldSchemas(out, k.Attrs)
	return out
}

// fieldSchemas adds attributes to the schema of an object.
func fieldSchemas(out *jsonSchema, attrs []resource.Attribute) {
	for i := range attrs {
		a := &attrs[i]
		if a.Computed {
			continue
		}
		out.Properties[a.Name] = attributeSchema(a)
		if a.Required {
			out.Required = append(out.Required, a.Name)
		}
	}
}

func attributeSchema(a *resource.Attribute) *jsonSchema {
	s := typeSchema(a)
	s.Doc = a.Doc
	if a.RefKind != "" && a.Doc == "" {
		s.Doc = "The name of a " + a.RefKind + "."
	}
	if a.Example != "" {
		s.Examples = []string{a.Example}
	}
	for _, v := range []resource.Value{a.Default, a.CreateDefault} {
		if v != nil && s.Default == nil {
			s.Default = resource.AppendJSON(nil, v)
		}
	}
	return s
}

func typeSchema(a *resource.Attribute) *jsonSchema {
	switch {
	case a.Secret && !a.SecretInFile:
		return fromOutsideSchema()
	case a.Type == resource.TList || a.Type == resource.TSet:
		s := &jsonSchema{Type: oneOf("array"), MinItems: a.Min, MaxItems: a.Max}
		if a.Elem != nil {
			s.Items = attributeSchema(a.Elem)
		}
		return s
	case a.Type == resource.TObject:
		s := &jsonSchema{Type: oneOf("object"), Properties: map[string]*jsonSchema{}, Others: closed()}
		fieldSchemas(s, a.Fields)
		return s
	case a.Type == resource.TMap:
		elem := &jsonSchema{Type: oneOf("string", "number")}
		if a.Elem != nil {
			elem = attributeSchema(a.Elem)
		}
		return &jsonSchema{Type: oneOf("object"), Others: &others{elem}}
	}
	return scalarSchema(a)
}

func scalarSchema(a *resource.Attribute) *jsonSchema {
	switch {
	case a.Type == resource.TInt:
		return orOutside(&jsonSchema{Type: oneOf("integer"), Min: a.Min, Max: a.Max})
	case a.Type == resource.TFloat:
		return orOutside(&jsonSchema{Type: oneOf("number")})
	case a.Type == resource.TBool:
		return orOutside(&jsonSchema{Type: oneOf("boolean")})
	case len(a.Enum) > 0:
		return orOutside(&jsonSchema{Enum: a.Enum})
	}
	s := &jsonSchema{Type: oneOf("string", "number"), MinLength: a.Min, MaxLength: a.Max}
	if a.Pattern != "" {
		s.Pattern = "^(?:" + a.Pattern + ")$"
	}
	if s.Pattern == "" && a.Min == nil && a.Max == nil {
		return s
	}
	return orOutside(s)
}
