package argocd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/object"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

const (
	argoGroup    = "/apis/argoproj.io/v1alpha1/namespaces/argocd/"
	appSetsPath  = argoGroup + "applicationsets"
	appsPath     = argoGroup + "applications"
	definition   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/applicationsets.argoproj.io"
	byServerName = "{{.clusterName}}"
	byBranch     = "{{.branch}}"
)

// appGoneWait is how long Argo CD may take to remove applications.
const appGoneWait = time.Minute

// appSet is an ApplicationSet with one generator, a list.
type appSet struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   object.Metadata `json:"metadata"`
	Spec       appSetSpec      `json:"spec"`
}

type appSetSpec struct {
	GoTemplate bool           `json:"goTemplate"`
	Options    []string       `json:"goTemplateOptions"`
	Generators []appGenerator `json:"generators"`
	Template   appTemplate    `json:"template"`
}

type appGenerator struct {
	List *appList `json:"list,omitempty"`
}

type appList struct {
	Elements []map[string]string `json:"elements"`
}

type appTemplate struct {
	Metadata struct {
		Name       string   `json:"name"`
		Finalizers []string `json:"finalizers"`
	} `json:"metadata"`
	Spec appSpec `json:"spec"`
}

type appSpec struct {
	Project     string         `json:"project"`
	Source      appSource      `json:"source"`
	Destination appDestination `json:"destination"`
	SyncPolicy  appSync        `json:"syncPolicy"`
}

type appSource struct {
	Repo     string   `json:"repoURL"`
	Path     string   `json:"path"`
	Revision string   `json:"targetRevision"`
	Helm     *appHelm `json:"helm,omitempty"`
}

type appHelm struct {
	Values string `json:"values"`
}

type appDestination struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type appSync struct {
	Automated struct {
		Prune    bool `json:"prune"`
		SelfHeal bool `json:"selfHeal"`
	} `json:"automated"`
	Options []string `json:"syncOptions"`
}

// appSets are the ApplicationSets of a cluster, which has none without their definition.
type appSets struct{ object.Objects }

// AppSets returns those of one cluster.
func AppSets(c *kube.Client, scope resource.Scope) system.Verbs {
	x := &appSets{object.Objects{
		Client: c, Scope: scope, Kind: system.KindAppSet, Path: appSetsPath,
		Empty: func() object.Object { return new(appSet) }, Build: applicationSet,
	}}
	x.Gone = x.applicationsGone
	return x
}

// List is empty where the definition of ApplicationSets surely does not exist. That their list is not found
// says less: an API server that has just started does not serve it yet.
func (x *appSets) List(ctx context.Context) ([]resource.Observed, error) {
	out, err := x.Objects.List(ctx)
	if !kube.IsNotFound(err) {
		return out, err
	}
	if known := x.Get(ctx, definition, nil, new(json.RawMessage)); !kube.IsNotFound(known) {
		return nil, errors.Join(err, known)
	}
	return nil, nil
}

func (s *appSet) Meta() *object.Metadata { return &s.Metadata }

// UnmarshalJSON reads elements whose values are no strings as their JSON: they are not ovi's.
func (l *appList) UnmarshalJSON(b []byte) error {
	var raw struct {
		Elements []map[string]json.RawMessage `json:"elements"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	l.Elements = make([]map[string]string, len(raw.Elements))
	for i, e := range raw.Elements {
		l.Elements[i] = map[string]string{}
		for k, v := range e {
			var text string
			if json.Unmarshal(v, &text) != nil {
				text = string(v)
			}
			l.Elements[i][k] = text
		}
	}
	return nil
}

func (s *appSet) Fill(o *resource.Observed) {
	app := s.Spec.Template.Spec
	set := system.Values{
		"repo": resource.String(app.Source.Repo), "path": resource.String(app.Source.Path),
		"project": resource.String(app.Project), "namespace": resource.String(app.Destination.Namespace),
	}
	if app.Source.Helm != nil && app.Source.Helm.Values != "" {
		set["values"] = resource.String(app.Source.Helm.Values)
	}
	if g := s.Spec.Generators; len(g) == 1 && g[0].List != nil { // another one is not what is configured
		elements := make(resource.List, len(g[0].List.Elements))
		for i, e := range g[0].List.Elements {
			values := system.Values{}
			for k, v := range e {
				values[k] = resource.String(v)
			}
			elements[i] = resource.AttrsOf(values)
		}
		slices.SortFunc(elements, func(a, b resource.Value) int {
			return bytes.Compare(resource.AppendJSON(nil, a), resource.AppendJSON(nil, b))
		})
		set["elements"] = elements
	}
	o.Attrs = resource.AttrsOf(set)
}

// applicationSet is the object that is configured.
func applicationSet(r provider.Request) (object.Object, error) {
	a := r.Desired.Attrs
	elements := []map[string]string{}
	for _, v := range a.List("elements") {
		element, _ := v.(resource.Attrs)
		texts := map[string]string{}
		for _, x := range element {
			text, _ := x.Value.(resource.String)
			texts[x.Name] = string(text)
		}
		elements = append(elements, texts)
	}
	s := &appSet{
		APIVersion: "argoproj.io/v1alpha1", Kind: "ApplicationSet",
		Metadata: object.Metadata{Namespace: "argocd"}, Spec: appSetSpec{
			GoTemplate: true, Options: []string{"missingkey=error"},
			Generators: []appGenerator{{List: &appList{Elements: elements}}},
		},
	}
	t := &s.Spec.Template
	t.Metadata.Name, t.Metadata.Finalizers = appName(r.Desired.Ref.Name, "{{.env}}"), []string{
		"resources-finalizer.argocd.argoproj.io",
	}
	t.Spec.Project, _ = a.Text("project")
	t.Spec.Source.Repo, _ = a.Text("repo")
	t.Spec.Source.Path, _ = a.Text("path")
	t.Spec.Source.Revision = byBranch
	t.Spec.Destination.Name = byServerName
	t.Spec.Destination.Namespace, _ = a.Text("namespace")
	if helm, ok := a.Text("values"); ok {
		t.Spec.Source.Helm = &appHelm{helm}
	}
	t.Spec.SyncPolicy.Automated.Prune, t.Spec.SyncPolicy.Automated.SelfHeal = true, true
	t.Spec.SyncPolicy.Options = []string{"CreateNamespace=true"}
	return s, nil
}

func appName(set, env string) string { return set + "-" + env }

// applicationsGone waits until Argo CD has removed the applications whose element was removed: they need
// their cluster's registration to remove what they deployed.
func (x *appSets) applicationsGone(ctx context.Context, uid string, left object.Object) error {
	stay := map[string]bool{}
	if s, ok := left.(*appSet); ok {
		for _, e := range s.Spec.Generators[0].List.Elements {
			stay[appName(s.Metadata.Name, e["env"])] = true
		}
	}
	ctx, stop := context.WithTimeoutCause(ctx, appGoneWait,
		provider.Errorf("they were not removed in %s by Argo CD", appGoneWait))
	defer stop()
	for {
		names, err := x.applications(ctx, uid, stay)
		switch {
		case err != nil && ctx.Err() == nil:
			return err
		case err == nil && len(names) == 0:
			return nil
		}
		select {
		case <-ctx.Done():
			return system.Uncertain("the applications "+strings.Join(names, ", ")+" still exist", context.Cause(ctx))
		case <-time.After(system.Poll):
		}
	}
}

// applications are the names of those that an ApplicationSet made and that are not to stay.
func (x *appSets) applications(ctx context.Context, uid string, stay map[string]bool) (out []string, err error) {
	var all struct {
		Items []struct{ Metadata object.Metadata }
	}
	err = x.Get(ctx, appsPath, nil, &all)
	if kube.IsNotFound(err) { // no definition: there are none
		return nil, nil
	}
	for _, a := range all.Items {
		if !stay[a.Metadata.Name] &&
			slices.ContainsFunc(a.Metadata.Owners, func(o object.Owner) bool { return o.UID == uid }) {
			out = append(out, a.Metadata.Name)
		}
	}
	return out, err
}
