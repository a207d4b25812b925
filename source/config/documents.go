package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/language"
	"github.com/ovi-project/ovi/source/syntax"
)

// documents returns the documents of a file and its problems. If whole is false, it omits their resources where it can.
func documents(f *input.File, whole bool) (roots []source.Node, problems source.Problems) {
	fail := func(line, col int32, summary, suggestion string) {
		problems = append(problems, source.Problem{At: f.At(line, col), Summary: summary, Suggestion: suggestion})
	}
	if f.IsJSON() {
		root, err := syntax.ParseJSON([]byte(f.Text))
		if err != nil {
			return nil, source.Problems{unparsed(f, err)}
		}
		return []source.Node{root}, nil
	}
	if cut, ok := syntax.NewCut(f.Text, "resources"); ok && !whole {
		if root, fine := cut.Around(); fine {
			return []source.Node{root}, nil
		}
	}
	docs, err := syntax.Parse(strings.NewReader(f.Text))
	if err != nil {
		return nil, source.Problems{unparsed(f, err)}
	}
	var repeats syntax.Repeats
	for _, d := range docs {
		roots = append(roots, syntax.NewConverter(&repeats, 0, fail).Node(d, 0))
	}
	return roots, problems
}

// list returns the items of a list, and nothing for any other node.
func list(n *source.Node) []source.Node {
	if n == nil || n.Shape != source.List {
		return nil
	}
	return n.Kids
}

// hasExpressions reports whether a file may have expressions.
func hasExpressions(f *input.File) bool {
	return language.Mentions(f.Text) || component.Mentioned(f.Text) ||
		strings.Contains(f.Text, "${") || strings.Contains(f.Text, "for_each") ||
		strings.Contains(f.Text, "when:") || strings.Contains(f.Text, `"when"`) || strings.Contains(f.Text, "group:")
}

// overlay returns the keys of both maps. The second one wins, also inside maps.
func overlay(under, over *source.Node) source.Node {
	if under.Shape != source.Object || over.Shape != source.Object {
		return *over
	}
	out := *under
	out.Kids = slices.Clone(under.Kids)
	for i := 0; i+1 < len(over.Kids); i += 2 {
		if own := out.Get(over.Kids[i].Text); own != nil {
			*own = overlay(own, &over.Kids[i+1])
		} else {
			out.Kids = append(out.Kids, over.Kids[i], over.Kids[i+1])
		}
	}
	return out
}

// looksLikeTerraform reports a block of HCL, such as resource "aws_instance" "web" {.
func looksLikeTerraform(text string) bool {
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "resource", "provider", "variable", "module", "terraform", "data", "output", "locals":
			if strings.HasSuffix(strings.TrimSpace(rest), "{") {
				return true
			}
		}
	}
	return false
}

// items are the blocks of a document that is in memory.
func items(root *source.Node) iter.Seq[*source.Node] {
	return func(yield func(*source.Node) bool) {
		list := root.Get("resources")
		for i := 0; list != nil && list.Shape != source.Object && i < len(list.Kids); i++ {
			if !yield(&list.Kids[i]) {
				return
			}
		}
	}
}

// tagKey finds the key of a tag.
func tagKey(n *source.Node, key string) *source.Node {
	tags := n.Get("tags")
	for i := 0; tags != nil && tags.Shape == source.Object && i+1 < len(tags.Kids); i += 2 {
		if tags.Kids[i].Text == key {
			return &tags.Kids[i]
		}
	}
	return nil
}

// locationWords are the keys for a location: location, and each provider's own word.
func locationWords(o source.Options) []string {
	out := []string{"location"}
	if o.Schemas == nil {
		return out
	}
	for _, p := range o.Schemas.Providers() {
		if w := o.LocationOf(p).Word; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// heads returns the documents of a file that may declare variables, and whether the file can be read. An unreadable
// file has none: the error is reported where the file is read.
func heads(f *input.File) (roots []source.Node, readable bool) {
	uses := component.Mentioned(f.Text)
	if len(f.Problems) > 0 {
		return nil, false
	}
	if !uses && !language.Mentions(f.Text) && !strings.Contains(f.Text, "stack") {
		return nil, true
	}
	roots, problems := documents(f, uses)
	return roots, len(roots) > 0 || len(problems) == 0
}

// meant reports that a misspelled key, which is reported, means this one.
func meant(root *source.Node, spelled []string, name string) bool {
	for i := 0; i < len(root.Kids); i += 2 {
		if near, ok := resource.Nearest(root.Kids[i].Text, spelled); ok && near == name {
			return true
		}
	}
	return false
}

// examples are a provider and a location to show: those of the first provider there is.
func examples(o source.Options) (provider, location string) {
	if o.Schemas == nil || len(o.Schemas.Providers()) == 0 {
		return "NAME", "NAME"
	}
	provider = o.Schemas.Providers()[0]
	return provider, cmp.Or(o.LocationOf(provider).Example, "NAME")
}

// version returns the version of a configuration. It covers the files, the files of components, and the values from
// the command line.
func version(files []*input.File, components map[string]string) string {
	sums := make([]byte, 0, 64*len(files))
	for _, f := range files {
		sums = append(sums, f.Sum...)
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		sums = append(append(sums, name...), components[name]...)
	}
	if len(sums) == len(files[0].Sum) {
		return "sha256:" + files[0].Sum
	}
	sum := sha256.Sum256(sums)
	return "sha256:" + hex.EncodeToString(sum[:])
}
