package clusters

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/internal/budget"
)

const historyFile = "reconcile_history.jsonl"

// clusterHistory keeps what became of each run: in the history, in the log file and in a report.
type clusterHistory struct {
	*command.Call
	given        reconcileOptions
	path, source string
	log          *os.File
}

// runRecord is a line of the history, with Kindler's fields.
type runRecord struct {
	Timestamp string       `json:"timestamp"`
	Seconds   float64      `json:"duration_seconds"`
	ExitCode  int          `json:"exit_code"`
	Source    string       `json:"source"` // once or loop
	Invoker   string       `json:"invoker"`
	File      string       `json:"history_file"`
	Args      []string     `json:"args"`
	FromDB    bool         `json:"from_db"`
	DryRun    bool         `json:"dry_run"`
	Prune     bool         `json:"prune_missing"`
	Planned   int          `json:"plan_count"`
	Executed  int          `json:"executed_count"`
	Failed    int          `json:"failed_count"`
	Pruned    int          `json:"pruned_count"`
	Summary   []clusterRow `json:"summary"`
}

// file is the history: --history-file, or in the data directory.
func (h *clusterHistory) file() string {
	if h.given.history != "" {
		return h.given.history
	}
	return filepath.Join(session.DataDir(h.Call, []string{h.path}), historyFile)
}

// open opens the log file before anything is done.
func (h *clusterHistory) open() error {
	name := h.given.logFile
	if name == "" {
		return nil
	}
	f, err := command.AppendPrivate(name)
	if err != nil {
		return &cli.Problem{
			Summary: "cannot use the log file", File: name, Err: cli.Plain(err),
			Suggestion: `choose another with --log-file, or none with --log-file ""`,
		}
	}
	h.log = f
	return nil
}

func (h *clusterHistory) close(err error) error {
	if h.log == nil {
		return err
	}
	return errors.Join(err, h.log.Close())
}

// add appends a run. One that could not start creates no data directory.
func (h *clusterHistory) add(r *reconciliation, started time.Time, code int) error {
	rec := runRecord{
		Timestamp: started.UTC().Format(time.RFC3339), Seconds: h.Elapsed(started).Round(time.Millisecond).Seconds(),
		ExitCode: code,
		Source:   h.source, Invoker: h.User(), File: h.file(), Args: h.GivenLine(),
		FromDB: true, DryRun: h.given.dryRun, Prune: h.given.prune.clusters,
		Executed: r.executed, Failed: r.failed(), Pruned: len(r.pruned), Summary: r.summaryOrNone(),
	}
	for _, x := range r.summary {
		if x.Action != actionNone {
			rec.Planned++
		}
	}
	if err := h.logs(r, rec); err != nil {
		return err
	}
	if err := h.reports(r, rec); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(rec.File)); errors.Is(err, fs.ErrNotExist) && r.line == nil {
		return nil
	}
	b, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	f, err := command.AppendPrivate(rec.File)
	if err != nil {
		return &cli.Problem{
			Summary: "cannot write the history", File: rec.File, Err: cli.Plain(err),
			Suggestion: "choose another with --history-file",
		}
	}
	_, err = f.Write(append(b, '\n')) // one write: runs beside each other do not mix
	return errors.Join(err, f.Close())
}

// logs appends a run to the log file.
func (h *clusterHistory) logs(r *reconciliation, rec runRecord) error {
	if h.log == nil {
		return nil
	}
	var b bytes.Buffer
	_, _ = fmt.Fprintf(&b, "%s %s %v\n", rec.Timestamp, h.path, rec.Args)
	for _, x := range r.summary {
		_, _ = fmt.Fprintf(&b, "%s %s desired=%s actual=%s action=%s result=%s %s\n", rec.Timestamp, x.Name, x.Desired,
			x.Actual, x.Action, x.Result, x.Message)
	}
	_, _ = fmt.Fprintf(&b, "RECONCILE_SUMMARY=%s\n%s %s\n", r.json(), rec.Timestamp, r.sentence(rec.ExitCode))
	_, err := h.log.Write(b.Bytes())
	return err
}

// reports appends a condensed summary to the user's report, in Markdown: what the run came to, and what did not go
// well.
func (h *clusterHistory) reports(r *reconciliation, rec runRecord) (err error) {
	name := h.given.report
	if name == "" {
		return nil
	}
	f, err := command.AppendTo(name, 0o644)
	if err != nil {
		return &cli.Problem{
			Summary: "cannot write the report", File: name, Err: cli.Plain(err),
			Suggestion: "choose another with --report",
		}
	}
	var b bytes.Buffer
	_, _ = fmt.Fprintf(&b, "\n## Clusters reconciled, %s\n\n%s\n", rec.Timestamp, r.sentence(rec.ExitCode))
	between := "\n"
	for i := range r.summary {
		if x := &r.summary[i]; x.Result != resultOK {
			first, _, _ := strings.Cut(x.Message, "\n")
			_, _ = fmt.Fprintf(&b, "%s* `%s`: %s %s: %s\n", between, x.Name, x.Action, x.Result, first)
			between = ""
		}
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}

// showLast prints the last run of the history.
func (h *clusterHistory) showLast() error {
	b, err := budget.ReadFile(h.file(), budget.Answer)
	b = bytes.TrimSpace(b)
	if err != nil || len(b) == 0 {
		return &cli.Problem{
			Summary: "no run is in the history", File: h.file(),
			Suggestion: "run `ovi cluster reconcile` first, or name the history with --history-file",
		}
	}
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		b = b[i+1:]
	}
	var rec runRecord
	if err := json.Unmarshal(b, &rec); err != nil {
		return &cli.Problem{
			Summary: "cannot read the history", File: h.file(), Err: err,
			Suggestion: "name another with --history-file",
		}
	}
	if h.given.json || h.Out.Machine() {
		return h.Out.Print(b)
	}
	h.Out.Say("%s  %s by %s, %.1fs: %d planned, %d done, %d failed, %d pruned; exit code %d.",
		rec.Timestamp, rec.Source, rec.Invoker, rec.Seconds, rec.Planned, rec.Executed, rec.Failed, rec.Pruned, rec.ExitCode)
	return nil
}
