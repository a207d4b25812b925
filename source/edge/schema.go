package edge

import (
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/jsonschema"
)

// fileKey is a key of a file, as it is read and as it is published. The table of a file is the one place
// that says which keys it has.
type fileKey struct {
	name, doc string
	form      *jsonschema.Schema
	required  bool
}

func names(table []fileKey) []string {
	var out []string
	for _, k := range table {
		out = append(out, k.name)
	}
	return out
}

func text() *jsonschema.Schema { return &jsonschema.Schema{Type: jsonschema.OneOf("string")} }

func listOf(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: jsonschema.OneOf("array"), Items: of}
}

// block is an object with these keys and no others.
func block(table []fileKey) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: jsonschema.OneOf("object"), Properties: map[string]*jsonschema.Schema{},
		Others: jsonschema.Closed(),
	}
	for _, k := range table {
		k.form.Doc = k.doc
		s.Properties[k.name] = k.form
		if k.required {
			s.Required = append(s.Required, k.name)
		}
	}
	return s
}

// budget is a number of nodes or a share of them.
func budget(least int64) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: jsonschema.OneOf("integer"), Min: &least},
		{Type: jsonschema.OneOf("string"), Pattern: `^([0-9]+|[0-9]{1,2}%|100%)$`},
	}}
}

func windowTable() []fileKey {
	days := &jsonschema.Schema{Enum: weekdays()}
	clock := func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: jsonschema.OneOf("string"), Pattern: `^([01][0-9]|2[0-3]):[0-5][0-9]$`}
	}
	return []fileKey{
		{name: "name", doc: "The name of the window.", form: text()},
		{name: "days", doc: "The days on which it opens; if omitted, every day.", form: listOf(days)},
		{name: "from", doc: "When it opens.", form: clock(), required: true},
		{name: "to", doc: "When it closes; on the next day, if that is not later.", form: clock(), required: true},
		{name: "zone", doc: "The time zone, such as Europe/Berlin; if omitted, UTC.", form: text()},
	}
}

func updateTable() []fileKey {
	waves := listOf(budget(1))
	waves.MinItems = new(int64)
	*waves.MinItems = 1
	return []fileKey{
		{name: "waves", doc: "How many of the nodes that are online have a new configuration at most, wave by " +
			"wave; a last wave of all nodes follows automatically.", form: waves},
		{
			name: "max_unavailable", doc: "How many nodes are changed, or not healthy, at a time; one always may.",
			form: budget(0),
		},
		{
			name: "windows", doc: "When nodes start a new configuration, and when it is deleted; if omitted, at any time.",
			form: listOf(block(windowTable())),
		},
		{name: "lock", doc: "Why no node starts a new configuration, until it is removed.", form: text()},
		{name: "promote", doc: "central: the central orchestrator promotes each wave after the first, or all of it where " +
			"there are no waves.", form: &jsonschema.Schema{Enum: []string{"central"}}},
		{name: "max_failed", doc: "How many nodes may use up their attempts before no other node starts.", form: budget(0)},
	}
}

// count is a number from 1, and what it normally is; "" is nothing.
func count(normal string) *jsonschema.Schema {
	least := int64(1)
	s := &jsonschema.Schema{Type: jsonschema.OneOf("integer"), Min: &least}
	if normal != "" {
		s.Default = []byte(normal)
	}
	return s
}

func attemptsTable() []fileKey {
	return []fileKey{
		{name: "count", doc: "How many attempts may fail.", form: count("3")},
		{name: "configuration", doc: "How many of them may end in an error that the configuration surely causes, such as " +
			"an image that does not exist.", form: count("1")},
		{name: "other", doc: "How many in a row may end in an error that passes, such as a registry that does not " +
			"answer; if omitted, any number.", form: count("")},
	}
}

func policyTable() []fileKey {
	return []fileKey{
		{
			name: "attempts", doc: "How many attempts of one configuration may fail on a node before it is quarantined: a " +
				"number, or one for each class of error.",
			form: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{count("3"), block(attemptsTable())}},
		},
		{
			name: "rollback", doc: "Whether a node whose attempts are used up goes back to its last good configuration.",
			form: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
				{Type: jsonschema.OneOf("boolean")},
				{Enum: []string{"on", "off"}},
			}},
		},
		{name: "update", doc: "How many nodes change at a time.", form: block(updateTable())},
	}
}

func siteTable() []fileKey {
	labels := &jsonschema.Schema{
		Type:   jsonschema.OneOf("object"),
		Others: &jsonschema.Others{Of: &jsonschema.Schema{Type: jsonschema.OneOf("string", "number", "boolean")}},
	}
	node := block([]fileKey{
		{name: "name", doc: "The name of the node.", form: text(), required: true},
		{name: "labels", doc: "The labels by which deployments select the node.", form: labels},
	})
	return append([]fileKey{
		{name: "site", doc: "The name of the site and of its stack. Default: the name of the folder.", form: text()},
		{name: "nodes", doc: "The nodes of the site.", form: listOf(node), required: true},
		{name: "moved", doc: "Deployments that have another id now, as was in the file of a deployment says of one. An " +
			"entry may stay: the record says that it is done.", form: listOf(block([]fileKey{
			{name: "from", doc: "The former id.", form: text(), required: true},
			{name: "to", doc: "The new id.", form: text(), required: true},
		}))},
		{
			name: "removed", doc: "Deployments that are no longer configured, and whether they stay on the nodes.",
			form: listOf(block([]fileKey{
				{name: "ref", doc: "The id.", form: text(), required: true},
				{
					name: "keep", doc: "Whether the deployment stays: ovi forgets it. Without that it is deleted.",
					form: &jsonschema.Schema{Type: jsonschema.OneOf("boolean")}, required: true,
				},
			})),
		},
		{name: "deployments", doc: "none: the site has no deployments.", form: &jsonschema.Schema{Enum: []string{"none"}}},
	}, policyTable()...)
}

func deploymentTable() []fileKey {
	selected := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Enum: []string{"all"}},
		listOf(text()),
		{
			Type:   jsonschema.OneOf("object"),
			Others: &jsonschema.Others{Of: &jsonschema.Schema{Type: jsonschema.OneOf("string", "number", "boolean")}},
		},
	}}
	return append([]fileKey{
		{name: "id", doc: "The name of the deployment.", form: text(), required: true},
		{
			name: "nodes", doc: "Where it runs: all, nodes by name, or those with all these labels.", form: selected,
			required: true,
		},
		{name: "was", doc: "The former id of the deployment, which keeps running under the new id. It may stay: the " +
			"record says that it is done.", form: text()},
		{name: "depends_on", doc: "Deployments that must be healthy on the same node first.", form: listOf(text())},
	}, policyTable()...)
}

// SiteSchema is the JSON Schema of site.yaml.
func SiteSchema() []byte {
	s := block(siteTable())
	s.Dialect, s.Title, s.Doc = jsonschema.Dialect, "site.yaml of a site of ovi", "The nodes of a site: see docs/edge.md."
	return s.Bytes()
}

// DeploymentSchema is the JSON Schema of the file of a deployment, of a kind.
func DeploymentSchema(k resource.Kind) []byte {
	s := block(deploymentTable())
	jsonschema.Attributes(s, k.Attrs)
	if k.NamePattern != "" {
		s.Properties["id"].Pattern = "^(?:" + k.NamePattern + ")$"
	}
	s.Dialect, s.Title, s.Doc = jsonschema.Dialect, "Deployment of a site of ovi",
		"A deployment that runs on nodes of a site: see docs/edge.md."
	return s.Bytes()
}
