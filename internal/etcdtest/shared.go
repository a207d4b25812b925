package etcdtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// Shared gives a test a server that the tests of this process share. It starts with the first and ends with the
// process. The test begins its prefixes with Room. Who kills a server, compacts it or changes its users starts one
// instead: etcd has one history for all prefixes.
func Shared(t testing.TB) *Server {
	t.Helper()
	return house.room(t)
}

// house has a room for each test.
var house shared //nolint:gochecknoglobals // one a process

type shared struct {
	sync.Mutex
	server *Server
	rooms  int
	alive  io.Closer // open as long as this process
}

func (h *shared) room(t testing.TB) *Server {
	t.Helper()
	h.Lock()
	defer h.Unlock()
	if h.server == nil {
		h.start(t)
	}
	h.rooms++
	return &Server{Endpoint: h.server.Endpoint, Room: fmt.Sprintf("room-%d/", h.rooms)}
}

func (h *shared) start(t testing.TB) {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcdtest")
	if err != nil {
		t.Fatal(err)
	}
	l := lasting{t, dir}
	host := Loopback(l, 1)[0]
	host.Command = func(program string, args ...string) *exec.Cmd {
		// The shell reads until this process has ended in whatever way.
		script := `"$@" & read -r _; kill -9 $!; wait; rm -rf "$0"`
		cmd := exec.Command("sh", append([]string{"-c", script, dir, program}, args...)...)
		if h.alive, err = cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	h.server = ClusterOn(l, []Host{host})[0]
}

// lasting makes what a test starts last as long as the process.
type lasting struct {
	testing.TB
	dir string
}

// Cleanup cleans nothing up.
func (l lasting) Cleanup(func()) {}

// TempDir is removed when the process has ended.
func (l lasting) TempDir() string { return l.dir }
