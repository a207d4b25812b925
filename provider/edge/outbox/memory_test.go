package outbox_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// TestTheMemoryOfAnOutboxIsBounded: 10,000 events of 100 kB, cut to 4 kB, and each of another run and deployment, take no
// more memory than the events that have room and the newest ones of the deployments that are known: while they arrive,
// while half of them are acknowledged, and when the file is opened again.
func TestTheMemoryOfAnOutboxIsBounded(t *testing.T) {
	const (
		room  = 8 << 20
		known = 1000 * (4<<10 + 1<<10) // the deployments of a node, an event each
		own   = 4 << 20                // keys, and what the collector has not freed
	)
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before, most := allocated(), int64(0)
	look := func() { most = max(most, allocated()-before) }
	file := filepath.Join(t.TempDir(), "lo")
	o := outbox.Options{Bytes: room}
	b := open(t, file, o)
	message := strings.Repeat("x", 100_000)
	for n := 0; n < 10_000; n += 50 {
		events := make([]link.Event, 50)
		for i := range events {
			events[i] = link.Event{
				Site: "berlin", Node: "loud", Incarnation: fmt.Sprint("run", n+i), Deployment: fmt.Sprint("d", n+i), Seq: 1, Message: message,
			}
			if err := events[i].Cut(); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Accept(events...); err != nil {
			t.Fatal(err)
		}
		if waiting := b.After(0, 256); n%500 == 0 && len(waiting) > 0 {
			if err := b.Ack(waiting[len(waiting)/2].Number); err != nil {
				t.Fatal(err)
			}
		}
		look()
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, file, o)
	look()
	runtime.KeepAlive(b)
	t.Logf("at most %d bytes for a room of %d", most, room)
	if most > room+known+own {
		t.Errorf("the outbox takes %d bytes, more than %d", most, room+known+own)
	}
}

func allocated() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
