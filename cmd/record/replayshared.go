package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// replayedLog is one of the logs a shared store was rebuilt from.
type replayedLog struct {
	Instance string `json:"instance"`
	Dir      string `json:"dir"`
	First    uint64 `json:"first"`
	Last     uint64 `json:"last"`
}

func (r *replayed) from(logs *replay.Logs, m replay.MergeResult) {
	r.Batches, r.Revision = m.Batches, int64(m.Revision)
	for _, i := range logs.List() {
		r.Logs = append(r.Logs, replayedLog{i.Instance, i.Dir, uint64(i.First), uint64(i.Last)})
	}
}

// replayShared rebuilds a shared store from the logs of all its instances, and compares the live
// one with it.
func replayShared(c *command.Call, dir string, o replayOptions) (err error) {
	if o.repair {
		return cli.Usage("rebuild it under another prefix: ovi audit replay --with DIR --into "+
			"etcd://host:2379/another-prefix", "a shared store cannot be repaired in place")
	}
	l, err := session.OpenLedger(c, dir) // which brings the store up to this log
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	logs, err := allLogs(dir, o.with)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, logs.Close()) }()
	location, keep, err := replayLocation(dir, o.into)
	if err != nil {
		return err
	}
	if !keep {
		defer os.RemoveAll(filepath.Dir(location))
	}
	fresh, err := bolt.Open(location)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	out := replayed{Live: "present"}
	merged, found, err := logs.Check(c, l.Store(), fresh)
	switch {
	case errors.Is(err, storage.ErrCorrupt):
		out.Live, out.Why = "damaged", err.Error()
	case err != nil:
		return lacking(c, err)
	default:
		out.Equal, out.Digest = found.Equal, found.DigestA
	}
	out.from(logs, merged)
	if !out.Equal && out.Live == "present" {
		out.Part, out.Why = orElse(found.PartA.Key, found.PartB.Key), partShared(found)
	}
	if keep {
		out.Into = location
	}
	return tellReplay(c, out, dir)
}

func saySharedReplay(c *command.Call, out replayed) {
	c.Out.Say("Rebuilt from %s of %s:", render.Many(out.Batches, "batch"), render.Many(len(out.Logs), "log"))
	for _, l := range out.Logs {
		c.Out.Say("  instance %s, records %d to %d, %s", l.Instance, l.First, l.Last, l.Dir)
	}
	switch {
	case out.Equal:
		c.Out.Say("Equal: the store at revision %d matches the logs, digest %s.", out.Revision, out.Digest[:16])
	case out.Live == "lost":
		c.Out.Say("Restored to %s, with %s and its own revision numbers. Claims are not restored.", out.Into,
			render.Many(out.Revision, "revision"))
		c.Out.Say("Use it with: --store %s, or OVI_STORE.", out.Into)
		return
	}
	if out.Into != "" {
		c.Out.Say("Kept in %s.", out.Into)
	}
}

// partShared says where a shared store and its logs differ. It names no revisions, because the
// rebuilt one has its own.
func partShared(f replay.Comparison) string {
	switch {
	case f.PartA.Key == "":
		return "the live store lacks " + f.PartB.Key
	case f.PartB.Key == "":
		return "the live store has " + f.PartA.Key + ", which is not in the logs"
	case f.PartA.Key != f.PartB.Key:
		return "the live store has " + f.PartA.Key + ", the logs have " + f.PartB.Key
	}
	return "the live store and the logs have different values of " + f.PartA.Key
}

// rebuildInto restores a lost store to etcd.
func rebuildInto(c *command.Call, dir string, o replayOptions) (err error) {
	if o.repair {
		return cli.Usage("omit --repair", "--into %s creates a new store", command.EtcdScheme)
	}
	logs, err := allLogs(dir, o.with)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, logs.Close()) }()
	var known []string // the instances that any of the data directories has noted
	for _, d := range append([]string{dir}, o.with...) {
		instances, err := session.InstancesMet(d)
		if err != nil {
			return err
		}
		known = append(known, instances...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	into, where, err := command.Connect(c, o.into)
	if err != nil {
		return err
	}
	merged, err := logs.Rebuild(c, known, into)
	if err = errors.Join(err, into.Close()); err != nil {
		return lacking(c, err)
	}
	out := replayed{Live: "lost", Repaired: true, Into: where}
	out.from(logs, merged)
	return tellReplay(c, out, dir)
}

// lacking adds what to do when a shared store cannot be rebuilt.
func lacking(c *command.Call, err error) error {
	var lacks *replay.IncompleteError
	next := ""
	switch {
	case errors.As(err, &lacks) && len(lacks.Missing) > 0:
		next = "add the data directory of each, or a copy of its wal folder, with --with DIR"
	case errors.As(err, &lacks) && len(lacks.Trimmed) > 0:
		next = "copy the live store: ovi store copy"
	case errors.As(err, &lacks):
		next = "use the data directory itself, or copy the log again"
	case errors.Is(err, ledger.ErrForeignLog):
		next = "omit it; `ovi store status` lists the instances of this store"
	case errors.Is(err, replay.ErrNotEmpty):
		next = "use another prefix"
	default:
		return err
	}
	return &cli.Problem{Summary: "the store cannot be rebuilt from these logs", Err: err, Suggestion: next}
}

// allLogs are this instance's and those of --with.
func allLogs(dir string, with []string) (*replay.Logs, error) {
	return replay.OpenLogs(append([]string{dir}, with...))
}
