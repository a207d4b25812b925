package main

import (
	"io"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
)

// help is the text around the commands on the help page.
func help() cli.Help {
	return cli.Help{
		About: "Plan, apply and audit infrastructure changes.\nUsage: ovi COMMAND [SOURCE] [options]\n",
		Groups: []string{
			command.GroupReconcile, command.GroupInspect, command.GroupManage, command.GroupGovern,
			command.GroupReference,
		},
		Brief: command.GroupReference,
		Foot: "\nOptions of a command: ovi COMMAND --help\nOptions of every command: ovi help options\nTry it: ovi plan " +
			"--sandbox examples/sample/ovi.yaml",
	}
}

func helpCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "help", Category: command.GroupReference, ArgsUsage: "[COMMAND | options]",
		Usage:  "Show help for ovi or a command",
		Action: func(cc *urfave.Context) error { return helpAbout(p, cc.Args().Slice()) },
	}
}

// helpAbout writes the help of a command, or of ovi.
func helpAbout(p *command.Process, path []string) error {
	text, err := help().For(newApp(p).Commands, path)
	if err == nil {
		_, err = io.WriteString(p.Stdout, text)
	}
	return err
}

func completionCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "completion", Category: command.GroupReference, ArgsUsage: "bash | zsh | fish",
		Usage:       "Print a shell completion script",
		Description: "For bash: eval \"$(ovi completion bash)\". For fish: ovi completion fish | source.",
		Action:      p.Action(completion),
	}
}

func completion(c *command.Call) error {
	if err := c.AtMost(1); err != nil {
		return err
	}
	return cli.Completion(c.Out.Document(), c.Arg(0), newApp(c.Process).Commands)
}
