package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// holder holds the desired state of the node, in a file that survives a power cut.
type holder struct {
	node   string // SITE/NODE
	file   string // "" means in memory alone
	verify func(body, signature []byte) error

	mu   sync.Mutex
	now  link.Desired
	held link.Held
}

// openHolder reads what the node held when it ended. What cannot be verified is not held.
func openHolder(o Options) (*holder, error) {
	h := &holder{node: o.Site + "/" + o.Node, verify: o.Verify}
	if o.Dir == "" {
		return h, nil
	}
	h.file = filepath.Join(o.Dir, "desired.json")
	b, err := budget.ReadFile(h.file, budget.Answer)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	var s link.Signed
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err == nil {
		h.now, h.held, err = s.Open(h.verify)
	}
	if err != nil {
		h.now, h.held = link.Desired{}, link.Held{}
		return h, fmt.Errorf("the desired state of the node cannot be read from %s: %w", h.file, err)
	}
	return h, nil
}

// accept holds another desired state, durable when it returns. One that is older, not for this node or not
// signed by the site is refused, and the one before stays.
func (h *holder) accept(s *link.Signed) error {
	d, next, err := s.Open(h.verify)
	if err != nil {
		return fmt.Errorf("%w: %w", link.ErrRefused, err)
	}
	if d.Node != h.node {
		return fmt.Errorf("%w: the desired state is of node %s", link.ErrRefused, d.Node)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := next.Follows(h.held); err != nil || next == h.held {
		return err
	}
	if h.file != "" {
		b, err := json.Marshal(s)
		if err == nil {
			err = identity.Write(h.file, b)
		}
		if err != nil {
			return fmt.Errorf("keep the desired state of the node: %w", err)
		}
	}
	h.now, h.held = d, next
	return nil
}

// current is what is held; told is false if that is nothing.
func (h *holder) current() (d link.Desired, held link.Held, told bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.held, h.held.Generation > 0
}

// task is a request, with the deployment that it is about; of a delete only the name.
type task struct {
	link.Request
	to   link.Deployment
	done chan struct{} // closed at its end, when it has no container left to remove
}

// task makes the task of a request of what is held.
func (h *holder) task(q link.Request) (task, error) {
	d, held, _ := h.current()
	t := task{Request: q, to: link.Deployment{Name: q.Name}, done: make(chan struct{})}
	if q.Generation != held.Generation {
		return t, fmt.Errorf("%w: the request is of generation %d; the node holds %d", link.ErrRefused, q.Generation,
			held.Generation)
	}
	to, is := d.Find(q.Name)
	if is != (q.Verb != link.Delete) {
		return t, fmt.Errorf("%w: the desired state does not ask for %s of %s", link.ErrRefused, q.Verb, q.Name)
	}
	if is {
		t.to = to
	}
	return t, nil
}
