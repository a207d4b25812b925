package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// desk signs the desired states of nodes, and keeps the newest of each in a folder, so that generations grow
// also over a restart. Without an authority, in tests, it signs and keeps nothing.
type desk struct {
	authority *identity.Authority
	dir       string
}

func (k desk) epoch() string {
	if k.authority == nil {
		return ""
	}
	return k.authority.Hash()
}

func (k desk) sign(d *link.Desired) (link.Signed, error) {
	if k.authority == nil {
		return link.Sign(d, nil)
	}
	return link.Sign(d, k.authority.Sign)
}

func (k desk) file(kind, node string) string {
	return filepath.Join(k.dir, kind, strings.ReplaceAll(node, "/", "~"))
}

// load reads the newest desired state of a node; zero: there is none.
func (k desk) load(node string) (told, error) {
	if k.dir == "" {
		return told{}, nil
	}
	b, err := budget.ReadFile(k.file("desired", node), budget.Answer)
	if errors.Is(err, fs.ErrNotExist) {
		return told{}, nil
	}
	var t told
	if err == nil {
		err = json.Unmarshal(b, &t.signed)
	}
	if err == nil {
		t.desired, t.held, err = t.signed.Open(nil)
	}
	if err != nil {
		return told{}, fmt.Errorf("read the desired state of node %s: %w", node, err)
	}
	if t.held.Epoch != k.epoch() { // of an authority that was replaced
		return told{}, nil
	}
	return t, nil
}

func (k desk) save(node string, t told) error {
	if k.dir == "" {
		return nil
	}
	b, err := json.Marshal(t.signed)
	if err == nil {
		err = os.MkdirAll(filepath.Join(k.dir, "desired"), 0o700)
	}
	if err == nil {
		err = identity.Write(k.file("desired", node), b)
	}
	if err != nil {
		return fmt.Errorf("keep the desired state of node %s: %w", node, err)
	}
	_ = os.Remove(k.file("resumed", node)) // mostly there is none
	return nil
}

// Resume lets a node that holds a newer desired state than its orchestrator get requests again, from what it
// holds on. dir is the folder of the orchestrator's identity.
func Resume(dir, node string) error {
	k := desk{dir: dir}
	if err := os.MkdirAll(filepath.Join(dir, "resumed"), 0o700); err != nil {
		return err
	}
	return identity.Write(k.file("resumed", node), nil)
}

// resumed reports that an operator resumed a node, until it gets something.
func (k desk) resumed(node string) bool {
	if k.dir == "" {
		return false
	}
	_, err := os.Stat(k.file("resumed", node))
	return err == nil
}

// told is the newest desired state of a node.
type told struct {
	signed  link.Signed
	desired link.Desired
	held    link.Held
}

// change is one change of what a node is to run. put is nil for a delete.
type change struct {
	name, commit string
	instance     string // the ID of the deployment
	put          *link.Deployment
	installs     bool // put is new on the node
}

// next is the next desired state of a node: the one before, without what its report shows to be gone, with a change.
// A node without one of this epoch keeps what it runs.
func (x *node) next(name, epoch string, c change) link.Desired {
	d := link.Desired{Node: name, Epoch: epoch, Generation: x.last.held.Generation + 1, Commit: c.commit}
	if c.commit == "" {
		d.Commit = x.last.desired.Commit
	}
	runs := func(n string) bool {
		return slices.ContainsFunc(x.report.Items, func(i link.Item) bool { return i.Name == n }) ||
			slices.ContainsFunc(x.waiting, func(w *waiting) bool { return w.name == n })
	}
	for _, p := range x.last.desired.Deployments {
		if p.Name != c.name && runs(p.Name) {
			d.Deployments = append(d.Deployments, p)
		}
	}
	if x.last.desired.Node == "" {
		for _, i := range x.report.Items {
			if i.Name != c.name {
				d.Deployments = append(d.Deployments,
					link.Deployment{
						Name: i.Name, Instance: i.Instance, Marks: i.Marks, Spec: i.Spec,
						Stopped: i.Health == resource.Stopped,
					})
			}
		}
	}
	if c.put != nil {
		d.Deployments = append(d.Deployments, *c.put)
	}
	slices.SortFunc(d.Deployments, func(a, b link.Deployment) int { return strings.Compare(a.Name, b.Name) })
	return d
}

// tell signs and keeps the next desired state of a node.
func (k desk) tell(name string, d link.Desired) (told, error) {
	signed, err := k.sign(&d)
	t := told{signed: signed, desired: d}
	if err == nil {
		_, t.held, err = signed.Open(nil)
	}
	if err == nil {
		err = k.save(name, t)
	}
	return t, err
}
