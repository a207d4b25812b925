package plan

import (
	"errors"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
)

// rest notes which decisions rest on approvals, and on which: to start one uses them. A read error
// is kept and returned by decide, after all policies have asked.
func (p *Planning) rest(m *memory, facts decider.Facts, policies []decider.Policy) {
	p.Approval = &event.Approval{Digest: p.approving}
	if p.approving == "" {
		p.Approval.Digest = p.Plan.Digest()
	}
	all, err := m.approvalsOn(p.Approval.Digest)
	m.approvalErr = errors.Join(m.approvalErr, err)
	for _, c := range all {
		if c.Holds(p.At) && c.Used == "" {
			p.Approval.By = append(p.Approval.By, c.Record)
		}
	}
	if len(p.Approval.By) > 0 {
		p.Resting = decider.RestOnApproval(p.Plan, facts, policies...)
	}
}
