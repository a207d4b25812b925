package config

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/read"
	"github.com/ovi-project/ovi/source/config/settings"
)

// Reference documents the keys of a configuration in Markdown, from the tables that the parser
// uses.
func Reference() string {
	var b strings.Builder
	var o source.Options
	table(&b, "Keys of a file", "Every document (a file, or a part of one between `---` lines) is read on its own.",
		fileKeys(o))
	table(&b, "Keys of `defaults`", "", defaultsKeys(o))
	table(&b, "Keys of `rules`", "Also the keys of a file of rules (`--policy`), beside its `version`.",
		settings.RulesKeys())
	table(&b, "Keys of a window", "Each item of `windows`.", settings.WindowKeys())
	table(&b, "Keys of an approval", "Each item of `approvals`.", settings.ApprovalKeys())
	table(&b, "Keys of a rule in CEL", "Each item of `rules` in `rules`.", settings.RuleKeys())
	table(&b, "Keys of a drift rule", "Each item of `drift`.", settings.DriftKeys())
	table(&b, "Keys of `options`", "", settings.OptionsKeys(o))
	table(&b, "Keys of an entry of `moved`", "", movedKeys())
	table(&b, "Keys of an entry of `removed`", "", removedKeys())
	table(&b, "Keys of a block", "Each item of `resources` is a block. The attributes of its type are beside these "+
		"keys, or all of them under `spec`.", blockKeys(o))
	table(&b, "Keys of a `use` block", "Each item of `resources` that has `use`.", component.UseKeys("NAME"))
	table(&b, "Keys of a component", "The file `component.yaml` of a folder.", component.Keys("NAME"))
	table(&b, "Keys of `update`", "Of a block with a count.", updateKeys())
	table(&b, "Keys of `lookup`", "Of a block for an existing resource of another owner.", lookupKeys())
	return b.String()
}

func table[T any](b *strings.Builder, title, doc string, keys []read.Key[T]) {
	fmt.Fprintf(b, "### %s\n\n", title)
	if doc != "" {
		b.WriteString(doc + "\n\n")
	}
	b.WriteString("| key | value | example | description |\n|---|---|---|---|\n")
	for _, k := range keys {
		fmt.Fprintf(b, "| `%s` | %s | `%s` | %s |\n", k.Name, words(k.Form), cell(k.Example), cell(k.Doc))
	}
	b.WriteString("\n")
}

// words describe a form for users.
func words(f read.Form) string {
	switch f {
	case read.FormText, read.FormVersion, read.FormBool, read.FormDuration, read.FormState:
		return string(f)
	case read.FormProvider:
		return "a provider"
	case read.FormType:
		return "a type"
	case read.FormCount:
		return fmt.Sprintf("0 to %d", source.MaxCount)
	case read.FormNumber:
		return "a whole number"
	case read.FormTags:
		return "keys with values"
	case read.FormTime:
		return "HH:MM"
	case read.FormEffect, read.FormDrift, read.FormDestroy:
		return "a word"
	case read.FormNames, read.FormPaths, read.FormDays, read.FormActions, read.FormKinds:
		return "a list of " + string(f)
	case read.FormPublic:
		return "a " + string(f)
	case read.FormSpec:
		return "attributes"
	case read.FormIgnore:
		return "a list of paths, or such lists by type"
	case read.FormBudget:
		return "a number, or a share in %"
	case read.FormBlocks, read.FormWindows, read.FormApprovals, read.FormCEL, read.FormDrifts, read.FormMoved,
		read.FormRemoved:
		return "a list of blocks"
	}
	switch f {
	case read.FormVars, read.FormLocals, read.FormEnvs, read.FormOutputs:
		return "values by name"
	case read.FormEach:
		return "a list of strings, or keys with values"
	case read.FormWhen:
		return "an expression in CEL"
	}
	return "keys, see below"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
