package clusters

import (
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
)

const defaultLogFile = "/tmp/kindler_reconcile.log"

// deletesRows is the text of the options that delete rows.
const deletesRows = "after verification, delete rows that declare an absent cluster if it is gone; save INSERT " +
	"statements for them in pruned.sql"

// pruneFlags are the options of a command that deletes rows with the option rows.
func pruneFlags(rows *urfave.BoolFlag) []urfave.Flag {
	return []urfave.Flag{
		rows,
		&urfave.BoolFlag{
			Name:  "prune-present",
			Usage: "with --" + rows.Name + ": also delete rows that declare a present cluster, instead of creating it",
		},
		&urfave.StringFlag{Name: "max-prune", Usage: "delete no rows, and no clusters without a row, if more than `LIMIT` " +
			"would be: a number, or a share of the table", Value: "50%"},
	}
}

// pruneOptions are the values of pruneFlags.
type pruneOptions struct {
	rows     bool
	clusters bool // that no row declares; with rows
	present  bool
	most     string
}

func pruneOptionsOf(c *command.Call) pruneOptions {
	return pruneOptions{present: c.Cmd.Bool("prune-present"), most: c.Cmd.String("max-prune")}
}

// reconcileFlags are the options of `ovi cluster reconcile`.
func reconcileFlags() []urfave.Flag {
	return append([]urfave.Flag{
		&urfave.BoolFlag{Name: "from-db", Usage: "reconcile the clusters of the table; always the case"},
		&urfave.BoolFlag{Name: "dry-run", Usage: "show the actions and make none"},
		&urfave.BoolFlag{Name: "last-run", Usage: "show the last run of the history, and do nothing"},
		&urfave.BoolFlag{Name: "json", Usage: "with --last-run: as JSON"},
		&urfave.StringFlag{
			Name: "history-file",
			Usage: "append each run to `FILE`, one JSON object a line (default: reconcile_history.jsonl in the data " +
				"directory)",
		},
		&urfave.StringFlag{Name: "log-file", Usage: "append what is printed to `FILE`", Value: defaultLogFile},
		&urfave.StringFlag{Name: "report", Usage: "append a condensed summary to `FILE`, such as docs/TEST_REPORT.md"},
		&urfave.StringFlag{Name: "require", Usage: "fail before any action unless the table declares at least `COUNTS`, " +
			"such as kind=3,k3d=3"},
		reconcile.AllowReplaceFlag(), reconcile.ReplaceFlag(), reconcile.PruneDataFlag(),
		&urfave.IntFlag{Name: "attempts", Usage: "try what fails `N` times", Value: 2},
		&urfave.DurationFlag{Name: "retry-wait", Usage: "wait `DURATION` between attempts", Value: 5 * time.Second},
		&urfave.IntFlag{Name: "parallelism", Usage: "run at most `N` actions at once (default: the options of the table's " +
			"settings, or 10)"},
		&urfave.StringFlag{Name: "interval", Usage: "loop: start a run every `N[smhd]`", Value: "15m"},
		&urfave.IntFlag{Name: "max-runs", Usage: "loop: end after `N` runs (default: no limit)"},
		&urfave.BoolFlag{Name: "once", Usage: "loop: end after one run"},
		&urfave.IntFlag{Name: "verify-attempts", Usage: "verify up to `N` times, until all is as declared", Value: 3},
		&urfave.DurationFlag{Name: "verify-wait", Usage: "wait `DURATION` between verifications", Value: 5 * time.Second},
	}, append(pruneFlags(&urfave.BoolFlag{
		Name:  "prune-missing",
		Usage: "delete the clusters that no row declares any more and, " + deletesRows,
	}), command.TimeoutFlag(), session.PolicyFlag(), command.LockFlag())...)
}

// reconcileOptions are the values of reconcileFlags.
type reconcileOptions struct {
	dryRun, lastRun, json, once    bool
	history, logFile, report       string
	require, interval              string
	attempts, parallelism, maxRuns int
	retryWait                      time.Duration
	deciding                       reconcile.DecidingOptions
	prune                          pruneOptions
	verifyAttempts                 int
	verifyWait                     time.Duration
}

func reconcileOptionsOf(c *command.Call) reconcileOptions {
	prune := pruneOptionsOf(c)
	prune.clusters = c.Cmd.Bool("prune-missing")
	prune.rows = prune.clusters
	return reconcileOptions{
		dryRun: c.Cmd.Bool("dry-run"), lastRun: c.Cmd.Bool("last-run"), json: c.Cmd.Bool("json"),
		once: c.Cmd.Bool("once"), history: c.Cmd.String("history-file"), logFile: c.Cmd.String("log-file"),
		report: c.Cmd.String("report"), require: c.Cmd.String("require"), interval: c.Cmd.String("interval"),
		attempts: c.Cmd.Int("attempts"), parallelism: c.Cmd.Int("parallelism"), maxRuns: c.Cmd.Int("max-runs"),
		retryWait: c.Cmd.Duration("retry-wait"), prune: prune, verifyAttempts: c.Cmd.Int("verify-attempts"),
		verifyWait: c.Cmd.Duration("verify-wait"),
		deciding: reconcile.DecidingOptions{
			AllowReplace: reconcile.AllowReplaceOf(c), Replace: reconcile.ReplaceOf(c), PruneData: reconcile.PruneDataOf(c),
		},
	}
}

// verifyFlags are the options of `ovi cluster verify`.
func verifyFlags() []urfave.Flag {
	return append([]urfave.Flag{
		&urfave.BoolFlag{Name: "json-summary", Usage: "print the line DB_VERIFY_SUMMARY="},
	}, pruneFlags(&urfave.BoolFlag{Name: "cleanup-missing", Usage: deletesRows})...)
}

// verifyOptions are the values of verifyFlags.
type verifyOptions struct {
	summary bool
	prune   pruneOptions
}

func verifyOptionsOf(c *command.Call) verifyOptions {
	prune := pruneOptionsOf(c)
	prune.rows = c.Cmd.Bool("cleanup-missing")
	return verifyOptions{summary: c.Cmd.Bool("json-summary"), prune: prune}
}
