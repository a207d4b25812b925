package podman

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// crossCheck finds problems between resources of a stack.
type crossCheck = func(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) []resource.Finding

func crossChecks(all ...crossCheck) crossCheck {
	return func(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) (out []resource.Finding) {
		for _, check := range all {
			out = append(out, check(configured, find)...)
		}
		return out
	}
}

// crossCheckVariables finds variables that two secrets, or a secret and env, set: the key of a
// secret is the name of its variable.
func crossCheckVariables(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) (out []resource.Finding) {
	for _, d := range configured {
		taken := map[string]string{}
		for _, a := range d.Attrs.Object("env") {
			taken[a.Name] = "env"
		}
		for i, e := range d.Attrs.List("secrets") {
			m, _ := e.(resource.Attrs)
			v, _ := m.Get("name")
			ref, _ := v.(resource.Reference)
			secret := find(ref.Ref)
			if !m.Bool("env") || secret == nil {
				continue
			}
			for _, key := range secret.Attrs.Object("data") {
				if by, clash := taken[key.Name]; clash {
					out = append(out, resource.Finding{Ref: d.Ref, Problem: resource.Problem{
						Path:    fmt.Sprintf("secrets[%d].env", i),
						Summary: fmt.Sprintf("the variable %s of secret/%s is also set by %s", key.Name, secret.Ref.Name, by), Suggestion: "rename one of them, or give the secret a path",
					}})
					continue
				}
				taken[key.Name] = "secret/" + secret.Ref.Name
			}
		}
	}
	return out
}
