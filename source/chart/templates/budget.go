package templates

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/source/chart/page"
)

// limits bound the rendering of all templates of a chart.
func limits() budget.Limits {
	return budget.Limits{Steps: 1 << 29, Bytes: 256 << 20, Time: 10 * time.Second}
}

const (
	nodeCost   = 500 // steps of a node, and of a call
	maxLevels  = 1000
	maxNesting = 100 // levels of a value
)

var (
	errNesting = errors.New("a value has more than 100 levels, or contains itself")
	errValue   = fmt.Errorf("a value is larger than %d MiB: %w", page.MaxRendered>>20, budget.ErrSpent)
)

// shallow reports whether a function does not read the insides of its arguments.
func shallow(name string) bool {
	switch name {
	case "include", "get", "set", "unset", "hasKey", "dig", "pluck", "first", "last", "list", "tuple", "default",
		"empty", "ternary", "coalesce", "keys", "values", "kindIs", "kindOf", "typeOf", "typeIs", "append", "push",
		"prepend", "concat", "rest", "initial", "slice", "reverse", "pick", "omit", "chunk", "required", "any", "all":
		return true
	}
	return false
}

// guard returns a function that spends from the budget of the set before and after each call. A call that may be
// too large is not made.
func (t *Set) guard(name string, fn any) any {
	f := reflect.ValueOf(fn)
	variadic := f.Type().IsVariadic()
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		if err := t.before(name, args); err != nil {
			panic(err) // text/template returns it as the error of the call
		}
		var out []reflect.Value
		if variadic {
			out = f.CallSlice(args)
		} else {
			out = f.Call(args)
		}
		if name == "set" || name == "unset" || len(out) == 0 {
			return out
		}
		n, err := measure(out[0], false, 0)
		if err = errors.Join(err, t.budget.Grow(n), t.budget.Step(8*n)); err != nil {
			panic(err)
		}
		return out
	}).Interface()
}

// before spends the cost of a call.
func (t *Set) before(name string, args []reflect.Value) error {
	cost := int64(nodeCost)
	for i, a := range args {
		n, err := measure(a, !shallow(name), 0)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		cost += n
	}
	size, work := amplified(name, args)
	if size > page.MaxRendered {
		return errValue
	}
	return t.budget.Step(cost + size + work)
}

// measure returns the size of a value in bytes. Without deep, it does not count the insides of lists and maps.
func measure(v reflect.Value, deep bool, depth int) (n int64, err error) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return 0, nil
		}
		if depth++; depth > maxNesting {
			return 0, errNesting
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		n = int64(v.Len())
	case reflect.Slice, reflect.Array, reflect.Map:
		if depth > maxNesting {
			return 0, errNesting
		}
		n = int64(v.Len()) * 16
	default:
		n = 16
	}
	if n > page.MaxRendered && deep {
		return n, errValue
	}
	if !deep {
		return n, nil
	}
	add := func(x reflect.Value) error {
		m, err := measure(x, true, depth+1)
		if n += m; err == nil && n > page.MaxRendered {
			err = errValue
		}
		return err
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k <= reflect.Complex128 { // numbers
			return n, nil
		}
		for i := range v.Len() {
			if err := add(v.Index(i)); err != nil {
				return n, err
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if err := errors.Join(add(it.Key()), add(it.Value())); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// amplified bounds the result of a call that can be larger than all its arguments together, in bytes, and the work
// of a call that takes more than a step for each byte.
func amplified(name string, args []reflect.Value) (size, work int64) {
	text := func(i int) string {
		if i < len(args) && args[i].Kind() == reflect.String {
			return args[i].String()
		}
		return ""
	}
	long := func(i int) int64 { return int64(len(text(i))) }
	switch name := strings.TrimPrefix(name, "must"); strings.ToLower(name[:1]) + name[1:] {
	case "replace":
		return long(2) + int64(strings.Count(text(2), text(0)))*long(1), 0
	case "regexReplaceAll", "regexReplaceAllLiteral":
		return (long(1) + 1) * (long(2) + 1) / 2, matching(text(0), long(1))
	case "regexMatch", "regexFind", "regexFindAll", "regexSplit":
		return 0, matching(text(0), long(1))
	case "wrapWith":
		return long(2) + (long(2)/max(args[0].Int(), 1)+1)*long(1), 0
	case "wrap":
		return 2 * long(1), 0
	case "join":
		return elements(args[1]) * long(0), 0
	case "printf":
		return formatted(text(0), args[1:]), 0
	case "uniq":
		return 0, square(elements(args[0]), elements(args[0]))
	case "without":
		return 0, square(elements(args[0]), elements(args[1]))
	case "sortAlpha":
		return 0, 64 * elements(args[0])
	case "derivePassword":
		return 0, 100_000_000 // scrypt: a tenth of a second
	}
	return 0, 0
}

// matching is the work to match a regular expression: its size, with repetitions, for each byte.
func matching(expression string, n int64) int64 {
	size := int64(len(expression))
	if strings.Contains(expression, "{") {
		size *= 100
	}
	return square(size, n)
}

// square multiplies without overflow.
func square(a, b int64) int64 {
	if a > 0 && b > (1<<40)/a {
		return 1 << 40
	}
	return a * b
}

// elements is the number of elements of a list.
func elements(v reflect.Value) int64 {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		return int64(v.Len())
	}
	return 1
}

// formatted bounds the text of printf: each verb can print the largest argument, with a width of its own.
func formatted(format string, args []reflect.Value) int64 {
	verbs := int64(strings.Count(format, "%"))
	largest, width, run := int64(0), int64(1000), 0
	for _, a := range args { // one list: printf has a variable number of arguments
		for i := range elements(a) {
			n, _ := measure(a.Index(int(i)), true, 0)
			largest = max(largest, n)
		}
	}
	for _, c := range format {
		if run++; c < '0' || c > '9' {
			run = 0
		}
		if run > 3 || c == '*' {
			width = 1_000_000 // the most that fmt prints
		}
	}
	return verbs * (largest + width)
}
