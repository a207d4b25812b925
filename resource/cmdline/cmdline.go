// Package cmdline has the values that a command line sets for variables of a configuration, as plans show and records
// keep them. A secret is a digest.
package cmdline

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Value is the value of one variable.
type Value struct {
	Name   string          `json:"name"`
	By     string          `json:"by"`               // "--set", or "--values FILE"
	Value  json.RawMessage `json:"value,omitempty"`  // nil if it is a secret
	Digest string          `json:"digest,omitempty"` // of a secret, keyed
}

// String returns the value and the option that sets it. A secret has six digits of its digest.
func (v Value) String() string {
	text := string(v.Value)
	if v.Value == nil {
		text = "(secret)"
		sum := v.Digest[strings.LastIndexByte(v.Digest, ':')+1:]
		if b, err := base64.RawURLEncoding.DecodeString(sum); err == nil && len(b) >= 3 {
			text += " " + hex.EncodeToString(b[:3])
		}
	}
	return text + " (" + v.By + ")"
}

func (v Value) same(o Value) bool { return string(v.Value) == string(o.Value) && v.Digest == o.Digest }

// Change is a variable that the command line of a plan or of the last apply sets.
type Change struct {
	Stack string `json:"stack"`
	Name  string `json:"name"`
	Now   *Value `json:"now,omitempty"` // nil if the command line no longer sets it
	// Was is the value in the last apply, where it was another one. Nil means the same one or none.
	Was *Value `json:"was,omitempty"`
}

// Changes returns the variables of a stack that one of two command lines sets, sorted by name.
func Changes(stack string, now, was []Value) []Change {
	var out []Change
	find := func(all []Value, name string) *Value {
		if i := slices.IndexFunc(all, func(v Value) bool { return v.Name == name }); i >= 0 {
			return &all[i]
		}
		return nil
	}
	for i := range now {
		c := Change{Stack: stack, Name: now[i].Name, Now: &now[i]}
		if old := find(was, c.Name); old != nil && !old.same(now[i]) {
			c.Was = old
		}
		out = append(out, c)
	}
	for i := range was {
		if find(now, was[i].Name) == nil {
			out = append(out, Change{Stack: stack, Name: was[i].Name, Was: &was[i]})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Lines returns the variables for a screen. The stack is named where there are several.
func Lines(all []Change) []string {
	var now, was []string
	several := slices.ContainsFunc(all, func(c Change) bool { return c.Stack != all[0].Stack })
	for _, c := range all {
		name := c.Name
		if several {
			name = cmp.Or(c.Stack, "?") + ": " + name
		}
		if c.Now != nil {
			now = append(now, name+" = "+c.Now.String())
		}
		switch {
		case c.Was != nil && c.Now == nil:
			was = append(was, name+" = "+strings.TrimSuffix(c.Was.String(), ")")+"; not set now)")
		case c.Was != nil:
			was = append(was, name+" = "+c.Was.String())
		}
	}
	var out []string
	if len(now) > 0 {
		out = append(out, "set by the command line: "+strings.Join(now, ", "))
	}
	if len(was) > 0 {
		out = append(out, "set otherwise in the last apply: "+strings.Join(was, ", "))
	}
	return out
}
