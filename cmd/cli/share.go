package cli

import (
	"io"
	"sync"

	"github.com/ovi-project/ovi/render"
)

// Share lets many goroutines write to the output, each record and each line as a whole.
func (o *Output) Share() {
	mu := &sync.Mutex{}
	o.W, o.ErrW = &sharedWriter{mu, o.W}, &sharedWriter{mu, o.ErrW}
	if o.Enc != nil {
		o.Enc = &sharedEncoder{mu: &sync.Mutex{}, Encoder: o.Enc}
	}
}

type sharedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (s *sharedWriter) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(b)
}

type sharedEncoder struct {
	mu *sync.Mutex
	render.Encoder
}

func (s *sharedEncoder) Encode(r render.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Encoder.Encode(r)
}
