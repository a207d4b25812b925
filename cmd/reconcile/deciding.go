package reconcile

import (
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
)

// planFlags limit what is planned, in plan, apply and drift.
func planFlags() []urfave.Flag {
	return append([]urfave.Flag{
		command.SourceFlag(),
		command.TargetFlag(), command.ExcludeFlag(),
		session.PolicyFlag(),
		&urfave.DurationFlag{Name: "max-age", Usage: "use what was observed completely within `DURATION` instead of " +
			"observing again"},
	}, append(session.ChartFlags(), session.GitFlags()...)...)
}

// planningOptions are the values of planFlags that this package uses.
type planningOptions struct {
	targets command.Targets
	maxAge  time.Duration
}

func planningOptionsOf(c *command.Call) planningOptions {
	return planningOptions{targets: command.TargetsOf(c), maxAge: c.Cmd.Duration("max-age")}
}

// decidingFlags are of the commands that decide; drift only compares.
func decidingFlags() []urfave.Flag {
	return append(planFlags(),
		PruneDataFlag(),
		AllowReplaceFlag(),
		ReplaceFlag(),
		FullFlag(),
		&urfave.BoolFlag{Name: "skip-destructive", Usage: "block every delete and replace"},
		// The way out of "not verified".
		&urfave.BoolFlag{
			Name: "set-unverified",
			Usage: "set attributes that cannot be read back and were not recorded, such as the password of an " +
				"adopted database",
		})
}

// DecidingOptions are the options by which a plan is decided. Its zero value decides without any.
type DecidingOptions struct {
	planningOptions
	AllowReplace, Replace          []string
	PruneData                      bool
	full                           bool
	skipDestructive, setUnverified bool
	// destroy deletes what is configured: no option, but a command.
	destroy bool
}

func decidingOptionsOf(c *command.Call) DecidingOptions {
	return DecidingOptions{
		planningOptions: planningOptionsOf(c), AllowReplace: AllowReplaceOf(c), Replace: ReplaceOf(c),
		PruneData: PruneDataOf(c), full: FullOf(c), skipDestructive: c.Cmd.Bool("skip-destructive"),
		setUnverified: c.Cmd.Bool("set-unverified"),
	}
}

// PruneDataFlag returns the option --prune-data.
func PruneDataFlag() urfave.Flag {
	return &urfave.BoolFlag{
		Name: "prune-data",
		Usage: "delete what is no longer configured and kept for its data too: volumes, and branches with commits of their " +
			"own",
	}
}

// PruneDataOf returns the value of --prune-data.
func PruneDataOf(c *command.Call) bool { return c.Cmd.Bool("prune-data") }

// FullFlag returns the option --full.
func FullFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "full", Usage: "show each resource, even if it equals others but for its name"}
}

// FullOf returns the value of --full.
func FullOf(c *command.Call) bool { return c.Cmd.Bool("full") }

// ReplaceFlag returns the option --replace.
func ReplaceFlag() urfave.Flag {
	return &urfave.StringSliceFlag{
		Name: "replace",
		Usage: "replace `REF`, such as ec2/web-0, though its configuration does not require it, or because it is broken; " +
			"repeatable",
	}
}

// ReplaceOf returns the values of --replace.
func ReplaceOf(c *command.Call) []string { return c.Cmd.StringSlice("replace") }

// AllowReplaceFlag returns the option --allow-replace.
func AllowReplaceFlag() urfave.Flag {
	return &urfave.StringSliceFlag{
		Name: "allow-replace",
		Usage: "destroy and create `NAME` again, with the loss of its data, if a change of it (a cluster) or of a resource " +
			"that it depends on requires that; repeatable",
	}
}

// AllowReplaceOf returns the values of --allow-replace.
func AllowReplaceOf(c *command.Call) []string { return c.Cmd.StringSlice("allow-replace") }
