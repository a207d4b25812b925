package ledger

import (
	"net/url"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// replaceStarted records the open replacement, and the role of the old resource.
func (p *projection) replaceStarted(r event.Record, e event.ReplaceStarted) error {
	if err := p.put(rows.KeyReplace+e.Ref.String(), Replacement{ReplaceStarted: e, At: r.At, Instance: r.Instance, Run: r.Run}); err != nil {
		return err
	}
	return p.rebind(e.Ref, e.Old, func(b *rows.Binding) { b.Role = resource.RoleOld })
}

// replaceReverted records that the open replacement goes back.
func (p *projection) replaceReverted(e event.ReplaceReverted) error {
	var open Replacement
	found, err := p.load(rows.KeyReplace+e.Ref.String(), &open)
	if err != nil || !found || open.Key != e.Key {
		return err
	}
	open.Reverting, open.Why = true, e.Why
	return p.put(rows.KeyReplace+e.Ref.String(), open)
}

// replaceFinished closes the open replacement: the resource that is left has no role.
func (p *projection) replaceFinished(e event.ReplaceFinished) error {
	var open Replacement
	found, err := p.load(rows.KeyReplace+e.Ref.String(), &open)
	if err != nil || !found || open.Key != e.Key {
		return err
	}
	if err := p.rebind(e.Ref, e.ID, func(b *rows.Binding) { b.Role = "" }); err != nil {
		return err
	}
	return p.delete(rows.KeyReplace + e.Ref.String())
}

// rollout records the facts of rollouts; false if the event is another.
func (p *projection) rollout(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.ReplaceStarted:
		return true, p.replaceStarted(r, e)
	case event.ReplaceReverted:
		return true, p.replaceReverted(e)
	case event.ReplaceFinished:
		return true, p.replaceFinished(e)
	case event.LastGood:
		return true, p.put(rows.KeyLastGood+e.Ref.String(), e)
	case event.Exhausted:
		return true, p.put(rows.KeyExhausted+e.Ref.String(), e)
	case event.Retried:
		for _, key := range []string{rows.KeyTries, rows.KeyRestarts} {
			if err := p.delete(key + e.Ref.String()); err != nil {
				return true, err
			}
		}
		return true, p.delete(rows.KeyExhausted + e.Ref.String())
	case event.Wave:
		return true, p.put(rows.KeyWave+url.PathEscape(e.Stack), e)
	}
	return false, nil
}
