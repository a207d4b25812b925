package config

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// document is one document: what its own keys say, for the blocks under resources.
type document struct {
	*loader
	file     *file
	start    *node
	provider string
	region   string
	tags     resource.Tags // of defaults
	kinds    map[string]*kind
	names    []string // of the kinds there are
	table    []key[*block]
	block    *block // the one being read, if any
}

// kind is a schema made ready for many blocks.
type kind struct {
	resource.Kind
	checker *resource.Checker
	partial *resource.Checker // without the rules across attributes: for what was read in part
	attrs   map[string]*resource.Attribute
	names   []string // of what may be wished, and the block's own keys
}

// document reads one document: its own keys first, wherever they stand, then the blocks.
func (l *loader) document(f *file, root *node, blocks iter.Seq[*node]) {
	d := &document{loader: l, file: f, start: root, kinds: map[string]*kind{}, table: blockKeys()}
	if root.null() {
		d.wrong(root, "the document is empty", "take away the --- line that begins it")
		return
	}
	readKeys(d, d, fileKeys(), root, "the file")
	if root.shape != object {
		return
	}
	if root.get("version") == nil && !meant(root, "version") {
		d.wrong(root, "the file does not say its version", "begin it with version: v1")
	}
	if d.provider == "" {
		if root.get("provider") == nil && root.get("resources") != nil && !meant(root, "provider") {
			d.wrong(root, "the file does not say its provider", "add provider: "+strings.Join(l.opts.Schemas.Providers(), " or "))
		}
		for range blocks { // without a provider none can be understood, but is each one YAML?
		}
		return
	}
	if d.region != "" {
		l.scopes[resource.Scope{Provider: d.provider, Location: d.region}] = true
	}
	b := newBlock(d)
	for n := range blocks {
		b.read(n)
	}
}

// meant says that a key stands there misspelt, which has been told.
func meant(root *node, key string) bool {
	for i := 0; i < len(root.kids); i += 2 {
		if near, ok := resource.Nearest(root.kids[i].text, spelling(fileKeys())); ok && near == key {
			return true
		}
	}
	return false
}

// items are the blocks of a document that is read already.
func items(root *node) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		list := root.get("resources")
		for i := 0; list != nil && list.shape != object && i < len(list.kids); i++ {
			if !yield(&list.kids[i]) {
				return
			}
		}
	}
}

// wrong reports a problem, of the block being read if there is one.
func (d *document) wrong(n *node, summary, suggestion string) {
	ref := ""
	if d.block != nil {
		ref, d.block.failed = d.block.ref(), true
	}
	d.problem(d.file.at(n.line, n.col), ref, summary, suggestion)
}

// doubles names the keys that stand twice.
func (d *document) doubles(n *node) {
	if len(n.kids) > 2*32 {
		d.manyDoubles(n)
		return
	}
	for i := 2; i+1 < len(n.kids); i += 2 {
		for j := 0; j < i; j += 2 {
			if n.kids[i].text == n.kids[j].text {
				d.double(&n.kids[i], &n.kids[j])
				break
			}
		}
	}
}

// manyDoubles is doubles for blocks of so many keys that comparing each with each would show.
func (d *document) manyDoubles(n *node) {
	first := make(map[string]*node, len(n.kids)/2)
	for i := 0; i+1 < len(n.kids); i += 2 {
		if f, again := first[n.kids[i].text]; again {
			d.double(&n.kids[i], f)
		} else {
			first[n.kids[i].text] = &n.kids[i]
		}
	}
}

func (d *document) double(again, first *node) {
	d.wrong(again, fmt.Sprintf("the key %s stands twice; the other is on line %d", quote(again.text), first.line), "take one away")
}

func (d *document) readVersion(n *node) {
	if n.shape != scalar || n.text != "v1" {
		d.wrong(n, "version is "+n.what()+", and this ovi reads v1", "write version: v1")
	}
}

func (d *document) readProvider(n *node) {
	providers := d.opts.Schemas.Providers()
	name, ok := d.text(n, "provider")
	if !ok {
		return
	}
	for _, p := range providers {
		if p == name {
			d.provider = p
		}
	}
	if d.provider == "" {
		d.wrong(n, "there is no provider "+quote(name), didYouMean(name, providers))
		return
	}
	for _, k := range d.opts.Schemas.Kinds(d.provider) {
		d.names = append(d.names, k.Name)
	}
}

func (d *document) readRegion(n *node) { d.region = d.location(n) }

func (d *document) readDefaultRegion(n *node) {
	if d.start.get("region") != nil {
		d.wrong(n, "the region stands twice: here and as the file's region", "take one away")
		return
	}
	d.region = d.location(n)
}

// location reads the name of a region: anything that fits in the middle of a ref.
func (d *document) location(n *node) string {
	s, ok := d.text(n, "region")
	if ok && !fit.MatchString(s) {
		d.wrong(n, quote(s)+" is no name of a region", "such as us-east-1")
		return ""
	}
	return d.intern.text(s)
}

func (d *document) readDefaults(n *node)    { readKeys(d, d, defaultsKeys(), n, "defaults") }
func (d *document) readPolicy(n *node)      { readKeys(d, d, policyKeys(), n, "policy") }
func (d *document) readOptions(n *node)     { readKeys(d, d, optionsKeys(), n, "options") }
func (d *document) readDefaultTags(n *node) { d.tags = d.readTags(n, nil) }

func (d *document) readResources(n *node) {
	if n.shape != list {
		d.wrong(n, "resources must be a list of blocks, and this is "+n.what(), "begin each block with a dash: - type: ec2")
		return
	}
	d.isDesired = true
}

// kind finds a schema by name and makes it ready, once.
func (d *document) kind(name string) (*kind, error) {
	if k, ok := d.kinds[name]; ok {
		return k, nil
	}
	schema, ok := d.opts.Schemas.Kind(d.provider, name)
	if !ok {
		return nil, nil
	}
	checker, err := resource.NewChecker(schema)
	if err != nil {
		return nil, err
	}
	plain := schema
	plain.Canonical = nil
	partial, err := resource.NewChecker(plain)
	if err != nil {
		return nil, err
	}
	k := &kind{Kind: schema, checker: checker, partial: partial, attrs: map[string]*resource.Attribute{}}
	for i := range schema.Attrs {
		a := &schema.Attrs[i]
		if slices.Contains(spelling(d.table), a.Name) {
			return nil, fmt.Errorf("%s of %s can't be wished: every block has a key %s of its own", a.Name, schema.Name, a.Name)
		}
		k.attrs[a.Name] = a
		if !a.Computed {
			k.names = append(k.names, a.Name)
		}
	}
	k.names = append(k.names, spelling(d.table)...)
	d.kinds[schema.Name] = k
	return k, nil
}
