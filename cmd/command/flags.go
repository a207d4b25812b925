package command

import (
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/source/importer"
	urfave "github.com/urfave/cli/v2"
)

// ReasonFlag returns the option --reason.
func ReasonFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "reason", Usage: "record `TEXT` as the reason"}
}

// ReasonOf returns the reason that the command line gives; "" if it gives none.
func ReasonOf(c *Call) string { return c.Cmd.String("reason") }

// LockFlag returns the option --lock-timeout.
func LockFlag() urfave.Flag {
	return &urfave.DurationFlag{
		Name: "lock-timeout", Usage: "wait up to `DURATION` for resources claimed by others",
		Value: ShortWait,
	}
}

// LockTimeoutOf returns the value of --lock-timeout; 0 if the command does not have it.
func LockTimeoutOf(c *Call) time.Duration { return c.Cmd.Duration("lock-timeout") }

// Matcher returns the matcher of the patterns of --match.
func Matcher(patterns []string) (importer.Matcher, error) {
	m, err := importer.NewMatcher(patterns)
	if err != nil {
		return m, cli.Usage("use KIND/NAME, NAME or tag:KEY=VALUE, such as ec2/web-* or tag:team=web", "%s", err)
	}
	return m, nil
}

// MatchFlag chooses resources by patterns, which matchWords explains.
func MatchFlag(usage string) urfave.Flag {
	return &urfave.StringSliceFlag{Name: "match", Usage: usage}
}

// MatchOf returns the patterns of --match.
func MatchOf(c *Call) []string { return c.Cmd.StringSlice("match") }

// MatchWords describes the patterns of --match.
const MatchWords = "PATTERN is KIND/NAME, NAME or tag:KEY=VALUE, with * and ?. NAME is the Name tag, the name or the " +
	"ID."

// GroupReconcile and the other groups are the headings of the help page.
const GroupReconcile = "Reconcile"

// GroupInspect is the group of the commands that show resources.
const GroupInspect = "Inspect"

// GroupManage is the group of the commands by which an operator decides.
const GroupManage = "Manage"

// GroupGovern is the group of policies, the audit log and the store.
const GroupGovern = "Govern"

// GroupReference is the group of the commands about ovi itself.
const GroupReference = "Reference"

// OutputFlags are the options of what a command prints.
func OutputFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{
			Name: "output", Aliases: []string{"o"}, Category: cli.Everywhere,
			Usage: "print `FORMAT`: table, json (lines) or yaml", Value: cli.AsTable,
		},
		&urfave.BoolFlag{Name: "json", Category: cli.Everywhere, Usage: "print JSON lines, as --output json does"},
		&urfave.BoolFlag{
			Name: "verbose", Aliases: []string{"v"}, Category: cli.Everywhere,
			Usage: "show all defaults of a plan, and log each step to standard error, as --log-level debug does",
		},
		&urfave.StringFlag{
			Name: "log-level", Category: cli.Everywhere,
			Usage: "log to standard error from `LEVEL`: trace, debug, info, warn, error (OVI_LOG)",
		},
		&urfave.StringFlag{
			Name: "log-format", Category: cli.Everywhere,
			Usage: "log as `FORMAT`: text or json (OVI_LOG_FORMAT; default text)",
		},
		&urfave.BoolFlag{Name: "no-color", Category: cli.Everywhere, Usage: "disable color (NO_COLOR)"},
		&urfave.BoolFlag{
			Name: "show-errors", Category: cli.Everywhere,
			Usage: "show on this terminal, and nowhere else, messages of other systems that may quote a secret",
		},
		&urfave.BoolFlag{Name: "quiet", Category: cli.Everywhere, Usage: "print only the result"},
	}
}

// RecordFlag names the source that a command needs no configuration of.
func RecordFlag() urfave.Flag {
	return &urfave.StringSliceFlag{
		Name: "f", Aliases: []string{"file"},
		Usage: "use the data directory of the source `FILE` or folder; if several stacks use the name, choose " +
			"that source's stack",
	}
}

// SourceFlag names sources beside the argument.
func SourceFlag() urfave.Flag {
	return &urfave.StringSliceFlag{
		Name: "f", Aliases: []string{"file"},
		Usage: "read the source `FILE` or folder; repeatable, all are one stack",
	}
}

// FilesOf returns the sources that -f names.
func FilesOf(c *Call) []string { return c.Cmd.StringSlice("f") }

// SignFlag returns the option --sign.
func SignFlag() urfave.Flag {
	return &urfave.StringFlag{
		Name: "sign", EnvVars: []string{"OVI_SIGN_KEY"},
		Usage: "sign it with the SSH key `KEYFILE`, by ssh-keygen: the key of a token, or a public key whose private one " +
			"an agent has, can be given too",
	}
}

// SignOf returns the key with which an act is signed; "" means that it is not.
func SignOf(c *Call) string { return c.Cmd.String("sign") }

// ShortWait is the default of --lock-timeout.
const ShortWait = 10 * time.Second
