package api

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// Checking checks the configured resources of one kind in a stack. It finds, before anything is
// done, what AWS would refuse; each rule cites AWS's documentation. Where that leaves room the
// configuration passes: a miss costs a refused call, a false refusal blocks what would work.
type Checking struct {
	Configured []*resource.Desired
	Find       func(resource.Ref) *resource.Desired
	Found      []resource.Finding
}

// CrossChecks makes a kind's rules the function that its schema holds. The rules about regions
// and tags apply to every kind.
func CrossChecks(traits TagTraits, rules ...func(*Checking)) func([]*resource.Desired,
	func(resource.Ref) *resource.Desired) []resource.Finding {
	return func(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) []resource.Finding {
		c := &Checking{Configured: configured, Find: find}
		c.regions()
		c.tags(traits)
		for _, rule := range rules {
			rule(c)
		}
		return c.Found
	}
}

// Wrong adds a problem at a path of a resource, with a suggestion.
func (c *Checking) Wrong(d *resource.Desired, path, suggestion, format string, args ...any) {
	c.Found = append(c.Found, resource.Finding{
		Ref: d.Ref, Problem: resource.Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion},
	})
}

// Alone is wrong for a rule about nothing but the location, the name, the tags or one attribute.
func (c *Checking) Alone(d *resource.Desired, path, suggestion, format string, args ...any) {
	c.Wrong(d, path, suggestion, format, args...)
	c.Found[len(c.Found)-1].Alone = true
}

// regions checks each region once. A summary is empty if the region may exist.
func (c *Checking) regions() {
	judged := map[string][2]string{}
	for _, d := range c.Configured {
		summary, known := judged[d.Ref.Location]
		if !known {
			_, name := AccountAndRegion(d.Ref.Location)
			switch wrong, meant := JudgeRegion(name); {
			case wrong == "":
			case meant == "":
				summary = [2]string{wrong, "use for example us-east-1"}
			default:
				summary = [2]string{wrong, "did you mean " + meant + "?"}
			}
			judged[d.Ref.Location] = summary
		}
		if summary[0] != "" {
			c.Alone(d, "region", summary[1], "%q %s", d.Ref.Location, summary[0])
		}
	}
}

// Zones checks zones against the region of their resource.
func Zones(c *Checking) {
	for _, d := range c.Configured {
		_, region := AccountAndRegion(d.Ref.Location)
		if zone, ok := Text(d.Attrs, "zone"); ok && !zoneOf(zone, region) {
			if wrong, _ := JudgeRegion(region); wrong != "" {
				continue // the region is reported
			}
			c.Alone(d, "zone", "use for example "+region+"a", "zone %s is not in region %s", zone, region)
		}
	}
}

// Other finds the configured resource that an attribute names; nil for an id, and for one that
// could not be read.
func (c *Checking) Other(d *resource.Desired, name string) *resource.Desired {
	v, _ := d.Attrs.Get(name)
	return c.Named(v)
}

// Named returns the configured resource that a reference names. It is nil if there is none.
func (c *Checking) Named(v resource.Value) *resource.Desired {
	r, ok := v.(resource.Reference)
	if !ok {
		return nil
	}
	return c.Find(r.Ref)
}

// WhereConfigured is a name and where it is configured, for messages.
func WhereConfigured(d *resource.Desired) string {
	if d.At.File == "" {
		return d.Ref.Name
	}
	return fmt.Sprintf("%s (%s line %d)", d.Ref.Name, d.At.File, d.At.Line)
}

// Earlier reports that a is configured before b.
func Earlier(a, b *resource.Desired) bool {
	switch {
	case a.At.File != b.At.File:
		return a.At.File < b.At.File
	case a.At.Line != b.At.Line:
		return a.At.Line < b.At.Line
	}
	return a.Ref.Compare(b.Ref) < 0
}

// WrongValue returns the problem of an invalid value, with a suggestion.
func WrongValue(suggestion, format string, args ...any) []resource.Problem {
	return []resource.Problem{{Summary: fmt.Sprintf(format, args...), Suggestion: suggestion}}
}

// TwoZones checks the zones of subnets whose zones are configured (DBSubnetGroupDoesNotCoverEnoughAZs). If one zone
// is not known before an apply, nothing is reported, because it may be the second one.
func TwoZones(c *Checking) {
	for _, d := range c.Configured {
		zones := map[string]bool{}
		known := true
		for _, v := range d.Attrs.List("subnets") {
			s := c.Named(v)
			if s == nil {
				known = false
				continue
			}
			zone, set := Text(s.Attrs, "zone")
			known = known && set
			zones[zone] = true
		}
		if known && len(zones) == 1 {
			c.Wrong(d, "subnets", "add a subnet in another zone", "all subnets are in one availability zone: AWS requires two")
		}
	}
}
