package clusters

import (
	"errors"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
)

// ClusterCommand returns the command `ovi cluster`.
func ClusterCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "cluster", Category: command.GroupReconcile,
		Usage: "Reconcile and verify a table of clusters",
		Description: "The commands and summaries of Kindler's scripts, on the engine of `ovi apply`. Their exit codes are\n" +
			"their own: docs/clusters.md.",
		Subcommands: []*urfave.Command{clusterReconcileCommand(p), clusterVerifyCommand(p), clusterConsistencyCommand(p)},
	}
}

func clusterReconcileCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "reconcile", ArgsUsage: "[once | loop] [DATABASE]",
		Usage: "Create, heal and delete clusters as the table declares, then verify",
		Description: "DATABASE is a file with the table clusters (SQLITE_DB; default clusters.db). Changes are made " +
			"without a\n" +
			"question, except for changes that destroy a cluster to make them.",
		Flags:  reconcileFlags(),
		Action: clusterAction(p, clusterReconcile),
	}
}

func clusterVerifyCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "verify", ArgsUsage: "[DATABASE]", Usage: "Compare the table with the clusters",
		Description: "A cluster that its row declares present but that does not answer is MISSING.\nA cluster " +
			"that its row declares absent but that exists is DRIFT. A cluster that could not be read is neither.",
		Flags:  verifyFlags(),
		Action: clusterAction(p, clusterVerify),
	}
}

func clusterConsistencyCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "consistency", ArgsUsage: "[DATABASE]", Usage: "Compare everything that the table and its settings declare",
		Description: "Counts, for each kind, what is configured, as configured, missing, different, unwanted and not read, " +
			"and changes\n" +
			"nothing. It exits 0 only if all is as configured.",
		Action: clusterAction(p, clusterConsistency),
	}
}

// clusterAction is the action of such a command: the line and the database that cannot be used have the
// exit code 2, other errors 1.
func clusterAction(p *command.Process, do func(*command.Call) error) urfave.ActionFunc {
	return p.Action(func(c *command.Call) error {
		defer c.Bounded()()
		err := do(c)
		var reported cli.ExitStatus
		if err == nil || errors.As(err, &reported) || cli.CodeOf(err) == cli.ExitInterrupted {
			return err
		}
		c.Out.Report(cli.Diagnose(err)...)
		if cli.CodeOf(err) == cli.ExitError {
			return cli.ExitStatus(ClusterUnusable)
		}
		return cli.ExitStatus(clusterFailed)
	})
}

// IsCluster reports whether a command line is one of `ovi cluster`.
func IsCluster(args []string) bool {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a == "cluster"
		}
	}
	return false
}

const defaultTable = "clusters.db"

// tableNamed is the table that a command line of `ovi cluster` names.
func tableNamed(c *command.Call, args []string) (string, error) {
	if len(args) > 1 {
		return "", cli.Usage("see `ovi cluster "+c.Cmd.Command.Name+" --help`", "unexpected argument %q", args[1])
	}
	path := defaultTable
	if name := c.Getenv("SQLITE_DB"); name != "" {
		path = name
	}
	if len(args) == 1 {
		path = args[0]
	}
	if _, err := os.Stat(path); err != nil {
		return "", &cli.Problem{
			Summary: "cannot read the database", File: path, Err: cli.Plain(err),
			Suggestion: "name a database with the table clusters, or set SQLITE_DB",
		}
	}
	if !session.IsKind(path, session.Table) {
		return "", cli.Usage("name a database with the table clusters", "%s is not a database of SQLite", path)
	}
	return path, session.HasClusters(c, []string{path})
}
