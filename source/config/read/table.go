package read

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Form is what a key's value looks like: the JSON Schema and the reference come from it.
type Form string

// The forms in which a value is written in a file.
const (
	FormText     Form = "text"
	FormVersion  Form = "v1"
	FormProvider Form = "provider"
	FormType     Form = "type"
	FormCount    Form = "count"
	FormNumber   Form = "number"
	FormBool     Form = "true or false"
	FormTags     Form = "tags"
	FormNames    Form = "names"
	FormPaths    Form = "paths"
	FormIgnore   Form = "paths, or paths by type"
	FormBudget   Form = "number or share"
	FormDuration Form = "duration"
	FormBlocks   Form = "list of blocks"
	FormDefaults Form = "block: defaults"
	FormRules    Form = "block: rules"
	FormPublic   Form = "list of env:NAME and file:PATH"
	FormOptions  Form = "block: options"
	FormTimeouts Form = "durations by type and action"
	FormProvOpts Form = "options of a provider"
	FormSpec     Form = "attributes"
	FormUpdate   Form = "block: update"
	FormLookup   Form = "block: lookup"
	FormMoved    Form = "list of moves"
	FormRemoved  Form = "list of removals"
	FormVars     Form = "variables"
	FormLocals   Form = "values by name"
	FormEnvs     Form = "environments"
	FormEach     Form = "list or map"
	FormWhen     Form = "expression"
	FormOutputs  Form = "outputs"

	FormWindows   Form = "list of windows"
	FormApprovals Form = "list of approvals"
	FormCEL       Form = "list of CEL rules"
	FormDays      Form = "days"
	FormTime      Form = "time of the day"
	FormActions   Form = "actions"
	FormKinds     Form = "types"
	FormEffect    Form = "effect"
	FormState     Form = "running or stopped"
	FormDrift     Form = "ignore"
	FormDestroy   Form = "auto or manual"
	FormDrifts    Form = "list of drift rules"
)

// Key is one key of the configuration itself. The tables below are the only list of them: the
// parser, the reference and the JSON Schema all use these. Keys are read in the order of the
// table, wherever they are in the file.
type Key[T any] struct {
	Name, Example string
	Form          Form
	Doc           string
	Read          func(T, *source.Node)
}

// Spelling lists the names of a table.
func Spelling[T any](table []Key[T]) []string {
	out := make([]string, len(table))
	for i, k := range table {
		out[i] = k.Name
	}
	return out
}

// Keys reads a block of keys by its table: first the known ones, in the table's order, then
// it reports the others. Of a duplicate key the first is read.
func Keys[T any](f *Reader, to T, table []Key[T], n *source.Node, of string) {
	if n.Shape != source.Object {
		f.Wrong(n, of+" must be a block of keys, got "+n.Form(), "use KEY: VALUE lines")
		return
	}
	f.Duplicates(n)
	for i := range table {
		v := n.Get(table[i].Name)
		switch {
		case v == nil:
		case v.Bad: // its problem is reported
			f.breakResource()
		case v.IsNull():
			f.Wrong(v, table[i].Name+" has no value", NoValue(table[i].Name, table[i].Example))
		default:
			table[i].Read(to, v)
		}
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if k := &n.Kids[i]; !known(table, k.Text) && !(of == file && strings.HasPrefix(k.Text, "x-")) {
			f.Wrong(k, "unknown key "+source.Quote(k.Text)+" in "+of, keyHint(n, k.Text, Spelling(table), of))
		}
	}
}

func known[T any](table []Key[T], name string) bool {
	for i := range table {
		if table[i].Name == name {
			return true
		}
	}
	return false
}

// NoValue suggests what to do about a key without a value.
func NoValue(name, example string) string {
	if name == "resources" {
		return "add a block, or use resources: [] to delete everything in the stack"
	}
	return "use " + name + ": " + example + ", or remove the key"
}

// keyHint suggests what an unknown key means.
func keyHint(n *source.Node, name string, names []string, of string) string {
	has := func(key string) bool { return slices.Contains(names, key) && n.Get(key) == nil }
	for _, row := range [...][2]string{
		{"policy", "rules"},
		{"policies", "rules"},
		{"needs", "depends_on"},
		{"resource", "resources"},
		{"var", "vars"},
		{"variable", "vars"},
		{"variables", "vars"},
		{"local", "locals"},
		{"env", "environments"},
		{"envs", "environments"},
		{"environment", "environments"},
		{"workspace", "environments"},
		{"workspaces", "environments"},
		{"output", "outputs"},
	} {
		if row[0] == name && has(row[1]) {
			return "use " + row[1]
		}
	}
	_, near := resource.Nearest(name, names)
	switch {
	case near:
	case of == useBlock && name == "count":
		return "use for_each: a component is used once for each key"
	case of == useBlock && slices.Contains([]string{"inputs", "variables", "parameters", "values"}, name):
		return "use vars"
	case of == useBlock && (name == "provider" || name == "providers"):
		return "remove it: the component has the provider of this file, or names its own; location sets where it is"
	case of == useBlock && name == "type":
		return "remove type, or remove use: a block is a resource or a component"
	case of == useBlock:
		return "put it under vars: the component declares its variables"
	case of == file && slices.Contains([]string{"module", "modules", "component", "components"}, name):
		return "add a block with use: FOLDER to resources"
	case of == file && slices.Contains([]string{"data", "lookups"}, name):
		return "add a block with lookup to resources"
	case of == file && name == "import":
		return "remove it, and run `ovi adopt TYPE/NAME --id ID`"
	case of == file && (name == "terraform" || name == "backend"):
		return "remove it: there is no state file, and the data directory has the record"
	case of == file:
		return "use one of " + strings.Join(names, ", ")
	}
	return source.Suggest(name, names)
}

// The blocks of keys that have advice of their own.
const (
	file     = "the file"
	useBlock = "the use block"
)

// AsComponent suggests how to use a component, for a block with the key that Terraform has for that; "" for others.
func AsComponent(n *source.Node) string {
	if n.Get("source") == nil {
		return ""
	}
	return "for a component, write use: FOLDER instead of source"
}
