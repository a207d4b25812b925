package project

import (
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// outages notes the things that an action freed for other resources and the configurations that these need, and
// ends the outages of its own resource. An outage is recorded with the result of the delete, so that a crash
// before the create does not hide it.
func (p *draft) outages(r event.Record, ref resource.Ref, started event.Started, deleted bool) error {
	if deleted {
		for _, room := range started.MakesRoom {
			var all []rows.Outage
			key := rows.Of(rows.KeyOutage, room.For)
			if _, err := p.load(key, &all); err != nil {
				return err
			}
			// A later outage of the same thing replaces the earlier one.
			all = slices.DeleteFunc(all, func(x rows.Outage) bool { return x.Thing == room.Thing })
			all = append(all, rows.Outage{Thing: room.Thing, Freed: ref, ID: started.Have, At: r.At})
			if err := p.put(key, all); err != nil {
				return err
			}
		}
		for _, o := range started.Owes {
			if err := p.put(rows.Of(rows.KeyRoom, o.Ref), rows.Room{Desired: o.Desired, For: o.For}); err != nil {
				return err
			}
		}
		return nil
	}
	if started.TakesRoom {
		return p.delete(rows.Of(rows.KeyOutage, ref))
	}
	return nil
}
