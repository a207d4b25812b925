package record

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	trusted "github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/wal"
)

// AuditCommand returns the command `ovi audit`.
func AuditCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "audit", Category: command.GroupGovern,
		Usage: "Read or verify the audit log",
		Subcommands: append([]*urfave.Command{
			{
				Name: "log", ArgsUsage: "[REF]", Usage: "Print the records, oldest first",
				Flags: append(logFilters(), command.RecordFlag(), session.StackFlag(),
					&urfave.BoolFlag{Name: "follow", Usage: "print new records until Ctrl-C"}),
				Action: p.Action(auditLog),
			},
			{
				Name: "verify", ArgsUsage: "[SOURCE]", Usage: "Verify that no record was changed, removed or reordered",
				Flags: []urfave.Flag{
					command.RecordFlag(),
					&urfave.StringFlag{Name: "public-key", Usage: "require signatures by `KEY` (64 hexadecimal digits)"},
					&urfave.StringSliceFlag{Name: "checkpoint", Usage: "require the checkpoint `LINE`, kept elsewhere; repeatable"},
				},
				Action: p.Action(auditVerify),
			},
		}, auditMore(p)...),
	}
}

// logOptions are the options of `ovi audit log`.
type logOptions struct {
	filterOptions
	follow bool
}

func logOptionsOf(c *command.Call) logOptions {
	return logOptions{filterOptions: filterOptionsOf(c), follow: c.Cmd.Bool("follow")}
}

func auditLog(c *command.Call) error {
	o := logOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	err := session.WithMemory(c, nil, func(l *ledger.Ledger) error { return cli.IgnoreUnread(showLog(c, l, o)) })
	if o.follow {
		return c.Interrupted(err)
	}
	return err
}

func showLog(c *command.Call, l *ledger.Ledger, o logOptions) error {
	filter, err := o.filter(c, l)
	if err != nil {
		return err
	}
	short, err := session.ShortNames(c, l)
	if err != nil {
		return err
	}
	each := func(r event.Record) error {
		if c.Out.Machine() {
			return c.Out.Records(logLine(r))
		}
		about := ""
		if !r.Event.About().IsZero() {
			about = short(r.Event.About()) + "  "
		}
		_, err := fmt.Fprintf(c.Out.W, "%6d  %s  %-9s  %s%s\n", r.Seq, r.At.UTC().Format("2006-01-02 15:04:05"),
			r.Event.Type(), about, render.RecordLine(r))
		return err
	}
	if filter.From, err = logFrom(c, l, filter, each); err != nil || !o.follow {
		return err
	}
	return follow(c, l, filter, each)
}

// logLine is a record for programs.
func logLine(r event.Record) render.LogRecord {
	line := render.LogRecord{
		Type: "record", Seq: uint64(r.Seq), ID: r.ID, At: r.At, Event: r.Event.Type(),
		Instance: r.Instance, Run: r.Run, User: r.User, UID: r.UID, Host: r.Host, Data: r.Event,
	}
	if ref := r.Event.About(); !ref.IsZero() {
		line.Ref = ref.String()
	}
	return line
}

// filter reads which records are selected.
func (o filterOptions) filter(c *command.Call, l *ledger.Ledger) (history.Filter, error) {
	f := history.Filter{Types: o.types, Run: o.run, Instance: o.instance}
	for _, t := range f.Types {
		if near, ok := resource.Nearest(t, event.Types()); !ok || near != t {
			return f, cli.Usage("use one of "+strings.Join(event.Types(), ", "), "unknown event type %q", t)
		}
	}
	var err error
	if f.Since, err = parseMoment(c, "since", o.since); err != nil {
		return f, err
	}
	if f.Until, err = parseMoment(c, "until", o.until); err != nil {
		return f, err
	}
	spelling := o.ref
	if spelling == "" {
		spelling = c.Arg(0)
	}
	if spelling == "" && o.environment {
		return f, cli.Usage("name a resource, or omit --env", "--env selects the stack of a resource, and none is named")
	}
	if spelling != "" {
		f.Ref, err = session.Ref(c, l, spelling)
	}
	return f, err
}

// parseMoment reads an option that is a time, or a duration ago.
func parseMoment(c *command.Call, flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return c.Now().Add(-ago), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, cli.Usage("use a time such as 2026-01-02T15:04:05Z, or 90m for 90 minutes ago", "invalid --%s %q", flag,
			text)
	}
	return t, nil
}

// verifyOptions are the options of `ovi audit verify`. The zero value requires nothing more.
type verifyOptions struct {
	publicKey   string
	checkpoints []string
}

func verifyOptionsOf(c *command.Call) verifyOptions {
	return verifyOptions{publicKey: c.Cmd.String("public-key"), checkpoints: c.Cmd.StringSlice("checkpoint")}
}

func auditVerify(c *command.Call) error {
	o := verifyOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	dir, err := session.RecordDir(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	report, err := verifiedLog(c, dir, o, nil)
	if err != nil {
		return err
	}
	if report.Signed == 0 {
		return &cli.Problem{
			Summary: "nothing is signed: the audit log has no record", File: dir,
			Suggestion: "run a command that records, such as `ovi plan`, or restore the data directory from a backup",
		}
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "verified", Data: verifiedOf(report)})
	}
	c.Out.Say("The audit log is intact: %s in %s and %s, %d to %d.", render.Many(report.Records, "record"),
		render.Many(report.Batches, "batch"), render.Many(report.Segments, "segment"), report.First, report.Last)
	c.Out.Say("Signed up to record %d by key %s.", report.Signed, strings.Join(keysOf(report), ", "))
	if !report.Trimmed.IsZero() {
		c.Out.Say("Records before %d were trimmed at %s.", report.First, session.StampOf(report.Trimmed))
	}
	if report.Torn != nil {
		c.Out.Warn(report.Torn.String(), "none needed after a crash; if the log was copied or cut, restore a complete copy")
	}
	return nil
}

// LogDir is where the audit log is, in the data directory.
const LogDir = "wal"

// verifiedLog verifies the audit log of a data directory against all that is known of it: its own key, what
// its store has, what the options require, and anchors that were kept elsewhere.
func verifiedLog(c *command.Call, dir string, o verifyOptions, anchors []wal.Anchor) (wal.Report, error) {
	key, options, err := trust(c, dir, o)
	if err != nil {
		return wal.Report{}, err
	}
	for _, a := range anchors {
		options = append(options, wal.WithAnchor(a))
	}
	known, err := inStore(c, dir)
	if err != nil {
		return wal.Report{}, err
	}
	report, err := wal.Verify(filepath.Join(dir, LogDir), key, append(options, known...)...)
	switch {
	case errors.Is(err, wal.ErrOtherLog):
		err = &cli.Problem{
			Summary: "the audit log was replaced, or the checkpoints belong to a different log", Err: err,
			Suggestion: "keep the checkpoints of each log in a file of its own; if that is so, restore the last good copy of " +
				"the data directory",
		}
	case err != nil:
		err = &cli.Problem{
			Summary: "the audit log was changed or is damaged", Err: err,
			Suggestion: "keep a copy of the data directory, and restore the last good one",
		}
	}
	if err == nil {
		err = asOthersSaw(c, dir, key, options)
	}
	if err == nil {
		err = asNoted(c, dir, report, o)
	}
	return report, err
}

// asOthersSaw verifies the log against what other instances of a shared store saw of it.
func asOthersSaw(c *command.Call, dir string, key ed25519.PublicKey, options []wal.Option) error {
	kept, err := session.ReadNote(dir)
	if err != nil || c.StoreName() == "" {
		if kept.Where != "" {
			c.Out.Warn("the log is not compared with the lengths that other instances recorded in "+kept.Where, "use --store")
		}
		return err
	}
	l, err := session.OpenLedger(c, dir)
	if err != nil {
		return err
	}
	seen, err := l.Cosigned(c)
	if err = errors.Join(err, l.Close()); err != nil || len(seen) == 0 {
		return err
	}
	if _, err = wal.Verify(filepath.Join(dir, LogDir), key, append(options, seen...)...); err != nil {
		err = &cli.Problem{
			Summary: "the audit log is not the one that other instances of the store saw", Err: err,
			Suggestion: "keep a copy of the data directory, and ask who has its key: it was rewritten, or put back",
		}
	}
	return err
}

// inStore is the last record of the log that its own store has.
func inStore(c *command.Call, dir string) ([]wal.Option, error) {
	path := ledger.StorePath(dir)
	if _, err := os.Stat(path); err != nil || c.StoreName() != "" {
		return nil, nil //nolint:nilerr // a lost store, or one that others share
	}
	store, err := bolt.Open(path)
	if err != nil {
		return nil, nil //nolint:nilerr // a damaged store is not the log's; `ovi audit replay` reports it
	}
	defer func() { _ = store.Close() }()
	return ledger.FrontierIn(c, store)
}

// trust reads what the audit log is verified against; without --public-key its own key, so that a log
// which was signed again with another one is found.
func trust(c *command.Call, dir string, o verifyOptions) (ed25519.PublicKey, []wal.Option, error) {
	var key ed25519.PublicKey
	if o.publicKey != "" {
		var err error
		if key, err = wal.ParsePublicKey(o.publicKey); err != nil {
			return nil, nil, cli.Usage("use the key that `ovi audit verify` prints", "invalid --public-key %q", o.publicKey)
		}
	}
	if key == nil {
		var err error
		if key, err = ownKey(c, dir); err != nil {
			return nil, nil, err
		}
	}
	var options []wal.Option
	for _, line := range o.checkpoints {
		point, err := wal.ParseAnchor(line)
		if err != nil {
			return nil, nil, cli.Usage("use the whole line that ovi printed", "invalid --checkpoint: %s", err)
		}
		options = append(options, wal.WithAnchor(point))
	}
	return key, options, nil
}

// ownKey is the key that signs the user's own logs.
func ownKey(c *command.Call, dir string) (ed25519.PublicKey, error) {
	whose, err := c.LogTrustOf(dir)
	if err != nil {
		return nil, err
	}
	key, err := whose.Public()
	if err == nil && key == nil {
		err = errors.New("there is none")
	}
	if err != nil {
		return nil, &cli.Problem{
			Summary: "cannot read the own key, which the audit log is verified with", Err: err,
			Suggestion: "use --public-key, or OVI_LOG_KEY, with a key that you know from elsewhere",
		}
	}
	return key, nil
}

// asNoted holds a verified log against the note in the state home, and names the checks that were not possible.
func asNoted(c *command.Call, dir string, r wal.Report, o verifyOptions) error {
	whose, err := c.LogTrustOf(dir)
	if err != nil && o.publicKey == "" {
		return err
	}
	n, err := whose.Home.Note(trusted.LogName(r.Log))
	if err != nil {
		return err
	}
	if n == nil {
		c.Out.Warn("the place and the newest record of the log are not checked: no command of this user has noted it",
			"none needed for a copy; a log that was put back to an earlier state is not found")
		return nil
	}
	place, err := trusted.Place(dir)
	if err != nil {
		return err
	}
	machine, err := trusted.Machine()
	if err != nil {
		return err
	}
	if n.Dir != place || n.Machine != machine {
		c.Out.Warn("this is a copy: its log was last used in "+n.Dir, "verify it there")
	}
	if n.Seq >= r.First {
		err = hasNoted(dir, r, n)
	}
	if err != nil {
		err = &cli.Problem{
			Summary: "the audit log was put back to an earlier state, or is a copy of one", Err: err,
			Suggestion: "restore the newest copy of the data directory, or accept this state with `ovi store trust --directory`",
		}
	}
	return err
}

// hasNoted looks for the noted record in the log. A run that goes on may have written and noted more than was verified.
func hasNoted(dir string, r wal.Report, n *trusted.Note) error {
	l, err := ledger.OpenLog(dir)
	if err != nil {
		return err
	}
	p := l.RandomReader()
	b, err := p.Batch(n.Seq)
	if err != nil && n.Seq > r.Last {
		err = fmt.Errorf("it ends at record %d, and record %d was written", r.Last, n.Seq)
	}
	if err == nil && (b.Last != n.Seq || b.Chain.String() != n.Chain) {
		err = fmt.Errorf("its record %d is not the one that was written", n.Seq)
	}
	return errors.Join(err, p.Close(), l.Close())
}

// verified is the result of `audit verify` for programs.
type verified struct {
	Segments int        `json:"segments"`
	Batches  int        `json:"batches"`
	Records  int        `json:"records"`
	First    uint64     `json:"first"`
	Last     uint64     `json:"last"`
	Chain    string     `json:"chain"`
	Trimmed  *time.Time `json:"trimmed,omitempty"` // when the records before the first were removed
	Tree     uint64     `json:"tree"`              // batches in the Merkle tree, trimmed ones too
	Root     string     `json:"root"`
	Signed   uint64     `json:"signed"`
	Keys     []string   `json:"keys"`
}

func verifiedOf(r wal.Report) verified {
	root := r.Tree.Root()
	return verified{
		Trimmed: command.TimeOrNil(r.Trimmed), Tree: r.Tree.End, Root: hex.EncodeToString(root[:]),
		Segments: r.Segments, Batches: r.Batches, Records: r.Records, First: uint64(r.First), Last: uint64(r.Last),
		Chain: r.Chain.String(), Signed: uint64(r.Signed), Keys: keysOf(r),
	}
}

func keysOf(r wal.Report) []string {
	out := make([]string, len(r.Keys))
	for i, k := range r.Keys {
		out[i] = wal.FormatPublicKey(k)
	}
	return out
}
