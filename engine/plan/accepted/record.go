package accepted

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/unread"
)

// most limits the resources in one record.
const most = 2048

// Events returns what to record of configurations so that they can be restored: the differences
// from the record. Records of unreadable parts and of incomplete configurations do not change. A
// part that cannot be compared makes the whole call fail, so that nothing is recorded from a half
// of a source.
func Events(ctx context.Context, r *ledger.Reader, intents []resource.Intent) ([]event.Event, error) {
	var out []event.Event
	for i := range intents {
		in := &intents[i]
		if in.Unread != "" || in.Partial {
			continue
		}
		more, err := eventsOf(ctx, r, in)
		if err != nil {
			return nil, fmt.Errorf("compare stack %s with its last accepted configuration: %w", in.Stack, err)
		}
		out = append(out, more...)
	}
	return out, nil
}

// eventsOf returns the events of one configuration. The digests are compared first, so that the recorded resources of
// an unchanged one are not read.
func eventsOf(ctx context.Context, r *ledger.Reader, in *resource.Intent) ([]event.Event, error) {
	sources, err := r.Sources().Parts(ctx, in.Stack)
	if err != nil {
		return nil, err
	}
	c := comparing{in: in, sources: sources, unread: map[string]bool{}}
	for _, p := range in.Parts {
		c.unread[p.Name] = true
	}
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	// The parts that were read and differ from the record come first, then those that the source no longer has,
	// without a digest.
	now := digests(in)
	var changed []rowOf
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !c.unread[name] && sources[name].Digest != now[name] {
			changed = append(changed, rowOf{name, now[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if _, is := now[name]; !is && name != "" && !c.unread[name] {
			changed = append(changed, rowOf{part: name})
		}
	}
	if len(changed) == 0 {
		return settings, nil
	}
	recorded, err := r.Sources().Resources(ctx, in.Stack)
	if err != nil {
		return nil, err
	}
	return append(settings, c.events(changed, recorded)...), nil
}

// comparing compares one configuration with its record.
type comparing struct {
	in      *resource.Intent
	sources map[string]rows.Source
	unread  map[string]bool
}

// settingsOf returns the settings that all parts share, and the declared renames and removals.
func settingsOf(in *resource.Intent) event.AcceptedSettings {
	return event.AcceptedSettings{
		Source: in.Source, From: in.From, ByFolder: in.ByFolder, Release: in.Release, Rules: in.Rules,
		Options: in.Options, Scopes: in.Scopes, Moved: movedOf(in),
		Removed: in.Removed, Given: in.Given,
	}
}

// movedOf returns the declared renames, and the former names in other stacks, which the plans of those stacks read.
func movedOf(in *resource.Intent) []resource.Move {
	out := in.Moved
	for i := range in.Resources {
		d := &in.Resources[i]
		same := func(m resource.Move) bool { return m.From == d.Was && m.To == d.Ref }
		if d.Was.IsZero() || d.Was.Stack == in.Stack || slices.ContainsFunc(out, same) {
			continue
		}
		// Without Clip, the append could write into the slice of the caller.
		out = append(slices.Clip(out), resource.Move{From: d.Was, To: d.Ref, Part: d.Part})
	}
	return out
}

// settings returns the event for the settings that all parts share, if they differ. It returns none while a part is
// unread, because that part may set some of them.
func (c *comparing) settings() ([]event.Event, error) {
	was, known := c.sources[""]
	if known && len(c.in.Parts) > 0 {
		return nil, nil
	}
	s := settingsOf(c.in)
	digest, err := s.Digest()
	if err != nil || known && was.Digest == digest {
		return nil, err
	}
	return []event.Event{event.SourceAccepted{
		Stack: c.in.Stack, Version: c.in.Version, Digest: digest, Settings: &s,
	}}, nil
}

// digests returns the digest of each part of a configuration. The resources of a part follow each
// other, so the hash of a part is looked up once per part. The digest covers all that AcceptedOf
// records.
func digests(in *resource.Intent) map[string]string {
	sums := map[string]hash.Hash{}
	for _, name := range in.PartNames {
		sums[name] = sha256.New()
	}
	var b []byte
	var h hash.Hash
	// No part has this name, so the first resource looks up its hash.
	last := "\x00"
	all := withLookups(in)
	for i := range all {
		d := &all[i]
		if d.Part != last {
			if h = sums[d.Part]; h == nil {
				h = sha256.New()
				sums[d.Part] = h
			}
			last = d.Part
		}
		a := event.AcceptedOf(d)
		b = a.AppendContent(b[:0])
		h.Write(b)
	}
	out := make(map[string]string, len(sums))
	for name, h := range sums {
		out[partName(name)] = hex.EncodeToString(h.Sum(nil))
	}
	return out
}

// withLookups returns the resources of a configuration with its lookups.
func withLookups(in *resource.Intent) []resource.Desired {
	if len(in.Lookups) == 0 {
		return in.Resources
	}
	return slices.Concat(in.Resources, in.Lookups)
}

// partName names a part in the record. The empty name belongs to the settings, so a source without parts has another.
func partName(name string) string {
	if name == "" {
		return "."
	}
	return name
}

// rowOf is a part to record. It has no digest if the source no longer has the part.
type rowOf struct{ part, digest string }

// events returns the differences of the changed parts. A part with many differences becomes several
// events; each but the last has More. A resource that an unread part covers is not recorded as
// gone: its block may only have moved there.
func (c *comparing) events(changed []rowOf, recorded []event.AcceptedResource) []event.Event {
	was := make(map[resource.Ref]*event.AcceptedResource, len(recorded))
	for i := range recorded {
		was[recorded[i].Ref] = &recorded[i]
	}
	now := map[resource.Ref]bool{}
	differing := map[string][]event.AcceptedResource{}
	parts := map[string]bool{}
	for _, x := range changed {
		parts[x.part] = true
	}
	all := withLookups(c.in)
	for i := range all {
		d := &all[i]
		now[d.Ref] = true
		part := partName(d.Part)
		if !parts[part] {
			continue
		}
		a := event.AcceptedOf(d)
		a.Part = part
		if old := was[d.Ref]; old == nil || old.Part != a.Part || !bytes.Equal(old.AppendContent(nil), a.AppendContent(nil)) {
			differing[part] = append(differing[part], a)
		}
	}
	var out []event.Event
	for _, x := range changed {
		e := event.SourceAccepted{Stack: c.in.Stack, Part: x.part, Version: c.in.Version, Digest: x.digest}
		for i := range recorded {
			if a := &recorded[i]; a.Part == x.part && !now[a.Ref] && !c.held(a.Ref) {
				e.Gone = append(e.Gone, a.Ref)
			}
		}
		for all := differing[x.part]; ; {
			n := min(len(all), most)
			e.Changed, all = all[:n], all[n:]
			e.More = len(all) > 0
			out = append(out, e)
			if !e.More {
				break
			}
			// The first event of a part has all that is gone from it.
			e.Gone = nil
		}
	}
	return out
}

// held reports whether a resource is in a part that could not be read.
func (c *comparing) held(ref resource.Ref) bool {
	return slices.ContainsFunc(c.in.Parts, func(p resource.UnreadPart) bool { return unread.Covers(&p, ref) })
}
