package faultrun

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/ledger/replay/replaytest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/test/faultrun/check"
	"github.com/ovi-project/ovi/wal"
)

// gather reads everything that the run recorded. The instances must have ended.
func (s *site) gather() check.History {
	s.Helper()
	h := check.History{Calls: s.cloud.calls, Live: s.cloud.live(s), Desired: s.configured.desired(), Logs: map[string]error{}}
	claims := s.witness.whole()
	for _, list := range claims {
		for _, c := range list {
			h.Claims = append(h.Claims, c.Claim)
		}
	}
	var endpoints []string
	for _, m := range s.members {
		endpoints = append(endpoints, m.Endpoint)
	}
	ctx := context.Background()
	store, err := etcd.Open(ctx, etcd.Config{Endpoints: endpoints, Prefix: prefix})
	if err != nil {
		s.Fatal(err)
	}
	defer store.Close()
	var logs []*ledger.Ledger
	for i, p := range s.instances {
		_, err := wal.Verify(filepath.Join(p.Dir, "wal"), nil)
		h.Logs[p.Name] = err
		h.Ops = append(h.Ops, s.attempts(i, p, claims)...)
		h.Observations = append(h.Observations, s.observations(p)...)
		l, err := ledger.Open(ctx, ledger.Config{Dir: p.Dir, Key: teamKey(), Store: store, Shared: true, User: "checker"})
		if err != nil {
			s.Errorf("open the record of %s: %v", p.Name, err)
			continue
		}
		defer l.Close()
		logs = append(logs, l)
		h.Actions = append(h.Actions, s.actions(ctx, p.Name, l, store)...)
	}
	h.Ops = append(h.Ops, vanished(claims, h.Ops)...)
	if opens, err := logs[0].OpenActions(ctx); err != nil {
		s.Error(err)
	} else {
		for _, o := range opens {
			h.Open = append(h.Open, o.Ref.String())
		}
	}
	replayed := mem.New()
	if err := s.merge(ctx, store, replayed); err != nil {
		s.Errorf("merge: %v", err)
		h.Replayed = "none"
	} else if h.Replayed, err = replaytest.Content(ctx, replayed); err != nil {
		s.Error(err)
	}
	if h.Content, err = replaytest.Content(ctx, store); err != nil {
		s.Error(err)
	}
	if h.Content != h.Replayed {
		s.part(ctx, store, replayed)
	}
	s.withoutStore(ctx, h.Content, store)
	return h
}

// merge projects the logs of all instances into an empty store.
func (s *site) merge(ctx context.Context, live, into storage.Store) error {
	logs, err := s.logs()
	if err != nil {
		return err
	}
	defer logs.Close()
	_, _, err = logs.Check(ctx, live, into)
	return err
}

func (s *site) logs() (*replay.Logs, error) {
	var dirs []string
	for _, p := range s.instances {
		dirs = append(dirs, p.Dir)
	}
	return replay.OpenLogs(dirs)
}

// withoutStore rebuilds the store from the logs alone, as if it were lost, by the order that they
// record.
func (s *site) withoutStore(ctx context.Context, want string, live storage.Store) {
	s.Helper()
	logs, err := s.logs()
	if err != nil {
		s.Error(err)
		return
	}
	defer logs.Close()
	anew := mem.New()
	if _, err := logs.Rebuild(ctx, nil, anew); err != nil {
		s.Errorf("rebuild the store from the logs alone: %v", err)
		return
	}
	if got, err := replaytest.Content(ctx, anew); err != nil || got != want {
		s.Errorf("the store rebuilt from the logs alone differs: %v", err)
		s.part(ctx, live, anew)
	}
}

// part logs where the live store and the replayed one differ.
func (s *site) part(ctx context.Context, live, replayed storage.Store) {
	s.Helper()
	read := func(store storage.Store) map[string]storage.Entry {
		out := map[string]storage.Entry{}
		entries, _, err := store.Range(ctx, "", storage.Now)
		if err != nil {
			s.Fatal(err)
		}
		for e, err := range entries {
			if err != nil {
				s.Fatal(err)
			}
			if !strings.HasPrefix(e.Key, "log/") && !strings.HasPrefix(e.Key, coordinator.Prefix) {
				out[e.Key] = e
			}
		}
		return out
	}
	one, two := read(live), read(replayed)
	all := maps.Clone(one)
	maps.Copy(all, two)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a, b := one[key], two[key]; !bytes.Equal(a.Value, b.Value) {
			s.Logf("they differ at %s\nlive (revision %d): %.1500s\nreplayed: %.1500s", key, a.Modified, a.Value, b.Value)
		}
	}
}

// attempts are those of an instance on claims. The outcome of one without an answer is known if
// its claim was ever in the store.
func (s *site) attempts(client int, p *process, claims map[string][]*seenClaim) (out []check.ClaimOp) {
	f, err := os.Open(filepath.Join(p.Dir, "ops.jsonl"))
	if err != nil {
		s.Fatal(err)
	}
	defer f.Close()
	begun := map[string]attempt{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var a attempt
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			s.Fatalf("%s: %v", p.Name, err)
		}
		if a.Result == "" {
			begun[a.ID] = a
			continue
		}
		first := begun[a.ID]
		switch a.Result {
		case skipped:
			delete(begun, a.ID)
		case string(check.OpUnknown): // as if there had been no answer
		default:
			delete(begun, a.ID)
			out = append(out, check.ClaimOp{Client: client, Ref: a.Ref, From: first.At, To: a.At, Take: a.Take, Token: a.Token, Result: check.OpResult(a.Result)})
		}
	}
	for _, a := range begun {
		i := slices.IndexFunc(claims[a.Ref], func(c *seenClaim) bool { return c.nonce == a.Run+" "+a.Nonce })
		if !a.Take || i < 0 {
			continue // it was never applied, or vanished has its outcome
		}
		c := claims[a.Ref][i]
		out = append(out, check.ClaimOp{Client: client, Ref: a.Ref, From: a.At, To: c.startedSeen, Take: true, Token: c.Token, Result: check.OpDone})
	}
	return out
}

// vanished are the ends of claims without a known release: their leases ended, or a release
// without an answer was applied.
func vanished(claims map[string][]*seenClaim, ops []check.ClaimOp) (out []check.ClaimOp) {
	type id struct {
		ref   string
		token int64
	}
	taken, given := map[id]time.Time{}, map[id]bool{}
	for _, op := range ops {
		switch k := (id{op.Ref, op.Token}); {
		case op.Take && op.Result != check.OpRefused:
			taken[k] = op.From
		case !op.Take && op.Result == check.OpDone:
			given[k] = true
		}
	}
	for ref, list := range claims {
		for _, c := range list {
			k := id{ref, c.Token}
			from, ours := taken[k]
			if c.Ended != 0 && ours && !given[k] {
				out = append(out, check.ClaimOp{Client: 1000, Ref: ref, From: from, To: c.EndSeen, Token: c.Token, Result: check.OpVanished})
			}
		}
	}
	return out
}

// actions reads the actions from a log, without those of rejected batches.
func (s *site) actions(ctx context.Context, name string, l *ledger.Ledger, store storage.Store) (out []check.Action) {
	locations := s.locations(ctx, l.Instance(), store)
	revision := func(seq uint64) int64 {
		i, _ := slices.BinarySearchFunc(locations, seq, func(p location, seq uint64) int { return cmp.Compare(p.seq, seq) })
		if i == len(locations) {
			return 0
		}
		return locations[i].revision
	}
	var refused [][2]uint64
	plans := map[string]int64{}
	for r, err := range history.New(l.Reader()).LogRecords(ctx, history.Filter{}) {
		if err != nil {
			s.Errorf("read the log of %s: %v", name, err)
			return out
		}
		d := check.Action{Instance: name, Seq: uint64(r.Seq), Revision: revision(uint64(r.Seq)), Ref: r.Event.About().String()}
		switch e := r.Event.(type) {
		case event.Planned:
			plans[e.Plan] = d.Revision
			continue
		case event.Refused:
			if e.From != 0 {
				refused = append(refused, [2]uint64{uint64(e.From), uint64(e.To)})
			}
			continue
		case event.Started:
			d.Kind, d.Key, d.Token, d.Plan, d.Saw = check.Started, e.Key, e.Token, e.Plan, plans[e.Plan]
			d.Deletes = e.Action == decider.Delete || e.Phase == event.PhaseDelete
		case event.Finished:
			d.Kind, d.Key, d.Token = endKind(e.Outcome), e.Key, e.Token
		case event.Recovered:
			d.Kind, d.Key = check.Answered, e.Key
			if e.Finding == event.FoundUnknown {
				d.Kind = check.Uncertain
			}
		default:
			continue
		}
		out = append(out, d)
	}
	return slices.DeleteFunc(out, func(d check.Action) bool {
		return slices.ContainsFunc(refused, func(r [2]uint64) bool { return d.Seq >= r[0] && d.Seq <= r[1] })
	})
}

func endKind(o event.Outcome) check.ActionKind {
	switch o {
	case event.Uncertain:
		return check.Uncertain
	case event.Late:
		return check.Late
	}
	return check.Ended
}

// location is the revision that a batch of a log committed.
type location struct {
	seq      uint64
	revision int64
}

func (s *site) locations(ctx context.Context, instance string, store storage.Store) (out []location) {
	for e, err := range store.History(ctx, "log/"+instance) {
		var head struct {
			Seq uint64 `json:"seq"`
		}
		if err == nil {
			err = json.Unmarshal(e.Value, &head)
		}
		if err != nil {
			s.Fatal(err)
		}
		if len(out) == 0 || out[len(out)-1].seq < head.Seq { // the same place again only fences
			out = append(out, location{head.Seq, int64(e.Modified)})
		}
	}
	return out
}
