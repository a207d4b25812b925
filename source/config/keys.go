package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/read"
)

// publicKey is the key of a document for what may be shown.
func publicKey[T any](of func(T, *source.Node)) read.Key[T] {
	return read.Key[T]{
		Name: "public", Example: "[env:TEAM]", Form: read.FormPublic, Read: of,
		Doc: "Outside values that ovi may record and show: `env:NAME` and `file:PATH`, as inside `${…}`. Any " +
			"other outside value may be a secret, and is rejected where values are shown.",
	}
}

func fileKeys(o source.Options) []read.Key[*document] {
	provider, _ := examples(o)
	out := []read.Key[*document]{
		{
			Name: "version", Example: "v1", Form: read.FormVersion, Read: (*document).ReadVersion,
			Doc: "The version of this format. Every document has it.",
		},
		publicKey((*document).ReadPublic),
		{
			Name: "vars", Example: "{size: t3.micro}", Form: read.FormVars, Read: (*document).readDeclared,
			Doc: "The variables of the stack, used as `${vars.NAME}`. A value is a default; keys declare more.",
		},
		{
			Name: "locals", Example: "{prod: \"${environment == 'prod'}\"}", Form: read.FormLocals,
			Read: (*document).readDeclared,
			Doc:  "Values with a name, used as `${locals.NAME}`.",
		},
		{
			Name: "environments", Example: "{dev: {vars: {size: t3.micro}}}", Form: read.FormEnvs,
			Read: (*document).readDeclared,
			Doc:  "The environments, each a stack of its own: STACK-ENVIRONMENT. `--env` chooses one.",
		},
		{
			Name: "stack", Example: "web", Form: read.FormText, Read: (*document).ReadStack,
			Doc: "The name of the stack: all resources that are owned together. Default: the name of the " +
				"folder. A resource that is removed from the configuration of its stack is deleted, so two " +
				"stacks must not share a name.",
		},
		{
			Name: "provider", Example: provider, Form: read.FormProvider, Read: (*document).readProvider,
			Doc: "The provider of the resources of this document.",
		},
	}
	out = append(out, locationKeys(o, "The location of resources that have none of their own.",
		(*document).readLocation)...)
	return append(out,
		read.Key[*document]{
			Name: "defaults", Example: "{tags: {team: platform}}", Form: read.FormDefaults, Read: (*document).readDefaults,
			Doc: "Defaults for the resources of this document.",
		},
		read.Key[*document]{
			Name: "rules", Example: "{max_destroy: 10%}", Form: read.FormRules, Read: (*document).readRules,
			Doc: "Limits to what a plan may do, for the whole stack. Rules only block.",
		},
		read.Key[*document]{
			Name: "ignore", Example: "{ec2: [tags.LastScan]}", Form: read.FormIgnore, Read: (*document).ReadIgnore,
			Doc: "Attributes that are not compared: names, dotted paths or patterns, for every resource in the " +
				"stack or by type.",
		},
		read.Key[*document]{
			Name: "timeouts", Example: "{rds: {create: 60m}}", Form: read.FormTimeouts, Read: (*document).ReadTimeouts,
			Doc: "How long an action may take, for the whole stack: by type, and then `create`, `update` " +
				"(also of a start or stop) or `delete`, from 1s to 24h. A replacement is a create and a " +
				"delete. After that the action ends with an unknown result, which the next plan observes. " +
				"Default: the provider's own limits.",
		},
		read.Key[*document]{
			Name: "options", Example: "{parallelism: 4}", Form: read.FormOptions, Read: (*document).readOptions,
			Doc: "How the stack is applied, and options of providers.",
		},
		read.Key[*document]{
			Name: "moved", Example: "[{from: ec2/web, to: ec2/frontend}]", Form: read.FormMoved,
			Read: (*document).readMoved,
			Doc: "Resources that have another name now, as `was` in a block says of one. An entry may stay: the " +
				"record says that it is done.",
		},
		read.Key[*document]{
			Name: "removed", Example: "[{ref: rds/orders, keep: true}]", Form: read.FormRemoved,
			Read: (*document).readRemoved,
			Doc: "Resources that are no longer configured, and whether they stay. An entry may stay until its name is " +
				"configured again.",
		},
		component.StackOutputs(func(d *document, n *source.Node) { readOutputs(d.Reader, d.Location, n) }),
		read.Key[*document]{
			Name: "resources", Example: "[{type: vpc, cidr: 10.0.0.0/16}]", Form: read.FormBlocks,
			Doc:  "The resources of the stack. An empty list ([]) deletes everything in the stack.",
			Read: (*document).readResources,
		},
	)
}

// locationKeys are location and each provider's own word for it.
func locationKeys(o source.Options, doc string,
	of func(d *document, n *source.Node, word string),
) []read.Key[*document] {
	var out []read.Key[*document]
	_, location := examples(o)
	for _, word := range locationWords(o) {
		example, text := "NAME", doc+" Same as `location`."
		if word == "location" {
			example, text = location, doc+" Each provider also has its own word for it, such as `region` or `host`."
		}
		out = append(out, read.Key[*document]{
			Name: word, Example: example, Form: read.FormText, Doc: text,
			Read: func(d *document, n *source.Node) { of(d, n, word) },
		})
	}
	return out
}

func defaultsKeys(o source.Options) []read.Key[*document] {
	return append(locationKeys(o, "The same as next to `defaults`; only one of the two is allowed.",
		(*document).readLocation),
		read.Key[*document]{
			Name: "tags", Example: "{team: platform}", Form: read.FormTags, Read: (*document).readDefaultTags,
			Doc: "Tags of every resource. A resource's own tag of the same name wins.",
		})
}

// eachKeys are the keys of a block that the language reads.
func eachKeys() []read.Key[*block] {
	return []read.Key[*block]{
		{
			Name: "for_each", Example: "[a, b]", Form: read.FormEach, Read: (*block).readExpanded,
			Doc: "Makes a resource NAME-KEY for each string of a list, or each key of a map. `${each.key}` is the key, and " +
				"`${each.value}` the value. A name with `${each.key}` is the whole name.",
		},
		{
			Name: "when", Example: "vars.replicas > 1", Form: read.FormWhen, Read: (*block).readExpanded,
			Doc: "The condition, in CEL. If it is false, the block is not read: it makes no resource.",
		},
		{
			Name: "group", Example: "web", Form: read.FormText, Read: (*block).readExpanded,
			Doc: "The name of all members of a `for_each`, in `depends_on` and in lists of names. Default: the name of the " +
				"block, if it has no `${…}`.",
		},
	}
}

func blockKeys(o source.Options) []read.Key[*block] {
	provider, location := examples(o)
	return append([]read.Key[*block]{
		{
			Name: "provider", Example: provider, Form: read.FormProvider, Read: (*block).readBlockProvider,
			Doc: "The provider, if it differs from the document's.",
		},
		{
			Name: "type", Example: "ec2", Form: read.FormType, Read: (*block).readType,
			Doc: "The kind of the resource. `ovi kinds` lists them with their attributes.",
		},
		{
			Name: "name", Example: "web", Form: read.FormText, Read: (*block).readName,
			Doc: "The name of the resource. To change it, add its former name as `was`. Default: the type, once a " +
				"file for each type.",
		},
		{
			Name: "was", Example: "web-server", Form: read.FormText, Read: (*block).readWas,
			Doc: "The former name of the resource, or of the count or for_each: NAME, or TYPE/NAME. The resource that is " +
				"recorded under it keeps running under the new name. The line may stay: the record says that it is done.",
		},
		{
			Name: "count", Example: "3", Form: read.FormCount, Read: (*block).readCount,
			Doc: "Makes that many resources: NAME-0, NAME-1 and so on. `count: 1` makes NAME-0; without a " +
				"count it is NAME.",
		},
		{
			Name: "update", Example: "{max_unavailable: 1}", Form: read.FormUpdate, Read: (*block).readUpdate,
			Doc: "How many of a count or for_each are restarted or replaced at a time; see below.",
		},
		{
			Name: "lookup", Example: "{id: vpc-0abc1234}", Form: read.FormLookup, Read: (*block).readLookup,
			Doc: "Names an existing resource that another stack, or no stack, owns. ovi reads it, so that other blocks " +
				"can refer to it, and never changes, adopts or deletes it; see below. Such a block has no attributes.",
		},
		{
			Name: "location", Example: location, Form: read.FormText, Read: (*block).readBlockLocation,
			Doc: "The location, if it differs from the document's. Each provider also has its own word for " +
				"it, such as `region` or `host`.",
		},
		{
			Name: "tags", Example: "{environment: prod}", Form: read.FormTags, Read: (*block).readTags,
			Doc: "The tags of the resource. Tags that start with ovi: are reserved.",
		},
		{
			Name: "blessed", Example: "true", Form: read.FormBool, Read: (*block).readBlessed,
			Doc: "Protects the resource from every action. Removing this line does not remove the protection; " +
				"`ovi unbless` does.",
		},
		{
			Name: "owner", Example: "team-a", Form: read.FormText, Read: (*block).readOwner,
			Doc: "The owner that its ovi tags name, if it is not the one of OVI_OWNER. Another owner on it is drift.",
		},
		{
			Name: "state", Example: "stopped", Form: read.FormState, Read: (*block).readState,
			Doc: "Whether the resource runs: running or stopped, for kinds that have a state. Default: the state " +
				"of the kind, mostly running. A resource that was stopped or failed outside ovi is drift and is " +
				"started again, at most 3 times in 10 minutes.",
		},
		{
			Name: "replace", Example: "create-first", Form: read.FormText, Read: (*block).readReplace,
			Doc: "How the resource is replaced where its kind allows a choice: destroy-first, create-first, " +
				"swap or start-first. `ovi kinds` shows what a kind can.",
		},
		{
			Name: "ignore", Example: "[tags.LastScan]", Form: read.FormPaths, Read: (*block).readIgnore,
			Doc: "Attributes, dotted paths or patterns that are not compared, of this resource alone.",
		},
		{
			Name: "depends_on", Example: "[db]", Form: read.FormNames, Read: (*block).readDependsOn,
			Doc: "Resources that must exist first, where no attribute refers to them: NAME, TYPE/NAME or a " +
				"whole ref. A name with a count means all of them.",
		},
		{
			Name: "spec", Example: "{size: t3.micro}", Form: read.FormSpec, Read: (*block).readSpec,
			Doc: "The attributes of the resource, if they are not next to these keys. An attribute with the name " +
				"of one of these keys can be set only here.",
		},
	}, eachKeys()...)
}
