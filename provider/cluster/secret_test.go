package cluster_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/kube/kubetest"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// devops is a real cluster without a kubelet, in which Argo CD could run: a real kube-apiserver and etcd.
type devops struct {
	*real
	api        *kube.Client
	inside     resource.Scope
	kubeconfig resource.Secret
}

const secrets = "/api/v1/namespaces/argocd/secrets"

func newDevops(t *testing.T) *devops {
	t.Helper()
	d := &devops{real: newReal(t, clustertest.Start(t))}
	d.create(d.desired("devops", values{"provider": text("kind"), "image": text(clustertest.Image)}))
	o, _ := d.find("devops")
	d.inside = resource.Scope{Provider: cluster.Name, Location: "context:kind-devops"}
	var err error
	if d.kubeconfig, err = d.p.Reveal(d.context(), o, "kubeconfig"); err != nil {
		t.Fatal(err)
	}
	config, err := kube.Parse([]byte(d.kubeconfig.Reveal()), "kind-devops", "")
	if err != nil {
		t.Fatal(err)
	}
	if d.api, err = kube.New(config); err != nil {
		t.Fatal(err)
	}
	kubetest.Namespace(t, d.api, "argocd")
	s, err := d.p.Observe(d.context(), provider.ObserveRequest{Scope: cluster.Inside(o.Ref)})
	if err != nil || len(s.Resources) > 0 {
		t.Errorf("in a new cluster there is %+v, %v", s.Resources, err)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(d.kubeconfig.Reveal()), 0o600); err != nil {
		t.Fatal(err)
	}
	d.p = cluster.New(cluster.Options{Kubeconfig: file}) // which asks no engine where the cluster is
	return d
}

// object is what these tests read of a Secret.
type object struct {
	Metadata struct {
		Name, UID     string
		Labels        map[string]string
		Annotations   map[string]string
		ManagedFields []struct{ Manager, Operation string }
	}
	Data map[string][]byte
}

func (d *devops) get(name string) (o object) {
	d.t.Helper()
	if err := d.api.Get(d.context(), secrets+"/"+name, nil, &o); err != nil {
		d.t.Fatal(err)
	}
	return o
}

// put makes a secret of Argo CD's by hand.
func (d *devops) put(name string) {
	d.t.Helper()
	text := `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"` + name + `",` +
		`"labels":{"argocd.argoproj.io/secret-type":"cluster"}},"stringData":{"server":"https://10.0.0.1"}}`
	if err := d.api.Apply(d.context(), secrets+"/"+name, json.RawMessage(text), new(json.RawMessage)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *devops) secret(name string, set values) resource.Desired {
	attrs := values{"server": text("https://" + name + "-control-plane:6443"), "kubeconfig": d.kubeconfig}
	for k, v := range set {
		attrs[k] = v
	}
	return resource.Desired{
		Ref: resource.Ref{
			Stack: "fleet", Provider: cluster.Name, Location: d.inside.Location, Kind: "argocd_secret", Name: name,
		},
		Attrs: resource.AttrsOf(attrs),
	}
}

// TestWhatIsInAClusterKeepsThePromisesOfAProvider, in one real kube-apiserver.
func TestWhatIsInAClusterKeepsThePromisesOfAProvider(t *testing.T) {
	d := newDevops(t)
	t.Run("argocd_secret", d.secretsKeepThePromises)
	t.Run("applicationset", d.appSetsKeepThePromises)
	t.Run("edge_agent", d.agentsKeepThePromises)
}

func (d *devops) secretsKeepThePromises(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		d.t = t
		d.clearPath(secrets)
		return providertest.Harness{
			Provider: d.p, Scope: d.inside, Timeout: call, Elsewhere: elsewhere("argocd_secret"),
			Samples: []providertest.Sample{
				{
					Desired: d.secret("dev", nil),
					Then: resource.AttrsOf(values{
						"server": text("https://10.0.0.7:6443"), "labels": resource.AttrsOf(values{"env": text("dev")}),
					}),
				},
				{
					Desired: d.secret("uat",
						values{
							"server_name": text("localhost"),
							"labels":      resource.AttrsOf(values{"env": text("uat"), "type": text("business")}),
						}),
					Then: resource.AttrsOf(values{
						"labels":      resource.AttrsOf(values{"env": text("other")}),
						"annotations": resource.AttrsOf(values{"team": text("shop")}),
					}),
				},
			},
			Unmanaged: func(*testing.T) string {
				d.put("by-hand")
				return "by-hand"
			},
			Strip:    d.strip(secrets),
			Recreate: d.recreate(secrets, d.put),
		}
	})
	d.t = t
	d.secretsStayOut()
	d.fieldsOfOthersStay()
}

// strip removes the marks of an object of a collection.
func (d *devops) strip(collection string) func(*testing.T, resource.Observed) {
	return func(t *testing.T, o resource.Observed) {
		patch := `{"metadata":{"annotations":{"ovi/ref":null,"ovi/stack":null,"ovi/owner":null,"ovi/key":null}}}`
		if err := d.api.Patch(d.context(), collection+"/"+o.ID, json.RawMessage(patch), new(json.RawMessage)); err != nil {
			t.Fatal(err)
		}
	}
}

// recreate replaces an object of a collection by another one of its name.
func (d *devops) recreate(collection string, put func(name string)) func(*testing.T, resource.Observed) {
	return func(t *testing.T, o resource.Observed) {
		if err := d.api.Remove(d.context(), collection+"/"+o.ID, o.UID); err != nil {
			t.Fatal(err)
		}
		put(o.ID)
	}
}

// secretsStayOut: no annotation keeps the key, and the certificate of the cluster is verified.
func (d *devops) secretsStayOut() {
	d.clearPath(secrets)
	q := d.request(d.secret("dev", nil))
	if _, err := d.p.Create(d.context(), q); err != nil {
		d.t.Fatal(err)
	}
	got := d.get("cluster-dev")
	for k := range got.Metadata.Annotations {
		if !strings.HasPrefix(k, "ovi/") {
			d.t.Errorf("there is an annotation %s", k)
		}
	}
	config := string(got.Data["config"])
	if !strings.Contains(config, `"caData"`) || !strings.Contains(config, `"certData"`) ||
		strings.Contains(config, "insecure") {
		d.t.Error("Argo CD does not get an authority and a certificate, or may skip verification")
	}
	for _, m := range got.Metadata.ManagedFields {
		if m.Manager != kube.Manager || m.Operation != "Apply" {
			d.t.Errorf("%s manages fields by %s", m.Manager, m.Operation)
		}
	}
}

// fieldsOfOthersStay: what another program set is not overwritten.
func (d *devops) fieldsOfOthersStay() {
	have := d.secretNamed("dev")
	text := json.RawMessage(`{"metadata":{"labels":{"env":"theirs"}}}`)
	if err := d.api.PatchAs(d.context(), "other", secrets+"/cluster-dev", text, new(json.RawMessage)); err != nil {
		d.t.Fatal(err)
	}
	q := d.request(d.secret("dev", values{"labels": resource.AttrsOf(values{"env": resource.String("dev")})}))
	q.Have, q.Changes = have, []resource.Change{{Path: "labels.env", To: resource.String("dev")}}
	if _, err := d.p.Update(d.context(), q); provider.CauseOf(err) != provider.InUse {
		d.t.Errorf("overwriting a label of another program: %v", err)
	}
	if got := d.get("cluster-dev").Metadata.Labels["env"]; got != "theirs" {
		d.t.Errorf("the label of another program is %s", got)
	}
}

func (d *devops) secretNamed(name string) resource.Observed {
	d.t.Helper()
	s, err := d.p.Observe(d.context(), provider.ObserveRequest{Scope: d.inside})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, o := range s.Resources {
		if o.Ref.Name == name {
			return o
		}
	}
	d.t.Fatalf("there is no secret %s", name)
	return resource.Observed{}
}
