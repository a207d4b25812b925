package resource

// String names a type in words for the user.
func (t Type) String() string {
	switch t {
	case TString:
		return "a string"
	case TInt:
		return "a whole number"
	case TFloat:
		return "a number"
	case TBool:
		return "true or false"
	case TList, TSet:
		return "a list"
	case TObject:
		return "an object"
	case TMap:
		return "a map of names to values"
	}
	return "a value of an unknown type"
}

// typeOf names the type of a value in words for the user.
func typeOf(v Value) string {
	switch v.(type) {
	case Bool:
		return TBool.String()
	case Int:
		return TInt.String()
	case Float:
		return TFloat.String()
	case List:
		return TList.String()
	case Attrs:
		return TObject.String()
	case Secret, Digest:
		return "a secret"
	case Reference:
		return "a reference"
	case Text:
		return "a string with references"
	}
	return TString.String()
}

// String is the effect as rules, programs and the audit log read it.
func (e Effect) String() string {
	switch e {
	case Restart:
		return "restart"
	case Replace:
		return "replace"
	default:
		return "in_place"
	}
}

// DefaultsBeside reports whether an omitted attribute has its CreateDefault, given the configured ones of
// the same object.
func (a Attribute) DefaultsBeside(configured func(name string) bool) bool {
	return a.CreateDefault != nil && (a.DefaultUnless == "" || !configured(a.DefaultUnless))
}

// ForCreate adds to the attributes the CreateDefault of every omitted one, in nested objects
// too: values that are used only when a resource is created.
func (k Kind) ForCreate(attrs Attrs) Attrs { return forCreate(attrs, k.Attrs) }

func forCreate(attrs Attrs, schema []Attribute) Attrs {
	out := make([]Attr, 0, len(attrs)+2)
	for _, a := range attrs {
		out = append(out, Attr{a.Name, forCreateValue(a.Value, find(schema, a.Name))})
	}
	has := func(name string) bool { _, is := attrs.Get(name); return is }
	for _, s := range schema {
		if !has(s.Name) && s.DefaultsBeside(has) {
			out = append(out, Attr{s.Name, s.CreateDefault})
		}
	}
	return NewAttrs(out...)
}

func forCreateValue(v Value, s *Attribute) Value {
	switch v := v.(type) {
	case Attrs:
		if s.Type == TObject {
			return forCreate(v, s.Fields)
		}
	case List:
		if s.Elem == nil || s.Elem.Type != TObject {
			return v
		}
		out := make(List, len(v))
		for i := range v {
			out[i] = forCreateValue(v[i], s.Elem)
		}
		return out
	}
	return v
}
