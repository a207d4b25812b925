package config

// form is what a key's value looks like: the JSON Schema and the reference are made from it.
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
	formPolicy   form = "block: policy"
	formOptions  form = "block: options"

	formWindows   form = "list of windows"
	formApprovals form = "list of approvals"
	formRules     form = "list of rules"
	formDays      form = "days"
	formTime      form = "time of the day"
	formActions   form = "actions"
	formKinds     form = "types"
	formEffect    form = "effect"
)

// key is one key of the config's own. The tables below are the only list of them: the parser,
// the reference and the JSON Schema all read these. Keys are read in the order of the table,
// wherever they stand in the file.
type key[T any] struct {
	name, example string
	form          form
	doc           string
	read          func(T, *node)
}

func fileKeys() []key[*document] {
	return []key[*document]{
		{"version", "v1", formVersion, "The version of this format. Every document says it.", (*document).readVersion},
		{"stack", "web", formText, "The name of the stack: everything that is owned together. Without it, the name of the folder the file stands in. What a stack no longer wants is deleted, so two stacks must not share a name.", (*document).readStack},
		{"provider", "aws", formProvider, "Who makes the things of this document.", (*document).readProvider},
		{"region", "us-east-1", formText, "Where the things stand that do not say it themselves.", (*document).readRegion},
		{"defaults", "{tags: {team: platform}}", formDefaults, "What holds for every thing of this document that says nothing else.", (*document).readDefaults},
		{"policy", "{max_destroy: 10%}", formPolicy, "Limits to what a plan may do. They hold for the whole stack, and can only forbid.", (*document).readPolicy},
		{"ignore", "{ec2: [tags.LastScan]}", formIgnore, "What not to compare: attributes, dotted paths or patterns, of every thing in the stack or by type.", (*document).readIgnore},
		{"options", "{parallelism: 4}", formOptions, "How the stack is worked on.", (*document).readOptions},
		{"resources", "[{type: vpc, cidr: 10.0.0.0/16}]", formBlocks, "What the stack wants. An empty list ([]) wants nothing, and so deletes what the stack owns.", (*document).readResources},
	}
}

func defaultsKeys() []key[*document] {
	return []key[*document]{
		{"region", "eu-west-1", formText, "The same as region beside it; only one of the two may stand.", (*document).readDefaultRegion},
		{"tags", "{team: platform}", formTags, "Tags that every thing gets. A thing's own tag of the same name wins.", (*document).readDefaultTags},
	}
}

func policyKeys() []key[*document] {
	return []key[*document]{
		{"skip_destructive", "true", formBool, "Nothing is deleted or replaced: the plan only tells of it.", (*document).readSkipDestructive},
		{"max_destroy", "10%", formBudget, "The most things one plan may delete or replace: a number, or a share of the things the stack owns. Above it nothing at all is destroyed.", (*document).readMaxDestroy},
		{"windows", "[{days: [sat], from: 22:00, to: 04:00}]", formWindows, "Maintenance windows: what they cover happens only while one of them is open, and waits for it until then.", (*document).readWindows},
		{"approvals", "[{kinds: [rds], people: 2}]", formApprovals, "What needs the yes of people, given to this very plan with `ovi approve`.", (*document).readApprovals},
		{"rules", "[{name: keep-prod, when: \"…\", effect: deny}]", formRules, "Rules of your own, in CEL.", (*document).readRules},
	}
}

func optionsKeys() []key[*document] {
	return []key[*document]{
		{"parallelism", "10", formNumber, "How many things are worked on at once.", (*document).readParallelism},
		{"claim_ttl", "5m", formDuration, "How long a claim on a thing lives without a sign of life from its holder.", (*document).readClaimTTL},
		{"skip_destructive", "true", formBool, "The same as in policy.", (*document).readSkipDestructive},
	}
}

func blockKeys() []key[*block] {
	return []key[*block]{
		{"type", "ec2", formType, "The kind of the thing. `ovi kinds` lists them with their attributes, which stand beside these keys.", (*block).readType},
		{"name", "web", formText, "The thing's name, for ever: a thing with another name is another thing. Without it the type is the name, once a file for each type.", (*block).readName},
		{"count", "3", formCount, "So many things of a kind: NAME-0, NAME-1 and so on. `count: 1` makes NAME-0; no count at all makes NAME.", (*block).readCount},
		{"region", "eu-west-1", formText, "Where this thing stands, if not where the file says.", (*block).readRegion},
		{"tags", "{environment: prod}", formTags, "The thing's tags. Those that begin with ovi: are ovi's own.", (*block).readTags},
		{"blessed", "true", formBool, "Protected: no plan deletes, replaces or changes it. Taking this line away does not take the blessing away; `ovi unbless` does.", (*block).readBlessed},
		{"ignore", "[tags.LastScan]", formPaths, "Attributes, dotted paths or patterns not to compare, of this thing alone.", (*block).readIgnore},
		{"needs", "[db]", formNames, "Things that must be there first, where no attribute says so: NAME, TYPE/NAME or a whole ref. A name with a count means all of them.", (*block).readNeeds},
	}
}

// spelling lists the names of a table.
func spelling[T any](table []key[T]) []string {
	out := make([]string, len(table))
	for i, k := range table {
		out[i] = k.name
	}
	return out
}

// readKeys reads a block of keys by its table: first what is known, in the table's order,
// then it names what is not. Of a key that stands twice the first is read.
func readKeys[T any](f *document, to T, table []key[T], n *node, of string) {
	if n.shape != object {
		f.wrong(n, of+" must be a block of keys, and this is "+n.what(), "write KEY: VALUE lines")
		return
	}
	f.doubles(n)
	for i := range table {
		v := n.get(table[i].name)
		switch {
		case v == nil:
		case v.null():
			f.wrong(v, table[i].name+" has no value", "write "+table[i].name+": "+table[i].example+", or leave the key out")
		default:
			table[i].read(to, v)
		}
	}
	for i := 0; i+1 < len(n.kids); i += 2 {
		if k := &n.kids[i]; !known(table, k.text) {
			f.wrong(k, of+" has no key "+quote(k.text), didYouMean(k.text, spelling(table)))
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
