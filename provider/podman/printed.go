package podman

import (
	"context"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// unshown stands for a text that may have a secret in it.
const unshown = "(not shown: a secret may be in it; `podman logs` shows it)"

// printed is what a container printed, short, and without its secrets. Their values are those of the
// configuration; a secret of none is asked for, which Podman 4 does not tell if it is a file, and no
// Podman if it was removed: then nothing of the text is shown.
func (g *reading) printed(ctx context.Context, c *libpod.Container, text string) string {
	secrets, known := g.secretsOf(ctx, c)
	if !known {
		return unshown
	}
	return brief(resource.ConcealText(text, secrets...))
}

// masked is how Podman 5 shows a variable that is a secret.
const masked = "*******"

// secretsOf are the values of the secrets that a container can read; false if one is not known.
func (g *reading) secretsOf(ctx context.Context, c *libpod.Container) (out []string, known bool) {
	variables, named := secretVariables(*c)
	if !named {
		return nil, false
	}
	env, ids := envOf(*c), map[string]bool{}
	for name, id := range variables {
		switch value, set := env[name]; {
		case value != "" && value != masked:
			out = append(out, value)
		case id != "":
			ids[id] = true
		case set:
			return nil, false
		}
	}
	for _, s := range c.Config.Secrets {
		ids[s.ID] = true
	}
	if len(ids) == 0 {
		return out, true
	}
	configured := g.configuredSecrets(ctx, c)
	for id := range ids {
		value := configured[id]
		if value == "" {
			value = g.secretValue(ctx, id)
		}
		if value == "" {
			return nil, false
		}
		out = append(out, value)
	}
	return out, true
}

// configuredSecrets are the values of the secrets of a container, by ID, as far as a configuration
// that was read has them.
func (g *reading) configuredSecrets(ctx context.Context, c *libpod.Container) map[string]string {
	out := map[string]string{}
	if g.plain == nil {
		return out
	}
	want, _ := applied(c.Config.Labels)
	for _, e := range want.List("secrets") {
		m, _ := e.(resource.Attrs)
		id, _ := m.Text("name")
		s, err := g.Secret(ctx, id)
		if err != nil {
			continue // removed, or it cannot be read: its value is not known
		}
		said, _ := applied(s.Spec.Labels)
		parts := partsOf(s.Spec.Labels)
		for _, a := range said.Object("data") {
			id := s.ID
			if part, several := parts[a.Name]; several {
				id = part
			}
			digest, _ := a.Value.(resource.Digest)
			out[id], _ = g.plain(digest)
		}
	}
	return out
}

// secretValue is "" if Podman does not tell it. No secret is empty.
func (g *reading) secretValue(ctx context.Context, id string) string {
	s, err := g.SecretValue(ctx, id)
	if err != nil {
		return ""
	}
	return s
}
