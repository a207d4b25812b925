package config

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// readTags reads tags on top of others, which they win over. Values are texts; numbers and
// truth values are taken as they are written. Equal tags share one memory.
func (d *document) readTags(n *node, under resource.Tags) resource.Tags {
	if n.shape != object {
		d.wrong(n, "tags must be keys with values, and this is "+n.what(), "write tags: {environment: prod}")
		return nil
	}
	key := n.appendKey(d.scratch[:0])
	key = append(append(key, 2), under.AppendJSON(nil)...)
	d.scratch = key
	if t, ok := d.intern.shared(key); ok {
		return t
	}
	memo := string(key)
	d.doubles(n)
	m, ok := map[string]string{}, true
	for _, t := range under {
		m[t.Key] = t.Value
	}
	for i := 0; i+1 < len(n.kids); i += 2 {
		k, v := &n.kids[i], &n.kids[i+1]
		value, read := d.tag(k, v)
		ok = ok && read
		m[d.intern.text(k.text)] = d.intern.text(value)
	}
	if !ok || len(m) == 0 {
		return nil
	}
	tags := resource.TagsOf(m)
	d.intern.share([]byte(memo), tags)
	return tags
}

func (d *document) tag(k, v *node) (string, bool) {
	switch {
	case strings.HasPrefix(k.text, "ovi:"):
		d.wrong(k, "the tag "+quote(k.text)+" is one of ovi's own", "ovi sets it by itself: leave it out")
	case k.text == "":
		d.wrong(k, "a tag without a name", "write NAME: VALUE")
	case v.null():
		d.wrong(v, "the tag "+k.text+" has no value", `write "" for an empty one`)
	default:
		return d.text(v, "the tag "+k.text)
	}
	return "", false
}
