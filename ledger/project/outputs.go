package project

import (
	"bytes"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// publish records the outputs of a stack; false if the event is another. A value that is recorded already keeps the
// number of its record: two runs that finish at the same time record the same.
func (p *projection) publish(r event.Record) (bool, error) {
	e, is := r.Event.(event.OutputsChanged)
	if !is {
		return false, nil
	}
	for _, x := range e.Set {
		if err := p.output(r, e.Stack, x.Name, rows.Output{Value: resource.AppendJSON(nil, x.Value)}); err != nil {
			return true, err
		}
	}
	for _, x := range e.Missing {
		if err := p.output(r, e.Stack, x.Name, rows.Output{Missing: x.Why}); err != nil {
			return true, err
		}
	}
	for _, name := range e.Removed {
		if err := p.delete(rows.OutputOf(e.Stack, name)); err != nil {
			return true, err
		}
	}
	return true, nil
}

// output records one output. An equal output is not written again, so that its record stays the one that set it.
func (p *projection) output(r event.Record, stack, name string, now rows.Output) error {
	key := rows.OutputOf(stack, name)
	var was rows.Output
	found, err := p.load(key, &was)
	if err != nil || found && bytes.Equal(was.Value, now.Value) && was.Missing == now.Missing {
		return err
	}
	now.Seq, now.Instance, now.At, now.By = r.Seq, r.Instance, r.At, r.User
	return p.put(key, now)
}
