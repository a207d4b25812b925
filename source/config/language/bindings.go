package language

import (
	"cmp"
	"errors"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/internal/matching"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// binding is one variable or one local.
type binding struct {
	name string // "vars.NAME" or "locals.NAME"
	file *input.File
	key  *source.Node
	node *source.Node // the value; nil if there is none
	decl *declaration // of a variable
	// from is the origin of a value from outside, such as --set. An empty string means the configuration.
	from  string
	state state
	// inEnvironment reports that the environment sets the value.
	inEnvironment bool
	value         any
	limit         error // the value is not allowed
	bad           bool  // a problem with it is reported
	given         *given
}

func (b *binding) isVar() bool { return b.decl != nil }

// at returns the node for messages.
func (b *binding) at() *source.Node {
	if b.node != nil {
		return b.node
	}
	return b.key
}

// declare adds a variable.
func (l *Language) declare(f *input.File, k, v *source.Node) {
	b := &binding{name: "vars." + k.Text, file: f, key: k, decl: &declaration{file: f, key: k, kind: &kind{}}}
	switch {
	case v.Shape == source.Object:
		b.node = v.Get("default")
		l.declareMap(b, v)
	case !v.IsNull():
		b.node = v
	}
	if b.node != nil && !b.decl.isTyped {
		b.decl.kind = kindOf(b.node)
	}
	l.bind(b)
}

func (l *Language) declareMap(b *binding, v *source.Node) {
	d, f := b.decl, b.file
	for i := 0; i+1 < len(v.Kids); i += 2 {
		k, x := &v.Kids[i], &v.Kids[i+1]
		fail := func(summary, suggestion string) {
			b.bad = true
			l.wrong(f, x, "", b.name+": "+summary, suggestion)
		}
		switch k.Text {
		case "type":
			t, err := parseKind(x.Text)
			if err != nil || x.Shape != source.Scalar {
				fail("unknown type "+x.What(), cmp.Or(otherType(x.Text), "use string, int, number, bool, secret, ref(KIND), "+
					"list(TYPE), map(TYPE) or object, with ? if the variable can be null"))
				continue
			}
			if of := t.refKind(); of != "" && l.opts.HasKind != nil && !l.opts.HasKind(of) {
				fail("unknown kind "+source.Quote(of)+" in the type", "use a kind that `ovi kinds` lists")
				continue
			}
			d.kind, d.isTyped = t, true
		case "min", "max":
			n, err := valueOf(x)
			limit, ok := toFloat(n)
			if err != nil || !ok {
				fail(k.Text+" must be a number, got "+x.What(), "for example, "+k.Text+": 1")
				continue
			}
			if k.Text == "min" {
				d.min = &limit
			} else {
				d.max = &limit
			}
		case "match":
			form, err := matching.Compile(`\A(?:` + x.Text + `)\z`)
			if _, invalid := errors.AsType[*syntax.Error](err); invalid || x.Shape != source.Scalar {
				fail("match is not a regular expression", "use RE2, for example, match: '[a-z]+'")
				continue
			}
			if err != nil {
				fail("match: "+err.Error(), "use a shorter one, for example, match: '[a-z]+'")
				continue
			}
			d.match, d.form = x.Text, form
		case "one_of":
			if d.oneOf = x; x.Shape != source.List {
				d.oneOf = nil
				fail("one_of must be a list, got "+x.Form(), "use one_of: [A, B]")
			}
		case "check", "message":
			if x.Shape != source.Scalar || x.IsNull() {
				fail(k.Text+" must be text, got "+x.Form(), "for example, check: vars.replicas > 1")
				continue
			}
			if k.Text == "check" {
				d.check = x
			} else {
				d.message = x
			}
		case "default", "doc":
		default:
			b.bad = true
			suggestion := otherKey(k.Text)
			if near, ok := resource.Nearest(k.Text, declarationKeys()); ok {
				suggestion = "use " + near
			}
			l.wrong(f, k, "", b.name+": unknown key "+source.Quote(k.Text)+" of a variable", suggestion)
		}
	}
	whole := d.kind.name == "secret"
	limited := d.min != nil || d.max != nil
	if d.kind.hasSecret() && (d.oneOf != nil || d.form != nil || d.check != nil || whole && limited) {
		b.bad = true
		what, keys := " is a secret", "one_of, min, max, match and check"
		if !whole {
			what, keys = " has secrets", "one_of, match and check; min and max limit its length"
		}
		l.wrong(f, b.key, "", b.name+what+", and a condition would show a part of it", "remove "+keys)
	}
}

// applyGiven sets the values of the environment, of files of values and of --set, in this order.
func (l *Language) applyGiven() {
	if l.chosen != nil && l.chosen.vars != nil {
		l.giveAll(Document{l.chosen.File, l.chosen.vars}, "")
	}
	for _, d := range l.opts.Values {
		l.giveAll(d, "--values")
	}
	for _, s := range l.opts.Set {
		name, value, ok := strings.Cut(s, "=")
		f := &input.File{Name: "--set " + name}
		at := &source.Node{Text: name}
		if !ok {
			l.wrong(f, at, "", "--set has no value", "use --set NAME=VALUE")
			continue
		}
		if b := l.varNamed(f, at); b != nil {
			b.node, b.file, b.from = b.decl.kind.textNode(value), f, "--set"
			b.node.Line, b.node.Column = 0, 0
		}
	}
}

// giveAll sets the values of a map of names.
func (l *Language) giveAll(d Document, from string) {
	if d.Root.Shape != source.Object {
		if !d.Root.IsNull() {
			l.wrong(d.File, d.Root, "", "values must be a map of names, got "+d.Root.Form(), "use NAME: VALUE lines")
		}
		return
	}
	for i := 0; i+1 < len(d.Root.Kids); i += 2 {
		if b := l.varNamed(d.File, &d.Root.Kids[i]); b != nil {
			b.node, b.file, b.from, b.inEnvironment = &d.Root.Kids[i+1], d.File, from, from == ""
		}
	}
}

// varNamed returns the variable of a name, or reports that there is none.
func (l *Language) varNamed(f *input.File, k *source.Node) *binding {
	if b := l.bindings["vars."+k.Text]; b != nil {
		return b
	}
	if l.partial {
		return nil
	}
	l.wrong(f, k, "", "no variable "+source.Quote(k.Text)+" is declared", nearest(k.Text, l.names("vars.")))
	return nil
}

// names returns the names of the variables or the locals, sorted.
func (l *Language) names(prefix string) []string {
	var out []string
	for name := range maps.Keys(l.bindings) {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return out
}

// evaluate evaluates a binding once. It returns false for a binding with a problem, which is reported once.
func (l *Language) evaluate(b *binding) bool {
	switch b.state {
	case settled:
		return !b.bad
	case reading:
		if !b.bad {
			b.bad = true
			l.wrong(b.file, b.at(), "", l.evaluating.onItself(l.opts.Prefix, b.name), "remove one of the references")
		}
		return false
	}
	b.state = reading
	if !b.bad {
		end := l.evaluating.begin(l.opts.Prefix, b.name)
		l.read(b)
		end()
	}
	b.state = settled
	if !b.bad {
		root, name, _ := strings.Cut(b.name, ".")
		l.values[root].(map[string]any)[name] = b.value
		if b.limit != nil { // the message may use the value
			message := b.name + ": " + b.limit.Error()
			if text := messageOf(l, b); text != "" {
				message = b.name + ": " + text + " (" + b.limit.Error() + ")"
			}
			b.bad = true
			l.wrong(b.file, b.at(), "", message, b.suggestion())
		}
	}
	return !b.bad
}

// read sets the value of a binding.
func (l *Language) read(b *binding) {
	if b.node == nil {
		switch {
		case b.decl != nil && b.decl.kind.optional:
		case b.decl != nil:
			b.bad = true
			suggestion := "add a default, or use --set " + b.key.Text + "=VALUE"
			if l.opts.Prefix != "" {
				suggestion = "set it in the vars of the use block, or add a default"
			} else if l.chosen != nil {
				suggestion = "set it in the vars of the environment, or use --set " + b.key.Text + "=VALUE"
			}
			l.wrong(b.file, b.key, "", b.name+" has no value", suggestion)
		}
		return
	}
	n := *b.node
	failed := l.failed
	switch {
	case b.given != nil:
		if n = b.given.inUser(l, b); n.IsNull() && !n.Bad {
			b.given.withdraw(b) // the value is null
			l.read(b)
			return
		}
	case b.from == "": // values from outside have no expressions
		n, _ = l.Expand(b.file, b.node, nil, true)
	case source.HasParts(n.Text):
		n.Parts = &source.Parts{{Text: n.Text}}
	}
	if b.bad = b.bad || l.failed > failed || n.Bad; b.bad {
		return
	}
	var err error
	if b.decl != nil {
		b.value, err = l.typed(b, &n)
	} else {
		b.value, err = valueOf(&n)
	}
	if err != nil {
		b.bad = true
		l.wrong(b.file, b.at(), "", b.name+": "+err.Error(), b.suggestion())
	}
}

func (b *binding) suggestion() string {
	if b.decl == nil {
		return "use a string, a number, true or false, a list or a map"
	}
	return "use another value; the variable is declared at " + b.decl.file.At(b.decl.key.Line, b.decl.key.Column).String()
}

// typed returns the value of a variable by its type.
func (l *Language) typed(b *binding, n *source.Node) (any, error) {
	k := b.decl.kind
	if k.hasSecret() {
		v, err := secretReader{l.opts.Hide, b.from != ""}.read(k, n, b.name)
		if err == nil && k.elem != nil {
			b.limit = b.decl.allows(v)
		}
		return v, err
	}
	if b.decl.isTyped && b.given == nil { // a component does not declare what its users may show
		if n.Shape == source.Scalar && n.Parts.FromOutside() && !hasReference(*n.Parts) {
			n = k.textNode(plainText(*n.Parts)) // the file declares that the variable is no secret
		}
	}
	if k.refKind() != "" {
		in := l
		if b.given != nil {
			in = b.given.in
		}
		n = k.refer(n, in.opts.Prefix, l.opts.IsID)
	}
	v, err := k.value(n)
	if err != nil {
		return nil, err
	}
	b.limit = b.decl.allows(v)
	return v, nil
}

// check evaluates the check of a variable.
func (l *Language) check(b *binding) {
	if b.bad || b.decl == nil || b.decl.check == nil {
		return
	}
	d := b.decl
	v, ok := l.condition(d.file, d.check, nil)
	if !ok || v {
		return
	}
	message := b.name + " does not fulfill " + d.check.Text
	if text := messageOf(l, b); text != "" {
		message = b.name + ": " + text
	}
	l.wrong(b.file, b.at(), "", message, b.suggestion())
}

// messageOf returns what the declaration of a variable tells about values that are not allowed; "" if nothing.
func messageOf(l *Language, b *binding) (text string) {
	if b.decl.message == nil {
		return ""
	}
	n, _ := l.Expand(b.decl.file, b.decl.message, nil, true)
	if s, err := valueOf(&n); err == nil && !n.Bad {
		text, _ = scalarText(s)
	}
	return text
}
