package config

import (
	"cmp"

	"github.com/ovi-project/ovi/source"
)

// publicKey is the key of a document for what may be shown.
func publicKey[T any](read func(T, *source.Node)) key[T] {
	return key[T]{
		name: "public", example: "[env:TEAM]", form: formPublic,
		doc: "What comes from outside and may be recorded and shown: `env:NAME` and `file:PATH`, as inside " +
			"`${…}`. Anything else from outside may be a secret, and is refused where values are shown.",
		read: read,
	}
}

func fileKeys(o source.Options) []key[*document] {
	provider, _ := examples(o)
	out := []key[*document]{
		{
			name: "version", example: "v1", form: formVersion,
			doc:  "The version of this format. Every document has it.",
			read: (*document).readVersion,
		},
		publicKey((*document).readPublic),
		{
			name: "stack", example: "web", form: formText,
			doc: "The name of the stack: all resources that are owned together. Default: the name of the " +
				"folder. A resource that is removed from the configuration of its stack is deleted, so two " +
				"stacks must not share a name.",
			read: (*document).readStack,
		},
		{
			name: "provider", example: provider, form: formProvider,
			doc:  "The provider of the resources of this document.",
			read: (*document).readProvider,
		},
	}
	out = append(out, locationKeys(o, "The location of resources that have none of their own.", (*document).readLocation)...)
	return append(out,
		key[*document]{
			name: "defaults", example: "{tags: {team: platform}}", form: formDefaults,
			doc:  "Defaults for the resources of this document.",
			read: (*document).readDefaults,
		},
		key[*document]{
			name: "rules", example: "{max_destroy: 10%}", form: formRules,
			doc:  "Limits to what a plan may do, for the whole stack. Rules only block.",
			read: (*document).readRules,
		},
		key[*document]{
			name: "ignore", example: "{ec2: [tags.LastScan]}", form: formIgnore,
			doc: "What is not compared: attributes, dotted paths or patterns, of every resource in the stack " +
				"or by type.",
			read: (*document).readIgnore,
		},
		key[*document]{
			name: "timeouts", example: "{rds: {create: 60m}}", form: formTimeouts,
			doc: "How long an action may take, for the whole stack: by type, and then `create`, `update` " +
				"(also of a start or stop) or `delete`, from 1s to 24h. A replacement is a create and a " +
				"delete. After that the action ends with an unknown result, which the next plan observes. " +
				"Default: the provider's own limits.",
			read: (*document).readTimeouts,
		},
		key[*document]{
			name: "options", example: "{parallelism: 4}", form: formOptions,
			doc:  "How the stack is applied, and options of providers.",
			read: (*document).readOptions,
		},
		key[*document]{
			name: "resources", example: "[{type: vpc, cidr: 10.0.0.0/16}]", form: formBlocks,
			doc:  "The resources of the stack. An empty list ([]) deletes everything in the stack.",
			read: (*document).readResources,
		},
	)
}

// examples are a provider and a location to show: those of the first provider there is.
func examples(o source.Options) (provider, location string) {
	if o.Schemas == nil || len(o.Schemas.Providers()) == 0 {
		return "NAME", "NAME"
	}
	provider = o.Schemas.Providers()[0]
	return provider, cmp.Or(o.LocationOf(provider).Example, "NAME")
}

// locationKeys are location and each provider's own word for it.
func locationKeys(o source.Options, doc string, read func(d *document, n *source.Node, word string)) []key[*document] {
	var out []key[*document]
	_, location := examples(o)
	for _, word := range locationWords(o) {
		example, text := "NAME", doc+" Same as `location`."
		if word == "location" {
			example, text = location, doc+" Each provider also has its own word for it, such as `region` or `host`."
		}
		out = append(out, key[*document]{
			name: word, example: example, form: formText, doc: text, read: func(d *document, n *source.Node) { read(d, n, word) },
		})
	}
	return out
}

func defaultsKeys(o source.Options) []key[*document] {
	return append(locationKeys(o, "The same as beside `defaults`; only one of the two is allowed.", (*document).readLocation),
		key[*document]{
			name: "tags", example: "{team: platform}", form: formTags,
			doc:  "Tags of every resource. A resource's own tag of the same name wins.",
			read: (*document).readDefaultTags,
		})
}

func blockKeys(o source.Options) []key[*block] {
	provider, location := examples(o)
	return []key[*block]{
		{
			name: "provider", example: provider, form: formProvider,
			doc:  "The provider, if it differs from the document's.",
			read: (*block).readBlockProvider,
		},
		{
			name: "type", example: "ec2", form: formType,
			doc:  "The kind of the resource. `ovi kinds` lists them with their attributes.",
			read: (*block).readType,
		},
		{
			name: "name", example: "web", form: formText,
			doc: "The name of the resource. It never changes: a resource with another name is another " +
				"resource. Default: the type, once a file for each type.",
			read: (*block).readName,
		},
		{
			name: "count", example: "3", form: formCount,
			doc: "Makes that many resources: NAME-0, NAME-1 and so on. `count: 1` makes NAME-0; without a " +
				"count it is NAME.",
			read: (*block).readCount,
		},
		{
			name: "update", example: "{max_unavailable: 1}", form: formUpdate,
			doc:  "How many of a count are restarted or replaced at a time; see below.",
			read: (*block).readUpdate,
		},
		{
			name: "location", example: location, form: formText,
			doc: "The location, if it differs from the document's. Each provider also has its own word for " +
				"it, such as `region` or `host`.",
			read: (*block).readBlockLocation,
		},
		{
			name: "tags", example: "{environment: prod}", form: formTags,
			doc:  "The tags of the resource. Those that start with ovi: are reserved.",
			read: (*block).readTags,
		},
		{
			name: "blessed", example: "true", form: formBool,
			doc: "Protects the resource from every action. Removing this line does not remove the protection; " +
				"`ovi unbless` does.",
			read: (*block).readBlessed,
		},
		{
			name: "owner", example: "team-a", form: formText,
			doc: "The owner that its ovi tags name, if it is not the one of OVI_OWNER. Another owner on the " +
				"resource is drift.",
			read: (*block).readOwner,
		},
		{
			name: "state", example: "stopped", form: formState,
			doc: "Whether the resource runs: running or stopped, for kinds that have a state. Default: that " +
				"of the kind, mostly running. One that is stopped or failing outside ovi is drift and is " +
				"started again, at most 3 times in 10 minutes.",
			read: (*block).readState,
		},
		{
			name: "replace", example: "create-first", form: formText,
			doc: "How the resource is replaced where its kind allows a choice: destroy-first, create-first, " +
				"swap or start-first. `ovi kinds` shows what a kind can.",
			read: (*block).readReplace,
		},
		{
			name: "ignore", example: "[tags.LastScan]", form: formPaths,
			doc:  "Attributes, dotted paths or patterns that are not compared, of this resource alone.",
			read: (*block).readIgnore,
		},
		{
			name: "depends_on", example: "[db]", form: formNames,
			doc: "Resources that must exist first, where no attribute refers to them: NAME, TYPE/NAME or a " +
				"whole ref. A name with a count means all of them.",
			read: (*block).readDependsOn,
		},
		{
			name: "spec", example: "{size: t3.micro}", form: formSpec,
			doc: "The attributes of the resource, where they are not beside these keys. An attribute with the " +
				"name of one of these keys is set only here.",
			read: (*block).readSpec,
		},
	}
}
