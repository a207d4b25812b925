package cluster_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/kube/kubetest"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

const (
	deployments = "/apis/apps/v1/namespaces/portainer/deployments"
	exampleKey  = "example-key-0b7c"
)

func (d *devops) agent(name string, set values) resource.Desired {
	attrs := values{
		"edge_id": text("7"), "edge_key": resource.NewSecret(exampleKey, "digest-0b7c"),
		"image": text("portainer/agent:2.23.0"),
	}
	for k, v := range set {
		attrs[k] = v
	}
	return resource.Desired{
		Ref: resource.Ref{
			Stack: "fleet", Provider: cluster.Name, Location: d.inside.Location, Kind: "edge_agent", Name: name,
		},
		Attrs: resource.AttrsOf(attrs),
	}
}

// putDeployment makes a deployment in the namespace of agents by hand.
func (d *devops) putDeployment(name string) {
	d.t.Helper()
	kubetest.Namespace(d.t, d.api, "portainer")
	object := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"` + name + `"},` +
		`"spec":{"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},` +
		`"spec":{"containers":[{"name":"agent","image":"other"}]}}}}`
	if err := d.api.Apply(d.context(), deployments+"/"+name, json.RawMessage(object), new(json.RawMessage)); err != nil {
		d.t.Fatal(err)
	}
}

// agentsKeepThePromises, in a real kube-apiserver. No pod runs.
func (d *devops) agentsKeepThePromises(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		d.t = t
		d.clearPath(deployments)
		return providertest.Harness{
			Provider: d.p, Scope: d.inside, Timeout: call, Elsewhere: elsewhere("edge_agent"),
			Samples: []providertest.Sample{
				{Desired: d.agent("dev", nil), Then: resource.AttrsOf(values{"edge_id": text("8")})},
				{
					Desired: d.agent("uat", nil),
					Then: resource.AttrsOf(values{
						"image": text("portainer/agent:2.24.0"), "edge_key": resource.NewSecret("another", "digest-another"),
					}),
				},
			},
			Unmanaged: func(*testing.T) string {
				d.putDeployment("portainer-agent-by-hand")
				return "portainer-agent-by-hand"
			},
			Strip:    d.strip(deployments),
			Recreate: d.recreate(deployments, d.putDeployment),
		}
	})
	d.t = t
	d.anAgentLeavesNothing()
	d.partsOfOthersStay()
}

// parts are the objects of an agent, beside its deployment.
func parts(name string) []string {
	var out []string
	for _, in := range []string{
		"/api/v1/namespaces/portainer/serviceaccounts/", "/api/v1/namespaces/portainer/secrets/",
		"/api/v1/namespaces/portainer/services/", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/",
	} {
		out = append(out, in+"portainer-agent-"+name)
	}
	return out
}

// anAgentLeavesNothing: what it needs comes and goes with it, its key is in a secret alone, and other deployments of
// the namespace stay.
func (d *devops) anAgentLeavesNothing() {
	d.t.Helper()
	d.clearPath(deployments)
	d.putDeployment("portainer")
	o, err := d.p.Create(d.context(), d.request(d.agent("dev", nil)))
	if err != nil {
		d.t.Fatal(err)
	}
	var all json.RawMessage
	if err := d.api.Get(d.context(), deployments, nil, &all); err != nil ||
		strings.Contains(string(all), exampleKey) || !strings.Contains(string(all), "digest-0b7c") {
		d.t.Errorf("the deployment holds the key, or does not follow it: %v", err)
	}
	for _, path := range parts("dev") {
		if err := d.api.Get(d.context(), path, nil, &all); err != nil {
			d.t.Error(err)
		}
	}
	for range 2 {
		if err := d.p.Delete(d.context(), provider.Request{Have: o}); err != nil {
			d.t.Fatal(err)
		}
	}
	for _, path := range parts("dev") {
		if err := d.api.Get(d.context(), path, nil, &all); !kube.IsNotFound(err) {
			d.t.Errorf("%s is left: %v", path, err)
		}
	}
	s, err := d.p.Observe(d.context(), provider.ObserveRequest{Scope: d.inside, Kinds: []string{"edge_agent"}})
	if err != nil || len(s.Resources) != 0 {
		d.t.Errorf("agents %+v, %v", s.Resources, err)
	}
	if err := d.api.Get(d.context(), deployments+"/portainer", nil, &all); err != nil {
		d.t.Errorf("another deployment of the namespace: %v", err)
	}
}

// partsOfOthersStay: an account of the agent's name that is not ovi's is a conflict, and is not deleted.
func (d *devops) partsOfOthersStay() {
	d.t.Helper()
	theirs := parts("dev")[0]
	object := json.RawMessage(`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"portainer-agent-dev"}}`)
	if err := d.api.Apply(d.context(), theirs, object, new(json.RawMessage)); err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.p.Create(d.context(), d.request(d.agent("dev", nil))); provider.CauseOf(err) != provider.InUse {
		d.t.Errorf("over an account of another program: %v", err)
	}
	if err := d.api.Get(d.context(), theirs, nil, new(json.RawMessage)); err != nil {
		d.t.Error(err)
	}
}
