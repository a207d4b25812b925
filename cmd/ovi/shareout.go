package main

import (
	"io"
	"sync"

	"github.com/ovi-project/ovi/render"
)

// share lets many goroutines write to the output, each record and each line whole.
func (o *output) share() {
	mu := &sync.Mutex{}
	o.w, o.errW = &sharedWriter{mu, o.w}, &sharedWriter{mu, o.errW}
	if o.enc != nil {
		o.enc = &sharedEncoder{mu: &sync.Mutex{}, Encoder: o.enc}
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
