package settings

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/jsonschema"
)

const (
	shortestTimeout = time.Second
	longestTimeout  = 24 * time.Hour
)

// ReadTimeouts reads how long actions may take, by kind and action.
func (d *Setter) ReadTimeouts(n *source.Node) {
	if n.Shape != source.Object {
		d.Wrong(n, "timeouts must be a block of types, got "+n.Form(), "use TYPE: {create: 60m}")
		return
	}
	d.Duplicates(n)
	for i := 0; i+1 < len(n.Kids); i += 2 {
		kind, of := n.Kids[i].Text, &n.Kids[i+1]
		if names := d.KindNames(); !slices.Contains(names, kind) {
			d.Wrong(&n.Kids[i], "unknown type "+source.Quote(kind), source.Suggest(kind, names))
			continue
		}
		if of.Shape != source.Object {
			d.Wrong(of, "timeouts of "+kind+" must be a block of actions, got "+of.Form(), "use "+kind+": {create: 60m}")
			continue
		}
		d.Duplicates(of)
		for j := 0; j+1 < len(of.Kids); j += 2 {
			d.readTimeout(kind, &of.Kids[j], &of.Kids[j+1])
		}
	}
}

func (d *Setter) readTimeout(kind string, action, n *source.Node) {
	if !slices.Contains(resource.TimeoutActions(), action.Text) {
		d.Wrong(action, "unknown action "+source.Quote(action.Text)+" of timeouts",
			source.Suggest(action.Text, resource.TimeoutActions()))
		return
	}
	name := "timeouts." + kind + "." + action.Text
	s, ok := d.Text(n, name)
	if !ok {
		return
	}
	limit, err := time.ParseDuration(s)
	if err != nil || limit < shortestTimeout || limit > longestTimeout {
		d.Wrong(n, "invalid timeout "+source.Quote(s), "use a duration between 1s and 24h, for example 60m")
		return
	}
	all := d.Settings.Options.Timeouts
	if !d.setOnce(name, n, limit == all[kind][action.Text]) {
		return
	}
	if all == nil {
		all = map[string]map[string]time.Duration{}
		d.Settings.Options.Timeouts = all
	}
	if all[kind] == nil {
		all[kind] = map[string]time.Duration{}
	}
	all[kind][action.Text] = limit
}

// TimeoutsSchema is that of the key timeouts.
func TimeoutsSchema(o source.Options) *jsonschema.Schema {
	actions := map[string]*jsonschema.Schema{}
	for _, a := range resource.TimeoutActions() {
		actions[a] = &jsonschema.Schema{Type: jsonschema.OneOf("string", "number"), Doc: "How long this action may take."}
	}
	kinds := map[string]*jsonschema.Schema{}
	for _, p := range o.Schemas.Providers() {
		for _, k := range o.Schemas.Kinds(p) {
			kinds[k.Name] = &jsonschema.Schema{
				Type: jsonschema.OneOf("object"), Properties: actions,
				Others: jsonschema.Closed(),
			}
		}
	}
	return &jsonschema.Schema{Type: jsonschema.OneOf("object"), Properties: kinds, Others: jsonschema.Closed()}
}
