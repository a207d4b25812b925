package renamed

import (
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// members are equal resources, old and new.
type members struct{ old, new []*decider.Decision }

// found is a pair that no other pair of equal resources contradicts.
type found struct {
	Pair
	from, to *decider.Decision
	block    resource.Ref // of the new one
	was      string       // the former name of the block, if both have the same place in it
}

// blockOf returns the block of a new resource, and its place there: the rest of its name.
func blockOf(d *decider.Decision) (block resource.Ref, place string) {
	block = d.Ref
	if set := resource.SetOf(d.Desired); !set.IsZero() {
		block = set
	}
	return block, strings.TrimPrefix(d.Ref.Name, block.Name)
}

// sure lists the members with the same places in two blocks, where neither block has the places of another one too; or
// the only pair. A guess could exchange two resources.
func (m members) sure() (out []found) {
	if len(m.old) == 1 && len(m.new) == 1 {
		from, to := m.old[0], m.new[0]
		block, place := blockOf(to)
		was, same := strings.CutSuffix(from.Ref.Name, place)
		if !same {
			was = ""
		}
		return []found{{Pair{from.Ref, to.Ref}, from, to, block, was}}
	}
	t := m.places()
	former := map[resource.Ref]string{} // the only former block of each new one
	for block, places := range t.ofNew {
		was, one := only(places, t.old)
		if next, back := only(t.ofOld[was], t.new); one && back && next == block.Name {
			former[block] = was
		}
	}
	for _, d := range m.new {
		block, place := blockOf(d)
		if from := t.old[place][former[block]]; from != nil {
			out = append(out, found{Pair{from.Ref, d.Ref}, from, d, block, former[block]})
		}
	}
	return out
}

// byPlace has, for each place, the members of the blocks that have it.
type byPlace map[string]map[string]*decider.Decision

// places has the members of old and new blocks by their places, and the places of each block. The block of an old
// resource is not known: its name can end with a place in several ways.
type places struct {
	old, new byPlace
	ofOld    map[string][]string
	ofNew    map[resource.Ref][]string
}

func (m members) places() places {
	t := places{byPlace{}, byPlace{}, map[string][]string{}, map[resource.Ref][]string{}}
	add := func(to byPlace, place, block string, d *decider.Decision) {
		if to[place] == nil {
			to[place] = map[string]*decider.Decision{}
		}
		to[place][block] = d
	}
	for _, d := range m.new {
		block, place := blockOf(d)
		add(t.new, place, block.Name, d)
		t.ofNew[block] = append(t.ofNew[block], place)
	}
	for _, d := range m.old {
		name := d.Ref.Name
		for i := 1; i <= len(name); i++ {
			if i < len(name) && name[i] != '-' || t.new[name[i:]] == nil {
				continue
			}
			add(t.old, name[i:], name[:i], d)
			t.ofOld[name[:i]] = append(t.ofOld[name[:i]], name[i:])
		}
	}
	return t
}

// only returns the one block that has any of some places; false if none or several have.
func only(some []string, of byPlace) (block string, is bool) {
	for _, place := range some {
		for name := range of[place] {
			if is && name != block {
				return "", false
			}
			block, is = name, true
		}
	}
	return block, is
}
