package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/wal"
)

// records lists the records that tell of a resource, and those that they rest on: the plans of its
// actions, what these were made from, who approved them, and the policies that were required. Only
// positions are kept while the log is read, so a long log costs little memory. Records behind the
// checkpoint of the order are omitted: its tree cannot prove them.
func records(ctx context.Context, log ledger.LogReads, o Order) ([]wal.Seq, error) {
	quoted, err := event.Marshal(o.Ref)
	if err != nil {
		return nil, err
	}
	c := &collector{
		name: quoted, row: []byte(rows.Of("", o.Ref)), loaded: map[string]wal.Seq{}, plans: map[string]plan{},
		saved: map[string][]wal.Seq{}, approved: map[string][]wal.Seq{}, wanted: map[wal.Seq]bool{}, named: map[string]bool{},
	}
	for b, err := range log.Read(0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("proof: read the audit log: %w", err)
		}
		for i, raw := range b.Records {
			seq := b.First + wal.Seq(i)
			if o.Under.Batches > 0 && seq > o.Under.Seq {
				break
			}
			if err := c.record(seq, raw); err != nil {
				return nil, fmt.Errorf("proof: record %d: %w", seq, err)
			}
		}
	}
	return c.chosen(o.Depth), nil
}

// collector reads the log once.
type collector struct {
	name, row []byte // the ref as an event has it, and as a key of the store has it
	loaded    map[string]wal.Seq
	plans     map[string]plan
	saved     map[string][]wal.Seq // by plan
	approved  map[string][]wal.Seq // by plan, and by digest
	required  []wal.Seq
	refusals  []refusal
	acts      []wal.Seq
	seen      []wal.Seq       // observations
	decided   []string        // plans that decide on the resource
	named     map[string]bool // plans of its actions
	wanted    map[wal.Seq]bool
}

// plan is the remembered part of a plan.
type plan struct {
	seq     wal.Seq
	same    string
	digests [2]string
	loaded  []wal.Seq
}

type refusal struct{ at, from, to wal.Seq }

// names are the fields by which records refer to each other.
type names struct {
	Data struct {
		Plan      string          `json:"plan"`
		Same      string          `json:"same"`
		Stack     string          `json:"stack"`
		Stacks    []string        `json:"stacks"`
		Digest    string          `json:"digest"`
		Approving string          `json:"approving"`
		From      json.RawMessage `json:"from"` // a number only in a refusal
		To        json.RawMessage `json:"to"`
		Approval  *event.Approval `json:"approval"`
	} `json:"data"`
}

// record remembers what matters of a record. The name is searched with its quotes, so that a ref
// which is the beginning of another does not match. A record that quotes the ref for another reason
// counts too: one record too many proves nothing false, and one too few would hide an act.
func (c *collector) record(seq wal.Seq, raw []byte) error {
	about := bytes.Contains(raw, c.name)
	switch kind := event.TypeOf(raw); kind {
	case event.TypeLoaded, event.TypePlanned, event.TypePlanSaved, event.TypeApproved, event.TypeRefused:
		var n names
		if err := json.Unmarshal(raw, &n); err != nil {
			return err
		}
		return c.related(kind, seq, n, about)
	case event.TypePolicyRequired:
		c.required = append(c.required, seq)
	case event.TypeBaseline:
		if about || bytes.Contains(raw, c.row) {
			c.acts = append(c.acts, seq)
		}
	case event.TypeObserved:
		if about {
			c.seen = append(c.seen, seq)
		}
	default: // something that was done to the resource, or that an operator did about it
		if !about {
			return nil
		}
		var n names
		if err := json.Unmarshal(raw, &n); err != nil {
			return err
		}
		c.acts = append(c.acts, seq)
		if n.Data.Plan != "" {
			c.named[n.Data.Plan] = true
		}
		if n.Data.Approval != nil {
			c.want(c.approved[n.Data.Approval.Digest]...)
		}
	}
	return nil
}

// related is a record that others may rest on. A plan rests on the newest load of each of its
// stacks that is before it in the log.
func (c *collector) related(kind string, seq wal.Seq, n names, about bool) error {
	d := n.Data
	switch kind {
	case event.TypeLoaded:
		c.loaded[d.Stack] = seq
	case event.TypePlanned:
		p := plan{seq: seq, same: d.Same, digests: [2]string{d.Digest, d.Approving}}
		for _, stack := range d.Stacks {
			if at, ok := c.loaded[stack]; ok {
				p.loaded = append(p.loaded, at)
			}
		}
		c.plans[d.Plan] = p
		if about {
			c.decided = append(c.decided, d.Plan)
		}
	case event.TypePlanSaved:
		c.saved[d.Plan] = append(c.saved[d.Plan], seq)
	case event.TypeApproved:
		c.approved[d.Plan] = append(c.approved[d.Plan], seq)
		if d.Digest != "" {
			c.approved[d.Digest] = append(c.approved[d.Digest], seq)
		}
	case event.TypeRefused:
		r := refusal{at: seq}
		if err := errors.Join(json.Unmarshal(d.From, &r.from), json.Unmarshal(d.To, &r.to)); err != nil {
			return err
		}
		c.refusals = append(c.refusals, r)
	}
	return nil
}

func (c *collector) want(seqs ...wal.Seq) {
	for _, s := range seqs {
		c.wanted[s] = true
	}
}

// chosen are the records to prove, in order, with the newest observations and plans up to a depth.
// Without any about the resource there are none. A refusal is proved with each record that it
// refuses, since that record never reached the store, and without the refusal would pass for a
// fact.
func (c *collector) chosen(depth int) []wal.Seq {
	seen, decided := newest(c.seen, depth), newest(c.decided, depth)
	if len(c.acts)+len(seen)+len(decided) == 0 {
		return nil
	}
	c.want(c.acts...)
	c.want(seen...)
	c.want(c.required...)
	for _, id := range decided {
		c.plan(id)
	}
	for id := range c.named {
		c.plan(id)
	}
	for _, r := range c.refusals {
		for s := r.from; s <= r.to; s++ {
			if c.wanted[s] {
				c.want(r.at)
			}
		}
	}
	return slices.Sorted(maps.Keys(c.wanted))
}

// plan adds a plan and what it rests on; one with the decisions of another adds that too. A plan
// that the log no longer has is omitted: the log was trimmed.
func (c *collector) plan(id string) {
	p, ok := c.plans[id]
	if !ok || c.wanted[p.seq] {
		return
	}
	c.want(p.seq)
	c.want(p.loaded...)
	c.want(c.saved[id]...)
	c.want(c.approved[id]...)
	for _, digest := range p.digests {
		if digest != "" {
			c.want(c.approved[digest]...)
		}
	}
	if p.same != "" {
		c.plan(p.same)
	}
}

func newest[T any](all []T, depth int) []T {
	if depth < 0 || len(all) <= depth {
		return all
	}
	return all[len(all)-depth:]
}
