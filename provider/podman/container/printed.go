package container

import (
	"context"

	"github.com/ovi-project/ovi/provider/podman/facts"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/resource"
)

// unshown stands for a text that may have a secret in it.
const unshown = "(not shown: a secret may be in it; `podman logs` shows it)"

// printed is what a container printed, short, and without its secrets. Their values are those of the
// configuration; a secret of none is asked for, which Podman 4 does not tell if it is a file, and no
// Podman if it was removed: then nothing of the text is shown.
func printed(ctx context.Context, g *host.Reading, c *libpod.Container, text string) string {
	secrets, known := secretValues(ctx, g, c)
	if !known {
		return unshown
	}
	return brief(resource.ConcealText(text, secrets...))
}

// secretValues are the values of the secrets that a container can read; false if one is not known.
func secretValues(ctx context.Context, g *host.Reading, c *libpod.Container) (out []string, known bool) {
	variables, named := facts.SecretVariables(*c)
	if !named {
		return nil, false
	}
	env, ids := facts.EnvOf(*c), map[string]bool{}
	for name, id := range variables {
		switch value, set := env[name]; {
		case value != "" && value != facts.Masked:
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
	configured := configuredSecrets(ctx, g, c)
	for id := range ids {
		value := configured[id]
		if value == "" {
			value, _ = g.SecretValue(ctx, id) // "" if Podman does not tell it: no secret is empty
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
func configuredSecrets(ctx context.Context, g *host.Reading, c *libpod.Container) map[string]string {
	out := map[string]string{}
	if g.Plain == nil {
		return out
	}
	want, _ := marks.Applied(c.Config.Labels)
	for _, e := range want.List("secrets") {
		m, _ := e.(resource.Attrs)
		id, _ := m.Text("name")
		s, err := g.Secret(ctx, id)
		if err != nil {
			continue // removed, or it cannot be read: its value is not known
		}
		said, _ := marks.Applied(s.Spec.Labels)
		parts := marks.PartsOf(s.Spec.Labels)
		for _, a := range said.Object("data") {
			id := s.ID
			if part, several := parts[a.Name]; several {
				id = part
			}
			digest, _ := a.Value.(resource.Digest)
			out[id], _ = g.Plain(digest)
		}
	}
	return out
}
