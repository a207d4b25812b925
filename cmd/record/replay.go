package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

func replayCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "replay", ArgsUsage: "[SOURCE]", Usage: "Rebuild the store from the audit log and compare them",
		Description: "A lost store.db is rebuilt by the next command. --repair replaces a damaged one and keeps the\n" +
			"damaged file. A store in etcd is rebuilt from the logs of all its instances: add the others with\n" +
			"--with. Restore a lost one with --into etcd://HOST:2379/PREFIX, after stopping its instances.",
		Flags: []urfave.Flag{
			command.RecordFlag(),
			&urfave.StringSliceFlag{
				Name:  "with",
				Usage: "add the data directory `DIR` of another instance of the store, or a copy of its wal folder; repeatable",
			},
			&urfave.StringFlag{Name: "into", Usage: "keep the rebuilt store in `DIR`, or restore a lost one to " +
				"etcd://HOST:2379/PREFIX"},
			&urfave.BoolFlag{Name: "repair", Usage: "replace the live store if it is damaged, lost or different"},
		},
		Action: p.Action(auditReplay),
	}
}

// replayed is the result of `audit replay` for programs.
type replayed struct {
	Equal    bool   `json:"equal"`
	Live     string `json:"live"` // "present", "damaged", "lost"
	First    uint64 `json:"first"`
	Last     uint64 `json:"last"`
	Trimmed  bool   `json:"trimmed"` // current state was compared, not history
	Revision int64  `json:"revision"`
	From     int64  `json:"from"` // compared from this revision on
	Digest   string `json:"digest,omitempty"`
	Part     string `json:"part,omitempty"` // the first key that differs
	Why      string `json:"why,omitempty"`
	Into     string `json:"into,omitempty"`
	Repaired bool   `json:"repaired"`
	// Of a store that hosts share:
	Batches int           `json:"batches,omitempty"`
	Logs    []replayedLog `json:"logs,omitempty"`
}

// replayOptions are the options of `ovi audit replay`.
type replayOptions struct {
	with   []string
	into   string
	repair bool
}

func replayOptionsOf(c *command.Call) replayOptions {
	return replayOptions{with: c.Cmd.StringSlice("with"), into: c.Cmd.String("into"), repair: c.Cmd.Bool("repair")}
}

func auditReplay(c *command.Call) error {
	o := replayOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	dir, err := session.RecordDir(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	if strings.HasPrefix(o.into, command.EtcdScheme) {
		return rebuildInto(c, dir, o)
	}
	if kept, err := session.ReadNote(dir); err != nil || kept.Where != "" || c.StoreName() != "" {
		if err != nil {
			return err
		}
		return replayShared(c, dir, o)
	}
	if len(o.with) > 0 {
		return cli.Usage("omit --with", "the store of %s has one audit log, its own", dir)
	}
	out := replayed{Live: "present"}
	l, err := session.OpenLedger(c, dir) // which brings the live store up to its log
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		if !errors.Is(err, storage.ErrCorrupt) {
			return err
		}
		out.Live, out.Why = "damaged", err.Error()
	}
	location, keep, err := replayLocation(dir, o.into)
	if err != nil {
		return err
	}
	if !keep {
		defer os.RemoveAll(filepath.Dir(location))
	}
	if err := rebuild(c, dir, location, &out); err != nil {
		return err
	}
	if keep {
		out.Into = location
	}
	if o.repair && !out.Equal {
		if err := replaceStore(dir, location, keep); err != nil {
			return err
		}
		out.Repaired = true
	}
	return tellReplay(c, out, dir)
}

// replayLocation returns the file of the rebuilt store: in a folder, or in a temporary one if that is "".
func replayLocation(dir, into string) (file string, keep bool, err error) {
	if into == "" {
		into, err = os.MkdirTemp(dir, ".replay-*")
		return filepath.Join(into, command.StoreFile), false, err
	}
	file = filepath.Join(into, command.StoreFile)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return "", false, &cli.Problem{
			Summary: "a store exists there", File: file, Err: err,
			Suggestion: "use an empty folder",
		}
	}
	return file, true, os.MkdirAll(into, 0o700)
}

// rebuild rebuilds the store and compares the live one with it.
func rebuild(c *command.Call, dir, location string, out *replayed) (err error) {
	fresh, err := bolt.Open(location)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	got, err := replay.Replay(c, dir, fresh)
	if err != nil {
		return err
	}
	out.First, out.Last, out.Revision, out.Trimmed = uint64(got.First), uint64(got.Last), int64(got.Revision),
		got.Trimmed()
	if out.Live != "present" {
		return nil
	}
	live, err := bolt.Open(filepath.Join(dir, command.StoreFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, live.Close()) }()
	found, err := compareStores(c, live, fresh, got)
	if errors.Is(err, storage.ErrCorrupt) {
		out.Live, out.Why = "damaged", err.Error()
		return nil
	}
	out.Equal, out.From, out.Digest = found.Equal, int64(found.From), found.DigestA
	if !found.Equal {
		out.Part = orElse(found.PartA.Key, found.PartB.Key)
		out.Why = partSentence(found)
	}
	return err
}

// compareStores compares all that both have; of a trimmed log, only current state.
func compareStores(c *command.Call, live, fresh storage.Store, got replay.Result) (replay.Comparison, error) {
	if got.Trimmed() {
		return replay.CompareLive(c, live, fresh)
	}
	stats, err := live.Stats(c)
	if err != nil {
		return replay.Comparison{}, err
	}
	found, err := replay.CompareHistories(c, live, fresh, stats.Compacted, got.Revision)
	if err != nil || !found.Equal {
		return found, err
	}
	found.PartA, err = replay.Unlogged(c, live, got.Revision)
	found.Equal = found.PartA.Key == ""
	return found, err
}

func partSentence(f replay.Comparison) string {
	switch {
	case f.PartA.Key == "":
		return fmt.Sprintf("the live store lacks %s of revision %d", f.PartB.Key, f.PartB.Modified)
	case f.PartB.Key == "":
		return fmt.Sprintf("the live store has %s of revision %d, which is not in the audit log", f.PartA.Key,
			f.PartA.Modified)
	}
	return fmt.Sprintf("the live store has %s of revision %d, the audit log has %s of revision %d", f.PartA.Key,
		f.PartA.Modified, f.PartB.Key, f.PartB.Modified)
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// replaceStore renames the live store and puts the rebuilt one in its place.
func replaceStore(dir, location string, keep bool) error {
	live := filepath.Join(dir, command.StoreFile)
	if _, err := os.Stat(live); err == nil {
		aside, err := os.MkdirTemp(dir, "store-replaced-*")
		if err != nil {
			return err
		}
		if err := os.Rename(live, filepath.Join(aside, command.StoreFile)); err != nil {
			return err
		}
	}
	if !keep {
		return os.Rename(location, live)
	}
	b, err := os.ReadFile(location)
	if err != nil {
		return err
	}
	return command.WriteFile(live, b)
}

func tellReplay(c *command.Call, out replayed, dir string) error {
	if c.Out.Machine() {
		if err := c.Out.Records(render.Info{Type: "replayed", Data: out}); err != nil {
			return err
		}
	} else {
		sayReplay(c, out, dir)
	}
	if out.Equal || out.Repaired {
		return nil
	}
	next := "replace it with `ovi audit replay --repair`; the live one is kept"
	if len(out.Logs) > 0 {
		next = "build a new one from the logs and use that: ovi audit replay --with DIR --into etcd://HOST:2379/PREFIX"
	}
	return &cli.Problem{Summary: "the live store differs from the audit log", Detail: out.Why, Suggestion: next}
}

func sayReplay(c *command.Call, out replayed, dir string) {
	if len(out.Logs) > 0 {
		saySharedReplay(c, out)
		return
	}
	c.Out.Say("Rebuilt from records %d to %d: %s.", out.First, out.Last, render.Many(out.Revision, "revision"))
	if out.Trimmed {
		c.Out.Say("The audit log starts with record %d; older records were trimmed. A store rebuilt from it has current "+
			"state without older history, and other revision numbers, so only current state was compared.", out.First)
	} else if out.From > 0 {
		c.Out.Say("Compared from revision %d: older ones were removed from the live store.", out.From)
	}
	if out.Equal {
		c.Out.Say("Equal: the live store matches the audit log, digest %s.", out.Digest[:16])
	}
	if out.Repaired {
		c.Out.Say("Replaced the live store (%s), which is kept in %s.", orElse(out.Why, out.Live), dir)
	}
	if out.Into != "" {
		c.Out.Say("Kept in %s.", out.Into)
	}
}
