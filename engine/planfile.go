package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// A plan file is one JSON object. It holds no secrets: values of wishes and things stand in
// it as canonical JSON with digests, and applying it reads the wishes from the source again.
const (
	planType   = "ovi-plan"
	planFormat = 1
)

type planFile struct {
	Type         string            `json:"type"`
	Format       int               `json:"format"`
	ID           string            `json:"id"`
	At           time.Time         `json:"at"`
	Mode         event.Mode        `json:"mode"`
	Revision     storage.Revision  `json:"revision"`
	Hash         string            `json:"hash"` // of the decisions
	Stacks       []string          `json:"stacks"`
	Counts       event.Counts      `json:"counts"`
	Unreachable  map[string]string `json:"blind,omitempty"`
	Observations []observationFile `json:"looks"`
	Owned        map[string]int    `json:"owned,omitempty"`
	Decisions    []decisionFile    `json:"decisions"`
}

type observationFile struct {
	Scope    resource.Scope `json:"scope"`
	At       time.Time      `json:"at,omitzero"`
	Recorded bool           `json:"recorded,omitempty"`
	Count    int            `json:"count"`
	Error    string         `json:"error,omitempty"`
}

// decisionFile is a decision with what it rests on: the digest of the wish and of the thing.
type decisionFile struct {
	Decision  event.Decision `json:"decision"`
	DependsOn []resource.Ref `json:"needs,omitempty"`
	ID        string         `json:"id,omitempty"`
	Desired   string         `json:"wish"`
	Observed  string         `json:"there,omitempty"`
	// Resource is what the decision would be done to, so that policies can be tried on the file.
	Resource *resource.Observed `json:"thing,omitempty"`
}

// Save writes the plan as a plan file: versioned JSON, secrets as digests.
func (p *Planned) Save(w io.Writer) error {
	f := planFile{
		Type: planType, Format: planFormat, ID: p.ID, At: p.At, Mode: p.Mode, Revision: p.Revision, Hash: p.Hash,
		Stacks: p.Stacks, Counts: p.Counts, Unreachable: map[string]string{}, Owned: p.Plan.Owned,
	}
	for s, why := range p.Plan.Unreachable {
		f.Unreachable[s.String()] = why
	}
	for _, l := range p.Observations {
		x := observationFile{Scope: l.Scope, At: l.At, Recorded: l.Recorded, Count: l.Count}
		if l.Err != nil {
			x.Error = l.Err.Error()
		}
		f.Observations = append(f.Observations, x)
	}
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		b, ok := p.base[d.Ref]
		if !ok {
			b = baseOf(d, p.kinds)
		}
		x := decisionFile{Decision: event.Recorded(*d), DependsOn: d.DependsOn, Desired: b.Desired, Observed: b.Observed}
		if d.Observed != nil {
			x.ID = d.Observed.ID
			if d.Proposed.Executes() {
				x.Resource = d.Observed
			}
		}
		f.Decisions = append(f.Decisions, x)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("save the plan: %w", err)
	}
	return nil
}

// Load reads a plan file. What it gives can be shown; Refresh makes it ready to apply.
func Load(r io.Reader) (*Planned, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	var kind struct {
		Type   string `json:"type"`
		Format int    `json:"format"`
	}
	if err := json.Unmarshal(b, &kind); err != nil || kind.Type != planType {
		return nil, errors.Join(errors.New("this is not a plan of ovi: make one with ovi plan --out FILE"), err)
	}
	if kind.Format != planFormat {
		return nil, fmt.Errorf("the plan has format %d, and this version of ovi reads %d: make it again", kind.Format, planFormat)
	}
	var f planFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	return f.planned()
}

func (f planFile) planned() (*Planned, error) {
	p := &Planned{
		ID: f.ID, Mode: f.Mode, At: f.At, Revision: f.Revision, Hash: f.Hash, Stacks: f.Stacks, Counts: f.Counts,
		base: map[resource.Ref]base{},
	}
	p.Plan.Owned = f.Owned
	p.Plan.Unchanged, p.Plan.Unreachable = f.Counts.Unchanged, map[resource.Scope]string{}
	for s, why := range f.Unreachable {
		var scope resource.Scope
		if err := scope.UnmarshalText([]byte(s)); err != nil {
			return nil, fmt.Errorf("read the plan: %w", err)
		}
		p.Plan.Unreachable[scope] = why
	}
	for _, x := range f.Observations {
		l := Observation{Scope: x.Scope, At: x.At, Recorded: x.Recorded, Count: x.Count}
		if x.Error != "" {
			l.Err = errors.New(x.Error)
		}
		p.Observations = append(p.Observations, l)
	}
	var recorded []event.Decision
	for _, x := range f.Decisions {
		recorded = append(recorded, x.Decision)
		d := x.decision()
		p.Plan.Decisions = append(p.Plan.Decisions, d)
		p.base[d.Ref] = base{Action: proposedAction(&d), Desired: x.Desired, Observed: x.Observed}
	}
	hash, err := event.HashDecisions(recorded)
	if err == nil && hash != f.Hash {
		err = errors.New("the plan was changed after it was made: its decisions do not fit its hash")
	}
	return p, err
}

func (x decisionFile) decision() decider.Decision {
	there := x.Resource
	if there == nil && x.ID != "" {
		there = &resource.Observed{Ref: x.Decision.Ref, ID: x.ID}
	}
	d := x.Decision.Recall(there)
	d.DependsOn = x.DependsOn
	return d
}

// bases are what the decisions of a plan rest on.
func (p *Planned) bases() map[resource.Ref]base {
	if p.base != nil {
		return p.base
	}
	out := map[resource.Ref]base{}
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		out[d.Ref] = baseOf(d, p.kinds)
	}
	return out
}
