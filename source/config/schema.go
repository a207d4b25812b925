package config

import (
	"bytes"
	"encoding/json"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Schema returns the JSON Schema (draft 2020-12) of configuration files with the kinds that
// there are, for editors and other tools. The same options give the same bytes. What it
// refuses the configuration refuses too; unknown names and rules across attributes only the
// configuration knows.
func Schema(o source.Options) []byte {
	root := &jsonSchema{
		Dialect: "https://json-schema.org/draft/2020-12/schema", Title: "ovi configuration",
		Doc:  "The configuration of one stack: see docs/config.md.",
		Type: oneOf("object"), Required: []string{"version"}, Others: closed(),
		Properties: properties(fileKeys(o), o), Definitions: map[string]*jsonSchema{},
	}
	root.Properties["resources"].Items = &jsonSchema{Type: oneOf("object"), Required: []string{"type"}}
	for _, p := range o.Schemas.Providers() {
		blocks := &jsonSchema{Properties: map[string]*jsonSchema{}}
		var names []string
		for _, k := range o.Schemas.Kinds(p) {
			names = append(names, k.Name)
			root.Definitions[p+"."+k.Name] = kindSchema(k, o)
			blocks.AllOf = append(blocks.AllOf, &jsonSchema{If: when("type", k.Name), Then: &jsonSchema{Ref: "#/$defs/" + p + "." + k.Name}})
		}
		blocks.Properties["type"] = &jsonSchema{Enum: names}
		root.Definitions[p] = blocks
		// A block's own provider counts, else the document's.
		own := &jsonSchema{If: when("provider", p), Then: &jsonSchema{Ref: "#/$defs/" + p}}
		inherited := &jsonSchema{If: &jsonSchema{Required: []string{"provider"}}, Else: &jsonSchema{Ref: "#/$defs/" + p}}
		root.Properties["resources"].Items.AllOf = append(root.Properties["resources"].Items.AllOf, own)
		root.AllOf = append(root.AllOf, &jsonSchema{
			If:   when("provider", p),
			Then: &jsonSchema{Properties: map[string]*jsonSchema{"resources": {Items: inherited}}},
		})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		return nil // every value of it is JSON
	}
	return out.Bytes()
}

// when matches an object in which a key has a value.
func when(key, value string) *jsonSchema {
	return &jsonSchema{Required: []string{key}, Properties: map[string]*jsonSchema{key: {Const: value}}}
}

func properties[T any](table []key[T], o source.Options) map[string]*jsonSchema {
	out := map[string]*jsonSchema{}
	for _, k := range table {
		s := formSchema(k, o)
		s.Doc, s.Examples = k.doc, nil
		out[k.name] = s
	}
	return out
}

// formSchema is what each form of a key's value looks like.
func formSchema[T any](k key[T], o source.Options) *jsonSchema {
	object := func(p map[string]*jsonSchema) *jsonSchema {
		return &jsonSchema{Type: oneOf("object"), Properties: p, Others: closed()}
	}
	list := func(of *jsonSchema) *jsonSchema { return &jsonSchema{Type: oneOf("array"), Items: of} }
	word := &jsonSchema{Type: oneOf("string", "number")}
	switch k.form {
	case formVersion:
		return &jsonSchema{Const: "v1"}
	case formProvider:
		return &jsonSchema{Enum: o.Schemas.Providers()}
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
		return object(properties(defaultsKeys(o), o))
	case formRules:
		return object(properties(rulesKeys(), o))
	case formWindows:
		return list(object(properties(windowKeys(), o)))
	case formApprovals:
		return list(object(properties(approvalKeys(), o)))
	case formCEL:
		return list(object(properties(ruleKeys(), o)))
	case formDrifts:
		return list(object(properties(driftKeys(), o)))
	case formDestroy, formDrift, formEffect:
		return &jsonSchema{Enum: wordsOf(k.form)}
	case formDays:
		return list(&jsonSchema{Enum: weekdays()})
	case formActions:
		return list(&jsonSchema{Enum: actions()})
	case formKinds:
		return list(word)
	case formState:
		return orOutside(&jsonSchema{Enum: states()})
	case formTime:
		return &jsonSchema{Type: oneOf("string"), Pattern: `^([01]?[0-9]|2[0-3]):[0-5][0-9]$`}
	case formProvOpts:
		return object(providerOptions(o, k.name))
	case formSpec:
		return &jsonSchema{Type: oneOf("object")}
	case formOptions:
		return object(properties(optionsKeys(o), o))
	}
	return word
}

// wordsOf are the words that a form allows.
func wordsOf(f form) []string {
	switch f {
	case formDestroy:
		return []string{"auto", "manual"}
	case formDrift:
		return []string{"ignore"}
	}
	return effects()
}

// providerOptions are the options of a provider that a file may hold.
func providerOptions(o source.Options, provider string) map[string]*jsonSchema {
	p := map[string]*jsonSchema{}
	for _, r := range o.ProviderOptions(provider) {
		if !r.Secret {
			p[r.Key] = &jsonSchema{Type: oneOf("string", "number", "boolean"), Doc: r.Doc}
		}
	}
	return p
}

// kindSchema is the schema of a block of one kind: its attributes are beside the block's own
// keys, or under spec.
func kindSchema(k resource.Kind, o source.Options) *jsonSchema {
	own := properties(blockKeys(o), o)
	if word := o.LocationOf(k.Provider).Word; word != "location" {
		own[word] = own["location"]
	}
	if k.NoTags {
		delete(own, "tags")
	}
	if k.State == "" {
		delete(own, "state")
	} else {
		own["state"].Default = resource.AppendJSON(nil, resource.String(k.State))
	}
	if k.NamePattern != "" {
		doc := own["name"].Doc
		if k.NameDoc != "" {
			doc += " It has " + k.NameDoc + "."
		}
		own["name"] = orOutside(&jsonSchema{Type: oneOf("string", "number"), Doc: doc, Pattern: "^(?:" + k.NamePattern + ")$"})
	}
	spec := &jsonSchema{Doc: own["spec"].Doc, Type: oneOf("object"), Properties: map[string]*jsonSchema{}, Others: closed()}
	fieldSchemas(spec, k.Attrs)
	flat := &jsonSchema{Properties: map[string]*jsonSchema{}}
	for name, s := range spec.Properties {
		if own[name] == nil {
			flat.Properties[name] = s
		}
	}
	flat.Required = spec.Required
	all := &jsonSchema{Doc: k.Doc, Type: oneOf("object"), Properties: flat.Properties, Others: closed()}
	for name, s := range own {
		all.Properties[name] = s
	}
	all.Properties["spec"] = spec
	all.If = &jsonSchema{Required: []string{"spec"}}
	all.Else = &jsonSchema{Required: flat.Required}
	if len(flat.Required) == 0 {
		all.If, all.Else = nil, nil
	}
	return all
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
