package fake_test

import (
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

func TestContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(*testing.T) providertest.Harness {
		c := fake.New("fake")
		return harness(c, c)
	})
}

// harness is a provider that acts on a cloud.
func harness(c *fake.Cloud, p provider.Provider) providertest.Harness {
	return providertest.Harness{
		Provider: p, Scope: here, Samples: samples(),
		Unmanaged: func(*testing.T) string {
			return c.Put(resource.Observed{Ref: ref("disk", "unmanaged"), Tags: resource.Tags{{Key: "team", Value: "other"}}}).ID
		},
		FailKind: func(_ *testing.T, kind string) func() {
			c.Break(fake.Faults{List: func(k string) error {
				if k == kind {
					return fake.ErrDenied
				}
				return nil
			}})
			return func() { c.Break(fake.Faults{}) }
		},
		Lag: func(*testing.T) func() {
			c.Break(fake.Faults{Lag: 1000})
			return func() { c.Break(fake.Faults{}) }
		},
		Strip: func(_ *testing.T, o resource.Observed) {
			o.Marks, o.Attested = resource.Marks{}, false
			c.Put(o)
		},
		Recreate: func(_ *testing.T, o resource.Observed) {
			c.Remove(here, o.ID)
			o.ID, o.Marks = "", resource.Marks{}
			c.Put(o)
		},
	}
}

func ref(kind, name string) resource.Ref {
	return resource.Ref{Provider: "fake", Location: "here", Kind: kind, Name: name}
}

// samples have a value for every attribute that can be configured.
func samples() []providertest.Sample {
	at := func(name string, v resource.Value) resource.Attr { return resource.Attr{Name: name, Value: v} }
	tags := resource.Tags{{Key: "team", Value: "platform"}}
	secret := resource.NewSecret("example-not-a-secret", "keyed:1")
	other := resource.NewSecret("example-changed", "keyed:2")
	network := at("network", resource.Reference{Ref: ref("network", "main")})
	return []providertest.Sample{
		{Desired: resource.Desired{Ref: ref("network", "main"), Attrs: resource.NewAttrs(at("open", resource.Bool(true))), Tags: tags}},
		{
			Desired: resource.Desired{Ref: ref("disk", "data"), Attrs: resource.NewAttrs(at("size", resource.Int(20)), at("weight", resource.Int(1))), Tags: tags},
			Then:    resource.NewAttrs(at("size", resource.Int(30))),
		},
		{
			Desired: resource.Desired{Ref: ref("server", "web-0"), Tags: tags, Attrs: resource.NewAttrs(
				network, at("password", secret), at("size", resource.String("large")), at("script", resource.String("echo")),
				at("ports", resource.List{resource.Int(443), resource.Int(80), resource.Int(443)}),
				at("disks", resource.List{resource.Reference{Ref: ref("disk", "data")}}),
				at("env", resource.NewAttrs(at("A", resource.String("1")), at("B", resource.String("2")))),
				at("root", resource.NewAttrs(at("fast", resource.Bool(true)))),
			)},
			Then: resource.NewAttrs(
				at("size", resource.String("small")), at("password", other), at("disks", resource.List{}),
				at("ports", resource.List{resource.Int(80), resource.Int(8080)}),
				at("env", resource.NewAttrs(at("B", resource.String("3")), at("C", resource.String("4")))),
				at("root", resource.NewAttrs(at("size", resource.Int(9)), at("fast", resource.Bool(true)))),
			),
		},
		{
			Desired: resource.Desired{Ref: ref("database", "db"), Tags: tags, Attrs: resource.NewAttrs(
				network, at("password", secret), at("engine", resource.String("postgres")),
				at("replicas", resource.List{resource.String("b"), resource.String("a")}),
			)},
			Then: resource.NewAttrs(at("backup_days", resource.Int(0)), at("replicas", resource.List{resource.String("a"), resource.String("b")})),
		},
	}
}
