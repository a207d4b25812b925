package config

import (
	"cmp"
	"iter"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// document is one document: its own keys, for the blocks under resources.
type document struct {
	*setter
	l     *loader
	start *source.Node
	tags  resource.Tags // of defaults
}

// setter returns what reads the settings of a document of a file.
func (l *loader) setter(f *file) *setter {
	o := l.opts
	r := &reader{opts: o.Options, env: o.Env, files: o.Files, draft: l.draft, file: f}
	return &setter{reader: r, settings: &l.settings, several: l.several}
}

// document reads one document: its own keys first, wherever they are, then the blocks.
func (l *loader) document(f *file, root *source.Node, blocks iter.Seq[*source.Node]) {
	d := &document{setter: l.setter(f), l: l, start: root}
	if root.IsNull() {
		d.wrong(root, "the document is empty", "remove the --- line that starts it")
		return
	}
	if root.Shape == source.Scalar && looksLikeTerraform(f.text) {
		d.wrong(root, "the file looks like Terraform (HCL)", "write YAML, see docs/terraform.md; `ovi import terraform` writes it of a state")
		return
	}
	keys := fileKeys(l.opts.Options)
	readKeys(d.reader, d, keys, root, "the file")
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

func (d *document) readProvider(n *source.Node) { d.provider = d.providerName(n) }

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
		d.wrong(n, "invalid "+word+" "+source.Quote(s), cmp.Or(example(word, d.opts.LocationOf(d.provider).Example), "use letters, digits, '.', '_', '-' and '/'"))
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
	readKeys(d.reader, d, defaultsKeys(d.opts), n, "defaults")
}
func (d *document) readRules(n *source.Node) { readKeys(d.reader, d.setter, rulesKeys(), n, "rules") }
func (d *document) readOptions(n *source.Node) {
	readKeys(d.reader, d.setter, optionsKeys(d.opts), n, "options")
}
func (d *document) readDefaultTags(n *source.Node) { d.tags = d.readTags(n, nil) }

func (d *document) readResources(n *source.Node) {
	if n.Shape != source.List {
		d.wrong(n, "resources must be a list of blocks, got "+n.Form(), "start each block with a dash: - type: "+d.someKind())
		return
	}
	d.l.isDesired = true
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
