package config

import (
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/read"
	"github.com/ovi-project/ovi/source/config/settings"
	"github.com/ovi-project/ovi/source/jsonschema"
)

// Schema returns the JSON Schema (draft 2020-12) of configuration files with the kinds that
// there are, for editors and other tools. The same options give the same bytes. What it
// refuses the configuration refuses too; unknown names and rules across attributes only the
// configuration knows.
func Schema(o source.Options) []byte { return FileSchema(o).Bytes() }

// FileSchema returns the schema that Schema writes, to which the declarations of one file can be added.
func FileSchema(o source.Options) *jsonschema.Schema {
	root := &jsonschema.Schema{
		Dialect: jsonschema.Dialect, Title: "ovi configuration",
		Doc:  "The configuration of one stack: see docs/configuration.md.",
		Type: jsonschema.OneOf("object"), Required: []string{"version"}, Others: jsonschema.Closed(),
		Properties: properties(fileKeys(o), o), Definitions: map[string]*jsonschema.Schema{},
	}
	root.Patterns = map[string]*jsonschema.Schema{"^x-": {}}
	root.Properties["resources"].Items = blockSchema(root, o)
	for _, p := range o.Schemas.Providers() {
		blocks := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}}
		var names []string
		for _, k := range o.Schemas.Kinds(p) {
			names = append(names, k.Name)
			root.Definitions[p+"."+k.Name] = kindSchema(k, o)
			blocks.AllOf = append(blocks.AllOf,
				&jsonschema.Schema{If: when("type", k.Name), Then: &jsonschema.Schema{Ref: "#/$defs/" + p + "." + k.Name}})
		}
		blocks.Properties["type"] = &jsonschema.Schema{Enum: names}
		root.Definitions[p] = blocks
		// A block's own provider counts, else the document's.
		own := &jsonschema.Schema{If: when("provider", p), Then: &jsonschema.Schema{Ref: "#/$defs/" + p}}
		inherited := &jsonschema.Schema{
			If:   &jsonschema.Schema{Required: []string{"provider"}},
			Else: &jsonschema.Schema{Ref: "#/$defs/" + p},
		}
		root.Properties["resources"].Items.AllOf = append(root.Properties["resources"].Items.AllOf, own)
		root.AllOf = append(root.AllOf, &jsonschema.Schema{
			If:   when("provider", p),
			Then: &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"resources": {Items: inherited}}},
		})
	}
	return root
}

// blockSchema is the schema of a block: it has a type, or uses a component.
func blockSchema(root *jsonschema.Schema, o source.Options) *jsonschema.Schema {
	keys := properties(component.UseKeys("NAME"), o)
	for _, word := range locationWords(o) {
		keys[word] = keys["location"]
	}
	root.Definitions["use"] = whole(keys, "use", "name")
	uses := &jsonschema.Schema{Required: []string{"use"}}
	return &jsonschema.Schema{
		Type: jsonschema.OneOf("object"), AnyOf: []*jsonschema.Schema{{Required: []string{"type"}}, uses},
		If: uses, Then: &jsonschema.Schema{Ref: "#/$defs/use"},
	}
}

// ComponentSchema returns the JSON Schema of the file of a component.
func ComponentSchema(o source.Options) []byte {
	provider, _ := examples(o)
	root := whole(properties(component.Keys(provider), o), "version")
	root.Dialect, root.Title = jsonschema.Dialect, "ovi component"
	root.Doc = "A component that a configuration uses: see docs/configuration.md."
	root.Patterns = map[string]*jsonschema.Schema{"^x-": {}}
	root.Definitions = map[string]*jsonschema.Schema{}
	root.Properties["resources"].Items = blockSchema(root, o)
	kinds := root.Properties["resources"].Items
	for _, p := range o.Schemas.Providers() {
		for _, k := range o.Schemas.Kinds(p) {
			name := p + "." + k.Name
			root.Definitions[name] = kindSchema(k, o)
			of := when("type", k.Name)
			if len(o.Schemas.Providers()) > 1 { // another provider can have a kind with this name
				of = &jsonschema.Schema{AllOf: []*jsonschema.Schema{of, when("provider", p)}}
			}
			kinds.AllOf = append(kinds.AllOf, &jsonschema.Schema{If: of, Then: &jsonschema.Schema{Ref: "#/$defs/" + name}})
		}
	}
	return root.Bytes()
}

// when matches an object in which a key has a value.
func when(key, value string) *jsonschema.Schema {
	return &jsonschema.Schema{Required: []string{key}, Properties: map[string]*jsonschema.Schema{key: {Const: value}}}
}

func properties[T any](table []read.Key[T], o source.Options) map[string]*jsonschema.Schema {
	out := map[string]*jsonschema.Schema{}
	for _, k := range table {
		s := formSchema(k, o)
		s.Doc, s.Examples = k.Doc, nil
		out[k.Name] = s
	}
	return out
}

// formSchema is what each form of a key's value looks like.
func formSchema[T any](k read.Key[T], o source.Options) *jsonschema.Schema {
	object, list := closedObject, listOf
	word := &jsonschema.Schema{Type: jsonschema.OneOf("string", "number")}
	switch k.Form {
	case read.FormVersion:
		return &jsonschema.Schema{Const: "v1"}
	case read.FormProvider:
		return &jsonschema.Schema{Enum: o.Schemas.Providers()}
	case read.FormType:
		return &jsonschema.Schema{Type: jsonschema.OneOf("string")}
	case read.FormCount, read.FormNumber:
		return jsonschema.OrOutside(&jsonschema.Schema{Type: jsonschema.OneOf("integer"), Min: new(int64)})
	case read.FormBool:
		return jsonschema.OrOutside(&jsonschema.Schema{Type: jsonschema.OneOf("boolean")})
	case read.FormTags:
		return &jsonschema.Schema{
			Type:   jsonschema.OneOf("object"),
			Others: &jsonschema.Others{Of: &jsonschema.Schema{Type: jsonschema.OneOf("string", "number", "boolean")}},
		}
	case read.FormNames, read.FormPaths, read.FormKinds:
		return list(word)
	case read.FormIgnore:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			list(word),
			{Type: jsonschema.OneOf("object"), Others: &jsonschema.Others{Of: list(word)}},
		}}
	case read.FormBudget:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			{Type: jsonschema.OneOf("integer"), Min: new(int64)},
			{Type: jsonschema.OneOf("string"), Pattern: `^[0-9]+%?$`},
			jsonschema.FromOutside(),
		}}
	case read.FormBlocks:
		return list(&jsonschema.Schema{Type: jsonschema.OneOf("object")})
	case read.FormDefaults:
		return object(properties(defaultsKeys(o), o))
	case read.FormRules:
		return object(properties(settings.RulesKeys(), o))
	case read.FormWindows:
		return list(object(properties(settings.WindowKeys(), o)))
	case read.FormApprovals:
		return list(object(properties(settings.ApprovalKeys(), o)))
	case read.FormCEL:
		return list(object(properties(settings.RuleKeys(), o)))
	case read.FormDrifts:
		return list(object(properties(settings.DriftKeys(), o)))
	case read.FormDestroy, read.FormDrift, read.FormEffect:
		return &jsonschema.Schema{Enum: wordsOf(k.Form)}
	case read.FormDays:
		return list(&jsonschema.Schema{Enum: settings.Weekdays()})
	case read.FormActions:
		return list(&jsonschema.Schema{Enum: settings.Actions()})
	case read.FormPublic:
		return list(&jsonschema.Schema{Type: jsonschema.OneOf("string"), Pattern: "^(env|file):.+$"})
	case read.FormState:
		return jsonschema.OrOutside(&jsonschema.Schema{Enum: settings.States()})
	case read.FormTime:
		return &jsonschema.Schema{Type: jsonschema.OneOf("string"), Pattern: `^([01]?[0-9]|2[0-3]):[0-5][0-9]$`}
	case read.FormProvOpts:
		return object(providerOptions(o, k.Name))
	case read.FormSpec:
		return &jsonschema.Schema{Type: jsonschema.OneOf("object")}
	case read.FormTimeouts:
		return settings.TimeoutsSchema(o)
	case read.FormUpdate:
		return object(properties(updateKeys(), o))
	case read.FormMoved:
		return list(whole(properties(movedKeys(), o), "from", "to"))
	case read.FormRemoved:
		return list(whole(properties(removedKeys(), o), "ref", "keep"))
	case read.FormVars, read.FormLocals, read.FormEnvs, read.FormEach, read.FormWhen, read.FormOutputs:
		return languageSchema(k.Form, o)
	case read.FormLookup:
		return object(properties(lookupKeys(), o))
	case read.FormOptions:
		return object(properties(settings.OptionsKeys(o), o))
	}
	return word
}

// languageSchema is the schema of the keys for variables, environments and repeated blocks.
func languageSchema(form read.Form, o source.Options) *jsonschema.Schema {
	anything := func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: jsonschema.OneOf("object"), Others: &jsonschema.Others{Of: &jsonschema.Schema{}}}
	}
	text := &jsonschema.Schema{Type: jsonschema.OneOf("string")}
	switch form {
	case read.FormEnvs:
		keys := map[string]*jsonschema.Schema{
			"stack": text, "account": {Type: jsonschema.OneOf("string", "number")}, "vars": anything(),
			"options": closedObject(properties(settings.OptionsKeys(o), o)),
			"rules":   closedObject(properties(settings.RulesKeys(), o)),
		}
		for _, word := range locationWords(o) {
			keys[word] = text
		}
		one := closedObject(keys)
		one.Type = jsonschema.OneOf("object", "null")
		return &jsonschema.Schema{Type: jsonschema.OneOf("object"), Others: &jsonschema.Others{Of: one}}
	case read.FormEach:
		keys := listOf(&jsonschema.Schema{Type: jsonschema.OneOf("string", "integer")})
		return jsonschema.OrOutside(&jsonschema.Schema{AnyOf: []*jsonschema.Schema{keys, anything()}})
	case read.FormWhen:
		return &jsonschema.Schema{Type: jsonschema.OneOf("string", "boolean")}
	case read.FormOutputs:
		value := &jsonschema.Schema{Type: jsonschema.OneOf("string", "number", "boolean", "array", "object")}
		return &jsonschema.Schema{
			Type: jsonschema.OneOf("object"), Others: &jsonschema.Others{},
			Patterns: map[string]*jsonschema.Schema{component.OutputName: value},
		}
	}
	return anything()
}

// wordsOf are the words that a form allows.
func wordsOf(f read.Form) []string {
	switch f {
	case read.FormDestroy:
		return []string{"auto", "manual"}
	case read.FormDrift:
		return []string{"ignore"}
	}
	return settings.Effects()
}

// providerOptions are the options of a provider that a file may hold.
func providerOptions(o source.Options, provider string) map[string]*jsonschema.Schema {
	p := map[string]*jsonschema.Schema{}
	for _, r := range o.ProviderOptions(provider) {
		if !r.Secret && !r.Operator {
			p[r.Key] = &jsonschema.Schema{Type: jsonschema.OneOf("string", "number", "boolean"), Doc: r.Doc}
		}
	}
	return p
}

// kindSchema is the schema of a block of one kind: its attributes are beside the block's own
// keys, or under spec.
func kindSchema(k resource.Kind, o source.Options) *jsonschema.Schema {
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
		own["name"] = jsonschema.OrOutside(&jsonschema.Schema{
			Type: jsonschema.OneOf("string", "number"), Doc: doc,
			Pattern: "^(?:" + k.NamePattern + ")$",
		})
	}
	spec := &jsonschema.Schema{
		Doc: own["spec"].Doc, Type: jsonschema.OneOf("object"),
		Properties: map[string]*jsonschema.Schema{}, Others: jsonschema.Closed(),
	}
	jsonschema.Attributes(spec, k.Attrs)
	flat := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}}
	for name, s := range spec.Properties {
		if own[name] == nil {
			flat.Properties[name] = s
		}
	}
	flat.Required = spec.Required
	all := &jsonschema.Schema{
		Doc: k.Doc, Type: jsonschema.OneOf("object"), Properties: flat.Properties,
		Others: jsonschema.Closed(),
	}
	for name, s := range own {
		all.Properties[name] = s
	}
	all.Properties["spec"] = spec
	all.If = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Required: []string{"spec"}}, {Required: []string{"lookup"}}}}
	all.Else = &jsonschema.Schema{Required: flat.Required}
	if len(flat.Required) == 0 {
		all.If, all.Else = nil, nil
	}
	return all
}

func closedObject(p map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: jsonschema.OneOf("object"), Properties: p, Others: jsonschema.Closed()}
}

// whole is an object with these keys, some of which it must have.
func whole(p map[string]*jsonschema.Schema, required ...string) *jsonschema.Schema {
	s := closedObject(p)
	s.Required = required
	return s
}

func listOf(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: jsonschema.OneOf("array"), Items: of}
}
