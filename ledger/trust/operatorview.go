package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// actsAfter is after how many records Close lists the acts again, so that the next run need not
// read more of the log to know them.
const actsAfter = 4096

// actPart is the part with the operators' acts: blessings, approvals and their use, and acknowledgments.
func actPart() part {
	return part{
		has: isAct, prime: primeActs, concerns: concernsActs,
		certified: func(e event.Event) bool { _, ok := e.(event.ActsCertified); return ok },
	}
}

// actPrefixes are the prefixes of the keys of acts.
func actPrefixes() []string {
	return []string{
		rows.KeyBlessed, rows.KeyApproval, rows.KeyUsed, rows.KeyAcknowledged, rows.KeyRequirement, rows.KeyRoster,
		rows.KeyRecovery, rows.KeyRecoverySeen,
	}
}

func isAct(key string) bool {
	return slices.ContainsFunc(actPrefixes(), func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// concernsActs reports whether a record is about acts; a record that starts an action is only about acts if
// it uses an approval. The record is not decoded, which keeps a read of the whole log cheap. A record that
// is reported in error costs only time.
func concernsActs(record []byte) bool {
	switch event.TypeOf(record) {
	case event.TypeBlessed, event.TypeApproved, event.TypeAcknowledged, event.TypePolicyRequired,
		event.TypeRosterChanged, event.TypeRecoveryAsked, event.TypeRecoverySeen, event.TypeRefused, event.TypeBaseline,
		event.TypeActsCertified:
		return true
	case event.TypeStarted:
		return bytes.Contains(record, []byte(`"approval":{`))
	}
	return false
}

// primeActs starts from the last list of acts in the log. Where to find it is only a hint. The list comes
// from the log, never from the store: an edited hint costs time and proves nothing.
func primeActs(ctx context.Context, p *Proofs, v *logView) error {
	e, err := p.Get(ctx, rows.KeyActs+p.Instance(), storage.Now)
	if err != nil || e.Value == nil {
		return err
	}
	var hint rows.ActsCertified
	if json.Unmarshal(e.Value, &hint) != nil {
		return nil
	}
	picker := p.log.RandomReader()
	defer func() { _ = picker.Close() }()
	b, err := picker.Batch(hint.Seq)
	if err != nil {
		return nil //nolint:nilerr // the log is read from its beginning
	}
	r, err := event.DecodeRecord(b.Records[hint.Seq-b.First])
	list, ok := r.Event.(event.ActsCertified)
	if err != nil || !ok || r.Instance != p.Instance() {
		return nil //nolint:nilerr // the log is read from its beginning
	}
	for _, f := range list.Acts {
		v.rows[f.Key] = f.Value
	}
	v.resumeAt, v.everCertified = b.First, true
	return nil
}

// ActsDue reports whether much of the log was read here to know the acts.
func (p *Proofs) ActsDue() bool {
	p.acts.mu.Lock()
	defer p.acts.mu.Unlock()
	return p.acts.loaded && p.acts.recordsSinceCertified >= actsAfter
}

// ListActs returns the event that lists the acts in the log, if they fit into a record. A longer list is
// not recorded; the next run then reads the log from the previous list.
func (p *Proofs) ListActs(ctx context.Context) ([]event.Event, error) {
	now, err := p.provenActs(ctx)
	if err != nil {
		return nil, err
	}
	var list event.ActsCertified
	size := 0
	for _, key := range slices.Sorted(maps.Keys(now)) {
		list.Acts = append(list.Acts, event.Fact{Key: key, Value: now[key]})
		size += len(key) + len(now[key])
	}
	if size > project.BaselineSize {
		return nil, nil
	}
	return []event.Event{list}, nil
}

// provenActs is a copy of the acts as this log proves them.
func (p *Proofs) provenActs(ctx context.Context) (map[string][]byte, error) {
	p.acts.mu.Lock()
	defer p.acts.mu.Unlock()
	if err := p.acts.follow(ctx, p); err != nil {
		return nil, err
	}
	return p.acts.now(), nil
}

// now is the part with the changes of the last batch.
func (v *logView) now() map[string][]byte {
	out := maps.Clone(v.rows)
	for key, value := range v.pending {
		if out[key] = value; value == nil {
			delete(out, key)
		}
	}
	return out
}
