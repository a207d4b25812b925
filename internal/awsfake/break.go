package awsfake

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Break makes drift by hand and says what it did. It is not in the request log,
// and protection does not hold it up.
func (c *Cloud) Break(b Breakage) (string, error) {
	var said string
	err := c.do(func(t *tx) error {
		h := byHand{hand{tx: t, furnish: c.furnish, do: func(cl *call) (any, error) {
			c.furnish(cl.Region)
			return c.actions[cl.Service][cl.Action](c.exchange(cl, t))
		}}}
		if b.Do == "create" {
			var err error
			said, err = h.create(b)
			return err
		}
		e, err := h.find(b)
		if err != nil {
			return err
		}
		said, err = h.act(b, e)
		return err
	})
	return said, err
}

// byHand finds what a Breakage names and does what all kinds have in common.
type byHand struct{ hand }

func (h byHand) find(b Breakage) (entity, error) {
	st := h.tx.st
	var found []entity
	for name, regions := range st.tables {
		k := st.kinds.byName[name]
		for region, tab := range regions {
			for _, e := range tab.rows() {
				if e == nil || h.tx.unread(e) || name == tokenName || b.Region != "" && region != "" && b.Region != region {
					continue
				}
				if f, ok := e.(finished); ok && f.over() || b.Kind != "" && b.Kind != k.Word || !namedBy(e, b.Resource) {
					continue
				}
				found = append(found, e)
			}
		}
	}
	if i := slices.IndexFunc(found, func(e entity) bool { return e.meta().ID == b.Resource }); i >= 0 {
		found = found[i : i+1] // an ID is never ambiguous
	}
	switch {
	case b.Resource == "":
		return nil, fmt.Errorf("sandbox: %s: no resource given; use its ID, name or ref", b.Do)
	case len(found) == 0:
		return nil, fmt.Errorf("sandbox: no resource matches %q", b.Resource)
	case len(found) > 1:
		var ids []string
		for _, e := range found {
			ids = append(ids, st.kinds.word(e)+" "+e.meta().ID)
		}
		return nil, fmt.Errorf("sandbox: %q matches %d resources (%s); use an ID", b.Resource, len(found), strings.Join(ids, ", "))
	}
	return found[0], nil
}

// namedBy reports that a name, an id, a ref or the end of a ref names a resource.
func namedBy(e entity, name string) bool {
	m := e.meta()
	ref := m.Tags["ovi:ref"]
	if c, ok := e.(called); ok && c.calledName() == name {
		return true
	}
	return m.ID == name || m.Tags["Name"] == name || ref == name || strings.HasSuffix(ref, "/"+name)
}

func (h byHand) act(b Breakage, e entity) (string, error) {
	id, word := e.meta().ID, h.tx.st.kinds.word(e)
	switch b.Do {
	case "tag", "untag":
		return h.tag(b, e)
	case "copy":
		return h.copy(b, e)
	case "delete", "stop", "start", "resize", "mount", "fail":
	default:
		return "", fmt.Errorf("sandbox: unknown action %q; use stop, start, tag, untag, resize, delete, copy, create, mount or fail", b.Do)
	}
	said, err := "", errCannot
	if own, ok := e.(handled); ok {
		said, err = own.byHand(h.hand, b)
	}
	if errors.Is(err, errCannot) {
		switch b.Do {
		case "delete":
			h.tx.drop(e)
			err = nil
		case "resize":
			err = fmt.Errorf("sandbox: %s has no size", word)
		case "mount":
			err = fmt.Errorf("sandbox: only an attached volume can be mounted, not %s", id)
		case "fail":
			err = fmt.Errorf("sandbox: only a database or an instance can fail, not %s", id)
		default:
			err = fmt.Errorf("sandbox: %s cannot %s", word, b.Do)
		}
	}
	past := map[string]string{"stop": "stopped ", "start": "started ", "delete": "deleted "}[b.Do]
	return cmp.Or(said, past+word+" "+id), err
}

func (h byHand) tag(b Breakage, e entity) (string, error) {
	if b.Key == "" {
		return "", fmt.Errorf("sandbox: %s needs a tag, KEY=VALUE or KEY", b.Do)
	}
	tags := maps.Clone(e.meta().Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	said := fmt.Sprintf("set tag %s of %s to %q (was %q)", b.Key, e.meta().ID, b.Value, tags[b.Key])
	if b.Do == "untag" {
		said = fmt.Sprintf("removed tag %s from %s (was %q)", b.Key, e.meta().ID, tags[b.Key])
		delete(tags, b.Key)
	} else {
		tags[b.Key] = b.Value
	}
	if err := checkTags(tags); err != nil {
		return "", err
	}
	h.retag(e, tags)
	return said, nil
}

func (h byHand) retag(e entity, tags map[string]string) {
	n := clone(e)
	n.meta().Tags = tags
	h.tx.put(n)
}

// create creates a resource without ovi's tags.
func (h byHand) create(b Breakage) (string, error) {
	region, name := cmp.Or(b.Region, "us-east-1"), cmp.Or(b.Value, "by-hand")
	if !regionName.MatchString(region) {
		return "", fmt.Errorf("sandbox: invalid region %q", region)
	}
	if b.Kind == "security_group_rule" {
		e, err := h.find(Breakage{Do: "create", Resource: b.Value, Kind: "security_group", Region: region})
		if err != nil {
			return "", err
		}
		return e.(handled).byHand(h.hand, b)
	}
	before := h.tx.st.seq
	form := map[string]string{"AvailabilityZone": region + "a", "GroupName": name, "DBInstanceIdentifier": name, "Bucket": name}
	if err := h.order(b.Kind, region, form); err != nil {
		return "", err
	}
	said := "created " + b.Kind
	if made := h.made(b.Kind, before); made != nil {
		said += " " + made.meta().ID
		if b.Value != "" && made.meta().ID != b.Value {
			said += " " + b.Value
		}
		// These have no name but the Name tag.
		if b.Value != "" && slices.Contains([]string{"ec2", "ebs", "vpc", "subnet"}, b.Kind) {
			h.retag(made, map[string]string{"Name": b.Value})
		}
	}
	return said + " in " + region, nil
}

// order creates a resource of a kind, with the parameters of the form over the usual ones.
func (h byHand) order(word, region string, form map[string]string) error {
	k := h.tx.st.kinds.called(word)
	if k == nil || k.Order == nil {
		return fmt.Errorf("sandbox: cannot create kind %q; use ec2, ebs, vpc, subnet, security_group, security_group_rule, rds or s3", word)
	}
	return k.Order(h.hand, region, form)
}

// copy creates another resource of the same kind with the same tags, as the console's "Launch
// more like this" does, or a restore of a database from a snapshot that holds its tags. Value is
// the name of the copy, for kinds that have one.
func (h byHand) copy(b Breakage, e entity) (string, error) {
	m, word := e.meta(), h.tx.st.kinds.word(e)
	c, ok := e.(copied)
	if !ok {
		return "", fmt.Errorf("sandbox: cannot copy kind %s", word)
	}
	before, form := h.tx.st.seq, c.copyForm(h.hand, b)
	if err := h.order(word, cmp.Or(m.Region, form["Region"]), form); err != nil {
		return "", err
	}
	made := h.made(word, before)
	if made == nil {
		return "", fmt.Errorf("sandbox: the copy of %s was not created", m.ID)
	}
	h.retag(made, maps.Clone(m.Tags))
	return "copied " + word + " " + m.ID + " with its tags to " + made.meta().ID, nil
}

// made finds what was created of a kind after a sequence number; nil if nothing was.
func (h byHand) made(word string, before int64) entity {
	for _, o := range h.tx.ops {
		if o.Put != nil && o.Put.meta().Seq > before && h.tx.st.kinds.byName[o.Kind].Word == word {
			return o.Put
		}
	}
	return nil
}
