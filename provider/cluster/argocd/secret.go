// Package argocd has what ovi configures of Argo CD: the clusters that it deploys to, and ApplicationSets.
package argocd

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/object"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

const (
	secretsPath  = "/api/v1/namespaces/argocd/secrets"
	secretPrefix = "cluster-"
	// typeLabel marks the secrets that Argo CD reads as clusters.
	typeLabel   = "argocd.argoproj.io/secret-type"
	typeCluster = "cluster"
)

// isReserved reports whether a label or annotation is not the user's.
func isReserved(key string) bool {
	return strings.HasPrefix(key, object.MarkPrefix) || key == typeLabel
}

// secret is a Secret of Kubernetes.
type secret struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   object.Metadata   `json:"metadata"`
	Type       string            `json:"type,omitempty"`
	Data       map[string][]byte `json:"data,omitempty"`
}

// access is how Argo CD reaches a cluster, in the form that it reads. It has no way to skip the
// verification of a certificate.
type access struct {
	Token string    `json:"bearerToken,omitempty"`
	TLS   accessTLS `json:"tlsClientConfig"`
}

type accessTLS struct {
	ServerName string `json:"serverName,omitempty"`
	CA         []byte `json:"caData,omitempty"`
	Cert       []byte `json:"certData,omitempty"`
	Key        []byte `json:"keyData,omitempty"`
}

// Secrets returns the clusters that Argo CD knows.
func Secrets(c *kube.Client, scope resource.Scope) system.Verbs {
	return &object.Objects{
		Client: c, Scope: scope, Kind: system.KindSecret, Path: secretsPath, Prefix: secretPrefix,
		Query: url.Values{
			"labelSelector": {typeLabel + "=" + typeCluster},
		}, Empty: func() object.Object { return new(secret) }, Build: registration,
	}
}

func (s *secret) Meta() *object.Metadata { return &s.Metadata }

func (s *secret) Fill(o *resource.Observed) {
	set := system.Values{"server": resource.String(s.Data["server"])}
	var config access
	if json.Unmarshal(s.Data["config"], &config) != nil {
		o.Health, o.Message = resource.Failing, "its config is not what Argo CD reads"
	} else if config.TLS.ServerName != "" {
		set["server_name"] = resource.String(config.TLS.ServerName)
	}
	for name, all := range map[string]map[string]string{
		"labels": s.Metadata.Labels, "annotations": s.Metadata.Annotations,
	} {
		own := system.Values{}
		for k, v := range all {
			if !isReserved(k) { // Neither ovi's nor Argo CD's.
				own[k] = resource.String(v)
			}
		}
		if len(own) > 0 {
			set[name] = resource.AttrsOf(own)
		}
	}
	o.Attrs = resource.AttrsOf(set)
}

// registration is the secret that is configured.
func registration(r provider.Request) (object.Object, error) {
	config, err := accessOf(r.Desired.Attrs)
	if err != nil {
		return nil, err
	}
	server, _ := r.Desired.Attrs.Text("server")
	s := &secret{
		APIVersion: "v1", Kind: "Secret", Type: "Opaque",
		Metadata: object.Metadata{
			Namespace: "argocd", Labels: r.Desired.Attrs.TextMap("labels"), Annotations: r.Desired.Attrs.TextMap("annotations"),
		},
		Data: map[string][]byte{"name": []byte(r.Desired.Ref.Name), "server": []byte(server), "config": config},
	}
	s.Metadata.Labels[typeLabel] = typeCluster
	return s, nil
}

// accessOf makes what Argo CD reads of a kubeconfig.
func accessOf(attrs resource.Attrs) ([]byte, error) {
	v, _ := attrs.Get("kubeconfig")
	plain, ok := v.(resource.Secret)
	if !ok {
		return nil, system.Mistake("", "", "the kubeconfig is not known")
	}
	c, err := kube.Parse([]byte(plain.Reveal()), "", "/nowhere")
	if err != nil {
		return nil, err
	}
	if len(c.CA) == 0 || c.Token == "" && (len(c.Cert) == 0 || len(c.Key) == 0) {
		return nil, system.Mistake("", "embed certificates and keys in it",
			"the kubeconfig has no authority, or no user with a certificate or token")
	}
	name, _ := attrs.Text("server_name")
	return json.Marshal(access{Token: c.Token, TLS: accessTLS{ServerName: name, CA: c.CA, Cert: c.Cert, Key: c.Key}})
}
