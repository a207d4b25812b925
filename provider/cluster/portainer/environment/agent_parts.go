package environment

import (
	"context"
	"encoding/json"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/object"
	"github.com/ovi-project/ovi/provider/cluster/system"
)

// part is an object that an agent needs.
type part struct {
	path string
	body partBody
}

// partBody is an object of one of the kinds that an agent needs, with the fields that ovi sets.
type partBody struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   object.Metadata   `json:"metadata"`
	Type       string            `json:"type,omitempty"`     // of a Secret
	Data       map[string][]byte `json:"data,omitempty"`     // of a Secret
	Role       *roleRef          `json:"roleRef,omitempty"`  // of a ClusterRoleBinding
	Subjects   []subject         `json:"subjects,omitempty"` // of a ClusterRoleBinding
	Spec       *serviceSpec      `json:"spec,omitempty"`     // of a Service
}

type roleRef struct {
	Group string `json:"apiGroup"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
}

type subject struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type serviceSpec struct {
	ClusterIP string            `json:"clusterIP"`
	Selector  map[string]string `json:"selector"`
	Ports     []servicePort     `json:"ports"`
}

type servicePort struct {
	Port     int    `json:"port"`
	Protocol string `json:"protocol"`
}

// partsOf are the objects of an agent, in the order in which they are made.
func partsOf(name string, key []byte) []part {
	name = agentPrefix + name
	in := "/api/v1/namespaces/" + agentNamespace + "/"
	meta := func(namespace string) object.Metadata {
		return object.Metadata{Name: name, Namespace: namespace, Labels: map[string]string{managedLabel: kube.Manager}}
	}
	return []part{
		{in + "serviceaccounts/" + name, partBody{APIVersion: "v1", Kind: "ServiceAccount", Metadata: meta(agentNamespace)}},
		{"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/" + name, partBody{
			APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding", Metadata: meta(""),
			Role: &roleRef{
				"rbac.authorization.k8s.io", "ClusterRole", "cluster-admin",
			}, Subjects: []subject{{"ServiceAccount", name, agentNamespace}},
		}},
		{
			in + "secrets/" + name,
			partBody{
				APIVersion: "v1", Kind: "Secret", Metadata: meta(agentNamespace), Type: "Opaque",
				Data: map[string][]byte{"key": key},
			},
		},
		{in + "services/" + name, partBody{
			APIVersion: "v1", Kind: "Service", Metadata: meta(agentNamespace),
			Spec: &serviceSpec{"None", map[string]string{"app": name}, []servicePort{{9001, "TCP"}}},
		}},
	}
}

// putParts makes the objects of an agent what they must be. One of their names that is not ovi's is a conflict.
func (x *agents) putParts(ctx context.Context, r provider.Request) error {
	key, err := edgeKey(r)
	if err != nil {
		return err
	}
	space := part{
		"/api/v1/namespaces/" + agentNamespace,
		partBody{APIVersion: "v1", Kind: "Namespace", Metadata: object.Metadata{Name: agentNamespace}},
	}
	if _, err := x.read(ctx, space); err != nil && !kube.IsNotFound(err) {
		return err
	} else if err != nil {
		if err := x.Apply(ctx, space.path, space.body, new(json.RawMessage)); err != nil {
			return err
		}
	}
	for _, p := range partsOf(r.Desired.Ref.Name, []byte(key.Reveal())) {
		switch have, err := x.read(ctx, p); {
		case err != nil && !kube.IsNotFound(err):
			return err
		case err == nil && have.Labels[managedLabel] != kube.Manager:
			return system.InUse("", "rename one of them", "a %s %s exists in the cluster", p.body.Kind, p.body.Metadata.Name)
		}
		if err := x.Apply(ctx, p.path, p.body, new(json.RawMessage)); err != nil {
			return err
		}
	}
	return nil
}

// removeParts deletes the objects of an agent, and none that is not ovi's. The namespace stays.
func (x *agents) removeParts(ctx context.Context, name string) error {
	for _, p := range partsOf(name, nil) {
		have, err := x.read(ctx, p)
		if err == nil && have.Labels[managedLabel] == kube.Manager {
			err = x.Client.Remove(ctx, p.path, have.UID)
		}
		if err != nil && !kube.IsNotFound(err) {
			return err
		}
	}
	return nil
}

func (x *agents) read(ctx context.Context, p part) (object.Metadata, error) {
	var o struct {
		Metadata object.Metadata `json:"metadata"`
	}
	err := x.Get(ctx, p.path, nil, &o)
	return o.Metadata, err
}
