package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestOneVariableHasOneValue: two secrets, or a secret and env, cannot set the same variable. A
// secret that is a file alone sets none.
func TestOneVariableHasOneValue(t *testing.T) {
	t.Parallel()
	secret := func(name string, keys ...string) resource.Desired {
		data := values{}
		for _, k := range keys {
			data[k] = resource.NewSecret("fake", "d")
		}
		return configured(t, Secret, name, values{"data": object(data)})
	}
	one, two := secret("one", "PASSWORD"), secret("two", "PASSWORD", "USER")
	uses := func(name string, env bool) resource.Value {
		return object(values{"name": to(Secret, name), "env": resource.Bool(env)})
	}
	find := func(r resource.Ref) *resource.Desired {
		for _, d := range []*resource.Desired{&one, &two} {
			if d.Ref == r {
				return d
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		set  values
		want []string
	}{
		"two secrets": {
			values{"secrets": resource.List{uses("one", true), uses("two", true)}},
			[]string{"secrets[1].env: the variable PASSWORD of secret/two is also set by secret/one"},
		},
		"a secret and env": {
			values{"env": object(values{"USER": text("x")}), "secrets": resource.List{uses("two", true)}},
			[]string{"secrets[0].env: the variable USER of secret/two is also set by env"},
		},
		"a file": {
			values{"env": object(values{"USER": text("x")}), "secrets": resource.List{uses("one", true), uses("two", false)}},
			nil,
		},
		"an unknown secret": {
			values{"env": object(values{"USER": text("x")}), "secrets": resource.List{uses("three", true)}}, nil,
		},
		"different variables": {
			values{"env": object(values{"LEVEL": text("x")}), "secrets": resource.List{uses("two", true)}}, nil,
		},
		"no secrets, some env": {values{"env": object(values{"USER": text("x")})}, nil},
	} {
		c.set["image"] = text("a:1")
		d := configured(t, Container, "web", c.set)
		var got []string
		for _, f := range ContainerKind().CrossCheck([]*resource.Desired{&d}, find) {
			got = append(got, f.Path+": "+f.Summary)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
