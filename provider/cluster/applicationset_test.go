package cluster_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/cluster/kube/kubetest"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

const (
	argoPath = "/apis/argoproj.io/v1alpha1/namespaces/argocd/"
	appSets  = argoPath + "applicationsets"
)

func element(env string, more values) resource.Attrs {
	set := values{"env": text(env), "branch": text(env), "clusterName": text(env)}
	for k, v := range more {
		set[k] = v
	}
	return resource.AttrsOf(set)
}

func (d *devops) appSet(name string, set values) resource.Desired {
	attrs := values{"repo": text("https://git.example.com/shop.git"), "elements": resource.List{element("dev", nil)}}
	for k, v := range set {
		attrs[k] = v
	}
	return resource.Desired{
		Ref: resource.Ref{
			Stack: "fleet", Provider: cluster.Name, Location: d.inside.Location, Kind: "applicationset", Name: name,
		},
		Attrs: resource.AttrsOf(attrs),
	}
}

func (d *devops) putAppSet(name string) {
	d.t.Helper()
	object := json.RawMessage(`{"apiVersion":"argoproj.io/v1alpha1","kind":"ApplicationSet",` +
		`"metadata":{"name":"` + name + `"},"spec":{"generators":[{"clusters":{}}],` +
		`"template":{"metadata":{"name":"x"},"spec":{"project":"default","source":{"repoURL":"https://x"},` +
		`"destination":{"name":"in-cluster"}}}}}`)
	if err := d.api.PatchAs(d.context(), "other", appSets+"/"+name, object, new(json.RawMessage)); err == nil {
		return
	}
	if err := d.api.Apply(d.context(), appSets+"/"+name, object, new(json.RawMessage)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *devops) clearPath(path string) {
	d.t.Helper()
	var all struct{ Items []object }
	if err := d.api.Get(d.context(), path, nil, &all); err != nil {
		d.t.Fatal(err)
	}
	for _, o := range all.Items {
		if err := d.api.Remove(d.context(), path+"/"+o.Metadata.Name, o.Metadata.UID); err != nil {
			d.t.Fatal(err)
		}
	}
}

// appSetsKeepThePromises, by the definitions of the real Argo CD. No controller of it runs.
func (d *devops) appSetsKeepThePromises(t *testing.T) {
	d.t = t
	d.withoutDefinitions()
	kubetest.InstallArgo(t, d.api)
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		d.t = t
		d.clearPath(appSets)
		return providertest.Harness{
			Provider: d.p, Scope: d.inside, Timeout: call, Elsewhere: elsewhere("applicationset"),
			Samples: []providertest.Sample{
				{
					Desired: d.appSet("whoami", nil),
					Then: resource.AttrsOf(values{
						"elements": resource.List{element("dev", values{"hostEnv": text("d")}), element("uat", nil)},
					}),
				},
				{
					Desired: d.appSet("shop",
						values{
							"path": text("chart"), "namespace": text("shop-{{.env}}"), "values": text("host: {{.env}}\n"),
							"elements": resource.List{},
						}),
					Then: resource.AttrsOf(values{"project": text("shop")}),
				},
			},
			Unmanaged: func(*testing.T) string { d.putAppSet("by-hand"); return "by-hand" },
			Strip: func(_ *testing.T, o resource.Observed) {
				patch := `{"metadata":{"annotations":{"ovi/ref":null,"ovi/stack":null,"ovi/owner":null,"ovi/key":null}}}`
				if err := d.api.Patch(d.context(), appSets+"/"+o.ID, json.RawMessage(patch), new(json.RawMessage)); err != nil {
					t.Fatal(err)
				}
			},
			Recreate: func(_ *testing.T, o resource.Observed) {
				if err := d.api.Remove(d.context(), appSets+"/"+o.ID, o.UID); err != nil {
					t.Fatal(err)
				}
				d.putAppSet(o.ID)
			},
		}
	})
	d.t = t
	d.waitsForApplications()
}

// withoutDefinitions: a cluster without Argo CD surely has no ApplicationSets.
func (d *devops) withoutDefinitions() {
	d.t.Helper()
	s, err := d.p.Observe(d.context(), provider.ObserveRequest{Scope: d.inside, Kinds: []string{"applicationset"}})
	if err != nil || len(s.Unreachable) > 0 || len(s.Resources) > 0 {
		d.t.Errorf("without Argo CD: %+v, %v", s, err)
	}
}

// waitsForApplications: an element is removed, and the update ends once its application is gone.
func (d *devops) waitsForApplications() {
	d.t.Helper()
	d.clearPath(appSets)
	q := d.request(d.appSet("whoami", values{"elements": resource.List{element("dev", nil), element("uat", nil)}}))
	o, err := d.p.Create(d.context(), q)
	if err != nil {
		d.t.Fatal(err)
	}
	app := json.RawMessage(`{"apiVersion":"argoproj.io/v1alpha1","kind":"Application",` +
		`"metadata":{"name":"whoami-uat","ownerReferences":[{"apiVersion":"argoproj.io/v1alpha1",` +
		`"kind":"ApplicationSet","name":"whoami","uid":"` + o.UID + `"}]},` +
		`"spec":{"project":"default","source":{"repoURL":"https://x"},` +
		`"destination":{"name":"uat"}}}`)
	if err := d.api.Apply(d.context(), argoPath+"applications/whoami-uat", app, new(json.RawMessage)); err != nil {
		d.t.Fatal(err)
	}
	q = d.request(d.appSet("whoami", nil))
	q.Have, q.Changes = o, []resource.Change{{Path: "elements"}}
	ended := make(chan error)
	go func() { _, err := d.p.Update(d.context(), q); ended <- err }()
	select {
	case err := <-ended:
		d.t.Errorf("the update ended while an application was left: %v", err)
		return
	case <-time.After(time.Second):
	}
	d.clearPath(argoPath + "applications")
	if err := <-ended; err != nil {
		d.t.Error(err)
	}
}
