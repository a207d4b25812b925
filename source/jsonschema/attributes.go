package jsonschema

import "github.com/ovi-project/ovi/resource"

// Attributes adds attributes to the schema of an object, without those that cannot be configured.
func Attributes(out *Schema, attrs []resource.Attribute) {
	for i := range attrs {
		a := &attrs[i]
		if a.Computed {
			continue
		}
		out.Properties[a.Name] = attribute(a)
		if a.Required {
			out.Required = append(out.Required, a.Name)
		}
	}
}

func attribute(a *resource.Attribute) *Schema {
	s := typed(a)
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

func typed(a *resource.Attribute) *Schema {
	switch {
	case a.Secret && !a.SecretInFile:
		return FromOutside()
	case a.Type == resource.TList || a.Type == resource.TSet:
		s := &Schema{Type: OneOf("array"), MinItems: a.Min, MaxItems: a.Max}
		if a.Elem != nil {
			s.Items = attribute(a.Elem)
		}
		return OrOutside(s)
	case a.Type == resource.TObject:
		s := &Schema{Type: OneOf("object"), Properties: map[string]*Schema{}, Others: Closed()}
		Attributes(s, a.Fields)
		return OrOutside(s)
	case a.Type == resource.TMap:
		elem := &Schema{Type: OneOf("string", "number")}
		if a.Elem != nil {
			elem = attribute(a.Elem)
		}
		return OrOutside(&Schema{Type: OneOf("object"), Others: &Others{Of: elem}})
	case a.Type == resource.TInt:
		return OrOutside(&Schema{Type: OneOf("integer"), Min: a.Min, Max: a.Max})
	case a.Type == resource.TFloat:
		return OrOutside(&Schema{Type: OneOf("number")})
	case a.Type == resource.TBool:
		return OrOutside(&Schema{Type: OneOf("boolean")})
	case len(a.Enum) > 0:
		return OrOutside(&Schema{Enum: a.Enum})
	}
	s := &Schema{Type: OneOf("string", "number"), MinLength: a.Min, MaxLength: a.Max}
	if a.Pattern != "" {
		s.Pattern = "^(?:" + a.Pattern + ")$"
	}
	if s.Pattern == "" && a.Min == nil && a.Max == nil {
		return s
	}
	return OrOutside(s)
}
