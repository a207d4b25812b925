package argocd

import (
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// SecretKind returns the schema of the clusters that Argo CD knows.
func SecretKind() resource.Kind {
	text := resource.Attribute{Type: resource.TString}
	return resource.Kind{
		Provider: system.Name, Name: system.KindSecret, NamePattern: system.ClusterName, NameDoc: system.ClusterNameDoc,
		Doc: "The registration of a cluster with Argo CD: the secret cluster-NAME in the namespace argocd.\n\nIts location " +
			"is the cluster that Argo CD runs in: " +
			"management, or local#NAME for a cluster of kind or k3d. It is applied on the server's side, so that no " +
			"annotation keeps its content.",
		NoTags: true, Carrier: resource.Anytime, Canonical: secretCanonical, CrossCheck: secretCrossCheck,
		Holds: system.HoldsName("registration"), HoldsDoc: "the name of the cluster in Argo CD",
		Attrs: []resource.Attribute{
			{
				Name: "server", Type: resource.TString, Required: true, Pattern: `https://.+`,
				Example: "https://dev-control-plane:6443",
				Doc:     "The URL at which Argo CD reaches the API server of the cluster. Its certificate is verified.",
			},
			{
				Name: "server_name", Type: resource.TString, Example: "localhost",
				Doc: "The name that the certificate is for, if it is not the host of the URL.",
			},
			{
				Name: "kubeconfig", Type: resource.TString, Required: true, Secret: true, WriteOnly: true,
				Example: "${cluster/local/cluster/dev.kubeconfig}",
				Doc:     "A kubeconfig of the cluster, of which Argo CD gets the current user and the authority.",
			},
			{
				Name: "labels", Type: resource.TMap, Elem: &text, Example: "{env: dev}",
				Doc: "Labels of the secret, which an ApplicationSet can select.",
			},
			{Name: "annotations", Type: resource.TMap, Elem: &text, Example: "{team: shop}", Doc: "Annotations of the secret."},
		},
	}
}

// secretCanonical refuses labels and annotations that are ovi's or Argo CD's own.
func secretCanonical(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	for _, name := range []string{"labels", "annotations"} {
		v, _ := a.Get(name)
		keys, _ := v.(resource.Attrs)
		for _, x := range keys {
			if isReserved(x.Name) {
				return a, []resource.Problem{
					{Path: name + "." + x.Name, Summary: x.Name + " is set by ovi", Suggestion: "remove it"},
				}
			}
		}
	}
	return a, nil
}

// secretCrossCheck refuses secrets that are on an engine.
func secretCrossCheck(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) []resource.Finding {
	return system.Misplaced(configured, system.InCluster, "an argocd_secret is in the cluster that Argo CD runs in",
		"use management, or local#NAME")
}
