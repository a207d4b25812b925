package project

import (
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// observed writes what changed and, with the last part of an observation, its scan. An incomplete
// observation changes no resource: absence from it proves nothing. The scan is written once, with
// the last part. The rows stack/<scope>/<stack> then agree with a complete observation.
func (p *projection) observed(r event.Record, e event.Observed) error {
	if e.Complete {
		p.ops = slices.Grow(p.ops, len(e.Changed)+len(e.Displaced)+len(e.Gone))
		for i := range e.Changed {
			p.bulk(storage.Op{Key: rows.Of(rows.KeyResource, e.Changed[i].Ref), Value: p.content(&e.Changed[i])})
		}
		for i := range e.Displaced {
			p.bulk(storage.Op{
				Key: rows.Of(rows.KeyResource, e.Displaced[i].As), Value: p.content(&e.Displaced[i].Resource),
			})
		}
		for _, ref := range e.Gone {
			p.bulk(storage.Op{Key: rows.Of(rows.KeyResource, ref), Delete: true})
		}
		if err := p.observedDown(e); err != nil {
			return err
		}
	}
	if e.Part != e.Of {
		return nil
	}
	if err := p.scanned(r, e); err != nil || !e.Complete {
		return err
	}
	if err := p.first(e.Scope, false); err != nil {
		return err
	}
	owners, err := p.ownersIn(e.Scope)
	if err != nil {
		return err
	}
	// A stack is removed only by an observation that read all kinds without a failure. An observation of some kinds, or
	// with an unreachable kind, may have missed its resources.
	for _, key := range owners {
		stack, _, ok := rows.ParseStack(key)
		if ok && !slices.Contains(e.Stacks, stack) && e.Kinds == nil && len(e.Unreachable) == 0 {
			if err := p.delete(key); err != nil {
				return err
			}
		}
	}
	for _, stack := range e.Stacks {
		if err := p.owns(resource.Ref{
			Stack: stack, Provider: e.Scope.Provider, Location: e.Scope.Location,
		}); err != nil {
			return err
		}
	}
	return nil
}

// At is the time of every observation, Confirmed only of complete ones: the difference tells how
// old the records are.
func (p *projection) scanned(r event.Record, e event.Observed) error {
	key := rows.KeyScan + e.Scope.String()
	var s rows.Scan
	if _, err := p.load(key, &s); err != nil {
		return err
	}
	if err := p.back(e, &s); err != nil {
		return err
	}
	s.At, s.Complete, s.Error, s.Offline, s.Kinds, s.Filtered = e.At, e.Complete, e.Error, e.Offline, e.Kinds, e.Filtered
	if e.Complete {
		s.Confirmed = e.At
		s.NoteKinds(e)
		s.NoteRead(e.Kinds, e.Filtered, e.Unreachable, e.At)
		s.Begin(e.Kinds, e.Filtered, r.At)
	}
	return p.put(key, s)
}

// led records the version of a stack that its leading loop has loaded, if it is another one. The
// starts of loops are guarded by this row: a write of the same version would make their commits
// fail.
func (p *projection) led(e event.Led) error {
	var was rows.Led
	key, is := rows.LedOf(e.Stack), rows.Led{Version: e.Version}
	found, err := p.load(key, &was)
	if err != nil || found && was == is {
		return err
	}
	return p.put(key, is)
}

// loaded records the version of a stack, if it is another one. The revisions of the key are then
// the changes of the configuration.
func (p *projection) loaded(e event.Loaded) error {
	var was rows.Loaded
	key, is := rows.LoadedOf(e.Stack), rows.Loaded{Version: e.Version, Source: e.Source, Release: e.Release}
	found, err := p.load(key, &was)
	if err != nil || found && was == is {
		return err
	}
	return p.put(key, is)
}
