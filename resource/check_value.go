package resource

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value checks one value and gives it in the declared type. Where there is a problem what it
// gives is of no use.
func (r *run) value(path string, v Value, s *Attribute) Value {
	told := len(r.problems)
	out := r.typed(path, v, s)
	if s.Valid == nil || len(r.problems) > told {
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

func (r *run) typed(path string, v Value, s *Attribute) Value {
	switch v := v.(type) {
	case Reference:
		if s.RefKind == "" {
			r.problem(path, "", "%s does not name another thing", last(path))
		} else if v.Ref.Kind != s.RefKind {
			r.problem(path, "", "%s must be of kind %s, and %s is of kind %s", last(path), s.RefKind, v.Ref, v.Ref.Kind)
		}
		return v
	case Secret, Digest:
		if !s.Secret {
			r.problem(path, "", "%s is no secret: it would show", last(path))
		}
		return v
	}
	if s.Secret {
		r.problem(path, "take it from outside: ${env:NAME}", "%s is a secret and must not stand in the open", last(path))
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

// coerce accepts what can only be meant one way; for the rest it says what to write.
func coerce(v Value, t Type) (Value, string) {
	switch v := v.(type) {
	case String:
		return coerceString(v, t)
	case Int:
		switch t {
		case TInt:
			return v, ""
		case TFloat:
			return Float(v), ""
		case TString: // a version such as 16, a port: its digits are all there is to it
			return String(strconv.FormatInt(int64(v), 10)), ""
		}
	case Float:
		switch {
		case t == TFloat:
			return v, ""
		case t == TInt && float64(v) == math.Trunc(float64(v)) && math.Abs(float64(v)) < 1<<53:
			return nil, fmt.Sprintf("write %d", int64(v))
		case t == TString: // 1.10 has become 1.1 on its way here
			return nil, "write it in quotes"
		}
	case Bool:
		if t == TBool {
			return v, ""
		}
		if t == TString {
			return nil, "write it in quotes"
		}
	}
	return nil, ""
}

func coerceString(v String, t Type) (Value, string) {
	switch t {
	case TString:
		return v, ""
	case TInt:
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return nil, "write " + string(v) + " without quotes"
		}
	case TFloat:
		if _, err := strconv.ParseFloat(string(v), 64); err == nil {
			return nil, "write " + string(v) + " without quotes"
		}
	case TBool:
		switch strings.ToLower(string(v)) {
		case "true", "yes", "on":
			return nil, "write true"
		case "false", "no", "off":
			return nil, "write false"
		}
	}
	return nil, ""
}

// text checks a string's length, pattern and choice.
func (r *run) text(path, v string, s *Attribute) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		suggestion := "one of " + strings.Join(s.Enum, ", ")
		if near, ok := Nearest(v, s.Enum); ok {
			suggestion = "did you mean " + near + "?"
		}
		r.problem(path, suggestion, "%s can't be %q", last(path), v)
		return
	}
	if re := r.pattern(s); re != nil && !re.MatchString(v) {
		r.problem(path, example(s), "%s can't be %q: it must match %s", last(path), v, s.Pattern)
	}
	r.bounds(path, int64(utf8.RuneCountInString(v)), s, " characters")
}

func (r *run) pattern(s *Attribute) *regexp.Regexp {
	if s.Pattern == "" {
		return nil
	}
	return r.checker.patterns[s.Pattern]
}

func (r *run) bounds(path string, n int64, s *Attribute, unit string) {
	switch {
	case s.Min != nil && n < *s.Min:
		r.problem(path, "", "%s is %d%s, and at least %d are needed", last(path), n, unit, *s.Min)
	case s.Max != nil && n > *s.Max:
		r.problem(path, "", "%s is %d%s, and at most %d are allowed", last(path), n, unit, *s.Max)
	}
}

func (r *run) wrong(path string, v Value, s *Attribute, suggestion string) Value {
	if suggestion == "" {
		suggestion = example(s)
	}
	r.problem(path, suggestion, "%s must be %s, and %s is %s", last(path), s.Type, show(v), typeOf(v))
	return v
}

// show writes a value as a person would recognise it.
func show(v Value) string {
	if s, ok := v.(String); ok {
		return strconv.Quote(string(s))
	}
	return string(AppendJSON(nil, v))
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
