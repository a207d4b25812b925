package podman

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// unshown stands for a text that may have a secret in it.
const unshown = "(not shown: a secret may be in it; `podman logs` shows it)"

// printed is what a container printed, short, and without its secrets. Podman 4 does not tell a
// secret that is a file, and no Podman one that was removed: then nothing of the text is shown.
func (g *reading) printed(ctx context.Context, c *libpod.Container, text string) string {
	secrets, ok := g.secretsIn(ctx, c)
	if !ok {
		return unshown
	}
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "(secret)")
	}
	return brief(text)
}

// leastLine is the length from which a line of a secret is secret too, as of a key.
const leastLine = 6

// secretsIn are the secrets of a container and their lines, longest first; ok is false if one is
// not known.
func (g *reading) secretsIn(ctx context.Context, c *libpod.Container) (out []string, ok bool) {
	add := func(value string) {
		out = append(out, value, strings.TrimSpace(value))
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= leastLine {
				out = append(out, line)
			}
		}
	}
	env := envOf(*c)
	for name, id := range secretEnv(c.Config.Labels) {
		value := env[name]
		if value == "" || value == hidden {
			value = g.secretValue(ctx, id)
		}
		if value == "" {
			return nil, false
		}
		add(value)
	}
	for _, s := range c.Config.Secrets {
		value := g.secretValue(ctx, s.ID)
		if value == "" {
			return nil, false
		}
		add(value)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return slices.DeleteFunc(out, func(s string) bool { return s == "" }), true
}

// hidden is how Podman 5 shows a variable that is a secret.
const hidden = "*******"

// secretValue is "" if Podman does not tell it. No secret is empty.
func (g *reading) secretValue(ctx context.Context, id string) string {
	s, err := g.SecretValue(ctx, id)
	if err != nil {
		return ""
	}
	return s
}
