package aws_test

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// chaos is the life of one resource among random faults.
type chaos struct {
	t       *rapid.T
	outer   *testing.T
	cloud   *sandbox.Cloud
	p       *aws.Provider
	desired func(tag string) resource.Desired
	n       int
	pending *provider.Request // a create whose outcome is open
}

// chaotic are kinds without dependencies, in the three ways by which a duplicate is prevented.
func chaotic(t *testing.T) map[string]func(string) resource.Desired {
	return map[string]func(string) resource.Desired{
		"ec2": func(v string) resource.Desired {
			return desired(t, "ec2", "x", values{"size": text("t3.micro")}, "v", v)
		},
		"vpc": func(v string) resource.Desired {
			return desired(t, "vpc", "x", values{"cidr": text("10.0.0.0/16")}, "v", v)
		},
		"security_group": func(v string) resource.Desired { return desired(t, "security_group", "x", values{}, "v", v) },
		"ebs": func(v string) resource.Desired {
			return desired(t, "ebs", "x", values{"size": resource.Int(9), "zone": text("us-east-1a")}, "v", v)
		},
		"rds": func(v string) resource.Desired {
			return desired(t, "rds", "x", values{"size": text("db.t3.micro")}, "v", v)
		},
		"s3": func(v string) resource.Desired { return desired(t, "s3", "xxx", values{}, "v", v) },
	}
}

func TestNoFaultDuplicatesOrLosesAResource(t *testing.T) {
	quick := api.Delays{First: time.Millisecond, Most: 2 * time.Millisecond, Appear: 60 * time.Millisecond, Free: 60 * time.Millisecond, Compute: time.Second, Database: time.Second}
	for kind, make := range chaotic(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			drawn.Check(t, func(rt *rapid.T) {
				cloud, err := sandbox.Open("", sandbox.WithSettle(time.Millisecond))
				if err != nil {
					rt.Fatal(err)
				}
				defer cloud.Close()
				p := aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: cloud}, Delays: quick, Attempts: 2})
				c := &chaos{t: rt, outer: t, cloud: cloud, p: p, desired: make}
				for range rapid.IntRange(1, 4).Draw(rt, "steps") {
					c.step()
				}
			})
		})
	}
}

// step plans some faults, makes one change, and then observes without faults.
func (c *chaos) step() {
	for range rapid.IntRange(0, 2).Draw(c.t, "faults") {
		f := sandbox.Fault{
			Kind:  rapid.SampledFrom([]sandbox.FaultKind{sandbox.Lost, sandbox.Throttle, sandbox.Unavailable, sandbox.Stale}).Draw(c.t, "kind"),
			After: rapid.IntRange(0, 6).Draw(c.t, "after"), Times: rapid.IntRange(1, 3).Draw(c.t, "times"), Reads: rapid.IntRange(1, 5).Draw(c.t, "reads"),
		}
		if err := c.cloud.Fault(f); err != nil {
			c.t.Fatal(err)
		}
	}
	have, there := c.only()
	c.n++
	d := c.desired(string(rune('a' + c.n)))
	var err error
	switch {
	case !there:
		err = c.create(d)
	case rapid.Bool().Draw(c.t, "delete"):
		err = c.p.Delete(c.outer.Context(), provider.Request{Key: "delete-" + d.Tags[0].Value, Owner: "ovi", Have: have})
		c.after(err, func(_ resource.Observed, there bool) bool { return !there })
	default:
		r := provider.Request{Key: "update", Owner: "ovi", Desired: d, Have: have, Changes: changes(c.outer, d, have, nil)}
		_, err = c.p.Update(c.outer.Context(), r)
		c.after(err, func(o resource.Observed, there bool) bool { return there && o.Tags.Equal(d.Tags) })
	}
	if err != nil && !provider.Passes(err) && !isAbsent(err) {
		c.t.Fatalf("%v cannot be recovered from", err)
	}
}

// create tries as the engine does: a configuration keeps its key until it is created.
func (c *chaos) create(d resource.Desired) error {
	if c.pending == nil {
		c.pending = &provider.Request{Key: "create-" + d.Tags[0].Value, Owner: "ovi", Desired: d}
	}
	r := *c.pending
	_, err := c.p.Create(c.outer.Context(), r)
	c.after(err, func(o resource.Observed, there bool) bool { return there && o.Marks.Key == r.Key })
	if _, there := c.only(); there || err == nil {
		c.pending = nil
	}
	return err
}

// after checks that the live state is as the answer says. After an error it may be either.
func (c *chaos) after(err error, as func(resource.Observed, bool) bool) {
	o, there := c.only()
	if err == nil && !as(o, there) {
		c.t.Fatalf("the call succeeded, and there is %v %+v", there, o)
	}
}

// only gives the one resource, and fails if there are two.
func (c *chaos) only() (resource.Observed, bool) {
	c.cloud.ClearFaults()
	s, err := c.p.Observe(c.outer.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}})
	if err != nil {
		c.t.Fatal(err)
	}
	var found []resource.Observed
	for _, o := range s.Resources {
		if !o.Marks.IsZero() {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 0:
		return resource.Observed{}, false
	case 1:
		return found[0], true
	}
	c.t.Fatalf("there are %d: %+v", len(found), found)
	return resource.Observed{}, false
}
