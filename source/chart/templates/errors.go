package templates

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
	chartvalues "github.com/ovi-project/ovi/source/chart/values"
)

// templateError is an error of text/template in parts.
type templateError struct {
	file      string
	line, col int32  // col is 0 if it is not known
	node      string // the expression that failed, if known: ".Values.image"
	msg       string
}

var (
	inFile = regexp.MustCompile(`^template: (.*?):(\d+):(?:(\d+):)? `)
	inNode = regexp.MustCompile(`^executing ".*?" at <(.*?)>: `)
	noKey  = regexp.MustCompile(`^map has no entry for key "(.*)"$`)
	noFunc = regexp.MustCompile(`^function "(.*)" not defined$`)
	noTmpl = regexp.MustCompile(`(?:^template "(.*)" not defined|no template "(.*)" associated with template ".*")$`)
	noKeys = regexp.MustCompile(`(?:nil pointer evaluating interface \{\}\.|can't evaluate field )(\S+)`)
	called = regexp.MustCompile(`^error calling (\w+): (?s:(.*))$`)
	quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")
)

// parseError reads an error of text/template. Of an error in a template that another one
// includes, the innermost part is what happened.
func parseError(err error) templateError {
	e := templateError{msg: strings.TrimPrefix(err.Error(), "template: ")}
	rest := err.Error()
	for {
		m := inFile.FindStringSubmatch(rest)
		if m == nil {
			return e
		}
		e = templateError{file: m[1], line: number(m[2]), msg: rest[len(m[0]):]}
		if m[3] != "" {
			e.col = number(m[3]) + 1
		}
		if n := inNode.FindStringSubmatch(e.msg); n != nil {
			e.node, e.msg = n[1], e.msg[len(n[0]):]
		}
		c := called.FindStringSubmatch(e.msg)
		if c == nil || c[1] != "include" || !strings.HasPrefix(c[2], "template: ") {
			return e
		}
		rest = c[2]
	}
}

func number(s string) int32 {
	n, _ := strconv.ParseInt(s, 10, 32)
	return int32(n)
}

// maxMissing bounds how many unknown values of one template are reported.
const maxMissing = 20

// Problems returns why a template cannot be rendered. Rendering stops at the first unknown value: it
// is given a text and rendered again, so that the others are reported too.
func (t *Set) Problems(f *page.File, err error, given map[string]any,
	data func(map[string]any) map[string]any,
) []source.Problem {
	out := []source.Problem{Explain(t, f, err, given)}
	given = chartvalues.CopyOf(given).(map[string]any)
	for range maxMissing {
		e := parseError(err)
		path, isValue := valuePath(e.node)
		if !isValue || !noKey.MatchString(e.msg) || !chartvalues.SetText(given, path) {
			return out
		}
		if _, err = t.Render(f, data(given)); err == nil || !noKey.MatchString(parseError(err).msg) {
			return out
		}
		p := Explain(t, f, err, given)
		if !slices.ContainsFunc(out, func(q source.Problem) bool { return q.At == p.At }) {
			out = append(out, p)
		}
	}
	return out
}

// Explain explains an error of a template, at its position.
func Explain(t *Set, f *page.File, err error, values map[string]any) source.Problem {
	e := parseError(err)
	p := source.Problem{At: page.At(f.Name, max(e.line, 1), max(e.col, 1))}
	switch {
	case e.file != "":
		p.At.File = e.file
	case t.out != nil && t.out.Now.File != nil: // not an error of an expression, but of what is printed
		line, col := t.out.Now.File.Position(t.out.Now.Offset)
		p.At = page.At(t.out.Now.File.Name, line, col)
	}
	if in := t.Files[e.file]; in != nil && e.col > 0 { // text/template counts bytes
		p.At.Column = int(charsOf(in, e.line, e.col))
	}
	p.Summary, p.Suggestion = explain(t, e, values)
	return p
}

func charsOf(f *page.File, line, col int32) int32 {
	if f.Lines == nil {
		f.Lines = page.LineStarts(f.Text)
	}
	if int(line) > len(f.Lines) || line < 1 {
		return col
	}
	_, chars := f.Position(f.Lines[line-1] + int(col) - 1)
	return chars
}

// explain turns a message of text/template into what failed and what to do.
func explain(t *Set, e templateError, values map[string]any) (summary, suggestion string) {
	if m := noKey.FindStringSubmatch(e.msg); m != nil {
		return missingKey(e.node, m[1], values)
	}
	if m := noFunc.FindStringSubmatch(e.msg); m != nil {
		if slices.Contains(refused(), m[1]) {
			return "the function " + m[1] + " is not available: rendering a chart gives the same text each time",
				"pass the result with --set"
		}
		return "unknown function " + source.Quote(m[1]),
			page.NearestOr(m[1], append(slices.Collect(maps.Keys(functions(&counting{}))), "include"),
				"use a function of text/template or sprig")
	}
	if m := noTmpl.FindStringSubmatch(e.msg); m != nil {
		name := m[1] + m[2]
		return "unknown template " + source.Quote(name),
			page.NearestOr(name, slices.Sorted(maps.Keys(t.from)), "add {{ define "+strconv.Quote(name)+" }}")
	}
	if m := noKeys.FindStringSubmatch(e.msg); m != nil {
		above, _, _ := strings.Cut(e.node, "."+m[1])
		return e.node + " does not exist: " + above + " has no keys",
			"make it a block of keys in values.yaml, with " + m[1] + " in it"
	}
	if strings.Contains(e.msg, budget.ErrSpent.Error()) {
		_, text, _ := strings.Cut(e.msg, ": ")
		return clean(text), "use smaller loops and values"
	}
	if m := called.FindStringSubmatch(e.msg); m != nil {
		function, msg := m[1], clean(m[2])
		if function == "required" || function == "fail" { // their texts are the chart's own
			return msg, "set the value with --set or --values"
		}
		if strings.HasPrefix(function, "ovi_") { // the set added it, and the chart does not name it
			return msg, "check the values that it prints, and the templates that use each other"
		}
		// The text may show a value, which may be a secret.
		return function + ": " + hideValues(quoted.ReplaceAllString(msg, "…"), values),
			"check the arguments of " + function
	}
	for _, row := range []struct{ words, summary, suggestion string }{
		{"unexpected EOF", "a block is not closed", "add {{ end }}"},
		{
			"unexpected {{end}}", "{{ end }} without a block",
			"remove it, or add the {{ if }}, {{ range }} or {{ with }} that it closes",
		},
		{"unclosed action", "an action is not closed", "add }}"},
		{"missing value for", e.msg, "add an expression"},
		{page.ErrTooLong.Error(), page.ErrTooLong.Error(), "check its loops"},
	} {
		if strings.Contains(e.msg, row.words) {
			return row.summary, row.suggestion
		}
	}
	return hideValues(clean(e.msg), values), "check the expression"
}

// missingKey explains a value that does not exist.
func missingKey(node, key string, values map[string]any) (summary, suggestion string) {
	path, isValue := valuePath(node)
	if !isValue {
		hint := "check the block around it: $ is the whole context, such as $.Values"
		if near, ok := resource.Nearest(key, []string{"Values", "Release", "Chart", "Name", "Namespace", "Version"}); ok {
			hint = "use " + near
		}
		return node + " does not exist: there is no " + source.Quote(key), hint
	}
	if i := slices.Index(path, key); i >= 0 {
		path = path[:i+1]
	}
	parent := values
	for _, above := range path[:len(path)-1] {
		parent, _ = parent[above].(map[string]any)
	}
	whole := strings.Join(path, ".")
	if near, ok := resource.Nearest(key, slices.Sorted(maps.Keys(parent))); ok {
		return "unknown value .Values." + whole,
			"use .Values." + strings.Join(append(slices.Clone(path[:len(path)-1]), near), ".")
	}
	return "unknown value .Values." + whole, "add " + whole + " to values.yaml, or use --set " + whole + "=VALUE"
}

// valuePath is the path of an expression such as .Values.web.image.
func valuePath(node string) ([]string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(node, "$"), ".Values.")
	if !ok || strings.ContainsAny(rest, " ()|") {
		return nil, false
	}
	return strings.Split(rest, "."), true
}

// hideValues keeps values out of a message: they may be secrets.
func hideValues(msg string, v any) string {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			msg = hideValues(msg, v[k])
		}
	case []any:
		for i := range v {
			msg = hideValues(msg, v[i])
		}
	case string:
		if len(clean(v)) > 3 {
			msg = strings.ReplaceAll(msg, clean(v), "…")
		}
	}
	return msg
}

// clean puts a message on one line.
func clean(msg string) string { return strings.Join(strings.Fields(msg), " ") }

// IsUndefined reports whether a template failed because it includes a template that no file defines.
func IsUndefined(err error) bool { return undefined.MatchString(err.Error()) }

var undefined = regexp.MustCompile(`template "[^"]*" (?:not defined|associated with template)`)
