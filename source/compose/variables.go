package compose

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// variables are those of the file, which become values of the chart.
type variables struct {
	env    map[string]string // of the .env file
	values map[string]string // with their values
	unset  map[string]bool   // without: they must be given
}

func newVariables(env string) variables {
	v := variables{env: map[string]string{}, values: map[string]string{}, unset: map[string]bool{}}
	for line := range strings.Lines(env) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			v.env[strings.TrimSpace(strings.TrimPrefix(key, "export "))] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return v
}

// variable is $$, $NAME, ${NAME}, ${NAME:-default}, ${NAME:?message} and so on.
var variable = regexp.MustCompile(`\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)` +
	`(?:(:?[-?+])([^{}]*))?\})`)

// text is a string of the file as a template writes it: variables are values, and what would be
// an action of a template, or a reference of a chart, is literal.
func (i *importer) text(n *source.Node) string {
	if n.Shape != source.Scalar {
		i.problem(n, "a string was expected, got "+n.Form(), "use one value after the colon")
		return ""
	}
	return i.expand(n, n.Text)
}

// number is a number, or variables that have numbers. It is written without quotes, so that nothing else may be
// in it.
func (i *importer) number(n *source.Node, s string) raw {
	out := i.expand(n, s)
	rest := out
	for name := range i.variables.unset {
		rest = strings.ReplaceAll(rest, "{{ .Values."+name+" }}", "")
	}
	for name, value := range i.variables.values {
		rest = strings.ReplaceAll(rest, "{{ .Values."+name+" }}", value)
	}
	if n.Shape != source.Scalar || strings.Trim(rest, "0123456789") != "" {
		i.problem(n, source.Quote(s)+" is not a number", "use digits, or variables that have digits")
		return "0"
	}
	return raw(out)
}

func (i *importer) expand(n *source.Node, s string) string {
	var out strings.Builder
	last := 0
	for _, m := range variable.FindAllStringSubmatchIndex(s, -1) {
		out.WriteString(literal(s[last:m[0]]))
		last = m[1]
		part := func(k int) string {
			if m[2*k] < 0 {
				return ""
			}
			return s[m[2*k]:m[2*k+1]]
		}
		name := part(1) + part(2)
		if name == "" { // $$
			if strings.HasPrefix(s[last:], "{") {
				out.WriteString("$")
			}
			out.WriteString("$")
			continue
		}
		i.variable(n, name, part(3), part(4))
		out.WriteString("{{ .Values." + name + " }}")
	}
	rest := s[last:]
	if strings.Contains(rest, "${") {
		i.note(n, source.Quote(rest)+" is not a variable that can be converted", "ovi keeps the text unchanged")
	}
	out.WriteString(literal(rest))
	return out.String()
}

// literal keeps text from being read as an action or a reference.
func literal(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "${", "$${"), "{{", `{{ "{{" }}`)
}

// variable notes a variable and its value: that of the .env file, else its default.
func (i *importer) variable(n *source.Node, name, form, word string) {
	v := &i.variables
	value, known := v.env[name]
	switch {
	case known:
	case form == "-" || form == ":-":
		value, known = word, true
	case form == "+" || form == ":+":
		i.note(n, "${"+name+form+word+"}", "it is the value "+name+" of the chart; its alternative is not converted")
	}
	if known {
		v.values[name] = value
		delete(v.unset, name)
	} else if _, has := v.values[name]; !has {
		v.unset[name] = true
	}
}
