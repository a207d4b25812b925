package cel

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// variable is one variable of a rule.
type variable struct {
	name, doc string
	of        reflect.Type
	list      bool
}

// allVariables are in reading order.
func allVariables() []variable {
	return []variable{
		{"resource", "the resource, as observed", reflect.TypeFor[Resource](), false},
		{"desired", "its configuration", reflect.TypeFor[Desired](), false},
		{"changes", "the differences, one for each attribute or tag; of a resource to create, its whole configuration", reflect.TypeFor[Change](), true},
		{"decision", "the proposed action, before any policy", reflect.TypeFor[Proposal](), false},
		{"plan", "the proposed actions of the plan in numbers", reflect.TypeFor[Totals](), false},
		{"now", "when the plan was made; days and hours take a zone, for example `now.getHours(\"Europe/Berlin\")` (Sunday is 0)", reflect.TypeFor[time.Time](), false},
		{"history", fmt.Sprintf("the history of the resource, newest first, at most %d events", HistoryLimit), reflect.TypeFor[Past](), true},
	}
}

// Reference is the variables of rules as tables in Markdown, for docs/policies.md.
func Reference() string {
	var b strings.Builder
	for _, v := range allVariables() {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s: %s.\n", v.name, strings.ToUpper(v.doc[:1])+v.doc[1:], v.shape())
		if v.of.Kind() != reflect.Struct || v.of == reflect.TypeFor[time.Time]() {
			continue
		}
		b.WriteString("\n| field | type | description |\n|---|---|---|\n")
		for i := range v.of.NumField() {
			f := v.of.Field(i)
			fmt.Fprintf(&b, "| `%s.%s` | %s | %s |\n", v.item(), f.Tag.Get("cel"), typeName(f.Type), f.Tag.Get("doc"))
		}
	}
	return b.String()
}

func (v variable) shape() string {
	if v.list {
		return "a list"
	}
	return typeName(v.of)
}

// item is how one of its items is written.
func (v variable) item() string {
	if v.list {
		return v.name + "[]"
	}
	return v.name
}

func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "timestamp"
	case t.Kind() == reflect.Struct:
		return "an object"
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.String:
		return "map of text"
	case t.Kind() == reflect.Map:
		return "map of anything"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "list of text"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "bool"
	}
	return "int"
}
