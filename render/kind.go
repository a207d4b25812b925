package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// FirstLine is the first line of a doc.
func FirstLine(doc string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(doc), "\n")
	return line
}

// Kind writes the documentation of a kind for people.
func Kind(w io.Writer, s term.Style, k resource.Kind) error {
	p := term.Writer{Style: s}
	p.WriteString(p.In(term.Bold, k.Name) + p.In(term.Dim, "  "+k.Provider) + "\n")
	for _, paragraph := range strings.Split(strings.TrimSpace(k.Doc), "\n\n") {
		p.Para(0, "", strings.ReplaceAll(paragraph, "\n", " "))
	}
	if k.NameDoc != "" {
		p.Para(0, "", "Names: "+k.NameDoc)
	}
	if k.State != "" {
		p.Para(0, "", "State: running or stopped; default "+string(k.State)+".")
	}
	if k.HoldsDoc != "" {
		p.Para(0, "", "Only one resource can have: "+k.HoldsDoc+".")
	}
	writeAttributes(&p, 0, k.Attrs)
	_, err := io.WriteString(w, p.String())
	return err
}

// attributes lists attributes; the fields of objects below them.
func writeAttributes(p *term.Writer, indent int, attrs []resource.Attribute) {
	for _, a := range attrs {
		p.WriteString("\n" + term.Spaces(indent) + p.In(term.Bold, a.Name) + "  " + p.In(term.Dim, Traits(a)) + "\n")
		p.Para(indent+4, "", strings.ReplaceAll(strings.TrimSpace(a.Doc), "\n", " "))
		if a.Example != "" && !strings.Contains(a.Example, "\n") {
			p.WriteString(term.Spaces(indent+4) + p.In(term.Dim, "Example: ") + a.Name + ": " + a.Example + "\n")
		}
		writeAttributes(p, indent+4, a.Fields)
		if a.Elem != nil {
			writeAttributes(p, indent+4, a.Elem.Fields)
		}
	}
}

// Traits describes an attribute in a line.
func Traits(a resource.Attribute) string {
	out := []string{typeName(a)}
	switch {
	case a.Computed:
		out = append(out, "read-only")
	case a.Required:
		out = append(out, "required")
	case a.Default != nil:
		out = append(out, "default "+Value(a.Default))
	case a.CreateDefault != nil:
		text := "default at creation " + Value(a.CreateDefault)
		if a.DefaultUnless != "" {
			text += " without " + a.DefaultUnless
		}
		out = append(out, text)
	}
	if !a.Computed {
		switch a.Effect {
		case resource.Restart:
			out = append(out, "restarts when changed")
		case resource.Replace:
			out = append(out, "forces replacement when changed")
		default:
			out = append(out, "changed in place")
		}
	}
	if len(a.Enum) > 0 {
		out = append(out, "one of "+strings.Join(a.Enum, ", "))
	}
	out = append(out, bounds(a)...)
	if a.RefKind != "" {
		out = append(out, "refers to "+a.RefKind)
	}
	if a.WriteOnly {
		out = append(out, "cannot be read back")
	}
	if a.Secret {
		out = append(out, "secret")
	}
	return strings.Join(out, " · ")
}

func bounds(a resource.Attribute) []string {
	of := func(n int64) string {
		switch a.Type {
		case resource.TInt, resource.TFloat:
			return fmt.Sprint(n)
		case resource.TList, resource.TSet, resource.TMap, resource.TObject:
			return Many(n, "element")
		case resource.TString, resource.TBool:
		}
		return Many(n, "character")
	}
	switch {
	case a.Min != nil && a.Max != nil:
		return []string{fmt.Sprintf("%d to %s", *a.Min, of(*a.Max))}
	case a.Min != nil:
		return []string{"at least " + of(*a.Min)}
	case a.Max != nil:
		return []string{"at most " + of(*a.Max)}
	}
	return nil
}

func typeName(a resource.Attribute) string {
	elem := "string"
	if a.Elem != nil {
		elem = typeName(*a.Elem)
	}
	switch a.Type {
	case resource.TString:
		return "string"
	case resource.TInt:
		return "integer"
	case resource.TFloat:
		return "number"
	case resource.TBool:
		return "boolean"
	case resource.TList:
		return "list of " + elem
	case resource.TSet:
		return "set of " + elem
	case resource.TObject:
		return "object"
	case resource.TMap:
		return "map of strings"
	}
	return "value"
}

// KindInfo is a kind for programs.
type KindInfo struct {
	Type     string     `json:"type"` // "kind"
	Provider string     `json:"provider"`
	Kind     string     `json:"kind"`
	Doc      string     `json:"doc"`
	State    string     `json:"state,omitempty"`    // the default, of kinds that have a state
	Holds    string     `json:"only_one,omitempty"` // what only one resource can have
	Attrs    []AttrInfo `json:"attributes"`
}

// AttrInfo is an attribute for programs.
type AttrInfo struct {
	Name      string     `json:"name"`
	Value     string     `json:"value"` // its type
	Doc       string     `json:"doc"`
	Required  bool       `json:"required,omitempty"`
	Computed  bool       `json:"computed,omitempty"`
	Secret    bool       `json:"secret,omitempty"`
	WriteOnly bool       `json:"write_only,omitempty"`
	Effect    string     `json:"effect,omitempty"`
	Default   any        `json:"default,omitempty"`
	Enum      []string   `json:"enum,omitempty"`
	Names     string     `json:"names,omitempty"` // the kind it refers to
	Fields    []AttrInfo `json:"fields,omitempty"`
}

func (KindInfo) record() {}

// KindRecord is the kind as a record.
func KindRecord(k resource.Kind) KindInfo {
	return KindInfo{
		Type: "kind", Provider: k.Provider, Kind: k.Name, Doc: k.Doc, State: string(k.State), Holds: k.HoldsDoc,
		Attrs: attrInfos(k.Attrs),
	}
}

func attrInfos(attrs []resource.Attribute) []AttrInfo {
	out := make([]AttrInfo, len(attrs))
	for i, a := range attrs {
		out[i] = AttrInfo{
			Name: a.Name, Value: typeName(a), Doc: a.Doc, Required: a.Required, Computed: a.Computed, Secret: a.Secret,
			WriteOnly: a.WriteOnly, Enum: a.Enum, Names: a.RefKind,
		}
		if !a.Computed {
			out[i].Effect = a.Effect.String()
		}
		if d := a.Default; d != nil {
			out[i].Default = Value(d)
		}
		fields := a.Fields
		if a.Elem != nil {
			fields = append(fields, a.Elem.Fields...)
		}
		if len(fields) > 0 {
			out[i].Fields = attrInfos(fields)
		}
	}
	return out
}
