package component

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// key is a row of a table whose values this package reads elsewhere.
func key(name, example string, form read.Form, doc string) read.Key[*read.Reader] {
	return read.Key[*read.Reader]{
		Name: name, Example: example, Form: form, Doc: doc,
		Read: func(*read.Reader, *source.Node) {},
	}
}

// Keys are the keys of the file of a component.
func Keys(provider string) []read.Key[*read.Reader] {
	out := []read.Key[*read.Reader]{
		key("version", "v1", read.FormVersion, "The version of this format."),
		key("public", "[file:init.sh]", read.FormPublic,
			"Files of the folder that ovi may record and show: `file:PATH`, as inside `${…}`."),
		key("vars", "{size: {type: string}}", read.FormVars,
			"The variables that a `use` block sets, declared as in a configuration. A component reads no others."),
		key("locals", "{name: \"db-${vars.size}\"}", read.FormLocals, "Values with a name, used as `${locals.NAME}`."),
		key("provider", provider, read.FormProvider,
			"The provider of the resources. Default: the provider of the file that uses the component."),
		key("resources", "[{type: vpc, cidr: \"${vars.net}\"}]", read.FormBlocks,
			"The resources, as in a configuration; also `use` blocks. Their names are NAME-INNER, after the name of the "+
				"`use` block."),
		key("moved", "[{from: ec2/web, to: ec2/frontend}]", read.FormMoved,
			"Resources of the component that have another name now, by their names in it. An entry may stay."),
		key("removed", "[{ref: rds/orders, keep: true}]", read.FormRemoved,
			"Resources that the component no longer has, by their names in it, and whether they stay."),
		key("outputs", "{vpc: \"${vpc/main}\"}", read.FormOutputs,
			"The values that the user of the component reads as `${use/NAME.OUTPUT}`. A secret is not allowed."),
	}
	out[0].Read = (*read.Reader).ReadVersion
	return out
}

// UseKeys are the keys of a use block, without the words of providers for a location.
func UseKeys(location string) []read.Key[*read.Reader] {
	return []read.Key[*read.Reader]{
		key("use", "./components/network", read.FormText,
			"The folder of a component: a folder with a `component.yaml`, relative to the file that names it and in the same "+
				"repository; or `git+https://HOST/REPOSITORY//FOLDER?ref=TAG`, as `ovi.lock` names it (`ovi fetch`)."),
		key("name", "net", read.FormText,
			"The name. A resource INNER of the component is NAME-INNER, and `${use/NAME.OUTPUT}` reads its outputs."),
		key("was", "network", read.FormText,
			"The former name of the block, in another stack STACK:NAME. Its resources keep running under their new names. "+
				"The line may stay."),
		key("vars", "{cidr: 10.0.0.0/16}", read.FormVars, "The values of the variables of the component."),
		key("location", location, read.FormText,
			"The location of its resources, if it differs from the document's. Each provider also has its own word for it."),
		key("depends_on", "[db]", read.FormNames,
			"Resources that must exist before each resource of the component, as in other blocks."),
		key("for_each", "[a, b]", read.FormEach, "Uses the component once for each key: NAME-KEY, as in other blocks."),
		key("when", "vars.replicas > 1", read.FormWhen, "The condition, in CEL. If it is false, the component is not used."),
		key("group", "net", read.FormText, "The name of all that a `for_each` makes: `use/GROUP`. Default: the name."),
	}
}

// StackOutputs is the key of the outputs of a stack, which a configuration reads.
func StackOutputs[T any](of func(T, *source.Node)) read.Key[T] {
	return read.Key[T]{
		Name: "outputs", Example: "{endpoint: \"${rds/db.endpoint}\"}", Form: read.FormOutputs, Read: of,
		Doc: "The values that the stack publishes. An apply records them, `ovi output` prints them, and other stacks " +
			"of the same store read them as `${stack/STACK.NAME}`. A secret is not allowed.",
	}
}
