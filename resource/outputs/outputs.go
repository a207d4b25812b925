// Package outputs has the values that a stack publishes by name: for people and scripts, and for other stacks of the
// same store. A plan lists the outputs that change, and an apply records them. The package is pure.
package outputs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Recorded is an output as an apply recorded it.
type Recorded struct {
	Stack, Name string
	Value       resource.Value // nil if the output has none
	Missing     string         // why the output has no value
	Record      uint64         // its number in the audit log of the instance
	Instance    string
	At          time.Time
	By          string // the user
}

// Change is an output that differs from the record.
type Change struct {
	Stack, Name string
	From, To    resource.Value // a nil From means a new output, a nil To a removed or a late one
	Late        bool           // To is known after apply
	Missing     string         // why the output has no value
}

// Unknown is an output whose value cannot be known: a resource that it refers to was not observed. Its record stays.
type Unknown struct {
	Stack, Name string
	Why         string
}

// String describes the output.
func (u Unknown) String() string {
	return "outputs." + u.Name + " of stack " + u.Stack + " is not known: " + u.Why
}

// Action returns "create", "update" or "delete".
func (c Change) Action() string {
	switch {
	case c.To == nil && !c.Late && c.Missing == "":
		return "delete"
	case c.From == nil:
		return "create"
	}
	return "update"
}

// Compare orders changes by stack and name.
func (c Change) Compare(o Change) int {
	if n := strings.Compare(c.Stack, o.Stack); n != 0 {
		return n
	}
	return strings.Compare(c.Name, o.Name)
}

// Equal reports whether two changes are the same.
func (c Change) Equal(o Change) bool {
	return c.Compare(o) == 0 && c.Late == o.Late && c.Missing == o.Missing && Same(c.From, o.From) && Same(c.To, o.To)
}

// Same reports whether two values are equal; nil equals nil alone.
func Same(a, b resource.Value) bool {
	return (a == nil) == (b == nil) && string(resource.AppendJSON(nil, a)) == string(resource.AppendJSON(nil, b))
}

// changeJSON is the encoding of a Change.
type changeJSON struct {
	Stack string          `json:"stack"`
	Name  string          `json:"name"`
	From  json.RawMessage `json:"from,omitempty"`
	To    json.RawMessage `json:"to,omitempty"`
	Late  bool            `json:"known_after_apply,omitempty"`
	// Missing says why the output has no value.
	Missing string `json:"missing,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c Change) MarshalJSON() ([]byte, error) {
	out := changeJSON{Stack: c.Stack, Name: c.Name, Late: c.Late, Missing: c.Missing}
	if c.From != nil {
		out.From = resource.AppendJSON(nil, c.From)
	}
	if c.To != nil {
		out.To = resource.AppendJSON(nil, c.To)
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Change) UnmarshalJSON(b []byte) (err error) {
	var in changeJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("an output: %w", err)
	}
	*c = Change{Stack: in.Stack, Name: in.Name, Late: in.Late, Missing: in.Missing}
	if len(in.From) > 0 {
		if c.From, err = resource.ParseJSON(in.From); err != nil {
			return fmt.Errorf("output %s: %w", c.Name, err)
		}
	}
	if len(in.To) > 0 {
		if c.To, err = resource.ParseJSON(in.To); err != nil {
			return fmt.Errorf("output %s: %w", c.Name, err)
		}
	}
	return nil
}

// Answer is the value of a reference in an output. A nil Value means that it has none: now, or with Late until the end
// of the apply. Missing is the reason if it is certain that there is none, and Why if that is not known.
type Answer struct {
	Value        resource.Value
	Late         bool
	Missing, Why string
}

// None returns the answer without a resource.
func None(r resource.Reference) Answer {
	if IsRef(r.Ref) {
		return Answer{Why: r.Ref.Short() + " has no value"}
	}
	return Answer{Why: r.Ref.Short() + " does not exist, could not be observed, or failed to change"}
}

// Of returns the answer of an observed resource.
func Of(o *resource.Observed, r resource.Reference) Answer {
	v, has := o.Refer(r.Path)
	switch {
	case has:
		return Answer{Value: v}
	case o.Health == resource.Pending || r.Path == "":
		return Answer{Why: r.Ref.Short() + " is still being created"}
	}
	return Answer{Missing: r.Ref.Short() + " has no " + r.Path}
}

// Resolve replaces the references in a value. Without an answer to one of them the value has none either; it is late if
// one of them is. Secrets have no answer here.
func Resolve(v resource.Value, answer func(resource.Reference) Answer) Answer {
	late, unknown, missing := false, "", ""
	out := resource.MapRefs(v, func(r resource.Reference) resource.Value {
		a := answer(r)
		late = late || a.Late
		switch {
		case a.Value != nil && !isHidden(a.Value):
			return a.Value
		case a.Late:
		case a.Missing != "":
			missing = cmp.Or(missing, a.Missing)
		default:
			unknown = cmp.Or(unknown, a.Why, r.Ref.Short()+" has no value that can be shown")
		}
		return r
	})
	switch {
	case unknown != "":
		return Answer{Why: unknown}
	case missing != "":
		return Answer{Missing: missing}
	case late:
		return Answer{Late: true}
	}
	if out = joined(out); out == nil {
		return Answer{Missing: "its text joins a value that is neither a text nor a number"}
	}
	return Answer{Value: out}
}

// joined makes strings of texts without references. A text that is not one has no value.
func joined(v resource.Value) resource.Value {
	switch v := v.(type) {
	case resource.Text:
		kind := resource.Kind{Attrs: []resource.Attribute{{Name: "text"}}}
		text, _ := kind.Resolve(resource.Attrs{{Name: "text", Value: v}}, resource.Resolver{}).Get("text")
		if s, ok := text.(resource.String); ok {
			return s
		}
		return nil
	case resource.List:
		out := make(resource.List, len(v))
		for i := range v {
			if out[i] = joined(v[i]); out[i] == nil {
				return nil
			}
		}
		return out
	case resource.Attrs:
		out := slices.Clone(v)
		for i := range out {
			if out[i].Value = joined(out[i].Value); out[i].Value == nil {
				return nil
			}
		}
		return out
	}
	return v
}

// isHidden reports whether a value holds a secret.
func isHidden(v resource.Value) bool {
	switch v := v.(type) {
	case resource.Secret, resource.Digest:
		return true
	case resource.List:
		return slices.ContainsFunc(v, isHidden)
	case resource.Attrs:
		return slices.ContainsFunc(v, func(a resource.Attr) bool { return isHidden(a.Value) })
	}
	return false
}

// Changes lists the outputs of a stack that differ from the record, sorted by name, and those whose value is not known.
func Changes(stack string, was []Recorded, now resource.Attrs, answer func(resource.Reference) Answer) (
	out []Change, unknown []Unknown,
) {
	recorded := map[string]Recorded{}
	for _, r := range was {
		recorded[r.Name] = r
		if _, still := now.Get(r.Name); !still {
			out = append(out, Change{Stack: stack, Name: r.Name, From: r.Value})
		}
	}
	for _, x := range now {
		c := Change{Stack: stack, Name: x.Name, From: recorded[x.Name].Value}
		a := Resolve(x.Value, answer)
		c.To, c.Late, c.Missing = a.Value, a.Late, a.Missing
		switch {
		case a.Why != "":
			unknown = append(unknown, Unknown{Stack: stack, Name: x.Name, Why: a.Why})
		case c.Late, c.To != nil && !Same(c.From, c.To), c.Missing != recorded[x.Name].Missing:
			out = append(out, c)
		}
	}
	slices.SortFunc(out, Change.Compare)
	return out, unknown
}

// Plain returns a value as JSON for programs, without the escapes of the record.
func Plain(v resource.Value) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(plain(v)); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func plain(v resource.Value) any {
	switch v := v.(type) {
	case resource.String:
		return string(v)
	case resource.Bool:
		return bool(v)
	case resource.Int:
		return int64(v)
	case resource.Float:
		return json.RawMessage(resource.AppendJSON(nil, v))
	case resource.List:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case resource.Attrs:
		out := make(map[string]any, len(v))
		for _, a := range v {
			out[a.Name] = plain(a.Value)
		}
		return out
	}
	return nil
}

// Cut divides the spelling of a value in an output, such as net.zones[0], into the name of the output and the path
// below it, which Field reads.
func Cut(text string) (name, path string) {
	i := strings.IndexAny(text, ".[")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimPrefix(text[i:], ".")
}

// Field returns the value at a path below an output, such as zones[0].name; false if there is none. An empty path is
// the value itself. Elements of lists count from 0.
func Field(v resource.Value, path string) (resource.Value, bool) {
	for path != "" {
		if index, rest, is := strings.Cut(strings.TrimPrefix(path, "["), "]"); is && path[0] == '[' {
			list, ok := v.(resource.List)
			i, err := strconv.Atoi(index)
			if !ok || err != nil || i < 0 || i >= len(list) || strconv.Itoa(i) != index {
				return nil, false
			}
			v, path = list[i], strings.TrimPrefix(rest, ".")
			continue
		}
		attrs, ok := v.(resource.Attrs)
		if !ok {
			return nil, false
		}
		name, rest := Cut(path)
		if v, ok = attrs.Get(name); !ok {
			return nil, false
		}
		path = rest
	}
	return v, true
}
