package clusters

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/render"
)

// clusterReconcile runs once, or in a loop.
func clusterReconcile(c *command.Call) error {
	o := reconcileOptionsOf(c)
	args := c.Cmd.Args().Slice()
	loops := false
	if len(args) > 0 && (args[0] == "once" || args[0] == "loop") {
		loops, args = args[0] == "loop" && !o.once, args[1:]
	}
	path, err := tableNamed(c, args)
	if err != nil {
		return err
	}
	interval, err := everyOf(o.interval)
	if err != nil {
		return err
	}
	h := &clusterHistory{Call: c, given: o, path: path, source: "once"}
	if o.lastRun {
		return h.showLast()
	}
	if loops {
		h.source = "loop"
	}
	if err := h.open(); err != nil {
		return err
	}
	code, err := clusterRun(c, path, h)
	for n := 1; err == nil && c.Err() == nil && loops && n != o.maxRuns; n++ {
		select {
		case <-c.Done():
			return h.close(nil) // as `ovi run`
		case <-time.After(interval):
			code, err = clusterRun(c, path, h)
		}
	}
	if err == nil && code != clusterDone {
		err = cli.ExitStatus(code)
	}
	return h.close(err)
}

// clusterRun is one run, with its summary and its history.
func clusterRun(c *command.Call, path string, h *clusterHistory) (int, error) {
	started := c.Now()
	r, err := reconcileOnce(c, path, h.given)
	code := r.code()
	switch {
	case c.TimedOut():
		code, err = clusterFailed, &cli.Problem{
			Summary:    command.ErrTimeout.Error(),
			Suggestion: "run it again, it goes on; or raise --timeout",
		}
	case c.Err() != nil:
		code, err = cli.ExitInterrupted, cli.ErrInterrupted
	case err != nil && r.line == nil:
		code = ClusterUnusable
	case err != nil:
		code = clusterFailed
	}
	if err != nil {
		c.Out.Report(cli.Diagnose(err)...)
	}
	return code, errors.Join(showRun(c, r, code), h.add(r, started, code))
}

// showRun prints the table and the line of a run.
func showRun(c *command.Call, r *reconciliation, code int) error {
	if r.line == nil {
		return nil
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "reconcile_summary", Data: r.summaryOrNone()})
	}
	t := render.Table{
		Head:     []string{"CLUSTER", "PROVIDER", "DESIRED", "ACTUAL", "ACTION", "RESULT", "MESSAGE"},
		Flexible: 6,
	}
	for _, x := range r.summary {
		t.Rows = append(t.Rows, []string{x.Name, x.Provider, x.Desired, x.Actual, x.Action, x.Result, x.Message})
	}
	if err := c.Out.Table(t, "No clusters."); err != nil {
		return err
	}
	for _, x := range r.verified {
		if what := x.verified(); what != "OK" && !r.prunable(&x) {
			if x.Desired == desiredNone {
				x.Message = cmp.Or(x.Message, "no row declares it any more")
			}
			c.Out.Say("%s", strings.TrimSpace(what+" "+x.Name+" "+x.Message))
		}
	}
	for _, x := range r.summary {
		if x.suggestion != "" {
			c.Out.Say("Suggestion for %s: %s", x.Name, x.suggestion)
		}
	}
	c.Out.Say("%s", r.sentence(code))
	_, err := fmt.Fprintf(c.Out.W, "RECONCILE_SUMMARY=%s\n", r.json())
	return err
}

// sentence sums a run up.
func (r *reconciliation) sentence(code int) string {
	rows, present := r.verified, 0
	if rows == nil { // a dry run
		rows = r.summary
	}
	for i := range rows {
		if rows[i].healthy && rows[i].isCluster() && rows[i].Desired != desiredNone {
			present++
		}
	}
	return fmt.Sprintf("%s declared, %d healthy; %s, %d failed; %s deleted; exit code %d.",
		render.Many(len(r.rows), "cluster"), present, render.Many(r.executed, "action"), r.failed(),
		render.Many(len(r.pruned), "row"), code)
}

func (r *reconciliation) failed() int {
	n := 0
	for i := range r.summary {
		if r.summary[i].Result == resultFailed {
			n++
		}
	}
	return n
}

func (r *reconciliation) summaryOrNone() []clusterRow {
	if r.summary == nil {
		return []clusterRow{}
	}
	return r.summary
}

func (r *reconciliation) json() []byte {
	b, err := json.Marshal(r.summaryOrNone())
	if err != nil {
		return []byte("[]") // strings alone
	}
	return b
}

var every = regexp.MustCompile(`^([0-9]{1,6})([smhd]?)$`)

// everyOf reads an interval as Kindler writes it: 30s, 15m, 1h, 1d, or a number of seconds.
func everyOf(s string) (time.Duration, error) {
	m := every.FindStringSubmatch(s)
	if m == nil || m[1] == "" {
		return 0, cli.Usage("use a number with s, m, h or d, for example 15m", "invalid --interval %q", s)
	}
	n, err := strconv.Atoi(m[1])
	unit := map[string]time.Duration{
		"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour,
	}[m[2]]
	if err != nil || n < 1 {
		return 0, cli.Usage("use at least 1s", "invalid --interval %q", s)
	}
	return time.Duration(n) * unit, nil
}

// verifyRecord is what the line DB_VERIFY_SUMMARY= has of a cluster.
type verifyRecord struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Desired  string `json:"desired"`
	Actual   string `json:"actual"`
	Status   string `json:"status"`
	Message  string `json:"message"`
}

type verifySummary struct {
	Total   int            `json:"total"`
	Missing int            `json:"missing"`
	Drift   int            `json:"drift"`
	Unknown int            `json:"unknown"`
	Pruned  int            `json:"pruned"`
	Records []verifyRecord `json:"records"`
}

// clusterVerify compares the table with the clusters, and changes none.
func clusterVerify(c *command.Call) error {
	o := verifyOptionsOf(c)
	path, err := tableNamed(c, c.Cmd.Args().Slice())
	if err != nil {
		return err
	}
	return observeTable(c, path, o.prune, func(r *reconciliation) error {
		if r.most, err = r.maxPrune(); err != nil {
			return err
		}
		r.verified = slices.DeleteFunc(r.verified, func(row clusterRow) bool { return !row.isCluster() })
		remaining := slices.DeleteFunc(slices.Clone(r.verified), func(row clusterRow) bool { return r.prunable(&row) })
		r.codes = append(r.codes, verifiedCode(remaining))
		if o.prune.rows {
			if err := r.prune(); err != nil {
				return err
			}
		}
		if err := showVerified(c, r, o.summary); err != nil {
			return err
		}
		if code := r.code(); code != clusterDone {
			return cli.ExitStatus(code)
		}
		return nil
	})
}

// observeTable observes what a table declares, for a command that changes no cluster.
func observeTable(
	c *command.Call, path string, prune pruneOptions, do func(*reconciliation) error,
) error {
	r := &reconciliation{
		Call: c, given: reconcileOptions{prune: prune}, path: path, table: session.ClusterTable(c, path, c.Checks()),
	}
	dir := session.DataDir(c, []string{path})
	intents, problems, err := session.AcceptParts(c, []string{path}, dir)
	if err != nil {
		return err
	}
	r.invalid(problems)
	if r.rows, err = r.table.Rows(c); err != nil {
		return err
	}
	if r.line, err = session.OpenWith(c, dir, []string{path}, intents); err != nil {
		return err
	}
	if r.verified, err = r.observe(); err == nil {
		err = do(r)
	}
	return session.Closing(c, r.line, err)
}

func showVerified(c *command.Call, r *reconciliation, summary bool) error {
	s := verifySummary{Total: len(r.verified), Pruned: len(r.pruned), Records: []verifyRecord{}}
	t := render.Table{Head: []string{"CLUSTER", "PROVIDER", "DESIRED", "ACTUAL", "STATUS", "MESSAGE"}, Flexible: 5}
	for i := range r.verified {
		x := &r.verified[i]
		v := verifyRecord{x.Name, x.Provider, x.Desired, x.Actual, x.verified(), x.Message}
		switch v.Status {
		case "MISSING":
			s.Missing++
		case "DRIFT":
			s.Drift++
		case "UNKNOWN":
			s.Unknown++
		}
		s.Records = append(s.Records, v)
		t.Rows = append(t.Rows, []string{v.Name, v.Provider, v.Desired, v.Actual, v.Status, v.Message})
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "verify_summary", Data: s})
	}
	if err := c.Out.Table(t, "No clusters."); err != nil {
		return err
	}
	if len(r.pruned) > 0 {
		c.Out.Say("%s deleted; %s inserts them again.", render.Many(len(r.pruned), "row"),
			filepath.Join(r.line.Dir, prunedFile))
	}
	if !summary {
		return nil
	}
	return summaryLine(c, "DB_VERIFY_SUMMARY", s)
}

// summaryLine prints a line that a script reads.
func summaryLine(c *command.Call, name string, value any) error {
	b, err := json.Marshal(value)
	if err == nil {
		_, err = fmt.Fprintf(c.Out.W, "%s=%s\n", name, b)
	}
	return err
}
