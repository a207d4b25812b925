package podman

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// A secret of one key is one secret of Podman's, with its value. One of several keys is a secret
// of Podman's for each, and one that binds them: its label holds their IDs, and it is made last.

func listSecrets(ctx context.Context, g *host.Reading) (out []resource.Observed, err error) {
	all, err := labeledSecrets(ctx, g)
	if err != nil {
		return nil, err
	}
	part := map[string]bool{}
	for _, s := range all {
		for _, id := range marks.PartsOf(s.Spec.Labels) {
			part[id] = true
		}
	}
	for _, s := range all {
		if !part[s.ID] {
			out = append(out, secretObserved(g, s, all))
		}
	}
	return out, nil
}

// labeledSecrets lists secrets with their labels, which Podman 4 tells of single ones only.
func labeledSecrets(ctx context.Context, g *host.Reading) ([]libpod.Secret, error) {
	all, err := g.Secrets(ctx)
	if err != nil {
		return nil, err
	}
	out := all[:0]
	for _, s := range all {
		if s.Spec.Labels == nil {
			id := s.ID
			if s, err = g.Secret(ctx, id); failure.IsNotFound(err) {
				continue // deleted meanwhile
			} else if err != nil {
				return nil, err
			}
		}
		out = append(out, s)
	}
	return out, nil
}

func readSecret(ctx context.Context, g *host.Reading, id string) (resource.Observed, error) {
	s, err := g.Secret(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	all := []libpod.Secret{s}
	for _, part := range marks.PartsOf(s.Spec.Labels) {
		if p, err := g.Secret(ctx, part); err == nil {
			all = append(all, p)
		} else if !failure.IsNotFound(err) {
			return resource.Observed{}, err
		}
	}
	return secretObserved(g, s, all), nil
}

// secretObserved: its natural name is its ID, because another secret may have its name meanwhile,
// which is no conflict.
func secretObserved(g *host.Reading, s libpod.Secret, all []libpod.Secret) resource.Observed {
	o := resource.Observed{ID: s.ID, Health: resource.Healthy, Since: s.CreatedAt, Message: "named " + s.Spec.Name}
	marks.Identify(&o, g.Scope, schema.Secret, s.ID, s.Spec.Labels)
	want, ours := marks.Applied(s.Spec.Labels)
	if !ours {
		return o
	}
	o.Message = ""
	if o.Marks.Ref.Name != "" {
		o.Ref.Name = o.Marks.Ref.Name
	}
	set := map[string]resource.Value{}
	if kind, ok := want.Get("type"); ok {
		set["type"] = kind
	}
	if labels := marks.UserLabels(s.Spec.Labels, nil, want.Object("labels")); labels != nil {
		set["labels"] = labels
	}
	data := want.Object("data")
	for key, id := range marks.PartsOf(s.Spec.Labels) {
		if !slices.ContainsFunc(all, func(p libpod.Secret) bool { return p.ID == id }) {
			data = data.Without(key)
		}
	}
	set["data"] = data
	o.Attrs = resource.AttrsOf(set)
	return o
}

func createSecret(ctx context.Context, h *host.Host, r provider.Request) (string, error) {
	all, err := labeledSecrets(ctx, h.Reading())
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	var rest []string
	for _, s := range all {
		taken[s.Spec.Name] = true
		switch r.Key {
		case s.Spec.Labels[marks.LabelKey]:
			return s.ID, nil
		case s.Spec.Labels[marks.LabelPartOf]:
			rest = append(rest, s.ID)
		}
	}
	for _, id := range rest { // of an attempt that was interrupted: what they hold cannot be read
		if err := h.RemoveSecret(ctx, id); err != nil && !failure.IsNotFound(err) {
			return "", err
		}
	}
	name := r.Desired.Ref.Name
	inUse := taken[name]
	for _, a := range r.Desired.Attrs.Object("data") {
		inUse = inUse || taken[name+"."+a.Name]
	}
	if inUse { // by another secret
		key := strings.ToLower(r.Key)
		name += "-" + key[max(0, len(key)-6):] // which is random
	}
	return newSecret(ctx, h, r, name)
}

func newSecret(ctx context.Context, h *host.Host, r provider.Request, name string) (string, error) {
	labels := marks.BirthLabels(r)
	data := r.Desired.Attrs.Object("data")
	if len(data) == 1 {
		value, err := plainOf(data[0])
		if err != nil {
			return "", err
		}
		return h.CreateSecret(ctx, name, labels, value)
	}
	parts := map[string]string{}
	for _, a := range data {
		value, err := plainOf(a)
		if err != nil {
			return "", err
		}
		id, err := h.CreateSecret(ctx, name+"."+a.Name,
			map[string]string{marks.LabelPartOf: r.Key, marks.LabelManagedBy: marks.ManagedBy}, value)
		if err != nil {
			return "", err
		}
		parts[a.Name] = id
	}
	encoded, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	labels[marks.LabelParts] = string(encoded)
	return h.CreateSecret(ctx, name, labels, []byte("the values are in secrets of their own\n"))
}

// maxSecret is the most that Podman stores in a secret.
const maxSecret = 511999

func plainOf(a resource.Attr) ([]byte, error) {
	s, ok := a.Value.(resource.Secret)
	switch {
	case !ok:
		return nil, failure.Mistake("", "", "the value of data.%s is not known", a.Name)
	case s.Reveal() == "":
		return nil, failure.Mistake("", "give it a value", "data.%s is empty", a.Name)
	case len(s.Reveal()) > maxSecret:
		return nil, failure.Mistake("", "use a volume", "data.%s has %d bytes, the maximum is %d", a.Name, len(s.Reveal()),
			maxSecret)
	}
	return []byte(s.Reveal()), nil
}

func removeSecret(ctx context.Context, h *host.Host, r provider.Request) error {
	s, err := h.Secret(ctx, r.Have.ID)
	if err != nil {
		return err
	}
	for _, id := range marks.PartsOf(s.Spec.Labels) {
		if err := h.RemoveSecret(ctx, id); err != nil && !failure.IsNotFound(err) {
			return err
		}
	}
	return h.RemoveSecret(ctx, s.ID)
}
