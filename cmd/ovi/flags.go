package main

import (
	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/source/importer"
	urfave "github.com/urfave/cli/v2"
)

func reasonFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "reason", Usage: "record `TEXT` as the reason"}
}

func lockFlag() urfave.Flag {
	return &urfave.DurationFlag{Name: "lock-timeout", Usage: "wait up to `DURATION` for resources claimed by others", Value: shortWait}
}

// matcher is that of the command line.
func matcher(c *call) (importer.Matcher, error) {
	m, err := importer.NewMatcher(c.cmd.StringSlice("match"))
	if err != nil {
		return m, cli.Usage("use KIND/NAME, NAME or tag:KEY=VALUE, such as ec2/web-* or tag:team=web", "%s", err)
	}
	return m, nil
}

// matchFlag chooses resources by patterns, which matchWords explains.
func matchFlag(usage string) urfave.Flag {
	return &urfave.StringSliceFlag{Name: "match", Usage: usage}
}

const matchWords = "PATTERN is KIND/NAME, NAME or tag:KEY=VALUE, with * and ?. NAME is the Name tag, the name or the ID."

const groupReconcile = "Reconcile"

const groupInspect = "Inspect"

const groupManage = "Manage"

const groupGovern = "Govern"

const groupReference = "Reference"

// outputFlags are the options of what a command prints.
func outputFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "output", Aliases: []string{"o"}, Category: cli.Everywhere, Usage: "print `FORMAT`: table, json (lines) or yaml", Value: cli.AsTable},
		&urfave.BoolFlag{Name: "json", Category: cli.Everywhere, Usage: "print JSON lines, as --output json does"},
		&urfave.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Category: cli.Everywhere, Usage: "log each step to standard error, as --log-level debug does"},
		&urfave.StringFlag{Name: "log-level", Category: cli.Everywhere, Usage: "log to standard error from `LEVEL`: trace, debug, info, warn, error (OVI_LOG)"},
		&urfave.StringFlag{Name: "log-format", Category: cli.Everywhere, Usage: "log as `FORMAT`: text or json (OVI_LOG_FORMAT; default text)"},
		&urfave.BoolFlag{Name: "no-color", Category: cli.Everywhere, Usage: "disable color (NO_COLOR)"},
		&urfave.BoolFlag{Name: "quiet", Category: cli.Everywhere, Usage: "print only the result"},
	}
}

// recordFlag names the source that a command needs no configuration of.
func recordFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "f", Aliases: []string{"file"}, Usage: "use the data directory beside the source `FILE` or folder; of equal names, that of its stack is meant"}
}

// sourceFlag names sources beside the argument.
func sourceFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "f", Aliases: []string{"file"}, Usage: "read the source `FILE` or folder; repeatable, all are one stack"}
}

func signFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "sign", EnvVars: []string{"OVI_SIGN_KEY"}, Usage: "sign it with the SSH key `KEYFILE`, by ssh-keygen: the key of a token, or a public key whose private one an agent has, can be given too"}
}
