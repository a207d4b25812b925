package config

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// readTags reads tags on top of others, over which they win. Values are strings; numbers and
// booleans are taken as they are written. Equal tags share one memory.
func (d *document) readTags(n *source.Node, under resource.Tags) resource.Tags {
	if n.Shape != source.Object {
		d.Wrong(n, "tags must be keys with values, got "+n.Form(), "use tags: {environment: prod}")
		return nil
	}
	key := n.AppendKey(d.l.scratch[:0])
	key = append(append(key, 2), under.AppendJSON(nil)...)
	for _, from := range d.Public { // what one document may show, another may not
		key = append(append(key, 2), from...)
	}
	d.l.scratch = key
	if t, ok := d.l.tagSets[string(key)]; ok {
		return t
	}
	var memo string
	if len(d.l.tagSets) < mostSets {
		memo = string(key) // the scratch is used again below
	}
	d.Duplicates(n)
	all, ok := append(make([]resource.Tag, 0, len(under)+len(n.Kids)/2), under...), true
	for i := 0; i+1 < len(n.Kids); i += 2 {
		k, v := &n.Kids[i], &n.Kids[i+1]
		value, read := d.tag(k, v)
		if !read { // the others are checked all the same
			ok = false
			continue
		}
		all = append(all, resource.Tag{Key: k.Text, Value: value})
	}
	if len(all) == 0 {
		return nil
	}
	tags := resource.SortTags(all)
	if ok && memo != "" {
		d.l.tagSets[memo] = tags
	}
	return tags
}

func (d *document) tag(k, v *source.Node) (string, bool) {
	switch {
	case strings.HasPrefix(k.Text, "ovi:"):
		d.Wrong(k, "the tag "+source.Quote(k.Text)+" is reserved: ovi sets it", "remove it")
	case k.Text == "":
		d.Wrong(k, "a tag has no name", "use NAME: VALUE")
	case v.IsNull():
		d.Wrong(v, "the tag "+k.Text+" has no value", `use "" for an empty one`)
	default:
		return d.Text(v, "the tag "+k.Text)
	}
	return "", false
}

// mostSets bounds the table of shared tags.
const mostSets = 16384
