package environment

import (
	"context"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/object"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

const (
	agentNamespace = "portainer"
	agentPrefix    = "portainer-agent-"
	agentsPath     = "/apis/apps/v1/namespaces/" + agentNamespace + "/deployments"
	agentContainer = "agent"
	// managedLabel is on all that belongs to an agent of ovi's.
	managedLabel = "app.kubernetes.io/managed-by"
	// keyNote is the digest of the key of an agent, in its template: another key starts other pods.
	keyNote = object.MarkPrefix + "edge-key"
)

// deployment is a Deployment of Kubernetes.
type deployment struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   object.Metadata   `json:"metadata"`
	Spec       deploymentSpec    `json:"spec"`
	Status     *deploymentStatus `json:"status,omitempty"`
}

type deploymentSpec struct {
	Replicas int         `json:"replicas"`
	Selector labels      `json:"selector"`
	Template podTemplate `json:"template"`
}

type labels struct {
	Match map[string]string `json:"matchLabels"`
}

type podTemplate struct {
	Metadata templateMeta `json:"metadata"`
	Spec     podSpec      `json:"spec"`
}

type templateMeta struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type podSpec struct {
	Account    string      `json:"serviceAccountName"`
	Containers []container `json:"containers"`
}

type container struct {
	Name  string `json:"name"`
	Image string `json:"image"`
	Env   []env  `json:"env"`
}

type env struct {
	Name  string   `json:"name"`
	Value string   `json:"value,omitempty"`
	From  *envFrom `json:"valueFrom,omitempty"`
}

type envFrom struct {
	Field  *fieldRef  `json:"fieldRef,omitempty"`
	Secret *secretRef `json:"secretKeyRef,omitempty"`
}

type fieldRef struct {
	Path string `json:"fieldPath"`
}

type secretRef struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

type deploymentStatus struct {
	Available  int `json:"availableReplicas,omitempty"`
	Conditions []struct {
		Type    string `json:"type"`
		Status  string `json:"status"`
		Message string `json:"message"`
	} `json:"conditions,omitempty"`
}

// agents are the Edge agents in one cluster.
type agents struct{ object.Objects }

// Agents returns those of one cluster.
func Agents(c *kube.Client, scope resource.Scope) system.Verbs {
	return &agents{object.Objects{
		Client: c, Scope: scope, Kind: system.KindAgent, Path: agentsPath, Prefix: agentPrefix,
		Empty: func() object.Object { return new(deployment) }, Build: agent,
	}}
}

// List omits the other deployments of the namespace.
func (x *agents) List(ctx context.Context) ([]resource.Observed, error) {
	out, err := x.Objects.List(ctx)
	return slices.DeleteFunc(out, func(o resource.Observed) bool { return !strings.HasPrefix(o.ID, agentPrefix) }), err
}

func (d *deployment) Meta() *object.Metadata { return &d.Metadata }

func (d *deployment) Fill(o *resource.Observed) {
	o.Health, o.Message = d.health()
	set := system.Values{}
	for _, c := range d.Spec.Template.Spec.Containers {
		if c.Name != agentContainer {
			continue
		}
		set["image"] = resource.String(c.Image)
		for _, e := range c.Env {
			if e.Name == "EDGE_ID" {
				set["edge_id"] = resource.String(e.Value)
			}
		}
	}
	o.Attrs = resource.AttrsOf(set)
}

// health is the verdict of Kubernetes, which starts the pod. Until there is one the agent is as configured.
func (d *deployment) health() (resource.Health, string) {
	available := 0
	if d.Status != nil {
		available = d.Status.Available
		for _, c := range d.Status.Conditions {
			if c.Type == "Progressing" && c.Status == "False" {
				return resource.Failing, c.Message
			}
		}
	}
	if available == 0 {
		return resource.Healthy, "its pod does not run yet"
	}
	return resource.Healthy, ""
}

// agent is the deployment that is configured.
func agent(r provider.Request) (object.Object, error) {
	key, err := edgeKey(r)
	if err != nil {
		return nil, err
	}
	name := agentPrefix + r.Desired.Ref.Name
	image, _ := r.Desired.Attrs.Text("image")
	id, _ := r.Desired.Attrs.Text("edge_id")
	pod := map[string]string{"app": name}
	d := &deployment{
		APIVersion: "apps/v1", Kind: "Deployment",
		Metadata: object.Metadata{Namespace: agentNamespace, Labels: map[string]string{managedLabel: kube.Manager}},
	}
	d.Spec = deploymentSpec{Replicas: 1, Selector: labels{pod}, Template: podTemplate{
		Metadata: templateMeta{Labels: pod, Annotations: map[string]string{keyNote: string(key.Digest())}},
		Spec: podSpec{Account: name, Containers: []container{{Name: agentContainer, Image: image, Env: []env{
			{Name: "EDGE", Value: "1"},
			{Name: "EDGE_ID", Value: id},
			{Name: "EDGE_KEY", From: &envFrom{Secret: &secretRef{name, "key"}}},
			{Name: "EDGE_INSECURE_POLL", Value: "0"},
			{Name: "KUBERNETES_POD_IP", From: &envFrom{Field: &fieldRef{"status.podIP"}}},
			{Name: "AGENT_CLUSTER_ADDR", Value: name},
		}}}},
	}}
	return d, nil
}

// edgeKey is the configured key.
func edgeKey(r provider.Request) (resource.Secret, error) {
	v, _ := r.Desired.Attrs.Get("edge_key")
	key, ok := v.(resource.Secret)
	if !ok {
		return key, system.Mistake("", "", "the edge_key is not known")
	}
	return key, nil
}

// Create makes what the agent needs, and then the agent with its marks: a creation that was interrupted is
// repeated.
func (x *agents) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if err := x.Check(ctx, r); err != nil {
		if o, again := x.One(ctx, agentPrefix+r.Desired.Ref.Name); again == nil &&
			o.Meta().Annotations[object.MarkKey] == r.Key {
			return x.Observed(o), nil
		}
		return resource.Observed{}, err
	}
	if err := x.putParts(ctx, r); err != nil {
		return resource.Observed{}, err
	}
	return x.Objects.Create(ctx, r)
}

func (x *agents) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if len(r.Changes) > 0 {
		if err := x.putParts(ctx, r); err != nil {
			return resource.Observed{}, err
		}
	}
	return x.Objects.Update(ctx, r)
}

// Remove deletes the agent last: a deletion that was interrupted is repeated.
func (x *agents) Remove(ctx context.Context, r provider.Request) error {
	o, err := x.One(ctx, r.Have.ID)
	switch {
	case kube.IsNotFound(err), err == nil && o.Meta().UID != r.Have.UID:
		return nil
	case err == nil:
		err = x.removeParts(ctx, strings.TrimPrefix(r.Have.ID, agentPrefix))
	}
	if err != nil {
		return err
	}
	return x.Objects.Remove(ctx, r)
}
