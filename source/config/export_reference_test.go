package config

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// Reference documents the keys of a configuration in Markdown, from the tables that the parser
// uses.
func Reference() string {
	var b strings.Builder
	var o source.Options
	table(&b, "Keys of a file", "Every document (a file, or a part of one between `---` lines) is read on its own.", fileKeys(o))
	table(&b, "Keys of `defaults`", "", defaultsKeys(o))
	table(&b, "Keys of `rules`", "Also the keys of a file of rules (`--policy`), beside its `version`.", rulesKeys())
	table(&b, "Keys of a window", "Each item of `windows`.", windowKeys())
	table(&b, "Keys of an approval", "Each item of `approvals`.", approvalKeys())
	table(&b, "Keys of a rule in CEL", "Each item of `rules` in `rules`.", ruleKeys())
	table(&b, "Keys of a drift rule", "Each item of `drift`.", driftKeys())
	table(&b, "Keys of `options`", "", optionsKeys(o))
	table(&b, "Keys of a block", "Each item of `resources` is a block. The attributes of its type are beside these keys, or all of them under `spec`.", blockKeys(o))
	table(&b, "Keys of `update`", "Of a block with a count.", updateKeys())
	return b.String()
}

func table[T any](b *strings.Builder, title, doc string, keys []key[T]) {
	fmt.Fprintf(b, "### %s\n\n", title)
	if doc != "" {
		b.WriteString(doc + "\n\n")
	}
	b.WriteString("| key | value | example | description |\n|---|---|---|---|\n")
	for _, k := range keys {
		fmt.Fprintf(b, "| `%s` | %s | `%s` | %s |\n", k.name, words(k.form), cell(k.example), cell(k.doc))
	}
	b.WriteString("\n")
}

// words describe a form for users.
func words(f form) string {
	switch f {
	case formText, formVersion, formBool, formDuration, formState:
		return string(f)
	case formProvider:
		return "a provider"
	case formType:
		return "a type"
	case formCount:
		return fmt.Sprintf("0 to %d", source.MaxCount)
	case formNumber:
		return "a whole number"
	case formTags:
		return "keys with values"
	case formTime:
		return "HH:MM"
	case formEffect, formDrift, formDestroy:
		return "a word"
	case formNames, formPaths, formDays, formActions, formKinds:
		return "a list of " + string(f)
	case formPublic:
		return "a " + string(f)
	case formSpec:
		return "attributes"
	case formIgnore:
		return "a list of paths, or such lists by type"
	case formBudget:
		return "a number, or a share in %"
	case formBlocks, formWindows, formApprovals, formCEL, formDrifts:
		return "a list of blocks"
	}
	return "keys, see below"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
