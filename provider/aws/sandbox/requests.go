package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Request is one line of the request log: proof of what was asked.
type Request struct {
	At      time.Time `json:"at"`
	Service string    `json:"service"`
	Region  string    `json:"region"`
	Action  string    `json:"action"`
	Status  int       `json:"status"`
	Code    string    `json:"code,omitempty"`    // the error code of a refusal
	Change  bool      `json:"change,omitempty"`  // an action that is no read
	Ignored []string  `json:"ignored,omitempty"` // parameters that the sandbox ignored
}

// requestLog keeps the requests of this Cloud in memory and, beside the state
// file, those of every process as JSON lines. Both are bounded.
type requestLog struct {
	path string // of the state; empty means memory only

	mu   sync.Mutex
	all  []Request
	file *os.File
	err  error // the first line that could not be kept
}

const (
	maxRemembered = 100_000
	maxLogBytes   = 8 << 20 // then the file becomes .old and a new one begins
)

func requestsPath(state string) string { return state + ".requests" }

func (l *requestLog) add(cl *wire.Call, a *wire.Answer, now time.Time) {
	r := Request{
		At: now, Service: cl.Service, Region: cl.Region, Action: cl.Action, Status: a.Status, Code: a.Code,
		Change: !cl.Read(),
	}
	if cl.P != nil && a.Code == "" {
		r.Ignored = cl.P.Unread("", nil)
		slices.Sort(r.Ignored)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) >= maxRemembered {
		l.all = slices.Delete(l.all, 0, maxRemembered/2)
	}
	l.all = append(l.all, r)
	if l.path == "" {
		return
	}
	if err := l.write(r); err != nil && l.err == nil {
		l.err = fmt.Errorf("sandbox: the request log is incomplete: %w", err)
	}
}

// write appends one line with one call. A log that cannot be written does not
// refuse the request: it is a witness, not part of the cloud. Whoever closes
// the cloud is notified that the witness missed something.
func (l *requestLog) write(r Request) error {
	if err := l.turn(); err != nil {
		return err
	}
	if l.file == nil {
		f, err := os.OpenFile(requestsPath(l.path), os.O_WRONLY|os.O_CREATE|os.O_APPEND|vfs.NoFollow, 0o600)
		if err != nil {
			return err
		}
		l.file = f
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	return err
}

// turn lets go of a file that is full, or that another process has put aside.
func (l *requestLog) turn() error {
	if l.file == nil {
		return nil
	}
	info, err := os.Stat(requestsPath(l.path))
	mine, err2 := l.file.Stat()
	if err == nil && err2 == nil && os.SameFile(info, mine) && mine.Size() <= maxLogBytes {
		return nil
	}
	var moved error
	if err == nil && info.Size() > maxLogBytes {
		moved = os.Rename(requestsPath(l.path), requestsPath(l.path)+".old")
	}
	if errors.Is(moved, fs.ErrNotExist) {
		moved = nil // another process was faster
	}
	moved = errors.Join(moved, l.file.Close())
	l.file = nil
	return moved
}

func (l *requestLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.err
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
		l.file = nil
	}
	return err
}

// Requests gives the requests that this Cloud has answered, oldest first.
func (c *Cloud) Requests() []Request {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return slices.Clone(c.log.all)
}

// Counts counts the requests of this Cloud by "service.Action".
func (c *Cloud) Counts() map[string]int { return Count(c.Requests()) }

// Count counts requests by "service.Action".
func Count(requests []Request) map[string]int {
	out := map[string]int{}
	for _, r := range requests {
		out[r.Service+"."+r.Action]++
	}
	return out
}

// Changes counts only the requests that are no reads.
func Changes(requests []Request) map[string]int {
	out := Count(slices.DeleteFunc(slices.Clone(requests), func(r Request) bool { return !r.Change }))
	maps.DeleteFunc(out, func(_ string, n int) bool { return n == 0 })
	return out
}

// ReadRequests reads the request log beside a state file: what all processes
// have asked since the last Reset. A torn last line is omitted.
func ReadRequests(path string) ([]Request, error) {
	var out []Request
	for _, name := range []string{requestsPath(path) + ".old", requestsPath(path)} {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r Request
			if json.Unmarshal(lines.Bytes(), &r) == nil {
				out = append(out, r)
			}
		}
		err = errors.Join(lines.Err(), f.Close())
		if err != nil {
			return nil, fmt.Errorf("sandbox: %s: %w", name, err)
		}
	}
	return out, nil
}
