package decider

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/ovi-project/ovi/resource"
)

// Digest names what a plan proposes, before any veto: which actions on which things, with
// which changes. An approval binds to it: it stays the same while the proposals do, and a
// plan that proposes anything else, or less, has another.
func (p Plan) Digest() string {
	h := sha256.New()
	var b []byte
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if !d.Proposed.Executes() {
			continue
		}
		b = appendProposal(b[:0], d)
		_, _ = h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func appendProposal(b []byte, d *Decision) []byte {
	field := func(s string) { b = resource.AppendJSON(b, resource.String(s)) }
	field(d.Ref.String())
	field(string(d.Proposed))
	if d.Wanted != nil {
		field(d.Wanted.Digest())
	}
	if d.There != nil {
		field(d.There.ID)
	}
	for _, c := range d.Changes {
		field(c.Path)
		b = resource.AppendJSON(b, c.From)
		b = resource.AppendJSON(b, c.To)
	}
	return append(b, '\n')
}
