package container

import (
	"context"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/facts"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// printed returns what a container printed, short. If the container was given a secret, the text is neither
// shown nor recorded: a program can print a secret in a form that no search finds.
func printed(c *libpod.Container, text string) string {
	if !hasSecret(c) {
		return brief(text)
	}
	lines := strings.Count(strings.TrimSpace(text), "\n") + 1
	if lines == 1 {
		return "(1 line is not shown: the container has a secret)"
	}
	return fmt.Sprintf("(%d lines are not shown: the container has a secret)", lines)
}

// hasSecret reports whether a container was given a secret, as a file or as a variable. A container whose variables
// with secrets are not named may have one.
func hasSecret(c *libpod.Container) bool {
	variables, named := facts.SecretVariables(*c)
	return !named || len(variables) > 0 || len(c.Config.Secrets) > 0
}

// outputOfLoop returns what a container that ends again and again printed, behind a colon.
func outputOfLoop(ctx context.Context, g *host.Reading, id string) string {
	c, err := g.Container(ctx, id)
	if err != nil || !loops(&c, g.Now) {
		return ""
	}
	log, err := g.Logs(ctx, id, logLines)
	if err != nil || strings.TrimSpace(log) == "" {
		return ""
	}
	return ": " + printed(&c, log)
}

// fullLog is how many lines of a container that failed are kept for the operator of the host alone.
const fullLog = 200

// withOutput adds what a container with a secret printed to the error of an action, for the operator of the host alone.
func withOutput(ctx context.Context, g *host.Reading, id string, err error) error {
	c, readErr := g.Container(ctx, id)
	if readErr != nil || !hasSecret(&c) {
		return err
	}
	text, _ := g.Logs(ctx, id, fullLog)
	for _, check := range c.State.Health.Log {
		text += "\n" + check.Output
	}
	return provider.WithOutput(err, strings.TrimSpace(text))
}
