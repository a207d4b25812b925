package language

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/internal/matching"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/syntax"
)

// kind is the type of a variable. An empty name means any value.
type kind struct {
	name     string
	elem     *kind  // of a list or a map
	of       string // of ref(KIND): the kind of the resource
	optional bool
}

var kindForm = regexp.MustCompile(`^(list|map)\((.*)\)$`)

// parseKind reads a type such as list(string) or int?.
func parseKind(text string) (*kind, error) {
	k := &kind{}
	text = strings.TrimSpace(text)
	if rest, optional := strings.CutSuffix(text, "?"); optional {
		k.optional, text = true, rest
	}
	if m := kindForm.FindStringSubmatch(text); m != nil {
		elem, err := parseKind(m[2])
		k.name, k.elem = m[1], elem
		return k, err
	}
	if m := refForm.FindStringSubmatch(text); m != nil {
		k.name, k.of = "ref", m[1]
		return k, nil
	}
	if !slices.Contains([]string{"string", "int", "number", "bool", "secret", "object"}, text) {
		return nil, fmt.Errorf("unknown type")
	}
	k.name = text
	return k, nil
}

// hasSecret reports whether values of the type are or hold secrets.
func (k *kind) hasSecret() bool { return k.name == "secret" || k.elem != nil && k.elem.hasSecret() }

func (k *kind) String() string {
	out := k.name
	if k.of != "" {
		out += "(" + k.of + ")"
	}
	if k.elem != nil {
		out += "(" + k.elem.String() + ")"
	}
	if k.optional {
		out += "?"
	}
	return out
}

// kindOf returns the type of a default.
func kindOf(n *source.Node) *kind {
	switch {
	case n.Shape == source.List:
		return &kind{name: "list", elem: &kind{}}
	case n.Shape == source.Object:
		return &kind{name: "object"}
	case n.Type == source.String && source.HasParts(n.Text), n.Type == source.Null:
		return &kind{}
	case n.Type == source.Int:
		return &kind{name: "int"}
	case n.Type == source.Float:
		return &kind{name: "number"}
	case n.Type == source.Bool:
		return &kind{name: "bool"}
	}
	return &kind{name: "string"}
}

// textNode returns a text from outside as a node that a value of the type can be read from.
func (k *kind) textNode(text string) *source.Node {
	switch k.name {
	case "string", "secret", "ref":
		return &source.Node{Text: text, Quoted: true}
	}
	// Another text is YAML of one value; an invalid one is a string.
	docs, err := syntax.Parse(strings.NewReader(text))
	if err != nil || len(docs) != 1 {
		return &source.Node{Text: text, Quoted: true}
	}
	ok := true
	n := syntax.NewConverter(nil, 0, func(int32, int32, string, string) { ok = false }).Node(docs[0], 0)
	if !ok {
		return &source.Node{Text: text, Quoted: true}
	}
	return &n
}

// value reads a value of the type.
func (k *kind) value(n *source.Node) (any, error) {
	if n.IsNull() {
		if k.optional || k.name == "" {
			return nil, nil
		}
		return nil, fmt.Errorf("it must be %s, got nothing", k)
	}
	if n.Parts != nil {
		v := settledParts(*n.Parts)
		if s, plain := v.(string); plain && k.name != "string" && k.name != "ref" && k.name != "" {
			return k.value(k.textNode(s))
		}
		return v, nil
	}
	switch k.name {
	case "string", "ref":
		if n.Shape == source.Scalar && (k.name == "string" || n.Type == source.String) {
			return n.Text, nil
		}
	case "list":
		if n.Shape == source.List {
			return k.list(n)
		}
	case "map":
		if n.Shape == source.Object {
			return k.object(n)
		}
	case "object":
		if n.Shape == source.Object {
			return valueOf(n)
		}
	case "":
		return valueOf(n)
	default:
		v, err := valueOf(n)
		if err != nil {
			return nil, err
		}
		switch x := v.(type) {
		case int64:
			if k.name == "number" {
				return float64(x), nil
			}
			if k.name == "int" {
				return x, nil
			}
		case float64:
			if k.name == "number" && !math.IsNaN(x) && !math.IsInf(x, 0) {
				return x, nil
			}
		case bool:
			if k.name == "bool" {
				return x, nil
			}
		}
	}
	return nil, fmt.Errorf("it must be %s, got %s", k, n.Form())
}

func (k *kind) list(n *source.Node) (any, error) {
	out := make([]any, 0, len(n.Kids))
	for i := range n.Kids {
		v, err := k.elem.value(&n.Kids[i])
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out = append(out, v)
	}
	return out, nil
}

func (k *kind) object(n *source.Node) (any, error) {
	out := make(map[string]any, len(n.Kids)/2)
	for i := 0; i+1 < len(n.Kids); i += 2 {
		v, err := k.elem.value(&n.Kids[i+1])
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", n.Kids[i].Text, err)
		}
		out[n.Kids[i].Text] = v
	}
	return out, nil
}

func toFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// allows checks a value by one_of, min, max and match. Lists and text are measured by their length.
func (d *declaration) allows(v any) error {
	if v == nil || hasOpaque(v) && !d.kind.hasSecret() { // the size of a group in a list is known later
		return nil
	}
	size, isNumber := toFloat(v)
	if !isNumber {
		switch x := v.(type) {
		case string:
			size = float64(len([]rune(x)))
		case []any:
			size = float64(len(x))
		case map[string]any:
			size = float64(len(x))
		}
	}
	switch {
	case d.min != nil && size < *d.min:
		return fmt.Errorf("it must be at least %s, got %s", decimal(*d.min), decimal(size))
	case d.max != nil && size > *d.max:
		return fmt.Errorf("it must be at most %s, got %s", decimal(*d.max), decimal(size))
	}
	if text, ok := v.(string); ok && d.form != nil {
		switch fits, err := d.form.Match(text); {
		case err != nil:
			return err
		case !fits:
			return fmt.Errorf("%s as a whole does not match %s", source.Quote(text), d.match)
		}
	}
	if d.oneOf == nil {
		return nil
	}
	var all []string
	got, _ := scalarText(v)
	for i := range d.oneOf.Kids {
		if d.oneOf.Kids[i].Text == got && got != "" {
			return nil
		}
		all = append(all, d.oneOf.Kids[i].Text)
	}
	return fmt.Errorf("%s is not one of %s", source.Quote(got), strings.Join(all, ", "))
}

// declaration holds the conditions of a variable.
type declaration struct {
	file           *input.File
	key            *source.Node
	kind           *kind
	isTyped        bool // the file names the type
	oneOf          *source.Node
	min, max       *float64
	match          string
	form           *matching.Pattern // of match as a whole
	check, message *source.Node
}

// declarationKeys are the keys of a variable that is a map.
func declarationKeys() []string {
	return []string{"type", "default", "one_of", "min", "max", "match", "check", "message", "doc"}
}
