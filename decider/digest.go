package decider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Digest identifies what a plan proposes, whatever is blocked: its actions, resources and changes.
// An approval is of a digest: plans that propose the same have the same, and a plan that proposes
// anything else, or less, has another.
func (p Plan) Digest() string { return p.digest(func(resource.Ref) bool { return true }) }

// DigestOf returns the Digest of the plan's proposals for some resources only.
func (p Plan) DigestOf(refs map[resource.Ref]bool) string {
	return p.digest(func(r resource.Ref) bool { return refs[r] })
}

// digest does not depend on the order of the decisions, which other decisions can change.
func (p Plan) digest(in func(resource.Ref) bool) string {
	var all [][]byte
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Proposed.Executes() && in(d.Ref) {
			all = append(all, appendProposal(nil, d))
		}
	}
	slices.SortFunc(all, bytes.Compare)
	h := sha256.New()
	for _, b := range all {
		_, _ = h.Write(b)
	}
	for _, x := range p.Pins {
		_, _ = h.Write(x.AppendJSON(nil))
	}
	for _, x := range p.StackPins {
		_, _ = h.Write(x.AppendJSON(nil))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func appendProposal(b []byte, d *Decision) []byte {
	field := func(s string) { b = resource.AppendJSON(b, resource.String(s)) }
	field(d.Ref.String())
	field(string(d.Proposed))
	if d.Desired != nil {
		field(d.Desired.Digest())
	}
	if !d.Renamed.IsZero() {
		field(d.Renamed.String())
	}
	if d.Observed != nil {
		field(d.Observed.ID)
	}
	for _, s := range d.Steps {
		field(string(s))
	}
	for _, c := range d.Changes {
		field(c.Path)
		b = resource.AppendJSON(b, c.From)
		b = resource.AppendJSON(b, c.To)
	}
	return append(b, '\n')
}
