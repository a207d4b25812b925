// Package outbox keeps events in a file until the other end has them, and after that as a history. An event is
// durable before it is sent, and is kept until it is acknowledged; the same one twice is kept once. A node has
// one for its own events, its orchestrator one for those of all its nodes, and a central orchestrator one for
// those of all sites.
package outbox

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// Options are the bounds of an outbox. The nodes share each of them: one that sends much loses its own older events,
// and none of the others.
type Options struct {
	Limit int // how many events wait for an acknowledgment at most; 0: 10,000
	Keep  int // how many are kept after it; 0: 10,000
	Bytes int // how many bytes wait, and how many are kept; 0: 64 MiB
}

// Limits of one node, which chooses its own names.
const (
	maxDeployments  = 1000 // whose newest events are known
	maxIncarnations = 8    // whose numbers are known
)

// Outbox is an open outbox. One process at a time may write to it; any may Read its file.
type Outbox struct {
	opts Options
	file *file

	mu      sync.Mutex
	state   state
	changed chan struct{}
}

// state is what the lines of the file add up to.
type state struct {
	incarnation string
	number      uint64 // of the newest event
	acked       uint64
	pending     []link.Relayed            // not acknowledged, in order
	bytes       int                       // of pending
	high        map[link.Origin]high      // the newest event of each origin
	last        map[deployment]link.Event // the newest event of each deployment
	origins     map[node]int              // how many of high a node has
	named       map[node]*names           // the deployments of last, by node
}

// high is the newest event of an origin: its number there, and here.
type high struct{ seq, number uint64 }

type deployment struct{ site, node, name string }

func newState() state {
	return state{
		high: map[link.Origin]high{}, last: map[deployment]link.Event{}, origins: map[node]int{}, named: map[node]*names{},
	}
}

// Open opens the outbox in a file, and creates it if there is none. What a crash cut short at its end is
// removed: it was never acknowledged.
func Open(name string, o Options) (*Outbox, error) {
	if o.Limit == 0 {
		o.Limit = 10_000
	}
	if o.Keep == 0 {
		o.Keep = 10_000
	}
	if o.Bytes == 0 {
		o.Bytes = 64 << 20
	}
	b := &Outbox{opts: o, state: newState(), changed: make(chan struct{}, 1)}
	f, err := openFile(name, b.state.apply)
	if err != nil {
		return nil, err
	}
	b.file = f
	if b.state.incarnation == "" {
		if err := b.write(line{Incarnation: newIncarnation()}); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	return b, nil
}

// Close closes the file.
func (b *Outbox) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.file.close()
}

// Incarnation tells this outbox from one before it in the same place.
func (b *Outbox) Incarnation() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.incarnation
}

// Changed is signaled after events were added.
func (b *Outbox) Changed() <-chan struct{} { return b.changed }

// Last is the newest event of a deployment; zero: there is none.
func (b *Outbox) Last(site, node, name string) link.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.last[deployment{site, node, name}]
}

// Deployments are the newest events of all deployments, in no order.
func (b *Outbox) Deployments() []link.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]link.Event, 0, len(b.state.last))
	for _, e := range b.state.last {
		out = append(out, e)
	}
	return out
}

// Add numbers events of this outbox itself, and keeps them: they are durable when Add returns.
func (b *Outbox) Add(events ...link.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := map[link.Origin]uint64{}
	for i := range events {
		if err := events[i].Cut(); err != nil {
			return err
		}
		events[i].Incarnation = b.state.incarnation
		o := events[i].Origin()
		next[o] = max(next[o], b.state.high[o].seq) + 1
		events[i].Seq = next[o]
	}
	return b.keep(events...)
}

// Accept keeps events of others, in the order in which they were sent: they are durable when it returns. Those
// that it has are not kept again. What is missing before one, because this outbox was lost or restored from a
// backup, is a gap on record.
func (b *Outbox) Accept(events ...link.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var fresh []link.Event
	noted := map[link.Origin]uint64{}
	for i := range events {
		e := &events[i]
		have, is := noted[e.Origin()]
		if !is {
			have = b.state.high[e.Origin()].seq
		}
		if e.Seq <= have {
			continue
		}
		if e.First() > have+1 {
			fresh = append(fresh, link.Event{
				Site: e.Site, Node: e.Node, Incarnation: e.Incarnation, At: e.At, Seq: e.First() - 1, Gap: have + 1,
				Message: "its orchestrator does not have them any more",
			})
		}
		noted[e.Origin()] = e.Seq
		fresh = append(fresh, *e)
	}
	if len(fresh) == 0 {
		return nil
	}
	return b.keep(fresh...)
}

// High is the number of the newest event of an origin; 0 means that there is none.
func (b *Outbox) High(o link.Origin) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.high[o].seq
}

// After returns at most so many events that are not acknowledged, after a number. They fit into one frame.
func (b *Outbox) After(number uint64, most int) []link.Relayed {
	b.mu.Lock()
	defer b.mu.Unlock()
	i, _ := slices.BinarySearchFunc(b.state.pending, number+1, func(r link.Relayed, n uint64) int {
		switch {
		case r.Number < n:
			return -1
		case r.Number > n:
			return 1
		}
		return 0
	})
	end, bytes := i, 0
	for ; end < min(len(b.state.pending), i+most); end++ {
		if bytes += b.state.pending[end].Event.Size(); bytes > link.MaxFrame && end > i {
			break
		}
	}
	return slices.Clone(b.state.pending[i:end])
}

// Ack ends the events up to a number: the other end has them.
func (b *Outbox) Ack(number uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if number <= b.state.acked {
		return nil
	}
	if err := b.write(line{Acked: min(number, b.state.number)}); err != nil {
		return err
	}
	return b.compact()
}

// Forget acknowledges all: nothing else is to get them, and they are a history.
func (b *Outbox) Forget() error {
	b.mu.Lock()
	number := b.state.number
	b.mu.Unlock()
	return b.Ack(number)
}

// keep writes events, and gives up older ones that wait if there are too many.
func (b *Outbox) keep(events ...link.Event) error {
	lines := make([]line, len(events))
	for i, e := range events {
		lines[i] = line{Number: b.state.number + uint64(i) + 1, Event: &e}
	}
	if err := b.write(lines...); err != nil {
		return err
	}
	select {
	case b.changed <- struct{}{}:
	default:
	}
	if len(b.state.pending) <= b.opts.Limit && b.state.bytes <= b.opts.Bytes {
		return b.compact()
	}
	return b.shrink()
}

// write makes lines durable, and then counts them.
func (b *Outbox) write(lines ...line) error {
	if err := b.file.append(lines); err != nil {
		return fmt.Errorf("keep events in %s: %w", b.file.name, err)
	}
	for _, l := range lines {
		b.state.apply(l)
	}
	return nil
}

func (s *state) apply(l line) {
	switch {
	case l.Incarnation != "":
		s.incarnation, s.number, s.acked = l.Incarnation, l.Number, l.Acked
		for _, h := range l.High {
			s.reach(h.Origin, high{h.Seq, h.Number})
		}
	case l.Event == nil:
		s.acked = max(s.acked, l.Acked)
		i := 0
		for ; i < len(s.pending) && s.pending[i].Number <= s.acked; i++ {
			s.bytes -= s.pending[i].Event.Weight()
		}
		s.pending = slices.Delete(s.pending, 0, i)
	default:
		e := *l.Event
		s.number = max(s.number, l.Number)
		s.reach(e.Origin(), high{e.Seq, l.Number})
		if e.Deployment != "" || e.Class == link.ClassOrder {
			s.newest(e)
		}
		if l.Number > s.acked {
			s.bytes += e.Weight()
			s.pending = append(s.pending, link.Relayed{Number: l.Number, Event: e})
		}
	}
}

// reach notes the newest event of an origin. If a node has too many origins, the quietest one is forgotten: if it sends
// its events again, they count again.
func (s *state) reach(o link.Origin, h high) {
	of := node{o.Site, o.Node}
	was, known := s.high[o]
	s.high[o] = high{max(was.seq, h.seq), max(was.number, h.number)}
	if known {
		return
	}
	if s.origins[of]++; s.origins[of] <= maxIncarnations {
		return
	}
	oldest := o
	for x, h := range s.high {
		if (node{x.Site, x.Node}) == of && h.number < s.high[oldest].number {
			oldest = x
		}
	}
	delete(s.high, oldest)
	s.origins[of]--
}

// newest notes the newest event of a deployment. If a node has too many, the one with the oldest event is forgotten.
func (s *state) newest(e link.Event) {
	of, name := sender(&e), deployment{e.Site, e.Node, e.Deployment}
	if s.named[of] == nil {
		s.named[of] = newNames()
	}
	s.last[name] = e
	if forgets, many := s.named[of].add(name, maxDeployments); many {
		delete(s.last, forgets)
	}
}
