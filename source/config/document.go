package config

import (
	"iter"
	"slices"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/language"
	"github.com/ovi-project/ovi/source/config/read"
	"github.com/ovi-project/ovi/source/config/settings"
)

// document is one document: its own keys, for the blocks under resources.
type document struct {
	*settings.Setter
	l     *loader
	start *source.Node
	tags  resource.Tags   // of defaults
	unit  *component.Unit // the component that the blocks are part of, or nil
}

// setter returns what reads the settings of a document of a file.
func (l *loader) setter(f *input.File) *settings.Setter {
	return &settings.Setter{Reader: l.reader(f), Settings: &l.settings, Several: l.several}
}

// reader returns the reader of the values of a file.
func (l *loader) reader(f *input.File) *read.Reader {
	o := l.opts
	return &read.Reader{Opts: o.Options, Env: o.Env, Files: o.Files, Draft: l.draft, File: f}
}

// document reads one document: its own keys first, wherever they are, then the blocks.
func (l *loader) document(f *input.File, root *source.Node, blocks iter.Seq[*source.Node]) {
	d := &document{Setter: l.setter(f), l: l, start: root}
	if root.IsNull() {
		d.Wrong(root, "the document is empty", "remove the --- line that starts it")
		return
	}
	if root.Shape == source.Scalar && looksLikeTerraform(f.Text) {
		d.Wrong(root, likeTerraform, terraformAdvice)
		return
	}
	if what, advice := ofOtherTool(root); what != "" {
		d.Wrong(root, "the file looks like "+what, advice)
		return
	}
	keys := fileKeys(l.opts.Options)
	root = d.expand(root)
	d.start = root
	read.Keys(d.Reader, d, keys, root, "the file")
	if root.Shape != source.Object {
		return
	}
	if root.Get("version") == nil && !meant(root, read.Spelling(keys), "version") {
		d.Wrong(root, "the file has no version", "add version: v1 as the first line")
	}
	d.inEnvironment()
	if d.Location != "" && d.Provider != "" {
		l.draft.Scope(resource.Scope{Provider: d.Provider, Location: d.Location})
	}
	b := &block{
		document: d, keys: blockKeys(l.opts.Options),
		unnamed: root.Get("provider") != nil || meant(root, read.Spelling(keys), "provider"),
	}
	for n := range blocks {
		if component.Is(n) {
			d.readUse(l.components.Top(), n)
			continue
		}
		if l.language == nil {
			b.read(&language.Member{Node: *n})
			continue
		}
		language.Note(l.language, f, n)
		l.language.Block(f, n, func(m *language.Member) bool {
			b.read(m)
			return true
		})
	}
}

func (d *document) readProvider(n *source.Node) { d.Provider = d.ProviderName(n) }

// readLocation reads the location of the document, by whichever word.
func (d *document) readLocation(n *source.Node, word string) {
	switch rule := d.Opts.LocationOf(d.Provider); {
	case d.Location != "":
		d.Wrong(n, "duplicate "+word+": the file has a location already", "remove one")
	case d.Provider != "" && word != "location" && word != rule.Word:
		hint := "use location"
		if rule.Word != "location" {
			hint = "use " + rule.Word + " or location"
		}
		d.Wrong(n, "provider "+d.Provider+" has no "+word, hint)
	default:
		d.Location = d.locationName(n, word)
	}
}

// locationName reads a location; "" where it is not one.
func (d *document) locationName(n *source.Node, word string) string {
	s, ok := d.Text(n, word)
	if ok && !settings.Fit.MatchString(s) {
		suggestion := "use letters, digits, '.', '_', '-' and '/'"
		if of := d.Opts.LocationOf(d.Provider).Example; of != "" {
			suggestion = "for example, " + word + ": " + of
		}
		d.Wrong(n, "invalid "+word+" "+source.Quote(s), suggestion)
		return ""
	}
	return s
}

func (d *document) readDefaults(n *source.Node) {
	read.Keys(d.Reader, d, defaultsKeys(d.Opts), n, "defaults")
}

func (d *document) readRules(n *source.Node) {
	read.Keys(d.Reader, d.Setter, settings.RulesKeys(), n, "rules")
}

func (d *document) readOptions(n *source.Node) {
	read.Keys(d.Reader, d.Setter, settings.OptionsKeys(d.Opts), n, "options")
}
func (d *document) readDefaultTags(n *source.Node) { d.tags = d.readTags(n, nil) }

func (d *document) readResources(n *source.Node) {
	if n.Shape != source.List {
		d.Wrong(n, "resources must be a list of blocks, got "+n.Form(), "start each block with a dash: - type: "+d.kindIn(n))
		return
	}
	d.l.isDesired = true
}

// kindIn returns the kind of one of the resources that were written as a map, by kind or by name, or else some kind.
func (d *document) kindIn(n *source.Node) string {
	kinds := d.KindNames()
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if slices.Contains(kinds, n.Kids[i].Text) {
			return n.Kids[i].Text
		}
		if of := n.Kids[i+1].Get("type"); of != nil && slices.Contains(kinds, of.Text) {
			return of.Text + ", name: " + n.Kids[i].Text
		}
	}
	return d.SomeKind()
}
