package haproxy

import (
	"errors"
	"net"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/internal/budget"
)

// TestAnAnswerEndsAtItsLimit: a socket that never ends its answer does not fill the memory.
func TestAnAnswerEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "haproxy.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		c, err := l.Accept()
		for part := make([]byte, 1<<20); err == nil; {
			_, err = c.Write(part)
		}
	}()
	if _, err := ask(t.Context(), socket, "show servers state"); !errors.Is(err, budget.ErrSpent) {
		t.Errorf("%v", err)
	}
}
