package config

import (
	"slices"

	"github.com/ovi-project/ovi/source"
)

// form is what a key's value looks like: the JSON Schema and the reference come from it.
type form string

const (
	formText     form = "text"
	formVersion  form = "v1"
	formProvider form = "provider"
	formType     form = "type"
	formCount    form = "count"
	formNumber   form = "number"
	formBool     form = "true or false"
	formTags     form = "tags"
	formNames    form = "names"
	formPaths    form = "paths"
	formIgnore   form = "paths, or paths by type"
	formBudget   form = "number or share"
	formDuration form = "duration"
	formBlocks   form = "list of blocks"
	formDefaults form = "block: defaults"
	formRules    form = "block: rules"
	formPublic   form = "list of env:NAME and file:PATH"
	formOptions  form = "block: options"
	formTimeouts form = "durations by type and action"
	formProvOpts form = "options of a provider"
	formSpec     form = "attributes"
	formUpdate   form = "block: update"

	formWindows   form = "list of windows"
	formApprovals form = "list of approvals"
	formCEL       form = "list of CEL rules"
	formDays      form = "days"
	formTime      form = "time of the day"
	formActions   form = "actions"
	formKinds     form = "types"
	formEffect    form = "effect"
	formState     form = "running or stopped"
	formDrift     form = "ignore"
	formDestroy   form = "auto or manual"
	formDrifts    form = "list of drift rules"
)

// key is one key of the configuration itself. The tables below are the only list of them: the
// parser, the reference and the JSON Schema all use these. Keys are read in the order of the
// table, wherever they are in the file.
type key[T any] struct {
	name, example string
	form          form
	doc           string
	read          func(T, *source.Node)
}

// spelling lists the names of a table.
func spelling[T any](table []key[T]) []string {
	out := make([]string, len(table))
	for i, k := range table {
		out[i] = k.name
	}
	return out
}

// readKeys reads a block of keys by its table: first the known ones, in the table's order, then
// it reports the others. Of a duplicate key the first is read.
func readKeys[T any](f *reader, to T, table []key[T], n *source.Node, of string) {
	if n.Shape != source.Object {
		f.wrong(n, of+" must be a block of keys, got "+n.Form(), "use KEY: VALUE lines")
		return
	}
	f.duplicates(n)
	for i := range table {
		v := n.Get(table[i].name)
		switch {
		case v == nil:
		case v.IsNull():
			f.wrong(v, table[i].name+" has no value", noValue(table[i].name, table[i].example))
		default:
			table[i].read(to, v)
		}
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if k := &n.Kids[i]; !known(table, k.Text) {
			f.wrong(k, "unknown key "+source.Quote(k.Text)+" in "+of, keyHint(n, k.Text, spelling(table)))
		}
	}
}

func known[T any](table []key[T], name string) bool {
	for i := range table {
		if table[i].name == name {
			return true
		}
	}
	return false
}

// noValue suggests what to do about a key without a value.
func noValue(name, example string) string {
	if name == "resources" {
		return "add a block, or use resources: [] to delete everything in the stack"
	}
	return "use " + name + ": " + example + ", or remove the key"
}

// keyHint suggests what an unknown key means.
func keyHint(n *source.Node, name string, names []string) string {
	for _, row := range [...][2]string{{"policy", "rules"}, {"policies", "rules"}, {"needs", "depends_on"}, {"resource", "resources"}} {
		if row[0] == name && slices.Contains(names, row[1]) && n.Get(row[1]) == nil {
			return "use " + row[1]
		}
	}
	return source.Suggest(name, names)
}
