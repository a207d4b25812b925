package outbox

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// compact rewrites the file when most of it is older than what is kept.
func (b *Outbox) compact() error {
	if b.file.lines <= 2*(len(b.state.pending)+len(b.state.last)+b.opts.Keep)+64 &&
		b.file.size <= 2*max(b.file.whole, int64(b.opts.Bytes)) {
		return nil
	}
	return b.rewrite(b.state.pending)
}

// shrink removes older events that wait, until half of the room is free. Nodes within their part lose none.
// One event for each origin says which are lost.
func (b *Outbox) shrink() error {
	events := make([]*link.Event, len(b.state.pending))
	for i := range b.state.pending {
		events[i] = &b.state.pending[i].Event
	}
	over := excess(events, max(1, b.opts.Limit/2), b.opts.Bytes/2)
	lost := map[link.Origin]link.Relayed{}
	var pending []link.Relayed
	for i, r := range b.state.pending {
		if !over[i] {
			pending = append(pending, r)
			continue
		}
		e := link.Event{
			Site: r.Event.Site, Node: r.Event.Node, Incarnation: r.Event.Incarnation, Seq: r.Event.Seq,
			At: r.Event.At, Gap: r.Event.First(), Message: "too many events waited for an acknowledgment",
		}
		if before, is := lost[r.Event.Origin()]; is {
			e.Gap = before.Event.Gap
		}
		lost[r.Event.Origin()] = link.Relayed{Number: r.Number, Event: e}
	}
	b.forgetRuns(lost)
	for _, r := range lost {
		pending = append(pending, r)
	}
	slices.SortFunc(pending, func(x, y link.Relayed) int { return cmp.Compare(x.Number, y.Number) })
	return b.rewrite(pending)
}

// forgetRuns leaves the origins whose numbers are known: a node with another origin for each event would fill the
// outbox with its losses.
func (b *Outbox) forgetRuns(lost map[link.Origin]link.Relayed) {
	maps.DeleteFunc(lost, func(o link.Origin, _ link.Relayed) bool {
		_, known := b.state.high[o]
		return !known
	})
}

// rewrite replaces the file by one with the newest acknowledged events, and those that wait.
func (b *Outbox) rewrite(pending []link.Relayed) error {
	all, err := readLines(b.file.name)
	if err != nil {
		return err
	}
	var done []line
	for _, l := range all {
		if l.Event != nil && l.Number <= b.state.acked {
			done = append(done, l)
		}
	}
	events := make([]*link.Event, len(done))
	for i, l := range done {
		events[i] = l.Event
	}
	over := excess(events, b.opts.Keep, b.opts.Bytes)
	kept := done[:0]
	for i, l := range done {
		e := l.Event
		if !over[i] || b.state.last[deployment{e.Site, e.Node, e.Deployment}].Seq == e.Seq {
			kept = append(kept, l)
		}
	}
	done = kept
	head := line{Incarnation: b.state.incarnation, Number: b.state.number, Acked: b.state.acked}
	for o, h := range b.state.high {
		head.High = append(head.High, mark{o, h.seq, h.number})
	}
	lines := append([]line{head}, done...)
	for _, r := range pending {
		lines = append(lines, line{Number: r.Number, Event: &r.Event})
	}
	if err := b.file.replace(lines); err != nil {
		return err
	}
	last, named := b.state.last, b.state.named
	b.state = newState()
	for _, l := range lines {
		b.state.apply(l)
	}
	b.state.last, b.state.named = last, named
	return nil
}
