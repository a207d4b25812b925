package session

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
)

// ChartFlags are what a chart is rendered with.
func ChartFlags() []urfave.Flag { return chartFlags(EnvFlag()) }

// LoopFlags are the ChartFlags of a command that reconciles several environments at once.
func LoopFlags() []urfave.Flag {
	return chartFlags(&urfave.StringSliceFlag{
		Name:  "env",
		Usage: "use the environment `NAME` of the configuration (OVI_ENV); repeatable, each is a stack with its own loop",
	})
}

func chartFlags(env urfave.Flag) []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringSliceFlag{
			Name: "values",
			Usage: "use the values in `FILE` for the variables of a file, or over values.yaml of a chart; repeatable, the " +
				"last wins",
		},
		&urfave.StringSliceFlag{
			Name:  "set",
			Usage: "set one variable of a file, or one value of a chart, `KEY.KEY=VALUE`; repeatable",
		},
		env,
		&urfave.StringFlag{Name: "namespace", Usage: "chart: run it as namespace `NAME`, next to other runs of " +
			"the same chart"},
	}
}

// NamespaceOf returns the namespace of a chart; "" if none is given.
func NamespaceOf(c *command.Call) string { return c.Cmd.String("namespace") }

// EnvFlag returns the option --env.
func EnvFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "env", Usage: "use the environment `NAME` of the configuration (OVI_ENV)"}
}

// StackFlag returns the option --env of a command that reads the record.
func StackFlag() urfave.Flag {
	return &urfave.StringFlag{
		Name: "env", Usage: "select the stack of the environment `NAME` of the configuration",
	}
}

// StackNameFlag returns the option --stack, which names the stack that a command is about.
func StackNameFlag(usage string) urfave.Flag { return &urfave.StringFlag{Name: "stack", Usage: usage} }

// StackNameOf returns the value of --stack.
func StackNameOf(c *command.Call) string { return c.Cmd.String("stack") }
