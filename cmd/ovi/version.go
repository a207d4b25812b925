package main

import (
	"runtime"
	"runtime/debug"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/render"
)

func versionCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "version", Category: command.GroupReference, Usage: "Show the version",
		Action: p.Action(printVersion),
	}
}

// versions is the result of `ovi version` for programs.
type versions struct {
	Ovi    string `json:"ovi"`
	Go     string `json:"go"`
	System string `json:"system"`
	Commit string `json:"commit,omitempty"`
}

func printVersion(c *command.Call) error {
	if err := c.AtMost(0); err != nil {
		return err
	}
	v := versions{Ovi: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Commit = s.Value
			}
		}
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "build", Data: v})
	}
	c.Out.Say("ovi %s (%s, %s)", v.Ovi, v.Go, v.System)
	return nil
}
