package resource

// These functions read an attribute for providers and sources that know its type. An attribute that is
// missing, or has another type (a reference whose value is known after apply), counts as absent.

// Text is the text of a string.
func (a Attrs) Text(name string) (string, bool) {
	v, _ := a.Get(name)
	s, ok := v.(String)
	return string(s), ok
}

// Int is the value of an integer.
func (a Attrs) Int(name string) (int64, bool) {
	v, _ := a.Get(name)
	n, ok := v.(Int)
	return int64(n), ok
}

// Bool is the value of a boolean; false if there is none.
func (a Attrs) Bool(name string) bool {
	v, _ := a.Get(name)
	b, _ := v.(Bool)
	return bool(b)
}

// List is a list or a set; nil if there is none.
func (a Attrs) List(name string) List {
	v, _ := a.Get(name)
	l, _ := v.(List)
	return l
}

// Object is an object or a map; nil if there is none.
func (a Attrs) Object(name string) Attrs {
	v, _ := a.Get(name)
	o, _ := v.(Attrs)
	return o
}

// Texts are the strings of a list.
func (a Attrs) Texts(name string) []string { return a.List(name).Texts() }

// Texts are the strings among the elements; nil if there are none.
func (l List) Texts() []string {
	var out []string
	for _, v := range l {
		if s, ok := v.(String); ok {
			out = append(out, string(s))
		}
	}
	return out
}

// TextMap are the strings of a map; never nil.
func (a Attrs) TextMap(name string) map[string]string {
	out := map[string]string{}
	for _, x := range a.Object(name) {
		if s, ok := x.Value.(String); ok {
			out[x.Name] = string(s)
		}
	}
	return out
}

// TextList is a list of strings.
func TextList(texts []string) List {
	out := make(List, len(texts))
	for i, s := range texts {
		out[i] = String(s)
	}
	return out
}

// TextAttrs is a map of strings.
func TextAttrs(texts map[string]string) Attrs {
	out := make([]Attr, 0, len(texts))
	for k, v := range texts {
		out = append(out, Attr{Name: k, Value: String(v)})
	}
	return NewAttrs(out...)
}
