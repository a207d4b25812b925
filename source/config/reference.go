package config

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// Reference documents the config's own keys in Markdown, from the tables that the parser
// reads by. With schemas it also lists the types there are; nil leaves them out.
func Reference(schemas source.Schemas) string {
	var b strings.Builder
	table(&b, "Keys of a file", "Every document (a file, or a part of one between `---` lines) stands on its own.", fileKeys())
	table(&b, "Keys of `defaults`", "", defaultsKeys())
	table(&b, "Keys of `policy`", "", policyKeys())
	table(&b, "Keys of a window", "Each item of `windows`.", windowKeys())
	table(&b, "Keys of an approval", "Each item of `approvals`.", approvalKeys())
	table(&b, "Keys of a rule", "Each item of `rules`.", ruleKeys())
	table(&b, "Keys of `options`", "", optionsKeys())
	table(&b, "Keys of a block", "Each item of `resources` is a block. Beside these keys stand the attributes of its type.", blockKeys())
	if schemas == nil {
		return b.String()
	}
	for _, p := range schemas.Providers() {
		fmt.Fprintf(&b, "### Types of `%s`\n\n| type | what it is |\n|---|---|\n", p)
		for _, k := range schemas.Kinds(p) {
			first, _, _ := strings.Cut(k.Doc, "\n")
			fmt.Fprintf(&b, "| `%s` | %s |\n", k.Name, cell(first))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func table[T any](b *strings.Builder, title, doc string, keys []key[T]) {
	fmt.Fprintf(b, "### %s\n\n", title)
	if doc != "" {
		b.WriteString(doc + "\n\n")
	}
	b.WriteString("| key | value | such as | what it says |\n|---|---|---|---|\n")
	for _, k := range keys {
		fmt.Fprintf(b, "| `%s` | %s | `%s` | %s |\n", k.name, k.form.words(), cell(k.example), cell(k.doc))
	}
	b.WriteString("\n")
}

// words describe a form for people.
func (f form) words() string {
	switch f {
	case formText, formVersion, formBool, formDuration:
		return string(f)
	case formProvider:
		return "a provider"
	case formType:
		return "a type"
	case formCount:
		return fmt.Sprintf("0 to %d", maxCount)
	case formNumber:
		return "a whole number"
	case formTags:
		return "keys with values"
	case formTime:
		return "HH:MM"
	case formEffect:
		return "a word"
	case formNames, formPaths, formDays, formActions, formKinds:
		return "a list of " + string(f)
	case formIgnore:
		return "a list of paths, or such lists by type"
	case formBudget:
		return "a number, or a share in %"
	case formBlocks, formWindows, formApprovals, formRules:
		return "a list of blocks"
	}
	return "keys, see below"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
