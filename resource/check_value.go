package resource

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value checks one value and returns it in the declared type. With a problem the result must
// not be used.
func (r *run) value(path string, v Value, s *Attribute) Value {
	before := len(r.problems)
	out := r.typed(path, v, s)
	if s.Valid == nil || isLate(out) || len(r.problems) > before {
		return out
	}
	for _, p := range s.Valid(out) {
		if p.Path == "" {
			p.Path = path
		} else {
			p.Path = join(path, p.Path)
		}
		r.problems = append(r.problems, p)
	}
	return out
}

// isLate reports that a value is known after apply.
func isLate(v Value) bool {
	switch v.(type) {
	case Reference, Text:
		return true
	}
	return false
}

func (r *run) typed(path string, v Value, s *Attribute) Value {
	switch v := v.(type) {
	case Reference:
		r.reference(path, v, s)
		return v
	case Text:
		if s.Type != TString {
			r.problem(path, example(s), "%s must be %s, got %s", last(path), s.Type, typeOf(v))
		}
		return v
	case Secret, Digest:
		if !s.Secret {
			r.problem(path, "", "%s is not a secret attribute: its value is shown and recorded", last(path))
		}
		return v
	}
	if s.Secret {
		r.problem(path, "use ${env:NAME}", "%s is a secret and must not be written as plain text", last(path))
		return v
	}
	switch s.Type {
	case TList, TSet:
		return r.list(path, v, s)
	case TObject:
		if in, ok := v.(Attrs); ok {
			return r.object(path, in, s.Fields)
		}
		return r.wrong(path, v, s, "")
	case TMap:
		return r.mapping(path, v, s)
	default:
		return r.scalar(path, v, s)
	}
}

// reference checks the kind that a reference to an ID refers to. source.Resolve checks the
// rest, which needs the schema of the other kind.
func (r *run) reference(path string, v Reference, s *Attribute) {
	switch {
	case v.Path != "":
	case s.RefKind != "" && v.Ref.Kind != s.RefKind:
		r.problem(path, "", "%s must be of kind %s, got %s of kind %s", last(path), s.RefKind, v.Ref, v.Ref.Kind)
	case s.RefKind == "" && s.Type != TString:
		r.problem(path, example(s), "%s must be %s, got an id", last(path), s.Type)
	}
}

func (r *run) scalar(path string, v Value, s *Attribute) Value {
	out, suggestion := coerce(v, s.Type)
	if out == nil {
		return r.wrong(path, v, s, suggestion)
	}
	switch out := out.(type) {
	case String:
		r.text(path, string(out), s)
	case Int:
		r.bounds(path, int64(out), s, "")
	case Float:
		if math.IsNaN(float64(out)) || math.IsInf(float64(out), 0) {
			r.problem(path, "", "%s must be a finite number", last(path))
		}
	}
	return out
}

// coerce converts a value that has only one possible meaning. For any other it returns nil and
// a suggestion.
func coerce(v Value, t Type) (Value, string) {
	same := v // as an interface already: what is returned as it came costs nothing
	switch v := v.(type) {
	case String:
		if t == TString {
			return same, ""
		}
		return nil, unquoted(string(v), t)
	case Int:
		switch t {
		case TInt:
			return same, ""
		case TFloat:
			return Float(v), ""
		case TString: // a version such as 16, or a port: no digit is lost
			return String(strconv.FormatInt(int64(v), 10)), ""
		}
	case Float:
		switch {
		case t == TFloat:
			return same, ""
		case t == TInt && float64(v) == math.Trunc(float64(v)) && math.Abs(float64(v)) < 1<<53:
			return nil, fmt.Sprintf("use %d", int64(v))
		case t == TString: // the parser has turned 1.10 into 1.1
			return nil, "quote the value"
		}
	case Bool:
		if t == TBool {
			return same, ""
		}
		if t == TString {
			return nil, "quote the value"
		}
	}
	return nil, ""
}

// unquoted suggests what a text was meant to be.
func unquoted(v string, t Type) string {
	switch t {
	case TInt:
		if _, err := strconv.ParseInt(v, 10, 64); err == nil {
			return "use " + v + " without quotes"
		}
	case TFloat:
		if _, err := strconv.ParseFloat(v, 64); err == nil {
			return "use " + v + " without quotes"
		}
	case TBool:
		switch strings.ToLower(v) {
		case "true", "yes", "on":
			return "use true"
		case "false", "no", "off":
			return "use false"
		}
	}
	return ""
}

// text checks a string's length, pattern and enumeration.
func (r *run) text(path, v string, s *Attribute) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		suggestion := oneOf(s.Enum)
		if near, ok := Nearest(v, s.Enum); ok {
			suggestion = "use " + near
		}
		r.problem(path, suggestion, "invalid %s %q", last(path), v)
		return
	}
	if re := r.checker.patterns[s.Pattern]; re != nil && !re.MatchString(v) {
		r.problem(path, example(s), "invalid %s %q: it must match %s", last(path), v, s.Pattern)
	}
	r.bounds(path, int64(utf8.RuneCountInString(v)), s, " characters")
}

func (r *run) bounds(path string, n int64, s *Attribute, unit string) {
	has := "has"
	if unit == "" {
		has = "is"
	}
	switch {
	case s.Min != nil && n < *s.Min:
		r.problem(path, "", "%s %s %d%s, the minimum is %d", last(path), has, n, unit, *s.Min)
	case s.Max != nil && n > *s.Max:
		r.problem(path, "", "%s %s %d%s, the maximum is %d", last(path), has, n, unit, *s.Max)
	}
}

func (r *run) wrong(path string, v Value, s *Attribute, suggestion string) Value {
	switch {
	case len(s.Enum) > 0: // quotes around true do not make it one of the words
		suggestion = oneOf(s.Enum)
	case suggestion == "":
		suggestion = example(s)
	}
	r.problem(path, suggestion, "%s must be %s, got %s", last(path), s.Type, show(v))
	return v
}

// show writes a value as in a configuration.
func show(v Value) string {
	if s, ok := v.(String); ok {
		return strconv.Quote(string(s))
	}
	return string(AppendJSON(nil, v))
}

func oneOf(words []string) string { return "use one of " + strings.Join(words, ", ") }

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
