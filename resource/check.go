package resource

import (
	"fmt"
	"regexp"
	"slices"
)

// Checker checks the configuration of resources of one kind. It holds the kind's compiled
// patterns, so make one for many resources. It does not change.
type Checker struct {
	kind     Kind
	patterns map[string]*regexp.Regexp
	name     *regexp.Regexp
}

// NewChecker prepares the checks of a kind. An error means that the schema itself is wrong.
func NewChecker(k Kind) (*Checker, error) {
	if slices.Contains([]string{"stack", "use", "vars", "locals", "each", "index", "environment"}, k.Name) {
		return nil, fmt.Errorf("resource: no kind can have the name %s: it means something else in ${…}", k.Name)
	}
	c := &Checker{kind: k, patterns: map[string]*regexp.Regexp{}}
	if err := c.compile(k.Attrs); err != nil {
		return nil, fmt.Errorf("resource: schema of %s/%s: %w", k.Provider, k.Name, err)
	}
	if k.NamePattern != "" {
		re, err := regexp.Compile(`\A(?:` + k.NamePattern + `)\z`)
		if err != nil {
			return nil, fmt.Errorf("resource: schema of %s/%s: name: %w", k.Provider, k.Name, err)
		}
		c.name = re
	}
	return c, nil
}

func (c *Checker) compile(attrs []Attribute) error {
	for i := range attrs {
		for a := &attrs[i]; a != nil; a = a.Elem {
			if a.Pattern != "" && c.patterns[a.Pattern] == nil {
				re, err := regexp.Compile(`\A(?:` + a.Pattern + `)\z`)
				if err != nil {
					return fmt.Errorf("%s: %w", attrs[i].Name, err)
				}
				c.patterns[a.Pattern] = re
			}
			if err := c.compile(a.Fields); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check checks configured attributes against the kind's schema and brings them to the form
// that Observe gives: values of the declared types, Sets sorted and each element once,
// defaults filled in, then the kind's own Canonical. It returns all problems at once, in
// order of their paths; with any, the attributes must not be used. An attribute whose value is
// nil is omitted. Names in RefKind attributes stay Strings for the source to turn into
// References; the kind of a Reference is checked.
func Check(k Kind, attrs Attrs) (Attrs, []Problem) {
	c, err := NewChecker(k)
	if err != nil {
		return nil, []Problem{{Summary: err.Error()}}
	}
	return c.Check(attrs)
}

// Check is the function Check with a prepared schema.
func (c *Checker) Check(attrs Attrs) (Attrs, []Problem) {
	r := run{checker: c}
	out := r.object("", attrs, c.kind.Attrs)
	if len(r.problems) == 0 && c.kind.Canonical != nil {
		var more []Problem
		out, more = c.kind.Canonical(out)
		r.problems = append(r.problems, more...)
	}
	return out, r.problems
}

// CheckName checks the name of a resource.
func (c *Checker) CheckName(name string) []Problem {
	switch {
	case name == "":
		return []Problem{{Path: "name", Summary: "the name is empty"}}
	case !plainName(name):
		return []Problem{{Path: "name", Summary: fmt.Sprintf("invalid name %q: it contains a slash or a control character",
			name)}}
	case c.name != nil && !c.name.MatchString(name):
		doc := "use " + c.kind.NameDoc
		if c.kind.NameDoc == "" {
			doc = "use a name that matches " + c.kind.NamePattern
		}
		return []Problem{{
			Path: "name", Summary: fmt.Sprintf("invalid name %q for kind %s", name, c.kind.Name),
			Suggestion: doc,
		}}
	}
	return nil
}

func plainName(s string) bool {
	for _, r := range s {
		if r == '/' || r < 0x20 || r == 0x7f {
			return false
		}
	}
	return true
}

// run collects the problems of one check.
type run struct {
	checker  *Checker
	problems []Problem
}

func (r *run) problem(path, suggestion, format string, args ...any) {
	r.problems = append(r.problems, Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion})
}

// object checks named values against a schema and fills in defaults.
func (r *run) object(path string, in Attrs, schema []Attribute) Attrs {
	out := make([]Attr, 0, len(in)+unset(in, schema))
	for _, a := range in {
		s := find(schema, a.Name)
		switch p := join(path, a.Name); {
		case s.Name == "":
			r.unknown(p, a.Name, schema)
		case s.Computed:
			r.problem(p, "remove "+a.Name, "%s is read-only: the provider reports it", a.Name)
		case a.Value != nil:
			// The schema's own string: equal names share memory and compare fast.
			out = append(out, Attr{s.Name, r.value(p, a.Value, s)})
		}
	}
	for i := range schema {
		s := &schema[i]
		if slices.ContainsFunc(out, func(a Attr) bool { return a.Name == s.Name }) {
			continue
		}
		if s.Required {
			r.problem(join(path, s.Name), example(s), "%s is required", s.Name)
		} else if s.Default != nil {
			out = append(out, Attr{s.Name, s.Default})
		}
	}
	return SortAttrs(out)
}

// unset counts the defaults that must be filled in.
func unset(in Attrs, schema []Attribute) (n int) {
	for i := range schema {
		if schema[i].Default == nil {
			continue
		}
		if _, set := in.Get(schema[i].Name); !set {
			n++
		}
	}
	return n
}

func (r *run) unknown(path, name string, schema []Attribute) {
	names := make([]string, 0, len(schema))
	for _, s := range schema {
		if !s.Computed {
			names = append(names, s.Name)
		}
	}
	suggestion := ""
	if near, ok := Nearest(name, names); ok {
		suggestion = "use " + near
	}
	r.problem(path, suggestion, "unknown attribute %q for kind %s", name, r.checker.kind.Name)
}

func example(s *Attribute) string {
	if s.Example == "" {
		return ""
	}
	return "for example, " + s.Name + ": " + s.Example
}
