package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.etcd.io/bbolt"
)

// A group is the live versions that share the first parts of their keys, up to the third
// '/': how many there are and the sum of their sums. bbolt does not detect a page that is missing or
// stale; a scan that adds up the versions and compares does. Three parts make few
// groups of many keys, and scans of a whole group or of several are the rule.
type group struct {
	count int64
	sum   uint64
}

const groupDepth = 3

func groupOf(key string) string {
	end := 0
	for range groupDepth {
		n := strings.IndexByte(key[end:], '/')
		if n < 0 {
			break
		}
		end += n + 1
	}
	return key[:end]
}

func (g *group) add(v *version) {
	if !v.deleted() {
		g.count++
		g.sum += uint64(v.sum)
	}
}

func (g *group) remove(v *version) {
	if !v.deleted() {
		g.count--
		g.sum -= uint64(v.sum)
	}
}

const groupSize = 8 + 8 + 4

// groupKey keeps the group of keys without a '/' from being an empty key.
func groupKey(name string) []byte { return []byte("=" + name) }

func decodeGroup(key, raw []byte) (group, error) {
	if len(raw) != groupSize || binary.LittleEndian.Uint32(raw[16:]) != sumOf(key, raw[:16]) {
		return group{}, fmt.Errorf("group %q: %w", key[1:], errDamaged)
	}
	return group{
		count: int64(binary.BigEndian.Uint64(raw)),
		sum:   binary.BigEndian.Uint64(raw[8:]),
	}, nil
}

func putGroups(b *bbolt.Bucket, changes map[string]*group) error {
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		key, change := groupKey(name), changes[name]
		var g group
		if raw := b.Get(key); raw != nil {
			var err error
			if g, err = decodeGroup(key, raw); err != nil {
				return err
			}
		}
		raw := binary.BigEndian.AppendUint64(make([]byte, 0, groupSize), uint64(g.count+change.count))
		raw = binary.BigEndian.AppendUint64(raw, g.sum+change.sum)
		raw = binary.LittleEndian.AppendUint32(raw, sumOf(key, raw))
		if err := b.Put(key, raw); err != nil {
			return err
		}
	}
	return nil
}

// expected returns the sum of the live versions under a prefix; ok is false for a prefix that is
// not one or several complete groups.
func (r *reader) expected(prefix string) (want group, ok bool, err error) {
	if groupOf(prefix) != prefix {
		return want, false, nil
	}
	first := groupKey(prefix)
	c := r.groups.Cursor()
	for key, raw := c.Seek(first); key != nil && bytes.HasPrefix(key, first); key, raw = c.Next() {
		g, err := decodeGroup(key, raw)
		if err != nil {
			return want, false, r.s.corrupt(err)
		}
		want.count += g.count
		want.sum += g.sum
	}
	return want, true, nil
}

// checkGroup adds up the live versions under a whole group.
func (r *reader) checkGroup(name string) error {
	want, known, err := r.expected(name)
	if err != nil || !known {
		return err
	}
	var seen group
	c := r.cur.Cursor()
	for key, raw := c.Seek([]byte(name)); key != nil && bytes.HasPrefix(key, []byte(name)); key, raw = c.Next() {
		v, err := r.decode(key, raw)
		if err != nil {
			return err
		}
		seen.add(&v)
	}
	return r.compare(name, seen, want)
}

func (r *reader) compare(name string, seen, want group) error {
	if seen == want {
		return nil
	}
	return r.s.corrupt(fmt.Errorf("under %q: %d keys where %d should be, or older versions of them", name, seen.count,
		want.count))
}
