package language

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// Environment is one environment of a configuration. Options and Rules are nil if it sets none.
type Environment struct {
	Name           string
	Stack          string // an empty name means STACK-NAME
	Account        string
	Location       string
	Options, Rules *source.Node
	vars           *source.Node
	File           *input.File
	accountAt      *source.Node
	refused        bool // the account is reported
	key            *source.Node
}

// EnvironmentKeys are the keys of an environment.
func EnvironmentKeys() []string {
	return []string{"stack", "account", "location", "vars", "options", "rules"}
}

var environmentForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// environment adds an environment.
func (l *Language) environment(f *input.File, k, v *source.Node) {
	e := &Environment{Name: k.Text, File: f, key: k}
	switch first := l.environments[k.Text]; {
	case first != nil:
		l.wrong(f, k, "", "duplicate environment "+source.Quote(k.Text),
			"remove one; the other is at "+first.File.At(first.key.Line, first.key.Column).String())
		return
	case !environmentForm.MatchString(k.Text):
		l.wrong(f, k, "", "invalid name "+source.Quote(k.Text)+" of an environment",
			"use letters, digits, '.', '_' and '-', at most 40")
		return
	}
	l.environments[k.Text] = e
	if v.IsNull() {
		return
	}
	if v.Shape != source.Object {
		l.wrong(f, v, "environment "+k.Text, "an environment must be a map of keys, got "+v.Form(),
			"use dev: {vars: {NAME: VALUE}}")
		return
	}
	for i := 0; i+1 < len(v.Kids); i += 2 {
		key, x := &v.Kids[i], &v.Kids[i+1]
		switch key.Text {
		case "stack":
			e.Stack = l.word(f, x, e, "stack")
		case "account":
			e.Account, e.accountAt = l.word(f, x, e, "account"), x
		case "vars":
			e.vars = x
		case "options":
			e.Options = x
		case "rules":
			e.Rules = x
		default:
			if slices.Contains(l.opts.LocationWords, key.Text) {
				e.Location = l.word(f, x, e, key.Text)
				continue
			}
			l.wrong(f, key, "environment "+e.Name, "unknown key "+source.Quote(key.Text)+" of an environment",
				nearest(key.Text, EnvironmentKeys()))
		}
	}
}

// word reads a literal word.
func (l *Language) word(f *input.File, n *source.Node, e *Environment, key string) string {
	if n.Shape != source.Scalar || n.IsNull() || source.HasParts(n.Text) {
		l.wrong(f, n, "environment "+e.Name, key+" of an environment must be a literal word", "write the value without ${…}")
		return ""
	}
	return n.Text
}

// choose chooses the environment, and checks all of them. It returns false if the one that is given cannot be used.
func (l *Language) choose() bool {
	names := slices.Sorted(maps.Keys(l.environments))
	if len(names) == 0 {
		if l.declared.Root != nil && l.failed > 0 {
			return false // what is wrong with the environments is reported
		}
		if l.opts.Environment != "" && l.opts.Asked {
			l.failed++
			l.opts.Wrong(position.Position{}, "",
				"the configuration has no environments, and --env "+l.opts.Environment+" is given",
				"add environments: {"+l.opts.Environment+": {}}, or omit --env")
			return false
		}
		return true
	}
	at, f := l.declared.Root, l.declared.File
	if l.stack == "" {
		l.wrong(f, at, "", "a configuration with environments needs the name of its stack", "add stack: NAME")
	}
	seen, stacks := map[string]string{}, map[string]string{}
	for _, name := range names {
		e := l.environments[name]
		stack := e.Stack
		if stack == "" {
			stack = l.stack + "-" + name
		}
		if other := seen[stack]; other != "" {
			l.wrong(e.File, e.key, "", "the environments "+other+" and "+name+" have the same stack "+stack,
				"set another stack in one of them")
		}
		seen[stack], stacks[name] = name, stack
	}
	if l.opts.Environments != nil {
		l.opts.Environments(stacks)
	}
	if l.opts.Environment == "" {
		l.wrong(f, at, "", "no environment given: "+strings.Join(names, ", "), "add --env "+names[0])
		return false
	}
	if l.chosen = l.environments[l.opts.Environment]; l.chosen == nil {
		l.wrong(f, at, "", "unknown environment "+source.Quote(l.opts.Environment), nearest(l.opts.Environment, names))
	}
	return l.chosen != nil
}

// Chosen returns the environment, or nil if there is none.
func (l *Language) Chosen() *Environment { return l.chosen }

// Stacks returns the names of the stacks of all environments, sorted.
func (l *Language) Stacks() []string {
	var out []string
	for name, e := range l.environments {
		if e.Stack != "" {
			out = append(out, e.Stack)
		} else {
			out = append(out, l.stack+"-"+name)
		}
	}
	slices.Sort(out)
	return out
}

// EnvironmentName returns the name of the environment, or an empty name if there is none.
func (l *Language) EnvironmentName() string {
	if l.chosen == nil {
		return ""
	}
	return l.chosen.Name
}

// Depends calls add with the environment and with each value that the command line sets: the version of the
// configuration depends on them.
func (l *Language) Depends(add func(name, value string, public bool)) {
	if l.chosen != nil {
		add("environment", l.chosen.Name, true)
	}
	for name, b := range l.bindings {
		if b.from == "" || b.bad {
			continue
		}
		if o, opaque := b.value.(Opaque); opaque {
			for i, p := range o.Parts {
				add(fmt.Sprintf("%s[%d]", name, i), p.Text, false)
			}
		} else if text, err := jsonText(b.value); err == nil {
			add(name, text, true)
		}
	}
}

// FirstExpression returns the first string below a node that has an expression, or nil.
func FirstExpression(n *source.Node) *source.Node {
	if n.Shape == source.Scalar {
		if mayChange(n) {
			if pieces, ok := scan(n.Text); ok && isComputed(pieces) {
				return n
			}
		}
		return nil
	}
	for i := range n.Kids {
		if found := FirstExpression(&n.Kids[i]); found != nil {
			return found
		}
	}
	return nil
}
