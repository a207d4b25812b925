package facts

import (
	"testing"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/resource"
)

// TestEnvironmentsTellNoSecret: whoever created a container, no value of a secret is reported,
// neither where a label or a command line names its variable nor where nothing does.
func TestEnvironmentsTellNoSecret(t *testing.T) {
	t.Parallel()
	digest := func(plain string) string { return "keyed(" + plain + ")" }
	env := []string{"PATH=/bin", "FROM_IMAGE=yes", "LEVEL=info", "KEY=fake-secret"}
	spec := func(a resource.Attrs) string { return string(a.AppendJSON(nil)) }
	plain := object(values{"LEVEL": text("info")})
	all := object(values{"LEVEL": text("info"), "KEY": text("fake-secret")})
	unnamed := object(values{
		"LEVEL": resource.Digest("keyed(env\nLEVEL\ninfo)"), "KEY": resource.Digest("keyed(env\nKEY\nfake-secret)"),
	})
	labels := map[string]string{
		marks.LabelEnv:  `{"KEY":"id"}`,
		marks.LabelSpec: spec(object(values{"env": object(values{"LEVEL": text("info"), "KEY": text("clash")})})),
	}
	for name, c := range map[string]struct {
		labels  map[string]string
		command []string
		want    resource.Value
	}{
		"a label names it": {labels, nil, plain},
		"an option names it": {
			nil, []string{"/usr/bin/podman", "run", "-d", "--secret", "pw,type=env,target=KEY", "a:1"}, plain,
		},
		"its name names it": {
			nil, []string{"podman", "--log-level=debug", "container", "create", "--secret=KEY,type=env", "a:1"}, plain,
		},
		"no secret on the line":      {nil, []string{"podman", "run", "-e", "KEY=fake-secret", "a:1"}, all},
		"created through the API":    {nil, nil, unnamed},
		"created from a file":        {nil, []string{"podman", "kube", "play", "run"}, unnamed},
		"cloned":                     {nil, []string{"podman", "container", "clone", "run"}, unnamed},
		"created by another program": {nil, []string{"compose", "create"}, unnamed},
	} {
		f := Container{Digest: digest, RunImage: &libpod.Image{Config: libpod.ImageConfig{Env: []string{"FROM_IMAGE=yes"}}}}
		f.Config.Env, f.Config.Labels, f.Config.CreateCommand = env, c.labels, c.command
		f.Env = EnvOf(f.Container)
		f.Want, f.Ours = marks.Applied(c.labels)
		want, _ := f.Want.Get("env")
		got := f.environment(want)
		if !resource.Equal(got, c.want) {
			t.Errorf("%s: %s, want %s", name, resource.AppendJSON(nil, got), resource.AppendJSON(nil, c.want))
		}
	}
}
