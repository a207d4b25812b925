package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// breakHere makes drift in this account.
func (c *Cloud) breakHere(b core.Breakage) (string, error) {
	var said string
	err := c.do(func(t *core.Tx) error {
		h := byHand{core.Hand{Tx: t, Furnish: c.furnish, Do: func(cl *wire.Call) (any, error) {
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
type byHand struct{ core.Hand }

func (h byHand) find(b core.Breakage) (core.Entity, error) {
	st := h.Tx.St
	var found []core.Entity
	for name, regions := range st.Tables {
		k := st.Kinds.ByName[name]
		for region, tab := range regions {
			for _, e := range tab.Rows() {
				if e == nil || h.Tx.Unread(e) || name == core.TokenName || b.Region != "" && region != "" && b.Region != region {
					continue
				}
				if f, ok := e.(core.Finished); ok && f.Over() || b.Kind != "" && b.Kind != k.Word || !namedBy(e, b.Resource) {
					continue
				}
				found = append(found, e)
			}
		}
	}
	if i := slices.IndexFunc(found, func(e core.Entity) bool { return e.Meta().ID == b.Resource }); i >= 0 {
		found = found[i : i+1] // an ID is never ambiguous
	}
	switch {
	case b.Resource == "":
		return nil, fmt.Errorf("sandbox: %s: no resource given; use its ID, name or ref", b.Do)
	case len(found) == 0:
		return nil, fmt.Errorf("sandbox: %w %q", errNone, b.Resource)
	case len(found) > 1:
		var ids []string
		for _, e := range found {
			ids = append(ids, st.Kinds.Word(e)+" "+e.Meta().ID)
		}
		return nil, fmt.Errorf("sandbox: %q matches %d resources (%s); use an ID", b.Resource, len(found),
			strings.Join(ids, ", "))
	}
	return found[0], nil
}

// namedBy reports that a name, an id, a ref or the end of a ref names a resource.
func namedBy(e core.Entity, name string) bool {
	m := e.Meta()
	ref := m.Tags["ovi:ref"]
	if c, ok := e.(core.Called); ok && c.CalledName() == name {
		return true
	}
	return m.ID == name || m.Tags["Name"] == name || ref == name || strings.HasSuffix(ref, "/"+name)
}

func (h byHand) act(b core.Breakage, e core.Entity) (string, error) {
	id, word := e.Meta().ID, h.Tx.St.Kinds.Word(e)
	switch b.Do {
	case "tag", "untag":
		return h.tag(b, e)
	case "copy":
		return h.copy(b, e)
	case "delete", "stop", "start", "resize", "mount", "fail":
	default:
		return "", fmt.Errorf("sandbox: unknown action %q; use stop, start, tag, untag, resize, delete, copy, create, "+
			"mount or fail", b.Do)
	}
	said, err := "", core.ErrCannot
	if own, ok := e.(core.Handled); ok {
		said, err = own.ByHand(h.Hand, b)
	}
	if errors.Is(err, core.ErrCannot) {
		switch b.Do {
		case "delete":
			h.Tx.Drop(e)
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

func (h byHand) tag(b core.Breakage, e core.Entity) (string, error) {
	if b.Key == "" {
		return "", fmt.Errorf("sandbox: %s needs a tag, KEY=VALUE or KEY", b.Do)
	}
	tags := maps.Clone(e.Meta().Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	said := fmt.Sprintf("set tag %s of %s to %q (was %q)", b.Key, e.Meta().ID, b.Value, tags[b.Key])
	if b.Do == "untag" {
		said = fmt.Sprintf("removed tag %s from %s (was %q)", b.Key, e.Meta().ID, tags[b.Key])
		delete(tags, b.Key)
	} else {
		tags[b.Key] = b.Value
	}
	if err := core.CheckTags(tags); err != nil {
		return "", err
	}
	h.retag(e, tags)
	return said, nil
}

func (h byHand) retag(e core.Entity, tags map[string]string) {
	n := core.Clone(e)
	n.Meta().Tags = tags
	h.Tx.Put(n)
}

// create creates a resource without ovi's tags.
func (h byHand) create(b core.Breakage) (string, error) {
	region, name := cmp.Or(b.Region, "us-east-1"), cmp.Or(b.Value, "by-hand")
	if !wire.RegionName.MatchString(region) {
		return "", fmt.Errorf("sandbox: invalid region %q", region)
	}
	if b.Kind == "security_group_rule" {
		e, err := h.find(core.Breakage{Do: "create", Resource: b.Value, Kind: "security_group", Region: region})
		if err != nil {
			return "", err
		}
		return e.(core.Handled).ByHand(h.Hand, b)
	}
	before := h.Tx.St.Seq
	form := map[string]string{
		"AvailabilityZone": region + "a", "GroupName": name, "DBInstanceIdentifier": name,
		"Bucket": name,
	}
	if err := h.order(b.Kind, region, form); err != nil {
		return "", err
	}
	said := "created " + b.Kind
	if made := h.made(b.Kind, before); made != nil {
		said += " " + made.Meta().ID
		if b.Value != "" && made.Meta().ID != b.Value {
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
	k := h.Tx.St.Kinds.Called(word)
	if k == nil || k.Order == nil {
		return fmt.Errorf("sandbox: cannot create kind %q; use ec2, ebs, vpc, subnet, security_group, security_group_rule, "+
			"rds or s3", word)
	}
	return k.Order(h.Hand, region, form)
}

// copy creates another resource of the same kind with the same tags, as the console's "Launch
// more like this" does, or a restore of a database from a snapshot that holds its tags. Value is
// the name of the copy, for kinds that have one.
func (h byHand) copy(b core.Breakage, e core.Entity) (string, error) {
	m, word := e.Meta(), h.Tx.St.Kinds.Word(e)
	c, ok := e.(core.Copied)
	if !ok {
		return "", fmt.Errorf("sandbox: cannot copy kind %s", word)
	}
	before, form := h.Tx.St.Seq, c.CopyForm(h.Hand, b)
	if err := h.order(word, cmp.Or(m.Region, form["Region"]), form); err != nil {
		return "", err
	}
	made := h.made(word, before)
	if made == nil {
		return "", fmt.Errorf("sandbox: the copy of %s was not created", m.ID)
	}
	h.retag(made, maps.Clone(m.Tags))
	return "copied " + word + " " + m.ID + " with its tags to " + made.Meta().ID, nil
}

// made finds what was created of a kind after a sequence number; nil if nothing was.
func (h byHand) made(word string, before int64) core.Entity {
	for _, o := range h.Tx.Ops {
		if o.Put != nil && o.Put.Meta().Seq > before && h.Tx.St.Kinds.ByName[o.Kind].Word == word {
			return o.Put
		}
	}
	return nil
}
