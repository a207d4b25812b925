package argocd

import (
	"strings"

	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// AppSetKind returns the schema of ApplicationSets.
func AppSetKind() resource.Kind {
	text := resource.Attribute{Type: resource.TString}
	return resource.Kind{
		Provider: system.Name, Name: system.KindAppSet, NamePattern: system.ClusterName, NameDoc: system.ClusterNameDoc,
		Doc: "An ApplicationSet of Argo CD, in the namespace argocd: the application NAME-ENV for each element of " +
			"a list.\n\nIts location is the cluster that Argo CD runs in: management, or local#NAME. " +
			"Applications whose element is removed are deleted before the resources that they need.",
		NoTags: true, Carrier: resource.Anytime,
		Holds: system.HoldsName("ApplicationSet"), HoldsDoc: "its name in Argo CD",
		CrossCheck: func(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) []resource.Finding {
			return system.Misplaced(configured, system.InCluster, "an applicationset is in the cluster that Argo CD runs in",
				"use management, or local#NAME")
		},
		Attrs: []resource.Attribute{
			{
				Name: "repo", Type: resource.TString, Required: true, Example: "https://git.example.com/shop.git",
				Doc: "The URL of the Git repository.",
			},
			{
				Name: "path", Type: resource.TString,
				HarmlessDefault: true, Default: resource.String("deploy"), Example: "deploy",
				Doc: "The folder in it.",
			},
			{
				Name: "project", Type: resource.TString,
				HarmlessDefault: true, Default: resource.String("default"), Example: "default",
				Doc: "The project of Argo CD.",
			},
			{
				Name: "namespace", Type: resource.TString,
				HarmlessDefault: true, Default: resource.String("default"), Example: "shop",
				Doc: "The namespace in the clusters; it may be a template, such as {{.env}}.",
			},
			{
				Name: "values", Type: resource.TString, Example: "host: whoami.{{.env}}.example.com",
				Doc: "Values of the Helm chart; a template of the element.",
			},
			{
				Name: "elements", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TMap, Elem: &text},
				Required: true, Valid: validElements,
				Example: "[{env: dev, branch: dev, clusterName: dev}]",
				Doc: "One application for each element: env, branch, clusterName (the name of the cluster in Argo " +
					"CD), and other values that the templates use.",
			},
		},
	}
}

// validElements refuses an element without what every application needs, and two of one name.
func validElements(v resource.Value) (out []resource.Problem) {
	list, _ := v.(resource.List)
	seen := map[string]bool{}
	for _, e := range list {
		element, _ := e.(resource.Attrs)
		var missing []string
		for _, key := range []string{"env", "branch", "clusterName"} {
			if _, ok := element.Get(key); !ok {
				missing = append(missing, key)
			}
		}
		if len(missing) > 0 {
			out = append(out,
				resource.Problem{Summary: "an element has no " + strings.Join(missing, ", "), Suggestion: "add it"})
		}
		env, known := element.Text("env")
		if known && seen[env] {
			out = append(out, resource.Problem{Summary: "two elements have the env " + env, Suggestion: "remove one"})
		}
		seen[env] = true
	}
	return out
}
