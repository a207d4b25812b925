package session

import (
	"path/filepath"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/git"
)

// Policies reads the policies for every stack, and compiles all that was read, so that a wrong
// rule is an error before anything is opened.
func Policies(c *command.Call, intents []resource.Intent) (rules rules.Rules, err error) {
	if paths := PoliciesOf(c); len(paths) > 0 {
		if rules, err = ReadPolicies(c, paths); err != nil {
			return rules, err
		}
	}
	_, err = engine.Guards(intents, rules)
	return rules, err
}

// ReadPolicies reads and compiles the rules of policy files.
func ReadPolicies(c *command.Call, paths []string) (rules.Rules, error) {
	return config.Rules(c, paths, config.Options{Options: c.Checks(), Env: c.Env})
}

// absolutes are paths that mean the same from wherever a plan file is applied.
func absolutes(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		if git.Is(p) {
			out = append(out, p)
			continue
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		out = append(out, abs)
	}
	return out, nil
}
