package session

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/resource"
)

// environment returns the environment that a command uses, and whether --env names it.
func environment(c *command.Call) (name string, asked bool) {
	if c.Environment != "" {
		return c.Environment, true
	}
	if names := renderingOptionsOf(c).environments; len(names) > 0 && names[0] != "" {
		return names[0], true
	}
	return c.Getenv("OVI_ENV"), false
}

// EnvironmentOf returns the environment of a configuration and what names it: --env or OVI_ENV. Both are empty if the
// configuration has no environments.
func EnvironmentOf(c *command.Call, intents []resource.Intent) (name, by string) {
	if !slices.ContainsFunc(intents, func(in resource.Intent) bool { return len(in.Environments) > 0 }) {
		return "", ""
	}
	name, asked := environment(c)
	if asked {
		return name, "--env"
	}
	return name, "OVI_ENV"
}

// Environments returns a call for each environment that the command line names; if it names one or none, the call
// itself.
func Environments(c *command.Call) ([]*command.Call, error) {
	names := renderingOptionsOf(c).environments
	if len(names) < 2 {
		name, asked := environment(c)
		if !strings.Contains(name, ",") {
			return []*command.Call{c}, nil
		}
		by := "OVI_ENV"
		if asked {
			by = "each --env"
		}
		return nil, cli.Usage("use --env "+strings.Join(strings.Split(name, ","), " --env "),
			"%s names one environment, got %s", by, name)
	}
	calls := make([]*command.Call, len(names))
	for i, name := range names {
		switch {
		case name == "":
			return nil, cli.Usage("use --env NAME for each environment", "--env without a name")
		case strings.Contains(name, ","):
			return nil, cli.Usage("use --env "+strings.Join(strings.Split(name, ","), " --env "),
				"each --env names one environment, got %s", name)
		case slices.Contains(names[:i], name):
			return nil, cli.Usage("name each environment once", "duplicate --env %s", name)
		}
		calls[i] = c.InEnvironment(name)
	}
	return calls, nil
}
