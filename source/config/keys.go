package config

import (
	"cmp"

	"github.com/ovi-project/ovi/source"
)

// publicKey is the key of a document for what may be shown.
func publicKey[T any](read func(T, *source.Node)) key[T] {
	return key[T]{"public", "[env:TEAM]", formPublic, "What comes from outside and may be recorded and shown: `env:NAME` and `file:PATH`, as inside `${…}`. Anything else from outside may be a secret, and is refused where values are shown.", read}
}

func fileKeys(o source.Options) []key[*document] {
	provider, _ := examples(o)
	out := []key[*document]{
		{"version", "v1", formVersion, "The version of this format. Every document has it.", (*document).readVersion},
		publicKey((*document).readPublic),
		{"stack", "web", formText, "The name of the stack: all resources that are owned together. Default: the name of the folder. A resource that is removed from the configuration of its stack is deleted, so two stacks must not share a name.", (*document).readStack},
		{"provider", provider, formProvider, "The provider of the resources of this document.", (*document).readProvider},
	}
	out = append(out, locationKeys(o, "The location of resources that have none of their own.", (*document).readLocation)...)
	return append(out,
		key[*document]{"defaults", "{tags: {team: platform}}", formDefaults, "Defaults for the resources of this document.", (*document).readDefaults},
		key[*document]{"rules", "{max_destroy: 10%}", formRules, "Limits to what a plan may do, for the whole stack. Rules only block.", (*document).readRules},
		key[*document]{"ignore", "{ec2: [tags.LastScan]}", formIgnore, "What is not compared: attributes, dotted paths or patterns, of every resource in the stack or by type.", (*document).readIgnore},
		key[*document]{"timeouts", "{rds: {create: 60m}}", formTimeouts, "How long an action may take, for the whole stack: by type, and then `create`, `update` (also of a start or stop) or `delete`, from 1s to 24h. A replacement is a create and a delete. After that the action ends with an unknown result, which the next plan observes. Default: the provider's own limits.", (*document).readTimeouts},
		key[*document]{"options", "{parallelism: 4}", formOptions, "How the stack is applied, and options of providers.", (*document).readOptions},
		key[*document]{"resources", "[{type: vpc, cidr: 10.0.0.0/16}]", formBlocks, "The resources of the stack. An empty list ([]) deletes everything in the stack.", (*document).readResources},
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
		out = append(out, key[*document]{word, example, formText, text, func(d *document, n *source.Node) { read(d, n, word) }})
	}
	return out
}

func defaultsKeys(o source.Options) []key[*document] {
	return append(locationKeys(o, "The same as beside `defaults`; only one of the two is allowed.", (*document).readLocation),
		key[*document]{"tags", "{team: platform}", formTags, "Tags of every resource. A resource's own tag of the same name wins.", (*document).readDefaultTags})
}

func blockKeys(o source.Options) []key[*block] {
	provider, location := examples(o)
	return []key[*block]{
		{"provider", provider, formProvider, "The provider, if it differs from the document's.", (*block).readBlockProvider},
		{"type", "ec2", formType, "The kind of the resource. `ovi kinds` lists them with their attributes.", (*block).readType},
		{"name", "web", formText, "The name of the resource. It never changes: a resource with another name is another resource. Default: the type, once a file for each type.", (*block).readName},
		{"count", "3", formCount, "Makes that many resources: NAME-0, NAME-1 and so on. `count: 1` makes NAME-0; without a count it is NAME.", (*block).readCount},
		{"update", "{max_unavailable: 1}", formUpdate, "How many of a count are restarted or replaced at a time; see below.", (*block).readUpdate},
		{"location", location, formText, "The location, if it differs from the document's. Each provider also has its own word for it, such as `region` or `host`.", (*block).readBlockLocation},
		{"tags", "{environment: prod}", formTags, "The tags of the resource. Those that start with ovi: are reserved.", (*block).readTags},
		{"blessed", "true", formBool, "Protects the resource from every action. Removing this line does not remove the protection; `ovi unbless` does.", (*block).readBlessed},
		{"owner", "team-a", formText, "The owner that its ovi tags name, if it is not the one of OVI_OWNER. Another owner on the resource is drift.", (*block).readOwner},
		{"state", "stopped", formState, "Whether the resource runs: running or stopped, for kinds that have a state. Default: that of the kind, mostly running. One that is stopped or failing outside ovi is drift and is started again, at most 3 times in 10 minutes.", (*block).readState},
		{"replace", "create-first", formText, "How the resource is replaced where its kind allows a choice: destroy-first, create-first, swap or start-first. `ovi kinds` shows what a kind can.", (*block).readReplace},
		{"ignore", "[tags.LastScan]", formPaths, "Attributes, dotted paths or patterns that are not compared, of this resource alone.", (*block).readIgnore},
		{"depends_on", "[db]", formNames, "Resources that must exist first, where no attribute refers to them: NAME, TYPE/NAME or a whole ref. A name with a count means all of them.", (*block).readDependsOn},
		{"spec", "{size: t3.micro}", formSpec, "The attributes of the resource, where they are not beside these keys. An attribute with the name of one of these keys is set only here.", (*block).readSpec},
	}
}
