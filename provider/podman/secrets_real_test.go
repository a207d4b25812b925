package podman_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestNoVariableShowsASecret: a variable that holds a secret is never reported, of a container of
// ovi's or of one made by hand that was adopted; and none has two values.
func TestNoVariableShowsASecret(t *testing.T) {
	r := newReal(t)
	const plain = "fake-tr0ub4dor-and-3"
	r.create("secret", "password", values{"data": object(values{"PASSWORD": secretOf(plain)})})
	use := resource.List{object(values{"name": r.of("secret", "password"), "env": resource.Bool(true)})}
	twice := r.checked("container", "twice",
		values{"image": text(podmantest.Image), "env": object(values{"PASSWORD": text("clash")}), "secrets": use})
	if _, err := r.p.Create(r.context(), r.request(twice)); provider.CauseOf(err) != provider.Configuration ||
		!strings.Contains(err.Error(), "PASSWORD of a secret is set twice") {
		t.Errorf("a variable with two values: %v", err)
	}
	r.create("container", "ours", values{"image": text(podmantest.Image), "secrets": use})
	for _, option := range []string{"password,type=env", "password,type=env,target=PASSWORD"} {
		r.host.Podman(t, "run", "-d", "--name", "by-hand", "-e", "LEVEL=info", "--secret", option, podmantest.Image)
		id := r.host.Podman(t, "inspect", "-f", "{{.Id}}", "by-hand")
		known := []provider.Known{{Kind: "container", ID: id}}
		snap, err := r.p.Observe(r.context(), provider.ObserveRequest{Scope: r.scope, Known: known})
		if err != nil {
			t.Fatal(err)
		}
		adopted := false
		for _, o := range snap.Resources {
			if strings.Contains(string(o.AppendJSON(nil)), plain) {
				t.Errorf("%s shows the secret", o.Ref)
			}
			env, _ := o.Attrs.Get("env")
			adopted = adopted || o.ID == id && resource.Equal(env, object(values{"LEVEL": text("info")}))
		}
		if !adopted {
			t.Errorf("with the secret %s, the variables of the adopted container are not reported", option)
		}
		r.host.Podman(t, "rm", "-f", "-t", "0", "by-hand")
	}
}
