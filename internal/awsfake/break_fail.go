package awsfake

import (
	"fmt"
	"slices"
	"strings"
)

// mount mounts an attached volume on its instance: from then on AWS does not detach it while that runs.
func (h hand) mount(e entity) (string, error) {
	v, ok := e.(*volume)
	if !ok || v.tie(h.t.now) == nil {
		return "", fmt.Errorf("sandbox: only an attached volume can be mounted, not %s", e.meta().ID)
	}
	n, tie := *v, *v.Attached
	tie.Mounted = true
	n.Attached = &tie
	h.t.put(&n)
	return "mounted " + v.ID + " on " + tie.Instance, nil
}

// impair lets an instance fail AWS's status checks, or pass them again with "ok".
func (h hand) impair(b Breakage, in *instance) (string, error) {
	status := orElse(b.Value, "impaired")
	if status != "impaired" && status != "ok" {
		return "", fmt.Errorf("sandbox: unknown status %q; use impaired or ok", status)
	}
	n := *in
	n.Impaired = status == "impaired"
	h.t.put(&n)
	return fmt.Sprintf("the status checks of %s are %s", in.ID, status), nil
}

// fail gives a database a status in which it does not work, "failed" where none is given.
func (h hand) fail(b Breakage, e entity) (string, error) {
	if in, ok := e.(*instance); ok {
		return h.impair(b, in)
	}
	d, ok := e.(*database)
	if !ok {
		return "", fmt.Errorf("sandbox: only a database or an instance can fail, not %s", e.meta().ID)
	}
	status, known := orElse(b.Value, "failed"), []string{"failed", "storage-full", "incompatible-network", "incompatible-restore"}
	if !slices.Contains(known, status) {
		return "", fmt.Errorf("sandbox: unknown status %q; use %s", status, strings.Join(known, ", "))
	}
	n := *d.at(h.t.now)
	n.Life = steady(status)
	h.t.put(&n)
	return fmt.Sprintf("%s is %s", d.ID, status), nil
}
