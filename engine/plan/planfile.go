package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
	"github.com/ovi-project/ovi/storage"
)

// A plan file is one JSON object. It holds no secrets: values are canonical JSON with digests, and
// applying the file reads the configuration from its source again.
const planType = "ovi-plan"

// PlanFormat is the version of plan files. It covers the text that Save writes and the text that a program
// writes around it. A file with another version is refused.
const PlanFormat = 2

type planFile struct {
	Type          string            `json:"type"`
	Format        int               `json:"format"`
	ID            string            `json:"id"`
	By            string            `json:"by,omitempty"`
	At            time.Time         `json:"at"`
	Mode          event.Mode        `json:"mode"`
	Revision      storage.Revision  `json:"revision"`
	Hash          string            `json:"hash"` // of the decisions
	Stacks        []string          `json:"stacks"`
	Counts        event.Counts      `json:"counts"`
	Unreachable   map[string]string `json:"unreachable,omitempty"`
	Observations  []observationFile `json:"observations"`
	Owned         map[string]int    `json:"owned,omitempty"`
	SetUnverified bool              `json:"set_unverified,omitempty"`
	Lookups       []pins.Pin        `json:"lookups,omitempty"`
	Outputs       []outputs.Change  `json:"outputs,omitempty"`
	StackOutputs  []outputs.Pin     `json:"stack_outputs,omitempty"`
	Given         []cmdline.Change  `json:"given,omitempty"`
	Decisions     []decisionFile    `json:"decisions"`
}

type observationFile struct {
	Scope    resource.Scope `json:"scope"`
	Place    string         `json:"place,omitempty"`
	At       time.Time      `json:"at,omitzero"`
	Recorded bool           `json:"recorded,omitempty"`
	Count    int            `json:"count"`
	Error    string         `json:"error,omitempty"`
}

// decisionFile is a decision with the digests of its configuration and of the observed resource.
type decisionFile struct {
	Decision  event.Decision `json:"decision"`
	DependsOn []resource.Ref `json:"depends_on,omitempty"`
	ID        string         `json:"id,omitempty"`
	Desired   string         `json:"desired"`
	Observed  string         `json:"observed,omitempty"`
	// Resource is the observed resource, so that policies can be evaluated on the file.
	Resource *resource.Observed `json:"resource,omitempty"`
}

// Save writes the plan as a plan file: versioned JSON, secrets as digests. A loaded plan that is
// saved again keeps the digests of its first base.
func (p *Planned) Save(w io.Writer) error {
	f := planFile{
		Type: planType, Format: PlanFormat, ID: p.ID, By: p.By, At: p.At, Mode: p.Mode, Revision: p.Revision, Hash: p.Hash,
		Stacks: p.Stacks, Counts: p.Counts, Unreachable: map[string]string{}, Owned: p.Plan.Owned,
		SetUnverified: p.SetUnverified, Lookups: p.Plan.Pins, Outputs: p.Plan.Outputs,
		StackOutputs: p.Plan.StackPins, Given: p.Given,
	}
	for s, why := range p.Plan.Unreachable {
		f.Unreachable[s.String()] = why
	}
	for _, l := range p.Observations {
		x := observationFile{Scope: l.Scope, Place: l.Place, At: l.At, Recorded: l.Recorded, Count: l.Count}
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

// Load reads a plan file. The plan can be shown; Refresh makes it ready to apply. A file of another
// type or format, with unknown fields, or whose decisions do not match their hash is an error. The
// hash finds accidents and not forgery: whoever writes the file can compute it.
func Load(r io.Reader) (*Planned, error) {
	b, err := budget.ReadAll(r, "it", budget.Plan)
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	var kind struct {
		Type   string `json:"type"`
		Format int    `json:"format"`
	}
	if err := json.Unmarshal(b, &kind); err != nil || kind.Type != planType {
		return nil, errors.Join(errors.New("not a plan file: create one with `ovi plan --out FILE`"), err)
	}
	if kind.Format != PlanFormat {
		return nil, fmt.Errorf(
			"the plan file has format %d, and this version of ovi reads format %d: run `ovi plan --out FILE` again",
			kind.Format, PlanFormat)
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
		ID: f.ID, By: f.By, Mode: f.Mode, At: f.At, Revision: f.Revision, Hash: f.Hash, Stacks: f.Stacks, Counts: f.Counts,
		SetUnverified: f.SetUnverified, Given: f.Given, base: map[resource.Ref]base{},
	}
	p.Plan.Owned, p.Plan.Pins, p.Plan.Outputs, p.Plan.StackPins = f.Owned, f.Lookups, f.Outputs, f.StackOutputs
	p.Plan.Unchanged, p.Plan.Unreachable = f.Counts.Unchanged, map[resource.Scope]string{}
	for s, why := range f.Unreachable {
		var scope resource.Scope
		if err := scope.UnmarshalText([]byte(s)); err != nil {
			return nil, fmt.Errorf("read the plan: %w", err)
		}
		p.Plan.Unreachable[scope] = why
	}
	for _, x := range f.Observations {
		l := Observation{Scope: x.Scope, Place: x.Place, At: x.At, Recorded: x.Recorded, Count: x.Count}
		if x.Error != "" {
			l.Err = errors.New(x.Error)
		}
		p.Observations = append(p.Observations, l)
	}
	var recorded []event.Decision
	for _, x := range f.Decisions {
		recorded = append(recorded, x.Decision)
		have := x.Resource
		if have == nil && x.ID != "" {
			have = &resource.Observed{Ref: x.Decision.Ref, ID: x.ID}
		}
		d := x.Decision.Recall(have)
		d.DependsOn = x.DependsOn
		p.Plan.Decisions = append(p.Plan.Decisions, d)
		p.base[d.Ref] = base{Action: proposedAction(&d), Desired: x.Desired, Observed: x.Observed}
	}
	hash, err := event.HashDecisions(recorded)
	if err == nil && hash != f.Hash {
		err = errors.New("the plan file was changed after it was saved: its decisions do not match its hash")
	}
	return p, err
}

// bases returns the base of each decision of a plan.
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
