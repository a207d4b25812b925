package component

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/language"
)

// OutputName is the pattern of the name of an output. It has no dot, because a dot starts a key of its value.
const OutputName = `^[A-Za-z_][A-Za-z0-9_-]{0,99}$`

var outputForm = regexp.MustCompile(OutputName)

// CheckOutput returns a problem with the name of an output or the form of its value; empty if there is none.
func CheckOutput(name string, value *source.Node) (summary, suggestion string) {
	switch {
	case !outputForm.MatchString(name):
		return "invalid name " + source.Quote(name) + " of an output",
			"use letters, digits, '_' and '-', and a letter first"
	case isForeignOutput(value):
		return "outputs." + name + " has the keys of an output of another tool",
			"write the value alone: " + name + ": VALUE"
	}
	return "", ""
}

// isForeignOutput reports whether a value is an output as Terraform and CloudFormation write it: a map with the value
// and its description.
func isForeignOutput(n *source.Node) bool {
	if n.Shape != source.Object || n.Get("value") == nil && n.Get("Value") == nil {
		return false
	}
	for i := 0; i < len(n.Kids); i += 2 {
		switch strings.ToLower(n.Kids[i].Text) {
		case "value", "description", "sensitive", "ephemeral", "depends_on", "precondition", "type", "export", "condition":
		default:
			return false
		}
	}
	return true
}

// output is an output of a unit.
type output struct {
	state state
	value any
	ok    bool
}

// used returns the value of ${use/TEXT} in the level. A problem that is reported already has no summary.
func (v *Level) used(text string) (value any, summary, suggestion string, ok bool) {
	text, optional := strings.CutSuffix(text, "?")
	for end := len(text); end > 0; end = strings.LastIndexByte(text[:end], '.') {
		u := v.find(text[:end])
		if u == nil {
			continue
		}
		path := strings.Split(strings.TrimPrefix(text[end:], "."), ".")
		if path[0] == "" {
			names := u.outputNames()
			for i := range names {
				names[i] = "${use/" + text + "." + names[i] + "}"
			}
			return nil, "${use/" + text + "} names a component, and an output is needed",
				cmp.Or(source.Suggest("", names), "the component has no outputs"), false
		}
		value, summary, suggestion, ok = u.output(path[0])
		if !ok || len(path) == 1 {
			return value, summary, suggestion, ok
		}
		path[0] = "use/" + text[:end] + "." + path[0]
		value, err := language.Field(value, path)
		if err != nil {
			return nil, err.Error(), "use a key that exists", false
		}
		return value, "", "", true
	}
	if optional {
		return nil, "", "", true
	}
	summary, suggestion = v.unknown(text)
	return nil, summary, suggestion, false
}

// find returns the unit of a name in the level, and evaluates the blocks that may make it; nil if there is none.
func (v *Level) find(name string) *Unit {
	for _, b := range v.blocks {
		if b.literal != "" && (name == b.literal || b.node.Get("for_each") != nil && strings.HasPrefix(name, b.literal+"-")) {
			b.evaluate()
		}
	}
	if u := v.units[name]; u != nil {
		return u
	}
	for _, b := range v.blocks {
		if b.literal == "" {
			b.evaluate()
		}
	}
	return v.units[name]
}

// unknown explains why no unit has a name.
func (v *Level) unknown(text string) (summary, suggestion string) {
	name, _, _ := strings.Cut(text, ".")
	for _, b := range v.blocks {
		switch {
		case b.state == reading:
			return "the use block depends on its own outputs", "remove the reference that closes the circle"
		case b.literal != name:
		case b.absent != nil:
			return "use/" + name + " is not configured: its when is false at " + b.absent.String(),
				"add ? to the reference where it may be absent: ${use/" + text + "?}"
		case b.node.Get("for_each") != nil && len(b.units) > 0:
			var names []string
			for _, u := range b.units[:min(len(b.units), 4)] {
				names = append(names, strings.TrimPrefix(u.Name, v.prefix))
			}
			return "use/" + name + " is a group, and ${use/" + text + "} reads an output of one component",
				"use one of " + strings.Join(names, ", ")
		default:
			return "", "" // its problem is reported
		}
	}
	for _, b := range v.blocks {
		b.evaluate()
	}
	return "no use block has the name " + source.Quote(name),
		cmp.Or(source.Suggest(name, slices.Sorted(maps.Keys(v.units))), "add - use: FOLDER with this name to resources")
}

// outputNames returns the names of the outputs of a unit.
func (u *Unit) outputNames() (out []string) {
	if u.Root == nil {
		return nil
	}
	n := u.Root.Get("outputs")
	for i := 0; n != nil && i+1 < len(n.Kids); i += 2 {
		out = append(out, n.Kids[i].Text)
	}
	slices.Sort(out)
	return out
}

// output returns an output, evaluated once.
func (u *Unit) output(name string) (value any, summary, suggestion string, ok bool) {
	if u.broken {
		return nil, "", "", false
	}
	n := u.Root.Get("outputs").Get(name)
	if n == nil {
		return nil, "use/" + u.Name + " has no output " + source.Quote(name),
			cmp.Or(source.Suggest(name, u.outputNames()), "add it to outputs of "+u.File.Name), false
	}
	o := u.outputs[name]
	if o == nil {
		o = &output{}
		u.outputs[name] = o
	}
	switch o.state {
	case done:
		return o.value, "", "", o.ok
	case reading:
		language.Report(u.Language, u.File, n, "use/"+u.Name, language.OnItself(u.Language, "outputs."+name),
			"remove one of the references")
		o.state = done
		return nil, "", "", false
	}
	o.state = reading
	language.BarePaths(u.Language, u.File, n, "", false)
	defer language.Evaluating(u.Language, "outputs."+name)()
	v, fine := language.Evaluate(u.Language, u.File, n)
	if o.state == done { // it depends on itself
		return nil, "", "", false
	}
	o.state = done
	if secret := u.secretIn(v); fine && secret != "" {
		language.Report(u.Language, u.File, n, "use/"+u.Name, "outputs."+name+" is a secret: "+secret,
			"give the secret to the component that needs it as a variable")
		fine = false
	}
	o.value, o.ok = v, fine
	return v, "", "", fine
}

// secretIn explains why a value is a secret; it returns an empty text for other values.
func (u *Unit) secretIn(v any) (why string) {
	if language.IsSecret(v) {
		return "it is a value from outside"
	}
	language.References(v, func(text string) {
		if u.Level.tree.isSecretRef(text) {
			why = "${" + text + "}"
		}
	})
	return why
}
