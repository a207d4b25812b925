package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/unread"
)

const (
	// soon is the time that a cycle waits for the source. A healthy server of Git answers within it.
	soon = 2 * time.Second
	// silent is the time after which a source that does not answer counts as unread.
	silent = time.Minute
)

// sourceReader reads the source of a loop. If that takes long, it reads on, and the cycle uses what was loaded last, so
// that healing does not wait for a server that does not answer.
type sourceReader struct {
	load func(context.Context) ([]resource.Intent, error)
	led  func(ctx context.Context, in *resource.Intent) (version string, err error) // of its stack
	// begins is called when a read starts, and what it returns when it ends.
	begins func() (ends func())

	present *sourceRead       // the running read, or nil
	latest  []resource.Intent // by the last read that succeeded, at first what was known before
}

// sourceRead is a read of the source, which can outlast the cycle that started it.
type sourceRead struct {
	since   time.Time
	over    chan struct{}     // closed at its end
	intents []resource.Intent // at its end
	err     error             // at its end
}

// newest returns the configuration. A read that it starts ends with life and not with the cycle. One read
// runs at a time.
func (s *sourceReader) newest(ctx, life context.Context, leads bool) ([]resource.Intent, error) {
	if s.present == nil {
		r := &sourceRead{since: time.Now(), over: make(chan struct{})}
		s.present = r
		ends := s.begins()
		go func() {
			defer close(r.over)
			defer ends()
			r.intents, r.err = s.load(life)
		}()
	}
	r := s.present
	var late <-chan time.Time
	// Without an earlier configuration, the cycle waits for the read.
	if len(s.latest) > 0 {
		late = time.After(soon - time.Since(r.since))
	}
	// A read that is over counts first, since the time may have passed as well.
	select {
	case <-r.over:
	default:
		select {
		case <-r.over:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-late:
			return s.meanwhile(ctx, leads)
		}
	}
	// A failed read keeps the configuration that was read last, for the time in which a later read takes long.
	if s.present = nil; r.err == nil {
		s.latest = r.intents
	}
	return r.intents, r.err
}

// outlasting is closed when a read that has outlasted its cycle ends; nil means that there is none.
func (s *sourceReader) outlasting() <-chan struct{} {
	if s.present == nil {
		return nil
	}
	return s.present.over
}

// meanwhile returns the configuration that holds while the source is being read. A source that stays silent counts as
// unread. So does one whose latest version is not the version that was led with last.
func (s *sourceReader) meanwhile(ctx context.Context, leads bool) ([]resource.Intent, error) {
	holds, err := s.holds(ctx, leads)
	if err != nil || holds && time.Since(s.present.since) < silent {
		return s.latest, err
	}
	out := make([]resource.Intent, len(s.latest))
	for i := range s.latest {
		out[i] = unread.Whole(&s.latest[i], "no answer since "+s.present.since.UTC().Format(time.RFC3339))
	}
	return out, nil
}

// holds reports whether no other instance has led with another configuration than the latest of this one. A loop that
// does not lead compares them later.
func (s *sourceReader) holds(ctx context.Context, leads bool) (bool, error) {
	for i := range s.latest {
		in := &s.latest[i]
		if !leads || in.Unread != "" {
			continue
		}
		version, err := s.led(ctx, in)
		if errors.Is(err, ledger.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("read the loaded version of %s: %w", in.Source, err)
		}
		if version != in.Version {
			return false, nil
		}
	}
	return true, nil
}
