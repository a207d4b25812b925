package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// maxCount bounds what one line can ask for.
const maxCount = 10_000

// block is the block being read. One is used for all blocks of a document.
type block struct {
	*document
	n        *node
	slots    []*node // the block's own keys, in the order of their table
	attrs    []int32 // where among the kids the kind's attributes stand
	kind     *kind
	name     string
	counted  bool
	count    int
	location string
	tags     resource.Tags
	blessed  bool
	ignore   []string
	uses     []use
	failed   bool
}

func newBlock(d *document) *block {
	return &block{document: d, slots: make([]*node, len(d.table))}
}

// ref names the thing for people, as far as it is known.
func (b *block) ref() string {
	switch {
	case b.kind == nil:
		return ""
	case b.name == "":
		return b.kind.Name
	}
	return b.kind.Name + "/" + b.name
}

// read reads one block into wishes.
func (b *block) read(n *node) {
	*b = block{document: b.document, n: n, slots: b.slots, attrs: b.attrs[:0], count: 1, location: b.region, tags: b.document.tags}
	clear(b.slots)
	b.document.block = b
	defer b.done()
	if n.shape != object {
		b.wrong(n, "a block of resources must be keys, and this is "+n.what(), "write - type: ec2, and the other keys below type")
		return
	}
	b.doubles(n)
	b.sort()
	if b.slots[1] == nil && b.slots[0] != nil {
		b.name = b.slots[0].text
	}
	if b.slots[0] == nil {
		b.wrong(n, "the block has no type", "add type: "+strings.Join(b.names, " or "))
	}
	for i, v := range b.slots {
		switch {
		case v == nil:
		case v.null():
			b.wrong(v, b.table[i].name+" has no value", "write "+b.table[i].name+": "+b.table[i].example+", or leave the key out")
		default:
			b.table[i].read(b, v)
		}
	}
	if b.kind == nil {
		return
	}
	b.settle()
	attrs := b.attributes()
	if !b.failed {
		b.makeDesired(attrs)
	}
}

// done remembers the name of a block that has problems, so that those who name it do not
// seem to be wrong too.
func (b *block) done() {
	b.document.block = nil
	if b.failed {
		b.broken[b.name] = true
	}
}

// sort tells the block's own keys from the kind's attributes.
func (b *block) sort() {
kids:
	for i := 0; i+1 < len(b.n.kids); i += 2 {
		for j := range b.table {
			if b.table[j].name == b.n.kids[i].text {
				if b.slots[j] == nil {
					b.slots[j] = &b.n.kids[i+1]
				}
				continue kids
			}
		}
		b.attrs = append(b.attrs, int32(i))
	}
}

// settle decides name and place.
func (b *block) settle() {
	if b.slots[1] == nil || b.slots[1].null() {
		b.name = b.kind.Name
		b.onlyNameless()
	}
	names := []string{b.name}
	if b.counted {
		names = []string{b.name + "-0", b.name + "-" + strconv.Itoa(max(b.count-1, 0))}
	}
	for _, name := range names {
		if problems := b.kind.checker.CheckName(name); len(problems) > 0 {
			at := b.slots[1]
			if at == nil {
				at = b.n
			}
			b.wrong(at, problems[0].Summary, cmpOr(problems[0].Suggestion, "letters, digits, '.', '_' and '-' fit everywhere"))
			break
		}
	}
	if b.location == "" {
		b.location = b.opts.Region
	}
	if b.location == "" && b.slots[3] == nil {
		b.wrong(b.n, "nothing says the region of this thing", "add region: us-east-1 to the file, or to the block")
	}
}

// onlyNameless lets one block for each kind and file be called by its type.
func (b *block) onlyNameless() {
	key := b.file.name + "\x00" + b.kind.Name
	first, again := b.nameless[key]
	if !again {
		b.nameless[key] = b.file.at(b.n.line, b.n.col)
		return
	}
	b.wrong(b.n, fmt.Sprintf("a second %s without a name: the first is on line %d", b.kind.Name, first.Line), "give both a name: NAME, which is theirs for ever")
}

// makeDesired makes the wishes of the block.
func (b *block) makeDesired(attrs resource.Attrs) {
	want := resource.Desired{
		Ref:   resource.Ref{Provider: b.provider, Location: b.location, Kind: b.kind.Name, Name: strings.Clone(b.name)},
		Attrs: attrs, Tags: b.tags, Blessed: b.blessed, Ignore: b.ignore, At: b.file.at(b.n.line, b.n.col),
	}
	if !b.counted {
		b.add(want)
		return
	}
	if first, again := b.remember(want.Ref, want.At); again {
		b.wrong(b.n, fmt.Sprintf("the name %s with a count stands twice: the other is at %s line %d", quote(b.name), first.at.File, first.at.Line), "give one of them another name")
		return
	}
	for i := range b.count {
		want.Ref.Name = b.name + "-" + strconv.Itoa(i)
		b.add(want)
	}
}

func (b *block) add(want resource.Desired) {
	b.desired, b.loader.uses = append(b.desired, want), append(b.loader.uses, b.uses)
}

// remember remembers a name with a count; again says that it is there already.
func (b *block) remember(ref resource.Ref, at resource.Position) (first group, again bool) {
	if first, again = b.document.counted[ref]; !again {
		b.document.counted[ref] = group{b.count, at}
	}
	return first, again
}

func (b *block) readType(n *node) {
	if n.shape != scalar {
		b.wrong(n, "type must be a word, and this is "+n.what(), "add type: "+strings.Join(b.names, " or "))
		return
	}
	k, err := b.document.kind(n.text)
	switch {
	case err != nil:
		b.wrong(n, err.Error(), "this is a fault of the provider, not of the file")
	case k == nil:
		b.wrong(n, b.provider+" has no type "+quote(n.text), didYouMean(n.text, b.names))
	}
	b.kind = k
}

func (b *block) readName(n *node) {
	b.name, _ = b.text(n, "name")
}

func (b *block) readCount(n *node) {
	b.counted = true
	b.count, _ = b.whole(n, "count", 0, maxCount)
}

func (b *block) readRegion(n *node) {
	b.location = b.document.location(n)
	if b.location != "" {
		b.scopes[resource.Scope{Provider: b.provider, Location: b.location}] = true
	}
}

func (b *block) readTags(n *node) {
	if b.kind != nil && b.kind.NoTags {
		b.wrong(n, "things of type "+b.kind.Name+" carry no tags", "leave tags out")
		return
	}
	b.tags = b.document.readTags(n, b.document.tags)
}

func (b *block) readBlessed(n *node) { b.blessed, _ = b.boolean(n, "blessed") }

func (b *block) readIgnore(n *node) {
	if b.kind != nil {
		b.ignore = slices.Clip(b.paths(n, []string{b.kind.Name}))
	}
}

func (b *block) readNeeds(n *node) {
	if n.shape != list {
		b.wrong(n, "needs must be a list of names, and this is "+n.what(), "write needs: [db]")
		return
	}
	for i := range n.kids {
		if s, ok := b.text(&n.kids[i], "a name in needs"); ok {
			b.uses = append(b.uses, use{name: strings.Clone(s), line: n.kids[i].line, col: n.kids[i].col})
		}
	}
}
