package aws

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// checking checks the configured resources of one kind in a stack. It finds, before anything is
// done, what AWS would refuse; each rule cites AWS's documentation. Where that leaves room the
// configuration passes: a miss costs a refused call, a false refusal blocks what would work.
type checking struct {
	configured []*resource.Desired
	find       func(resource.Ref) *resource.Desired
	found      []resource.Finding
}

// crossChecks makes a kind's rules the function that its schema holds. The rules about regions
// and tags apply to every kind.
func crossChecks(traits tagTraits, rules ...func(*checking)) func([]*resource.Desired, func(resource.Ref) *resource.Desired) []resource.Finding {
	return func(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) []resource.Finding {
		c := &checking{configured: configured, find: find}
		c.regions()
		c.tags(traits)
		for _, rule := range rules {
			rule(c)
		}
		return c.found
	}
}

func (c *checking) wrong(d *resource.Desired, path, suggestion, format string, args ...any) {
	c.found = append(c.found, resource.Finding{
		Ref: d.Ref, Problem: resource.Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion},
	})
}

// alone is wrong for a rule about nothing but the location, the name, the tags or one attribute.
func (c *checking) alone(d *resource.Desired, path, suggestion, format string, args ...any) {
	c.wrong(d, path, suggestion, format, args...)
	c.found[len(c.found)-1].Alone = true
}

// regions checks each region once.
func (c *checking) regions() {
	judged := map[string][2]string{}
	for _, d := range c.configured {
		summary, known := judged[d.Ref.Location]
		if !known {
			summary = locationSummary(d.Ref.Location)
			judged[d.Ref.Location] = summary
		}
		if summary[0] != "" {
			c.alone(d, "region", summary[1], "%q %s", d.Ref.Location, summary[0])
		}
	}
}

func locationSummary(location string) [2]string {
	_, name := accountAndRegion(location)
	wrong, meant := judgeRegion(name)
	switch {
	case wrong == "":
		return [2]string{}
	case meant == "":
		return [2]string{wrong, "use for example us-east-1"}
	}
	return [2]string{wrong, "did you mean " + meant + "?"}
}

// zones checks zones against the region of their resource.
func zones(c *checking) {
	for _, d := range c.configured {
		_, region := accountAndRegion(d.Ref.Location)
		if zone, ok := text(d.Attrs, "zone"); ok && !zoneOf(zone, region) {
			if wrong, _ := judgeRegion(region); wrong != "" {
				continue // the region is reported
			}
			c.alone(d, "zone", "use for example "+region+"a", "zone %s is not in region %s", zone, region)
		}
	}
}

// other finds the configured resource that an attribute names; nil for an id, and for one that
// could not be read.
func (c *checking) other(d *resource.Desired, name string) *resource.Desired {
	v, _ := d.Attrs.Get(name)
	return c.named(v)
}

func (c *checking) named(v resource.Value) *resource.Desired {
	r, ok := v.(resource.Reference)
	if !ok {
		return nil
	}
	return c.find(r.Ref)
}

// location is a name and where it is configured, for messages.
func location(d *resource.Desired) string {
	if d.At.File == "" {
		return d.Ref.Name
	}
	return fmt.Sprintf("%s (%s line %d)", d.Ref.Name, d.At.File, d.At.Line)
}

// earlier reports that a is configured before b.
func earlier(a, b *resource.Desired) bool {
	switch {
	case a.At.File != b.At.File:
		return a.At.File < b.At.File
	case a.At.Line != b.At.Line:
		return a.At.Line < b.At.Line
	}
	return a.Ref.Compare(b.Ref) < 0
}
