package outbox

import (
	"cmp"
	"io"
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
	needs := make([]need, len(b.state.pending))
	for i := range b.state.pending {
		needs[i] = needOf(&b.state.pending[i].Event)
	}
	over := excess(needs, max(1, b.opts.Limit/2), b.opts.Bytes/2)
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
	// Only origins whose numbers are known stay: a node with another origin for each event would fill the outbox with its
	// losses.
	maps.DeleteFunc(lost, func(o link.Origin, _ link.Relayed) bool {
		_, known := b.state.high[o]
		return !known
	})
	for _, r := range lost {
		pending = append(pending, r)
	}
	slices.SortFunc(pending, func(x, y link.Relayed) int { return cmp.Compare(x.Number, y.Number) })
	return b.rewrite(pending)
}

// rewrite replaces the file by one with the newest acknowledged events, and those that wait. It reads the file twice,
// and holds no more of it than a line: it may be much larger than the memory that the outbox takes.
func (b *Outbox) rewrite(pending []link.Relayed) error {
	keep, err := b.kept()
	if err != nil {
		return err
	}
	err = b.file.replace(func(to io.Writer) (lines int, err error) {
		head := line{Incarnation: b.state.incarnation, Number: b.state.number, Acked: b.state.acked}
		for o, h := range b.state.high {
			head.High = append(head.High, mark{o, h.seq, h.number})
		}
		if err := encode(to, head); err != nil {
			return 0, err
		}
		lines, err = copyLines(to, b.file.name, keep)
		for i := 0; i < len(pending) && err == nil; i++ {
			err = encode(to, line{Number: pending[i].Number, Event: &pending[i].Event})
		}
		return 1 + lines + len(pending), err
	})
	if err != nil {
		return err
	}
	b.state.pending, b.state.bytes = pending, 0
	for i := range pending {
		b.state.bytes += pending[i].Event.Weight()
	}
	return nil
}

// kept reports for each line of the file whether it is an acknowledged event that has room, or the newest event of a
// deployment.
func (b *Outbox) kept() (keep []bool, err error) {
	var needs []need
	var at []int // the lines of needs
	senders := map[node]node{}
	_, err = each(b.file.name, func(_ []byte, l line) error {
		keep = append(keep, false)
		if l.Event == nil || l.Number > b.state.acked {
			return nil
		}
		n := needOf(l.Event)
		if _, known := senders[n.of]; !known {
			senders[n.of] = n.of
		}
		n.of = senders[n.of] // one copy of each name
		needs, at = append(needs, n), append(at, len(keep)-1)
		keep[len(keep)-1] = b.state.last[deployment{n.of.site, n.of.name, l.Event.Deployment}].Seq == l.Event.Seq
		return nil
	})
	for i, over := range excess(needs, b.opts.Keep, b.opts.Bytes) {
		keep[at[i]] = keep[at[i]] || !over
	}
	return keep, err
}
