package outputs

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// StackKind is the kind of a reference to an output of another stack. No provider and no kind has the name.
const StackKind = "stack"

// Refer returns the reference to an output of another stack, whose text is STACK.OUTPUT or STACK.OUTPUT.KEY. The names
// of stacks can have dots, so that the record decides where the name ends.
func Refer(text string) resource.Reference {
	return resource.Reference{
		Ref:  resource.Ref{Provider: StackKind, Location: "outputs", Kind: StackKind, Name: text},
		Path: resource.OutputPath,
	}
}

// IsRef reports whether a ref is an output of another stack.
func IsRef(r resource.Ref) bool { return r.Provider == StackKind && r.Kind == StackKind }

// Pin is an output of another stack that a plan reads, with its record. Another record makes a saved plan stale.
type Pin struct {
	Stack, Name string
	Record      uint64
	Instance    string
	Value       resource.Value
}

// Compare orders pins by stack and name.
func (p Pin) Compare(o Pin) int {
	return Change{Stack: p.Stack, Name: p.Name}.Compare(Change{Stack: o.Stack, Name: o.Name})
}

// isSame reports whether two pins are the same record of the same output.
func (p Pin) isSame(o Pin) bool {
	return p.Compare(o) == 0 && p.Record == o.Record && p.Instance == o.Instance && Same(p.Value, o.Value)
}

// Moved returns the pins that are not among others with the same record.
func Moved(now, before []Pin) []Pin {
	return slices.DeleteFunc(slices.Clone(now), func(p Pin) bool { return slices.ContainsFunc(before, p.isSame) })
}

// AppendJSON appends a pin for a digest.
func (p Pin) AppendJSON(b []byte) []byte {
	for _, text := range []string{p.Stack, p.Name, p.Instance} {
		b = resource.AppendJSON(b, resource.String(text))
	}
	return resource.AppendJSON(resource.AppendJSON(b, resource.Int(int64(p.Record))), p.Value)
}

// pinJSON is the encoding of a Pin.
type pinJSON struct {
	Stack    string          `json:"stack"`
	Name     string          `json:"name"`
	Record   uint64          `json:"record"`
	Instance string          `json:"instance"`
	Value    json.RawMessage `json:"value"`
}

// MarshalJSON implements json.Marshaler.
func (p Pin) MarshalJSON() ([]byte, error) {
	return json.Marshal(pinJSON{p.Stack, p.Name, p.Record, p.Instance, resource.AppendJSON(nil, p.Value)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Pin) UnmarshalJSON(b []byte) error {
	var in pinJSON
	err := json.Unmarshal(b, &in)
	if err == nil {
		*p = Pin{Stack: in.Stack, Name: in.Name, Record: in.Record, Instance: in.Instance}
		p.Value, err = resource.ParseJSON(in.Value)
	}
	return err
}

// Find returns the output that a text means, and its value: the value of the output, or of a key below it. Without one
// the result says why, and what to do.
func Find(text string, recorded []Recorded, stacks []string) (of Recorded, value resource.Value, why, next string) {
	stack, name := "", ""
	for i := range text {
		if text[i] == '.' && slices.Contains(stacks, text[:i]) {
			stack, name = text[:i], text[i+1:]
		}
	}
	if stack == "" {
		stack, _, _ = strings.Cut(text, ".")
		next = "apply stack " + stack + " first, with the same store"
		if near, ok := resource.Nearest(stack, stacks); ok {
			next = "use ${stack/" + near + strings.TrimPrefix(text, stack) + "}, or " + next
		}
		return of, nil, "this store has no stack " + stack, next
	}
	name, path := Cut(name)
	var names []string
	for _, r := range recorded {
		if r.Stack != stack {
			continue
		}
		if names = append(names, r.Name); r.Name != name {
			continue
		}
		if r.Value == nil {
			return r, nil, "output " + name + " of stack " + stack + " has no value: " + r.Missing,
				"correct the output, and apply stack " + stack
		}
		if v, ok := Field(r.Value, path); ok {
			return r, v, "", ""
		}
		return r, nil, "output " + name + " of stack " + stack + " has no key " + path,
			"run `ovi output " + name + " --stack " + stack + "`"
	}
	next = "add it to outputs of stack " + stack + ", and apply that stack first"
	if near, ok := resource.Nearest(name, names); ok {
		next = "use ${stack/" + stack + "." + near + "}"
	} else if len(names) > 0 {
		next += "; it has " + strings.Join(names, ", ")
	}
	return of, nil, "stack " + stack + " has no recorded output " + name, next
}
