package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Logs holds the logs of several instances, opened read-only: copies, or the ones in use.
type Logs struct {
	dirs []string
	logs []openLog
	list []LogInfo
}

// openLog is a log that is only read.
type openLog struct {
	instance string
	log      *wal.Log
}

// LogInfo is one of several logs.
type LogInfo struct {
	Instance string
	Dir      string
	First    wal.Seq // more than 1: it was trimmed
	Last     wal.Seq
}

// OpenLogs opens logs by their folders or their data directories. Naming one twice is no error;
// naming two different states of one log is. After an error none of them stays open.
func OpenLogs(dirs []string) (*Logs, error) {
	g := &Logs{dirs: dirs}
	for _, dir := range dirs {
		if err := g.open(dir); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

// open opens one log and keeps it, unless the same state of it is open already. A log that is not kept
// is closed.
func (g *Logs) open(dir string) error {
	dir, err := ledger.LogDir(dir)
	if err != nil {
		return err
	}
	log, err := wal.Open(dir, wal.ReadOnly())
	if err != nil {
		return err
	}
	first, _, err := log.First()
	info := LogInfo{ulid.ULID(log.ID()).String(), dir, first, log.Frontier().Seq}
	for _, other := range g.list {
		if err == nil && other.Instance == info.Instance && other.Last != info.Last {
			err = fmt.Errorf("%s and %s are two states of one log, up to record %d and %d: use the newer one", other.Dir, dir,
				other.Last, info.Last)
		}
	}
	known := slices.ContainsFunc(g.list, func(o LogInfo) bool { return o.Instance == info.Instance })
	if err != nil || known {
		return errors.Join(err, log.Close())
	}
	g.list = append(g.list, info)
	g.logs = append(g.logs, openLog{info.Instance, log})
	return nil
}

// Close closes the logs.
func (g *Logs) Close() error {
	var errs []error
	for _, l := range g.logs {
		errs = append(errs, l.log.Close())
	}
	return errors.Join(errs...)
}

// List are the logs, in the order they were named.
func (g *Logs) List() []LogInfo { return g.list }

// Records returns the records of all logs, in the order in which they reached the store; refused batches
// are omitted.
func (g *Logs) Records(ctx context.Context) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		all, err := g.sources(ctx, nil, storage.Now)
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		for p, err := range merged(all) {
			if err = errors.Join(err, ctx.Err()); err != nil {
				yield(event.Record{}, err)
				return
			}
			for _, r := range p.step.Records {
				if e, ok := r.Event.(event.Refused); ok && e.From != 0 {
					continue // what it refuses is omitted too
				}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// sources reads how much of each log the live store has at a revision. If live is nil, all of each log
// counts.
func (g *Logs) sources(ctx context.Context, live ledger.StoreReads, at storage.Revision) ([]*source, error) {
	var all []*source
	for _, l := range g.logs {
		s, err := l.source(ctx, live, at)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// IncompleteError names the logs that are needed to rebuild a shared store and are missing, or not
// complete. A rebuild without them would give another store.
type IncompleteError struct {
	Missing []ledger.Instance // their logs were not named
	Short   []LogInfo         // the store has more of them
	Trimmed []LogInfo         // their beginnings are in the store only
}

func (e *IncompleteError) Error() string {
	var out []string
	for _, i := range e.Missing {
		text := "the log of instance " + i.ID + " is missing"
		if i.Last > 0 {
			text += fmt.Sprintf(" (up to record %d, of %s)", i.Last, i.At.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
		out = append(out, text)
	}
	for _, i := range e.Short {
		out = append(out, fmt.Sprintf("the log of instance %s in %s ends with record %d, and the store has more: copy it "+
			"again", i.Instance, i.Dir, i.Last))
	}
	for _, i := range e.Trimmed {
		out = append(out, fmt.Sprintf("the log of instance %s in %s was trimmed and starts with record %d: earlier records "+
			"are in the live store only", i.Instance, i.Dir, i.First))
	}
	return strings.Join(out, "; ")
}

// complete returns an *IncompleteError unless these are all logs of the instances, in full. A log
// with fewer records than the store knows of is an old copy. With more it is complete: the instance
// went on since.
func (g *Logs) complete(instances []ledger.Instance) error {
	e := &IncompleteError{}
	for _, x := range instances {
		i := slices.IndexFunc(g.list, func(o LogInfo) bool { return o.Instance == x.ID })
		switch {
		case i < 0:
			e.Missing = append(e.Missing, x)
		case g.list[i].Last < x.Last:
			e.Short = append(e.Short, g.list[i])
		}
	}
	for _, i := range g.list {
		if i.First > 1 {
			e.Trimmed = append(e.Trimmed, i)
		}
	}
	if len(e.Missing)+len(e.Short)+len(e.Trimmed) > 0 {
		return e
	}
	return nil
}

// MergeResult describes the logs that a shared store was rebuilt from.
type MergeResult struct {
	Batches  int
	Revision storage.Revision // of the live store at the comparison; or of the new one
}

// Check rebuilds a shared store in an empty one from all its logs and compares the present values
// with the live one. Instances may record meanwhile. An *IncompleteError says why it cannot. A log
// with records of which the live store has none is ErrForeignLog, since it would bring resources of
// another store into the comparison.
func (g *Logs) Check(ctx context.Context, live ledger.StoreReads, into storage.Store) (m MergeResult, c Comparison,
	err error,
) {
	instances, at, err := query.Instances(ctx, live, storage.Now)
	if err != nil {
		return MergeResult{}, Comparison{}, err
	}
	// Opened now, the logs have all that the store had then.
	if g, err = OpenLogs(g.dirs); err != nil {
		return MergeResult{}, Comparison{}, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := g.complete(instances); err != nil {
		return MergeResult{}, Comparison{}, err
	}
	for _, i := range g.list {
		if i.Last > 0 && !slices.ContainsFunc(instances, func(x ledger.Instance) bool { return x.ID == i.Instance }) {
			return MergeResult{}, Comparison{}, fmt.Errorf("ledger: the log in %s is of instance %s: %w", i.Dir, i.Instance,
				ledger.ErrForeignLog)
		}
	}
	all, err := g.sources(ctx, live, at)
	if err != nil {
		return MergeResult{}, Comparison{}, err
	}
	n, _, err := projectAll(ctx, all, into)
	if err != nil {
		return MergeResult{}, Comparison{}, err
	}
	c, err = compareFacts(ctx, live, at, into)
	return MergeResult{n, at}, c, err
}

// Rebuild rebuilds a lost store from all its logs, in an empty one. known are the instances that
// are known to have recorded into it. No instance may record meanwhile: Open refuses a store that
// is not finished. A store that is left behind by a failure or a crash keeps the mark of an
// unfinished one, so that half a history cannot pass for all of it.
func (g *Logs) Rebuild(ctx context.Context, known []string, into storage.Store) (MergeResult, error) {
	var instances []ledger.Instance
	for _, id := range known {
		instances = append(instances, ledger.Instance{ID: id})
	}
	if err := g.complete(instances); err != nil {
		return MergeResult{}, err
	}
	if err := empty(ctx, into); err != nil {
		return MergeResult{}, err
	}
	if err := record.SetEpoch(ctx, into, record.Unfinished); err != nil {
		return MergeResult{}, err
	}
	all, err := g.sources(ctx, nil, storage.Now)
	if err != nil {
		return MergeResult{}, err
	}
	n, era, err := projectAll(ctx, all, into)
	if err != nil {
		return MergeResult{}, fmt.Errorf("%w; the new store is incomplete: use another prefix", err)
	}
	if err := record.SetEpoch(ctx, into, era+1); err != nil {
		return MergeResult{}, err
	}
	_, rev, err := into.Range(ctx, rows.KeyLog, storage.Now)
	return MergeResult{n, rev}, err
}
