package outbox

import (
	"slices"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// compact rewrites the file when most of it is older than what is kept.
func (b *Outbox) compact() error {
	if b.file.lines <= 2*(len(b.state.pending)+len(b.state.last)+b.opts.Keep)+64 {
		return nil
	}
	return b.rewrite(b.state.pending)
}

// shrink gives up the older half of the events that wait: one event for each origin says which are lost.
func (b *Outbox) shrink() error {
	half := len(b.state.pending) / 2
	lost := map[link.Origin]link.Relayed{}
	for _, r := range b.state.pending[:half] {
		e := link.Event{
			Site: r.Event.Site, Node: r.Event.Node, Incarnation: r.Event.Incarnation, Seq: r.Event.Seq,
			At: r.Event.At, Gap: r.Event.First(), Message: "too many events waited for an acknowledgment",
		}
		if before, is := lost[r.Event.Origin()]; is {
			e.Gap = before.Event.Gap
		}
		lost[r.Event.Origin()] = link.Relayed{Number: r.Number, Event: e}
	}
	pending := make([]link.Relayed, 0, len(lost)+len(b.state.pending)-half)
	for _, r := range lost {
		pending = append(pending, r)
	}
	slices.SortFunc(pending, func(x, y link.Relayed) int { return int(x.Number) - int(y.Number) })
	return b.rewrite(append(pending, b.state.pending[half:]...))
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
	old := max(0, len(done)-b.opts.Keep)
	done = slices.Concat(slices.DeleteFunc(slices.Clone(done[:old]), func(l line) bool {
		e := l.Event
		return b.state.last[deployment{e.Site, e.Node, e.Deployment}].Seq != e.Seq
	}), done[old:])
	head := line{Incarnation: b.state.incarnation, Number: b.state.number, Acked: b.state.acked}
	for o, seq := range b.state.high {
		head.High = append(head.High, mark{o, seq})
	}
	lines := append([]line{head}, done...)
	for _, r := range pending {
		lines = append(lines, line{Number: r.Number, Event: &r.Event})
	}
	if err := b.file.replace(lines); err != nil {
		return err
	}
	last := b.state.last
	b.state = newState()
	for _, l := range lines {
		b.state.apply(l)
	}
	b.state.last = last
	return nil
}
