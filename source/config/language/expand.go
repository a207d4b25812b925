package language

import (
	"errors"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/selection"
)

// Scope is the place of an expression: the resource, and the entry of its for_each.
type Scope struct {
	Ref  string // for messages
	Key  string // each.key
	each map[string]any
	// isMember reports that the block has a count, and index is the number of the resource.
	isMember bool
	index    int64
}

// Expand returns a node with the values of its expressions. False means that the value is null: its key is omitted.
// Strings without expressions are not changed. With all, values from outside and references in them are read. A problem
// is reported, and its node is Bad.
func (l *Language) Expand(f *input.File, n *source.Node, sc *Scope, all bool) (source.Node, bool) {
	if n.Shape == source.Scalar {
		return l.scalar(f, n, sc, all)
	}
	out := *n
	changed := false
	for i := 0; i < len(n.Kids); i++ {
		if n.Shape == source.Object && i%2 == 0 {
			if changed {
				out.Kids = append(out.Kids, n.Kids[i])
			}
			continue
		}
		k := &n.Kids[i]
		v, present := *k, true
		if mayChange(k) {
			v, present = l.Expand(f, k, sc, all)
			if !changed {
				changed = true
				out.Kids = append(make([]source.Node, 0, len(n.Kids)), n.Kids[:i]...)
			}
		}
		switch {
		case !changed:
		case present:
			out.Kids = append(out.Kids, v)
		case n.Shape == source.Object:
			out.Kids = out.Kids[:len(out.Kids)-1]
		}
	}
	return out, true
}

// scan cuts a string at its ${…}, once for each string.
func (l *Language) scan(s string) scanned {
	out, known := l.scanned[s]
	if !known {
		out.pieces, out.ok = scan(s)
		out.computed = out.ok && isComputed(out.pieces)
		l.scanned[s] = out
	}
	return out
}

func (l *Language) scalar(f *input.File, n *source.Node, sc *Scope, all bool) (source.Node, bool) {
	if !mayChange(n) {
		return *n, true
	}
	text := l.scan(n.Text)
	pieces := text.pieces
	all = all || l.opts.Prefix != "" // the names in references of a component are its own
	if !text.ok || !all && !text.computed {
		if !text.ok && all {
			l.at(f, n, piece{}, sc, &located{1, 0, "a ${ without its }", "close it; $${ is a literal ${"})
			out := *n
			out.Bad = true
			return out, true
		}
		return *n, true
	}
	if l.opts.KeepOrigins {
		l.origins[f.At(n.Line, n.Column)] = pieces
	}
	if len(pieces) == 1 && (pieces[0].kind == expression || pieces[0].isUse()) {
		v, fine := l.piece(f, n, pieces[0], sc)
		if !fine {
			out := *n
			out.Bad = true
			return out, true
		}
		return nodeOf(v, n), v != nil
	}
	parts, fine := l.join(f, n, pieces, sc)
	out := *n
	out.Quoted, out.Bad = true, !fine
	switch s := settledParts(parts).(type) {
	case string:
		if !slices.ContainsFunc(parts, func(p source.Part) bool { return p.From != "" }) {
			out.Text = s
			if source.HasParts(s) {
				out.Parts = &source.Parts{{Text: s}}
			}
			return out, true
		}
	}
	out.Parts = &parts
	return out, true
}

// join evaluates the pieces of a text.
func (l *Language) join(f *input.File, n *source.Node, pieces []piece, sc *Scope) (parts source.Parts, ok bool) {
	ok = true
	size := 0
	for _, p := range pieces {
		more, fine := inText(l, f, n, p, sc)
		if summary, next := grown(&size, l.cost, more); summary != "" {
			l.at(f, n, p, sc, &located{1, 0, summary, next})
			return nil, false
		}
		parts, ok = appendParts(parts, more), ok && fine
	}
	return parts, ok
}

// inText evaluates a piece of a text.
func inText(l *Language, f *input.File, n *source.Node, p piece, sc *Scope) (parts source.Parts, ok bool) {
	switch p.kind {
	case literal:
		return source.Parts{{Text: p.text}}, true
	case outside, reference:
	default:
		return joined(l, f, n, p, sc)
	}
	text, ok := p.text, true
	if p.inner != nil {
		inner, fine := l.join(f, n, p.inner, sc)
		s, isPlain := settledParts(inner).(string)
		if fine && !isPlain {
			l.at(f, n, p, sc, &located{
				1, 0, "the name in ${" + source.Clip(p.text) + "} is a secret or is known after apply",
				"use a value that is known when the configuration is read",
			})
		}
		text, ok = s, fine && isPlain
	}
	switch {
	case p.isUse():
		parts, fine := joined(l, f, n, piece{kind: reference, text: text, nth: p.nth}, sc)
		return parts, ok && fine
	case p.kind == reference && l.opts.Prefix != "" && strings.HasPrefix(text, "stack/"):
		l.at(f, n, p, sc, &located{
			1, 0, "a component reads no other stacks: it reads its own variables",
			"declare a variable, and set it where the component is used: vars: {NAME: \"${" + text + "}\"}",
		})
		return nil, false
	case p.kind == reference:
		return source.Parts{{Text: source.Inside(l.opts.Prefix, text), Reference: true}}, ok
	}
	from, name, _ := strings.Cut(text, ":")
	part, found := l.opts.Outside(f, n, from, name)
	if !found {
		l.failed++
	}
	return source.Parts{part}, ok && found
}

// joined evaluates an expression in a text.
func joined(l *Language, f *input.File, n *source.Node, p piece, sc *Scope) (source.Parts, bool) {
	v, fine := l.piece(f, n, p, sc)
	switch text, isScalar := scalarText(v); {
	case !fine:
		return nil, false
	case v == nil:
		return nil, true
	case isScalar:
		return source.Parts{{Text: text}}, true
	case hasOpaque(v) && form(v) != "a list" && form(v) != "a map":
		return v.(Opaque).Parts, true
	}
	l.at(f, n, p, sc, &located{
		1, 0, "an expression in a text must be a string, a number or true or false, got " + form(v),
		"use json(…) or join, or use the expression alone",
	})
	return nil, false
}

// isKnown reports whether the problem of a value is reported already: the error has no text.
func (e *located) isKnown() bool { return e != nil && e.Summary == "" }

// piece evaluates one ${…}.
func (l *Language) piece(f *input.File, n *source.Node, p piece, sc *Scope) (any, bool) {
	v, err := pieceValue(l, f, n, p, sc)
	if err == nil {
		return v, true
	}
	if l.failed++; !err.isKnown() {
		l.failed--
		l.at(f, n, p, sc, err)
	}
	return nil, false
}

// condition evaluates a bare expression that is true or false.
func (l *Language) condition(f *input.File, n *source.Node, sc *Scope) (value, ok bool) {
	p := piece{nth: -1}
	if n.Bad { // its problem is reported
		l.failed++
		return false, false
	}
	if n.Shape == source.Scalar && n.Type == source.Bool {
		return strings.EqualFold(n.Text, "true"), true
	}
	if n.Shape != source.Scalar || n.Type != source.String {
		l.at(f, n, p, sc, &located{
			0, -1, "a condition must be an expression, got " + n.Form(), "for example, environment == 'prod'",
		})
		return false, false
	}
	text := n.Text
	if pieces, fine := scan(text); fine && len(pieces) == 1 && pieces[0].kind == expression {
		text, p = pieces[0].text, pieces[0]
	}
	v, err := l.eval(text, sc)
	if pieces, fine := scan(n.Text); fine && len(pieces) == 1 && pieces[0].kind == reference {
		p = pieces[0]
		if v, err = pieceValue(l, f, n, p, sc); !p.isUse() || hasOpaque(v) {
			v, err = nil, lateIn("${"+source.Clip(p.text)+"}", "a condition cannot use it")
		}
	}
	b, isBool := v.(bool)
	switch {
	case err.isKnown():
		l.failed++
		return false, false
	case err == nil && !isBool:
		err = &located{
			1, 0, "a condition must be true or false, got " + form(v), "compare the value, for example with == or !=",
		}
	}
	if err != nil {
		l.at(f, n, p, sc, err)
	}
	return b, err == nil
}

// program returns a compiled expression.
func (l *Language) program(text string) *program {
	p := l.programs[text]
	if p == nil {
		if l.opts.Within == nil {
			p = compile(text)
		} else { // the file and all its components compile an expression once
			own := *l.opts.Within.program(text)
			own.prepared = false
			p = &own
		}
		p.varies = slices.ContainsFunc(p.refs, func(path []string) bool {
			return path[0] == "each" || path[0] == "index"
		})
		l.programs[text] = p
	}
	return p
}

// eval evaluates an expression.
func (l *Language) eval(text string, sc *Scope) (any, *located) {
	if v, ok := l.memo[text]; ok {
		return v, nil
	}
	p := l.program(text)
	if p.err != nil {
		return nil, p.err
	}
	for _, path := range p.refs {
		varies := path[0] == "each" || path[0] == "index"
		if p.prepared && !varies {
			continue
		}
		if err := l.prepare(path, p.path != nil, sc); err != nil {
			return selected(l, text, sc, err)
		}
	}
	p.prepared = true
	v, err := l.run(p, sc)
	if err == nil && !p.varies {
		l.memo[text] = v
	}
	return v, err
}

// selected returns the value of an expression that only selects opaque values, or else the error for which it was not
// evaluated.
func selected(l *Language, text string, sc *Scope, because *located) (any, *located) {
	env, err := shared()
	if err != nil || because.isKnown() {
		return nil, because
	}
	values := selection.Values{Roots: roots(), Form: form, Below: withinOutput}
	values.Compute = func(text string) (any, *selection.Problem) {
		v, err := l.eval(text, sc)
		return v, (*selection.Problem)(err)
	}
	values.Path = func(path []string) (any, *selection.Problem) {
		if err := l.prepare(path, true, sc); err != nil {
			return nil, (*selection.Problem)(err)
		}
		v, err := lookUp(l.root(path[0], sc), path)
		if err != nil {
			return nil, &selection.Problem{Line: 1, Summary: err.Error(), Suggestion: keyAdvice(path)}
		}
		return v, nil
	}
	v, selects, problem := values.Element(env, text)
	if !selects {
		return nil, because
	}
	return v, (*located)(problem)
}

// root returns the value of a root.
func (l *Language) root(name string, sc *Scope) any {
	switch name {
	case "each":
		if sc != nil && sc.each != nil {
			return sc.each
		}
		return nil
	case "index":
		if sc != nil && sc.isMember {
			return sc.index
		}
		return nil
	case "environment":
		if l.chosen != nil {
			return l.chosen.Name
		}
		return nil
	case "stack":
		return l.Stack()
	}
	return l.values[name]
}

// prepare evaluates what a path needs, and refuses to compute with opaque values.
func (l *Language) prepare(path []string, bare bool, sc *Scope) *located {
	switch root := path[0]; {
	case l.opts.Prefix != "" && (root == "environment" || root == "stack"):
		return &located{
			1, 0, "a component has no " + root + ": it reads its own variables",
			"declare a variable, and set it where the component is used: vars: {" + root + ": \"${" + root + "}\"}",
		}
	case root == "environment" && l.chosen == nil:
		return &located{1, 0, "environment has no value: the configuration has no environments", "add environments"}
	case root == "stack" && l.stack == "":
		return &located{1, 0, "stack has no value: the configuration does not name its stack", "add stack: NAME"}
	case root == "each" && (sc == nil || sc.each == nil):
		return &located{1, 0, "each is only known in a block with for_each", "add for_each to the block"}
	case root == "index" && (sc == nil || !sc.isMember):
		return &located{
			1, 0, "index is only known in the attributes, tags and depends_on of a block with count",
			"add count to the block, or remove index from its name, when and for_each, which are the same for all of a count",
		}
	case root == refRoot:
		if err := outputIn(l, path[1]); err != nil {
			return err
		}
	case root == "vars" || root == "locals":
		names := l.names(root + ".")
		if len(path) > 1 {
			b := l.bindings[root+"."+path[1]]
			if b == nil && l.partial {
				return &located{}
			}
			if b == nil {
				return &located{1, 0, root + "." + path[1] + " is not declared", nearest(path[1], names)}
			}
			names = []string{path[1]}
		}
		for _, name := range names {
			if !l.evaluate(l.bindings[root+"."+name]) {
				return &located{}
			}
		}
	}
	if bare {
		return nil
	}
	v := l.root(path[0], sc)
	for _, step := range path[1:] {
		m, ok := v.(map[string]any)
		if !ok {
			break
		}
		v = m[step]
	}
	if hasOpaque(v) {
		what := "a value that is known after apply"
		if isSecret(v) {
			what = "a secret"
		}
		return &located{
			1, 0, strings.Join(path, ".") + " is " + what + ", and an expression cannot compute with it",
			"use ${" + strings.Join(path, ".") + "} alone or inside a text",
		}
	}
	return nil
}

// run evaluates a compiled expression.
func (l *Language) run(p *program, sc *Scope) (any, *located) {
	if p.path != nil {
		v, err := lookUp(l.root(p.path[0], sc), p.path)
		if err != nil {
			return nil, &located{1, 0, err.Error(), keyAdvice(p.path)}
		}
		return v, nil
	}
	if summary, next := grown(new(int), l.cost, nil); summary != "" {
		return nil, &located{1, 0, summary, next}
	}
	out, details, err := p.prg.Eval(activation{l, sc})
	*l.cost++
	if details != nil && p.tracked {
		if cost := details.ActualCost(); cost != nil {
			*l.cost += *cost
		}
	}
	if err != nil {
		return nil, l.failure(p, err, sc)
	}
	left := mostValues
	v, err := result(out, &left)
	if err != nil {
		return nil, &located{1, 0, err.Error(), "use a value of a smaller size or another type"}
	}
	return v, nil
}

// activation has the values of the roots for one evaluation.
type activation struct {
	l  *Language
	sc *Scope
}

// ResolveName implements cel.Activation.
func (a activation) ResolveName(name string) (any, bool) {
	if !slices.Contains(a.l.roots, name) {
		return nil, false
	}
	return a.l.root(name, a.sc), true
}

// Parent implements cel.Activation.
func (a activation) Parent() cel.Activation { return nil }

// failure locates an error of an evaluation.
func (l *Language) failure(p *program, err error, sc *Scope) *located {
	out := &located{Line: 1}
	out.Summary, out.Suggestion = explained(err.Error())
	if strings.Contains(out.Summary, "cost limit") {
		out.Summary, out.Suggestion = "the expression takes too long", "use fewer or smaller loops"
	}
	var failed *types.Err
	if !errors.As(err, &failed) || failed.NodeID() == 0 {
		return out
	}
	if at := p.ast.NativeRep().SourceInfo().GetStartLocation(failed.NodeID()); at.Line() > 0 {
		out.Line, out.Column = at.Line(), at.Column()
	}
	key, absent := strings.CutPrefix(err.Error(), "no such key: ")
	if !absent {
		return out
	}
	out.Summary, out.Suggestion = "there is no key "+source.Quote(key), "use a key that exists"
	if path := selection.Container(p.ast.NativeRep(), failed.NodeID(), roots()); path != nil {
		if v, err := lookUp(l.root(path[0], sc), path); err == nil {
			if m, ok := v.(map[string]any); ok {
				out.Summary = missing(path, key, m).Error()
			}
		}
	}
	return out
}
