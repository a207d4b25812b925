package render

import (
	"sync"

	"github.com/ovi-project/ovi/ledger/event"
)

// Lines writes the events of an apply as records as they come. Any number of goroutines may use
// it.
type Lines struct {
	to Encoder

	mu    sync.Mutex
	steps *steps
	err   error
}

// NewLines writes to an encoder.
func NewLines(to Encoder, names Names) *Lines { return &Lines{to: to, steps: newSteps(names)} }

// Record writes the record of an event, if it has one.
func (l *Lines) Record(r event.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	step, ok := l.steps.record(r)
	if !ok {
		return
	}
	if err := l.to.Encode(step); err != nil && l.err == nil {
		l.err = err
	}
}

// Close returns the first failed write.
func (l *Lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
