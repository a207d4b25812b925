package main

import (
	"runtime"
	"runtime/debug"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/render"
)

func versionCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "version", Category: groupReference, Usage: "Show the version",
		Action: p.action(printVersion),
	}
}

// versions is the result of `ovi version` for programs.
type versions struct {
	Ovi    string `json:"ovi"`
	Go     string `json:"go"`
	System string `json:"system"`
	Commit string `json:"commit,omitempty"`
}

func printVersion(c *call) error {
	if err := c.atMost(0); err != nil {
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
	if c.out.Machine() {
		return c.out.Records(render.Info{Type: "build", Data: v})
	}
	c.out.Say("ovi %s (%s, %s)", v.Ovi, v.Go, v.System)
	return nil
}
