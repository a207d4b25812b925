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
		key, value := rows.OutputOf(e.Stack, x.Name), resource.AppendJSON(nil, x.Value)
		var was rows.Output
		if found, err := p.load(key, &was); err != nil || found && bytes.Equal(was.Value, value) {
			if err != nil {
				return true, err
			}
			continue
		}
		if err := p.put(key, rows.Output{Value: value, Seq: r.Seq, Instance: r.Instance, At: r.At, By: r.User}); err != nil {
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
