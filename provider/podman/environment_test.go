package podman

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/podman/libpod"
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
		return configured(t, kindSecret, name, values{"data": object(data)})
	}
	one, two := secret("one", "PASSWORD"), secret("two", "PASSWORD", "USER")
	uses := func(name string, env bool) resource.Value {
		return object(values{"name": to(kindSecret, name), "env": resource.Bool(env)})
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
		"two secrets":          {values{"secrets": resource.List{uses("one", true), uses("two", true)}}, []string{"secrets[1].env: the variable PASSWORD of secret/two is also set by secret/one"}},
		"a secret and env":     {values{"env": object(values{"USER": text("x")}), "secrets": resource.List{uses("two", true)}}, []string{"secrets[0].env: the variable USER of secret/two is also set by env"}},
		"a file":               {values{"env": object(values{"USER": text("x")}), "secrets": resource.List{uses("one", true), uses("two", false)}}, nil},
		"an unknown secret":    {values{"env": object(values{"USER": text("x")}), "secrets": resource.List{uses("three", true)}}, nil},
		"different variables":  {values{"env": object(values{"LEVEL": text("x")}), "secrets": resource.List{uses("two", true)}}, nil},
		"no secrets, some env": {values{"env": object(values{"USER": text("x")})}, nil},
	} {
		c.set["image"] = text("a:1")
		d := configured(t, kindContainer, "web", c.set)
		var got []string
		for _, f := range containerKind().CrossCheck([]*resource.Desired{&d}, find) {
			got = append(got, f.Path+": "+f.Summary)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEnvironmentsTellNoSecret: whoever created a container, no value of a secret is reported,
// neither where a label or a command line names its variable nor where nothing does.
func TestEnvironmentsTellNoSecret(t *testing.T) {
	t.Parallel()
	digest := func(plain string) string { return "keyed(" + plain + ")" }
	env := []string{"PATH=/bin", "FROM_IMAGE=yes", "LEVEL=info", "KEY=fake-secret"}
	spec := func(a resource.Attrs) string { return string(a.AppendJSON(nil)) }
	plain := object(values{"LEVEL": text("info")})
	all := object(values{"LEVEL": text("info"), "KEY": text("fake-secret")})
	unnamed := object(values{"LEVEL": resource.Digest("keyed(env\nLEVEL\ninfo)"), "KEY": resource.Digest("keyed(env\nKEY\nfake-secret)")})
	labels := map[string]string{labelEnv: `{"KEY":"id"}`, labelSpec: spec(object(values{"env": object(values{"LEVEL": text("info"), "KEY": text("clash")})}))}
	for name, c := range map[string]struct {
		labels  map[string]string
		command []string
		want    resource.Value
	}{
		"a label names it":           {labels, nil, plain},
		"an option names it":         {nil, []string{"/usr/bin/podman", "run", "-d", "--secret", "pw,type=env,target=KEY", "a:1"}, plain},
		"its name names it":          {nil, []string{"podman", "--log-level=debug", "container", "create", "--secret=KEY,type=env", "a:1"}, plain},
		"no secret on the line":      {nil, []string{"podman", "run", "-e", "KEY=fake-secret", "a:1"}, all},
		"created through the API":    {nil, nil, unnamed},
		"created from a file":        {nil, []string{"podman", "kube", "play", "run"}, unnamed},
		"cloned":                     {nil, []string{"podman", "container", "clone", "run"}, unnamed},
		"created by another program": {nil, []string{"compose", "create"}, unnamed},
	} {
		f := facts{digest: digest, image: &libpod.Image{Config: libpod.ImageConfig{Env: []string{"FROM_IMAGE=yes"}}}}
		f.Config.Env, f.Config.Labels, f.Config.CreateCommand = env, c.labels, c.command
		f.env = envOf(f.Container)
		f.want, f.ours = applied(c.labels)
		want, _ := f.want.Get("env")
		got := f.environment(want)
		if !resource.Equal(got, c.want) {
			t.Errorf("%s: %s, want %s", name, resource.AppendJSON(nil, got), resource.AppendJSON(nil, c.want))
		}
	}
}
