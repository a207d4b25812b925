package session

import (
	"slices"
	"time"

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

// renderingOptions are the values of ChartFlags or LoopFlags.
type renderingOptions struct {
	values, set  []string
	environments []string // one or none, but for LoopFlags
	namespace    string
}

func renderingOptionsOf(c *command.Call) renderingOptions {
	o := renderingOptions{values: c.Cmd.StringSlice("values"), set: c.Cmd.StringSlice("set"), namespace: NamespaceOf(c)}
	switch v := c.Cmd.Value("env").(type) {
	case string:
		o.environments = []string{v}
	case urfave.StringSlice:
		o.environments = v.Value()
	}
	return o
}

// givenRenderingOf returns the names of the renderingOptions that the command line gives, whatever their values are.
func givenRenderingOf(c *command.Call) []string {
	return c.AllGiven("namespace", "env", "values", "set")
}

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

// GitFlags are what a source in Git is read with.
func GitFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "signers", Usage: "Git: read only commits signed with an SSH key in `FILE`, in the form " +
			"of ssh-keygen (OVI_GIT_SIGNERS)"},
		&urfave.StringFlag{Name: "accept-commit", Usage: "Git: read `COMMIT` although its branch was rewound"},
	}
}

// gitOptions are the values of GitFlags.
type gitOptions struct{ signers, accept string }

func gitOptionsOf(c *command.Call) gitOptions {
	return gitOptions{signers: c.Cmd.String("signers"), accept: c.Cmd.String("accept-commit")}
}

// PolicyFlag returns the option --policy.
func PolicyFlag() urfave.Flag {
	return &urfave.StringSliceFlag{
		Name:  "policy",
		Usage: "add policies from `FILE` or a folder to each stack's own (OVI_POLICY); repeatable",
	}
}

// PoliciesOf returns the files and folders of policies for every stack.
func PoliciesOf(c *command.Call) []string {
	paths := c.Cmd.StringSlice("policy")
	if more := c.Getenv("OVI_POLICY"); more != "" && c.Takes("policy") && !slices.Contains(paths, more) {
		paths = append([]string{more}, paths...)
	}
	return slices.Clip(paths) // the loops of several stacks append to it
}

// ClaimFlag returns the option --claim-ttl. The usage names the files whose options set the same.
func ClaimFlag(files string) urfave.Flag {
	return &urfave.DurationFlag{
		Name:  "claim-ttl",
		Usage: "expire a claim `DURATION` after its owner stops (default: " + files + " options, or 30s)",
	}
}

// claimTTLOf returns the value of --claim-ttl; 0 if it is not given.
func claimTTLOf(c *command.Call) time.Duration { return c.Cmd.Duration("claim-ttl") }

// TrustFlags are the options of `ovi store trust`.
func TrustFlags() []urfave.Flag {
	return []urfave.Flag{
		command.RecordFlag(), command.SignFlag(), command.ReasonFlag(),
		&urfave.BoolFlag{Name: "required", Usage: "require that each later key is trusted with this command"},
		&urfave.BoolFlag{Name: "directory", Usage: "accept this data directory as your own"},
		&urfave.BoolFlag{Name: "revoke", Usage: "stop trusting KEY, or stop requiring"},
	}
}

// trustOptions are the values of TrustFlags. They are all false for a command without them.
type trustOptions struct{ required, directory, revoke bool }

func trustOptionsOf(c *command.Call) trustOptions {
	if !c.Takes("directory") {
		return trustOptions{}
	}
	return trustOptions{
		required: c.Cmd.Bool("required"), directory: c.Cmd.Bool("directory"), revoke: c.Cmd.Bool("revoke"),
	}
}
