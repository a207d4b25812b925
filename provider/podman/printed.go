package podman

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

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
	return brief(withoutSecrets(text, secrets))
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

// leastPart is how much of a secret is a part that tells something.
const leastPart = 4

// withoutSecrets replaces secrets in a text, also encoded, line by line, or cut off at its end.
func withoutSecrets(text string, secrets []string) string {
	var forms []string
	for _, s := range secrets {
		quoted, _ := json.Marshal(s) // a string can always be
		forms = append(forms, s, strings.TrimSpace(s), strings.Trim(string(quoted), `"`), url.QueryEscape(s), url.PathEscape(s),
			strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(s)), "="), strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(s)), "="))
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= leastPart {
				forms = append(forms, line)
			}
		}
	}
	hidden := make([]bool, len(text))
	hide := func(from, to int) {
		for i := from; i < to; i++ {
			hidden[i] = true
		}
	}
	for _, f := range forms {
		for from := 0; f != ""; from++ {
			i := strings.Index(text[from:], f)
			if i < 0 {
				break
			}
			from += i
			hide(from, from+len(f))
		}
		for n := len(f) - 1; n >= leastPart; n-- {
			if strings.HasSuffix(text, f[:n]) {
				hide(len(text)-n, len(text))
				break
			}
		}
	}
	var out strings.Builder
	for i := range len(text) {
		switch {
		case !hidden[i]:
			out.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			out.WriteString(concealed)
		}
	}
	return out.String()
}

const concealed = "(secret)"
