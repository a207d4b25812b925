package project

import (
	"maps"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// readAhead reads at once the keys that the records will need one by one: in a remote store each
// read is a round trip. It reads no others. A key that is missing here is read when it is needed:
// the list may be incomplete without being wrong.
func (p *draft) readAhead(records []event.Record) error {
	keys := map[string]bool{}
	var scopes []resource.Scope
	for _, r := range records {
		switch e := r.Event.(type) {
		case event.Finished:
			keys[rows.Of(rows.KeyOpen, e.Ref)] = true
			if e.Outcome == event.Done || e.Outcome == event.Accepted {
				keys[rows.DownIn(e.Ref.Scope())] = true
			}
			keys[rows.Of(rows.KeyTries, e.Ref)] = true
			if e.Outcome == event.Done && e.Resource != nil && e.Ref.Stack != "" &&
				!Deletes(e.Action, e.Phase, e.Step) {
				keys[rows.StackOf(e.Ref.Stack, e.Ref.Scope())] = true
			}
		case event.Recovered:
			keys[rows.Of(rows.KeyOpen, e.Ref)] = true
		case event.Observed:
			if e.Part != e.Of {
				continue
			}
			keys[rows.KeyScan+e.Scope.String()] = true
			for _, stack := range e.Stacks {
				keys[rows.StackOf(stack, e.Scope)] = true
			}
			if e.Complete {
				scopes = append(scopes, e.Scope)
			}
		}
	}
	if err := p.readStacks(scopes); err != nil {
		return err
	}
	if len(keys) < 2 {
		return nil
	}
	found, err := storage.Gets(p.ctx, p.store, slices.Collect(maps.Keys(keys)))
	if err != nil {
		return err
	}
	p.early = make(map[string]storage.Entry, len(keys))
	for key := range keys {
		p.early[key] = found[key]
	}
	return nil
}

// readStacks reads at once which stacks own something in many scopes.
func (p *draft) readStacks(scopes []resource.Scope) error {
	if len(scopes) < rows.ManyScopes {
		return nil
	}
	entries, _, err := p.store.Range(p.ctx, rows.KeyStack+rows.Within(scopes), storage.Now)
	if err != nil {
		return err
	}
	p.owners = make(map[resource.Scope][]string, len(scopes))
	for _, s := range scopes {
		p.owners[s] = nil
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if _, s, ok := rows.ParseStack(e.Key); ok {
			p.owners[s] = append(p.owners[s], e.Key)
		}
	}
	return nil
}

// ownersIn are the keys of the stacks that own something in a scope.
func (p *draft) ownersIn(s resource.Scope) (keys []string, err error) {
	if keys, known := p.owners[s]; known {
		return keys, nil
	}
	entries, _, err := p.store.Range(p.ctx, rows.StacksIn(s), storage.Now)
	if err != nil {
		return nil, err
	}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		keys = append(keys, e.Key)
	}
	return keys, nil
}

// read reads a key of the store, if it was not read ahead. It adds no guard: get does.
func (p *draft) read(key string) (storage.Entry, error) {
	if p.lookup != nil {
		return storage.Entry{Value: p.lookup(key)}, nil
	}
	if e, ok := p.early[key]; ok {
		return e, nil
	}
	return storage.Get(p.ctx, p.store, key, storage.Now)
}

// prefetch reads a whole prefix, for many gets. Only the keys that are used become guards of the
// transaction.
func (p *draft) prefetch(prefix string) (func(string) ([]byte, error), error) {
	entries, _, err := p.store.Range(p.ctx, prefix, storage.Now)
	if err != nil {
		return nil, err
	}
	all := map[string]storage.Entry{}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		all[e.Key] = e
	}
	return func(key string) ([]byte, error) {
		if i, ok := p.wrote[key]; ok {
			return p.ops[i].Value, nil
		}
		p.rests(key, all[key])
		return all[key].Value, nil
	}, nil
}
