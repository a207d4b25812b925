package cluster

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/resource"
)

const (
	secretsPath  = "/api/v1/namespaces/argocd/secrets"
	secretPrefix = "cluster-"
	// typeLabel marks the secrets that Argo CD reads as clusters.
	typeLabel   = "argocd.argoproj.io/secret-type"
	typeCluster = "cluster"
	markPrefix  = "ovi/"
	markRef     = markPrefix + "ref"
	markStack   = markPrefix + "stack"
	markOwner   = markPrefix + "owner"
	markKey     = markPrefix + "key"
	markBlessed = markPrefix + "blessed"
)

// isReserved reports whether a label or annotation is not the user's.
func isReserved(key string) bool { return strings.HasPrefix(key, markPrefix) || key == typeLabel }

// secret is a Secret of Kubernetes.
type secret struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metadata          `json:"metadata"`
	Type       string            `json:"type,omitempty"`
	Data       map[string][]byte `json:"data,omitempty"`
}

type metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid,omitempty"`
	Created     *time.Time        `json:"creationTimestamp,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
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

// argo is the cluster that Argo CD runs in.
type argo struct {
	*kube.Client
	scope resource.Scope
}

func (p *Provider) argo(ctx context.Context, location string) (*argo, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	at, err := p.Locate(ctx, location)
	if err != nil {
		return nil, err
	}
	c, err := p.api(ctx, at)
	if err != nil {
		return nil, err
	}
	return &argo{c, resource.Scope{Provider: Name, Location: at}}, nil
}

func secretPath(name string) string { return secretsPath + "/" + name }

// list reads all clusters that Argo CD knows, sorted by name.
func (a *argo) list(ctx context.Context) (out []resource.Observed, err error) {
	var all struct{ Items []secret }
	if err := a.Get(ctx, secretsPath, url.Values{"labelSelector": {typeLabel + "=" + typeCluster}}, &all); err != nil {
		return nil, err
	}
	for i := range all.Items {
		out = append(out, a.observed(&all.Items[i]))
	}
	slices.SortFunc(out, func(x, y resource.Observed) int { return x.Ref.Compare(y.Ref) })
	return out, nil
}

func (a *argo) observed(s *secret) resource.Observed {
	o := resource.Observed{
		Ref: resource.Ref{Provider: Name, Location: a.scope.Location, Kind: kindSecret, Name: strings.TrimPrefix(s.Metadata.Name, secretPrefix)},
		ID:  s.Metadata.Name, UID: s.Metadata.UID, Health: resource.Healthy,
	}
	if s.Metadata.Created != nil {
		o.Since = *s.Metadata.Created
	}
	notes := s.Metadata.Annotations
	if ref, err := resource.ParseRef(notes[markRef]); err == nil && ref.Stack == "" && ref.Scope() == a.scope && ref.Kind == kindSecret {
		o.Marks = resource.Marks{Ref: ref.In(notes[markStack]), Owner: notes[markOwner], Key: notes[markKey], Blessed: notes[markBlessed] == "true"}
	}
	set := values{"server": resource.String(s.Data["server"])}
	var config access
	if json.Unmarshal(s.Data["config"], &config) != nil {
		o.Health, o.Message = resource.Failing, "its config is not what Argo CD reads"
	} else if config.TLS.ServerName != "" {
		set["server_name"] = resource.String(config.TLS.ServerName)
	}
	for name, all := range map[string]map[string]string{"labels": s.Metadata.Labels, "annotations": notes} {
		if v := usersOwn(all); v != nil {
			set[name] = v
		}
	}
	o.Attrs = resource.AttrsOf(set)
	return o
}

// usersOwn are the labels or annotations that are not ovi's or Argo CD's; nil if there are none.
func usersOwn(all map[string]string) resource.Value {
	set := values{}
	for k, v := range all {
		if !isReserved(k) {
			set[k] = resource.String(v)
		}
	}
	if len(set) == 0 {
		return nil
	}
	return resource.AttrsOf(set)
}

// check: the namespace of Argo CD can be read, and the name is free.
func (a *argo) check(ctx context.Context, r provider.Request) error {
	var s secret
	err := a.Get(ctx, secretPath(secretPrefix+r.Desired.Ref.Name), nil, &s)
	if kube.IsNotFound(err) || err == nil && s.Metadata.Name == r.Have.ID {
		return nil
	}
	if err == nil {
		err = taken(r)
	}
	return err
}

func taken(r provider.Request) error {
	return conflict("", "rename it, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "a secret %s exists in the namespace argocd", secretPrefix+r.Desired.Ref.Name)
}

// create applies the secret, if there is none of its name. Two creations at a time conflict on the server.
func (a *argo) create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	var s secret
	err := a.Get(ctx, secretPath(secretPrefix+r.Desired.Ref.Name), nil, &s)
	switch {
	case err == nil && s.Metadata.Annotations[markKey] == r.Key:
		return a.observed(&s), nil
	case err == nil:
		return resource.Observed{}, taken(r)
	case !kube.IsNotFound(err):
		return resource.Observed{}, err
	}
	return a.apply(ctx, r, marksFor(r, r.Key), "")
}

// update applies the whole configuration again, with the marks as they are.
func (a *argo) update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if len(r.Changes) == 0 {
		var s secret
		err := a.Get(ctx, secretPath(r.Have.ID), nil, &s)
		return a.observed(&s), err
	}
	m := r.Have.Marks
	var notes map[string]string
	if !m.IsZero() {
		notes = notesOf(m)
	}
	return a.apply(ctx, r, notes, r.Have.UID)
}

// apply makes the secret what is configured. A UID that is not that of the secret is refused.
func (a *argo) apply(ctx context.Context, r provider.Request, notes map[string]string, uid string) (resource.Observed, error) {
	config, err := accessOf(r.Desired.Attrs)
	if err != nil {
		return resource.Observed{}, err
	}
	server, _ := r.Desired.Attrs.Text("server")
	name := r.Have.ID
	if name == "" {
		name = secretPrefix + r.Desired.Ref.Name
	}
	s := secret{
		APIVersion: "v1", Kind: "Secret", Type: "Opaque",
		Metadata: metadata{Name: name, Namespace: "argocd", UID: uid, Labels: r.Desired.Attrs.TextMap("labels"), Annotations: r.Desired.Attrs.TextMap("annotations")},
		Data:     map[string][]byte{"name": []byte(r.Desired.Ref.Name), "server": []byte(server), "config": config},
	}
	s.Metadata.Labels[typeLabel] = typeCluster
	for k, v := range notes {
		s.Metadata.Annotations[k] = v
	}
	var out secret
	if err := a.Apply(ctx, secretPath(name), s, &out); err != nil {
		return resource.Observed{}, err
	}
	return a.observed(&out), nil
}

// accessOf makes what Argo CD reads of a kubeconfig.
func accessOf(attrs resource.Attrs) ([]byte, error) {
	v, _ := attrs.Get("kubeconfig")
	plain, ok := v.(resource.Secret)
	if !ok {
		return nil, permanent("", "", "the kubeconfig is not known")
	}
	c, err := kube.Parse([]byte(plain.Reveal()), "", "/nowhere")
	if err != nil {
		return nil, err
	}
	if len(c.CA) == 0 || c.Token == "" && (len(c.Cert) == 0 || len(c.Key) == 0) {
		return nil, permanent("", "embed certificates and keys in it", "the kubeconfig has no authority, or no user with a certificate or token")
	}
	name, _ := attrs.Text("server_name")
	return json.Marshal(access{Token: c.Token, TLS: accessTLS{ServerName: name, CA: c.CA, Cert: c.Cert, Key: c.Key}})
}

// remove deletes the secret, and no other one of its name.
func (a *argo) remove(ctx context.Context, r provider.Request) error {
	err := a.Remove(ctx, secretPath(r.Have.ID), r.Have.UID)
	if kube.IsNotFound(err) || kube.IsConflict(err) { // it does not exist, or another one does
		return nil
	}
	return err
}

// mark writes the marks alone.
func (a *argo) mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	patch := struct {
		Metadata struct {
			UID         string             `json:"uid"`
			Annotations map[string]*string `json:"annotations"`
		} `json:"metadata"`
	}{}
	patch.Metadata.UID, patch.Metadata.Annotations = r.Have.UID, map[string]*string{markBlessed: nil}
	for k, v := range marksFor(r, r.MarkKey) {
		patch.Metadata.Annotations[k] = &v
	}
	var out secret
	if err := a.Patch(ctx, secretPath(r.Have.ID), patch, &out); err != nil {
		return resource.Observed{}, err
	}
	return a.observed(&out), nil
}

func marksFor(r provider.Request, key string) map[string]string {
	m := resource.Marks{Ref: r.Desired.Ref, Owner: r.Owner, Key: key, Blessed: r.Desired.Blessed}
	if r.Desired.Owner != "" {
		m.Owner = r.Desired.Owner
	}
	return notesOf(m)
}

// notesOf are marks as annotations.
func notesOf(m resource.Marks) map[string]string {
	out := map[string]string{markRef: m.Ref.Bare().String(), markStack: m.Ref.Stack, markOwner: m.Owner, markKey: m.Key}
	if m.Blessed {
		out[markBlessed] = "true"
	}
	return out
}
