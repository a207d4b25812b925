package language

import (
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// given is a value that the user of a component sets: it is evaluated where it is written.
type given struct {
	in       *Language
	sc       *Scope
	fallback *source.Node // the default of the component, in its file
	file     *input.File
}

// Give sets variables of a component to the values that a use block of another language sets.
func Give(l, in *Language, vars Document, sc *Scope, folder, ref string) {
	if vars.Root.Shape != source.Object {
		if !vars.Root.IsNull() {
			in.wrong(vars.File, vars.Root, ref, "vars must be a map of names, got "+vars.Root.Form(), "use NAME: VALUE lines")
		}
		return
	}
	for again, first := range source.Duplicates(vars.Root) {
		in.wrong(vars.File, again, ref, "duplicate vars."+again.Text,
			"remove one; the other is at "+vars.File.At(first.Line, first.Column).String())
	}
	for i := 0; i+1 < len(vars.Root.Kids); i += 2 {
		k := &vars.Root.Kids[i]
		b := l.bindings["vars."+k.Text]
		switch {
		case b == nil:
			in.wrong(vars.File, k, ref, folder+" has no variable "+source.Quote(k.Text), nearest(k.Text, l.names("vars.")))
		case b.given == nil:
			b.given = &given{in: in, sc: sc, fallback: b.node, file: b.file}
			b.node, b.file = &vars.Root.Kids[i+1], vars.File
		}
	}
}

// inUser evaluates the value in the language of the user.
func (g *given) inUser(l *Language, b *binding) source.Node {
	failed := g.in.failed
	n, _ := g.in.Expand(b.file, b.node, g.sc, true)
	if g.in.failed > failed {
		n.Bad = true
		l.failed++
	}
	return n
}

// withdraw uses the default of the component instead.
func (g *given) withdraw(b *binding) { b.node, b.file, b.given = g.fallback, g.file, nil }

// Evaluate returns the value of a node, such as an output, and reports its problems.
func Evaluate(l *Language, f *input.File, n *source.Node) (any, bool) {
	failed := l.failed
	node, _ := l.Expand(f, n, nil, true)
	if l.failed > failed || node.Bad {
		return nil, false
	}
	v, err := valueOf(&node)
	if err != nil {
		l.wrong(f, n, "", err.Error(), "use another value")
	}
	return v, err == nil
}

// Report reports a problem at a node.
func Report(l *Language, f *input.File, n *source.Node, ref, summary, suggestion string) {
	l.wrong(f, n, ref, summary, suggestion)
}

// IsSecret reports whether a value is or has text that may be a secret.
func IsSecret(v any) bool { return isSecret(v) }

// References calls a function for each reference to a resource in a value.
func References(v any, do func(text string)) {
	switch v := v.(type) {
	case Opaque:
		for _, p := range v.Parts {
			if p.Reference {
				do(p.Text)
			}
		}
	case []any:
		for _, x := range v {
			References(x, do)
		}
	case map[string]any:
		for _, k := range keysOf(v) {
			References(v[k], do)
		}
	}
}

// Field returns a value below a value. The path is the name of the value and the keys below it.
func Field(v any, path []string) (any, error) { return lookUp(v, path) }

// pieceValue returns the value of one ${…}.
func pieceValue(l *Language, f *input.File, n *source.Node, p piece, sc *Scope) (any, *located) {
	if !p.isUse() {
		return l.eval(p.text, sc)
	}
	text := p.text
	if p.inner != nil {
		inner, fine := l.join(f, n, p.inner, sc)
		s, known := settledParts(inner).(string)
		switch {
		case !fine:
			return nil, &located{}
		case !known:
			return nil, &located{
				1, 0, "the name in ${" + source.Clip(p.text) + "} is a secret or is known after apply",
				"use a value that is known when the configuration is read",
			}
		}
		text = s
	}
	if l.opts.Used == nil {
		return nil, &located{1, 0, "the configuration has no use block", "add - use: FOLDER to resources"}
	}
	v, summary, suggestion, ok := l.opts.Used(strings.TrimPrefix(text, "use/"))
	if !ok {
		return nil, &located{1, 0, summary, suggestion}
	}
	return v, nil
}

// outputIn reads the output that ref('use/NAME.OUTPUT') names in an expression.
func outputIn(l *Language, text string) *located {
	outputs, _ := l.values[refRoot].(map[string]any)
	name, is := strings.CutPrefix(text, "use/")
	late := lateIn(text, "an expression cannot compute with it")
	late.Suggestion = "use ${" + text + "} alone or inside a text"
	switch _, read := outputs[text]; {
	case read:
		return nil
	case !is:
		return late
	case l.opts.Used == nil:
		return &located{1, 0, "the configuration has no use block", "add - use: FOLDER to resources"}
	}
	v, summary, suggestion, ok := l.opts.Used(name)
	switch {
	case !ok:
		return &located{1, 0, summary, suggestion}
	case hasOpaque(v):
		return late
	}
	outputs[text] = v
	return nil
}

// lateIn is the error of a value that is known after apply, where a value is needed earlier.
func lateIn(name, what string) *located {
	return &located{
		1, 0, name + " is known after apply, and " + what, "use a value that is known when the configuration is read",
	}
}
