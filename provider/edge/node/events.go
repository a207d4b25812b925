package node

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
)

// eventsAtOnce is how many events are sent in one frame.
const eventsAtOnce = 256

// The classes of an error of a deployment that are no causes: it was changed on the node, not by its orchestrator; it
// ran and was not healthy; nothing is known of its cause.
const (
	classOutside   = "outside"
	classUnhealthy = "unhealthy"
	classUnknown   = "unknown"
)

// classShown is the class of an event without a deployment: the operator of the node read a whole error.
const classShown = "error_shown"

// openOutbox opens the outbox of a node. A damaged one is set aside: the new one is another incarnation, so that
// the orchestrator keeps its events apart.
func openOutbox(o Options) (*outbox.Outbox, error) {
	if o.Dir == "" {
		return nil, nil
	}
	name := filepath.Join(o.Dir, "events")
	b, err := outbox.Open(name, outbox.Options{Limit: o.Events, Keep: 1})
	if err == nil {
		return b, nil
	}
	o.Log.Error("the outbox is damaged and set aside; events in it are lost", "file", name, "error", err)
	if bad := os.Rename(name, name+".damaged"); bad != nil {
		return nil, errors.Join(err, bad)
	}
	return outbox.Open(name, outbox.Options{Limit: o.Events, Keep: 1})
}

// bootID tells one start of the host from the next; "" where the host has none.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// keepLoud keeps the whole error of a deployment with a secret: what its program printed is in no event.
func (a *agent) keepLoud(t task, err error) {
	text, more := provider.Loud(err)
	if a.Loud == nil || !more && len(t.to.Spec.Secrets) == 0 {
		return
	}
	ref, bad := resource.ParseRef(t.to.Marks.Ref)
	if bad != nil { // an order of another version
		ref = resource.Ref{Location: a.Site + "/" + a.Node, Name: t.Name}
	}
	a.Loud(ref, text)
}

// noteShown notes an event for each whole error that was shown on the node.
func (a *agent) noteShown() {
	if a.Shown == nil || a.outbox == nil {
		return
	}
	err := a.Shown(func(at time.Time, text string) error {
		return a.outbox.Add(link.Event{Site: a.Site, Node: a.Node, Boot: a.boot, At: at, Class: classShown, Message: text})
	})
	if err != nil {
		a.Log.Error("it is not recorded that an error was shown", "error", err)
	}
}

// status is what a deployment has come to.
type status struct {
	to      link.Status
	task    *task // that led to it; nil means that none did
	item    link.Item
	class   string
	message string
}

// note keeps an event for a change of a status. What cannot be kept is noted again with the next report.
func (a *agent) note(name string, s status) {
	if a.outbox == nil {
		return
	}
	last := a.outbox.Last(a.Site, a.Node, name)
	e := link.Event{
		Site: a.Site, Node: a.Node, Boot: a.boot, At: time.Now().UTC(), Deployment: name, From: last.To, To: s.to,
		Version: s.item.Spec.Version, Image: s.item.Image, Health: s.item.Health, Class: s.class, Message: s.message,
		Generation: last.Generation, Attempt: last.Attempt,
	}
	if s.task != nil {
		e.Request, e.Generation, e.Attempt = s.task.Verb, s.task.Generation, 1
		requested := s.task.to.Spec.Version
		if e.Version = cmp.Or(e.Version, requested, last.Version); requested != e.Version {
			e.Requested = requested
		}
		if again := last.To != link.StatusInstalled && last.To != link.StatusDeleted && last.Version == e.Version; again {
			e.Attempt = max(1, last.Attempt)
			if s.to == link.StatusInstalling && last.To == link.StatusFailed {
				e.Attempt++
			}
		}
	}
	e.Version = cmp.Or(e.Version, last.Version)
	if err := a.outbox.Add(e); err != nil {
		a.Log.Error("an event is not kept", "error", err)
	}
}

// accepted notes that a task waits.
func (a *agent) accepted(t task) {
	if t.Verb == link.Install {
		a.note(t.Name, status{to: link.StatusPending, task: &t})
	}
}

// started notes that a task is in progress.
func (a *agent) started(t task) {
	if t.Verb == link.Install || t.Verb == link.Update {
		a.note(t.Name, status{to: link.StatusInstalling, task: &t})
	}
}

// ended notes how a task ended.
func (a *agent) ended(t task, item link.Item, err error) {
	s := status{to: link.StatusInstalled, task: &t, item: item}
	switch {
	case err != nil:
		s.to, s.class, s.message = link.StatusFailed, classOf(err), err.Error()
	case t.Verb == link.Delete:
		s.to = link.StatusDeleted
	case t.Verb == link.Restart:
		s.to = link.StatusRestarted
	}
	a.note(t.Name, s)
}

// errUnhealthy is a container that ran, and did not become healthy.
var errUnhealthy = errors.New("not healthy")

func unhealthy(o resource.Observed) error {
	return fmt.Errorf("%w: it is %s: %s", errUnhealthy, o.Health, o.Message)
}

// causeOf is the cause of an error. A container that ran and was not healthy has none: it may be the image, the
// configuration or the node, and it counts as an attempt.
func causeOf(err error) provider.Cause {
	if isUnhealthy(err) {
		return provider.Unclassified
	}
	if c := provider.CauseOf(err); c != provider.Unclassified {
		return c
	}
	if strings.Contains(strings.ToLower(err.Error()), "no space left") { // of the node itself, not of Podman
		return provider.Quota
	}
	return provider.Unclassified
}

func isUnhealthy(err error) bool {
	var of *provider.Error
	return errors.Is(err, errUnhealthy) || errors.As(err, &of) && of.Code == provider.NotHealthy
}

// classOf names the cause of an error in an event.
func classOf(err error) string {
	if isUnhealthy(err) {
		return classUnhealthy
	}
	return cmp.Or(string(causeOf(err)), classUnknown)
}

// noticed notes what changed without a request: items are what runs. busy are the deployments that a task changed when
// the items were read.
func (a *agent) noticed(items []link.Item, busy map[string]bool) {
	if a.outbox == nil {
		return
	}
	runs := map[string]bool{}
	for _, i := range items {
		runs[i.Name] = true
		if busy[i.Name] {
			continue
		}
		if to, class := healthStatus(i, a.stopped(i.Name)); to != "" {
			a.notice(i.Name, status{to: to, item: i, class: class, message: i.Message})
		}
	}
	for _, e := range a.outbox.Deployments() {
		if !runs[e.Deployment] && !busy[e.Deployment] {
			a.notice(e.Deployment, status{to: link.StatusDeleted, class: classOutside, message: "its container is gone"})
		}
	}
}

// notice notes a status of a deployment that no task is about, if it is another one.
func (a *agent) notice(name string, s status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy[name] {
		return
	}
	was, known := a.shown[name]
	if a.shown[name] = s.to; known && was == s.to || !known && same(a.outbox.Last(a.Site, a.Node, name).To, s.to) {
		return
	}
	a.note(name, s)
}

// show keeps the status that a container shows after a task, so that only a later change is noticed: a failed update
// that left the version before it in service stays the last event.
func (a *agent) show(name string, item *link.Item) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown[name] = link.StatusDeleted
	if item.Instance != "" { // it exists
		status, _ := healthStatus(*item, a.stopped(name))
		a.shown[name] = cmp.Or(status, link.StatusInstalled)
	}
}

// same reports that a status says all that another one would.
func same(last, to link.Status) bool {
	return last == to || to == link.StatusInstalled && last == link.StatusRestarted
}

// healthStatus is the status that the health of a container shows; "" means none.
func healthStatus(i link.Item, stopped bool) (to link.Status, class string) {
	switch {
	case i.Health == resource.Healthy, i.Health == resource.Stopped && stopped:
		return link.StatusInstalled, ""
	case i.Health == resource.Failing:
		return link.StatusFailed, classUnhealthy
	case i.Health == resource.Stopped:
		return link.StatusFailed, classOutside
	}
	return "", ""
}

func (a *agent) stopped(name string) bool {
	d, _, _ := a.holder.current()
	x, _ := d.Find(name)
	return x.Stopped
}
