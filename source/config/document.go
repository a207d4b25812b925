package config

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// document is one document: its own keys, for the blocks under resources.
type document struct {
	*loader
	file     *file
	start    *source.Node
	provider string
	location string        // of the document's provider
	within   string        // the group that its options name, for locations without one
	tags     resource.Tags // of defaults
	public   []string      // what comes from outside and may be shown, as "env:NAME"
	block    *block        // the one being read, if any
}

// document reads one document: its own keys first, wherever they are, then the blocks.
func (l *loader) document(f *file, root *source.Node, blocks iter.Seq[*source.Node]) {
	d := &document{loader: l, file: f, start: root}
	if root.IsNull() {
		d.wrong(root, "the document is empty", "remove the --- line that starts it")
		return
	}
	if root.Shape == source.Scalar && looksLikeTerraform(f.text) {
		d.wrong(root, "the file looks like Terraform (HCL)", "write YAML, see docs/terraform.md; `ovi import terraform` writes it of a state")
		return
	}
	keys := fileKeys(l.opts.Options)
	readKeys(d, d, keys, root, "the file")
	if root.Shape != source.Object {
		return
	}
	if root.Get("version") == nil && !meant(root, keys, "version") {
		d.wrong(root, "the file has no version", "add version: v1 as the first line")
	}
	if d.location != "" && d.provider != "" {
		l.draft.Scope(resource.Scope{Provider: d.provider, Location: d.location})
	}
	b := &block{document: d, keys: blockKeys(l.opts.Options), unnamed: root.Get("provider") != nil || meant(root, keys, "provider")}
	for n := range blocks {
		b.read(n)
	}
}

// meant reports that a misspelled key, which is reported, means this one.
func meant(root *source.Node, keys []key[*document], name string) bool {
	for i := 0; i < len(root.Kids); i += 2 {
		if near, ok := resource.Nearest(root.Kids[i].Text, spelling(keys)); ok && near == name {
			return true
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

// wrong reports a problem, of the block being read if there is one.
func (d *document) wrong(n *source.Node, summary, suggestion string) {
	ref := ""
	if d.block != nil {
		ref, d.block.r.Broken = d.block.ref(), true
	}
	d.problem(d.file.at(n.Line, n.Column), ref, summary, suggestion)
}

// duplicates reports keys that a block has twice.
func (d *document) duplicates(n *source.Node) {
	for again, first := range source.Duplicates(n) {
		d.wrong(again, "duplicate key "+source.Quote(again.Text), fmt.Sprintf("remove one; the other is on line %d", first.Line))
	}
}

func (d *document) readVersion(n *source.Node) {
	if n.Shape != source.Scalar || n.Text != "v1" {
		d.wrong(n, "unsupported version "+n.What(), "use version: v1")
	}
}

func (d *document) readProvider(n *source.Node) { d.provider = d.providerName(n) }

// providerName reads the name of a provider.
func (d *document) providerName(n *source.Node) string {
	providers := d.opts.Schemas.Providers()
	name, ok := d.text(n, "provider")
	if !ok {
		return ""
	}
	if i := slices.Index(providers, name); i >= 0 {
		return providers[i]
	}
	d.wrong(n, "unknown provider "+source.Quote(name), source.Suggest(name, providers))
	return ""
}

// readLocation reads the location of the document, by whichever word.
func (d *document) readLocation(n *source.Node, word string) {
	switch rule := d.opts.LocationOf(d.provider); {
	case d.location != "":
		d.wrong(n, "duplicate "+word+": the file has a location already", "remove one")
	case d.provider != "" && word != "location" && word != rule.Word:
		hint := "use location"
		if rule.Word != "location" {
			hint = "use " + rule.Word + " or location"
		}
		d.wrong(n, "provider "+d.provider+" has no "+word, hint)
	default:
		d.location = d.locationName(n, word)
	}
}

// locationName reads a location; "" where it is not one.
func (d *document) locationName(n *source.Node, word string) string {
	s, ok := d.text(n, word)
	if ok && !fit.MatchString(s) {
		d.wrong(n, "invalid "+word+" "+source.Quote(s), cmpOr(example(word, d.opts.LocationOf(d.provider).Example), "use letters, digits, '.', '_', '-' and '/'"))
		return ""
	}
	return s
}

func example(word, of string) string {
	if of == "" {
		return ""
	}
	return "for example, " + word + ": " + of
}

func (d *document) readDefaults(n *source.Node) {
	readKeys(d, d, defaultsKeys(d.opts.Options), n, "defaults")
}
func (d *document) readRules(n *source.Node) { readKeys(d, d, rulesKeys(), n, "rules") }
func (d *document) readOptions(n *source.Node) {
	readKeys(d, d, optionsKeys(d.opts.Options), n, "options")
}
func (d *document) readDefaultTags(n *source.Node) { d.tags = d.readTags(n, nil) }

func (d *document) readResources(n *source.Node) {
	if n.Shape != source.List {
		d.wrong(n, "resources must be a list of blocks, got "+n.Form(), "start each block with a dash: - type: "+d.someKind())
		return
	}
	d.isDesired = true
}

// someKind is a kind for an example.
func (d *document) someKind() string {
	for _, p := range d.opts.Schemas.Providers() {
		if kinds := d.opts.Schemas.Kinds(p); len(kinds) > 0 && (d.provider == "" || d.provider == p) {
			return kinds[0].Name
		}
	}
	return "KIND"
}

// kindNames lists the kinds of the document's provider, or of all.
func (d *document) kindNames() []string {
	var out []string
	for _, p := range d.opts.Schemas.Providers() {
		if d.provider != "" && p != d.provider {
			continue
		}
		for _, k := range d.opts.Schemas.Kinds(p) {
			out = append(out, k.Name)
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
