package main

import (
	"path/filepath"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/git"
)

func policyFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "policy", Usage: "add policies from `FILE` or a folder to each stack's own (OVI_POLICY); repeatable"}
}

// policyPaths are the files and folders of policies for every stack.
func (c *call) policyPaths() []string {
	paths := c.cmd.StringSlice("policy")
	if more := c.Getenv("OVI_POLICY"); more != "" && c.takes("policy") && !slices.Contains(paths, more) {
		paths = append([]string{more}, paths...)
	}
	return paths
}

// takes reports whether the command has an option.
func (c *call) takes(option string) bool {
	return slices.ContainsFunc(c.cmd.Command.Flags, func(f urfave.Flag) bool { return slices.Contains(f.Names(), option) })
}

// policies reads the policies for every stack, and compiles all that was read, so that a wrong
// rule is an error before anything is opened.
func policies(c *call, intents []resource.Intent) (rules rules.Rules, err error) {
	if paths := c.policyPaths(); len(paths) > 0 {
		if rules, err = readPolicies(c, paths); err != nil {
			return rules, err
		}
	}
	_, err = engine.Guards(intents, rules)
	return rules, err
}

func readPolicies(c *call, paths []string) (rules.Rules, error) {
	return config.Rules(c, paths, config.Options{Options: c.checks(), Env: c.Env})
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
