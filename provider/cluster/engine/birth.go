package engine

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/resource"
)

// A command of the user cannot be relied on to mark the cluster that it creates. So the engine gets, before the
// command starts, an empty volume with the marks of what will be created: its birth note. A cluster of the name
// that appears while the command may run has these marks, also if ovi is killed meanwhile.

const (
	// noteLabel is the label of such a volume with the name of the cluster; marksLabel has the marks.
	noteLabel = "ovi.cluster"
	noteName  = "ovi-created-" // of the volume, before program and cluster
)

func noteOf(program, cluster string) string { return noteName + program + "-" + cluster }

// note makes the birth note of a cluster that a command is about to create, and removes those of clusters that
// are gone.
func (h *Host) note(ctx context.Context, with string, r provider.Request) error {
	if err := h.removeOldNotes(ctx, with, r.Desired.Ref.Name); err != nil {
		return err
	}
	text, err := birthMarks(r)
	if err != nil {
		return err
	}
	return h.CreateVolume(ctx, noteOf(with, r.Desired.Ref.Name),
		map[string]string{noteLabel: r.Desired.Ref.Name, marksLabel: text})
}

// creating is the variable that a command that creates a cluster, and all that it starts, have in their environment.
func creating(key string) string { return "OVI_CREATION=" + key }

// endCommand ends what is left of the command that creates a cluster: if ovi was killed, what the command had started
// may go on, and kind and k3d delete by name what they could not create.
func (h *Host) endCommand(ctx context.Context, f *found) error {
	all, err := h.notes(ctx)
	if err != nil {
		return err
	}
	for _, v := range all {
		if m := decodeMarks(v.Labels[marksLabel], h.scope); v.Name == noteOf(f.Program.Name, f.name) && m.Key != "" {
			return command.EndAll(ctx, creating(m.Key))
		}
	}
	return nil
}

// removeOldNotes removes the note of a cluster that is to be created again, and those that lead to no cluster any
// more. One that is young may be of a command that another ovi runs.
func (h *Host) removeOldNotes(ctx context.Context, with, cluster string) error {
	all, err := h.Volumes(ctx, noteLabel)
	if err != nil {
		return err
	}
	exist, err := h.clusters(ctx)
	if err != nil {
		return err
	}
	for _, v := range all {
		of := func(f *found) bool { return v.Name == noteOf(f.Program.Name, f.name) }
		mine := v.Name == noteOf(with, cluster)
		young := h.Clock().Sub(v.CreatedAt) <= createWait
		if !mine && (young || slices.ContainsFunc(exist, of)) {
			continue
		}
		if err := h.RemoveVolume(ctx, v.Name); err != nil {
			return err
		}
	}
	return nil
}

// noted are the marks of a cluster that has none itself, by its birth note. Both times are the engine's.
func (h *Host) noted(ctx context.Context, c seen) (resource.Marks, error) {
	all, err := h.notes(ctx)
	if err != nil {
		return resource.Marks{}, err
	}
	for _, v := range all {
		after := c.server.Created.Sub(v.CreatedAt)
		if v.Name == noteOf(c.Program.Name, c.name) && after >= 0 && after <= createWait {
			return decodeMarks(v.Labels[marksLabel], h.scope), nil
		}
	}
	return resource.Marks{}, nil
}
