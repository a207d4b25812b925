package accepted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/resource/secrets"
	"github.com/ovi-project/ovi/resource/unread"
)

// Reveal returns the secret of a digest, which came from a source such as "env:NAME"; false if it is not known.
type Reveal func(d resource.Digest, from string) (plain string, known bool)

// Restore completes each configuration that could not be read, or has parts that could not be read,
// with the last accepted configuration. If there is none, the intent is Partial. It returns intents
// that were read without a change. A secret that reveal does not know stays a digest. Nothing is
// recorded here.
func Restore(
	ctx context.Context, r *ledger.Reader, intents []resource.Intent, now time.Time, reveal Reveal,
) ([]resource.Intent, error) {
	if !slices.ContainsFunc(intents, func(in resource.Intent) bool { return len(unread.All(&in)) > 0 }) {
		return intents, nil
	}
	out := slices.Clone(intents)
	for i := range out {
		if len(unread.All(&out[i])) == 0 {
			continue
		}
		x := restoring{in: &out[i], now: now, reveal: reveal}
		if err := x.read(ctx, r); err != nil {
			return nil, fmt.Errorf("read the last accepted configuration of stack %s: %w", out[i].Stack, err)
		}
		x.restore()
	}
	return out, nil
}

// restoring completes one configuration.
type restoring struct {
	in       *resource.Intent
	now      time.Time
	reveal   Reveal
	sources  map[string]rows.Source
	recorded []event.AcceptedResource
	unread   []event.Unread // by the last plan
	planned  time.Time      // when that was made
	loaded   string         // the version that was loaded last
}

// read reads the record of the configuration. A stack that was never loaded has no version, and the read succeeds.
func (x *restoring) read(ctx context.Context, r *ledger.Reader) (err error) {
	if x.sources, err = r.Sources().Parts(ctx, x.in.Stack); err != nil {
		return err
	}
	if x.recorded, err = r.Sources().Resources(ctx, x.in.Stack); err != nil {
		return err
	}
	if x.unread, x.planned, err = r.Sources().Unread(ctx, x.in.Stack); err != nil {
		return err
	}
	if x.loaded, err = r.LoadedVersion(ctx, x.in.Stack); errors.Is(err, ledger.ErrNotFound) {
		err = nil
	}
	return err
}

func (x *restoring) restore() {
	head, known := x.sources[""]
	// The caller uses its slices again, so they are neither sorted nor appended to in place.
	x.in.Parts, x.in.Resources = slices.Clone(x.in.Parts), slices.Clone(x.in.Resources)
	x.in.Lookups, x.in.Scopes = slices.Clone(x.in.Lookups), slices.Clone(x.in.Scopes)
	// The unread part sets some of the settings. The other parts depend on them, so none of these is used.
	if known && x.in.Unread == "" && x.differs(*head.Settings) {
		p := x.in.Parts[0]
		x.in.Unread = p.Why + "; the other parts of the source are not used either, because they depend on its settings"
		x.in.Resources = nil
	}
	if x.in.Unread != "" {
		x.whole(head, known)
		return
	}
	for i := range x.in.Parts {
		x.part(&x.in.Parts[i])
	}
	if known {
		x.updates(head.Settings.Rules)
		x.moved(head.Settings)
	}
	slices.SortStableFunc(x.in.Lookups, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
	slices.SortStableFunc(x.in.Resources, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
}

// differs reports whether the parts that were read share other settings than all parts did: the part that could not be
// read sets some of them.
func (x *restoring) differs(was event.AcceptedSettings) bool {
	is := settingsOf(x.in)
	was.Rules.Updates, is.Rules.Updates = nil, nil // each is of one part; see updates
	was = event.AcceptedSettings{Rules: was.Rules, Options: was.Options}
	is = event.AcceptedSettings{Rules: is.Rules, Options: is.Options}
	a, errA := was.Digest()
	b, errB := is.Digest()
	return errA != nil || errB != nil || a != b
}

// whole uses everything that was accepted last.
func (x *restoring) whole(head rows.Source, known bool) {
	in := x.in
	in.Read, in.Parts = x.lastRead(""), nil
	// No configuration was ever accepted, so nothing tells which resources belong to the stack.
	if !known {
		in.Partial = true
		return
	}
	s := head.Settings
	in.Source, in.Release = cmp.Or(in.Source, s.Source), s.Release
	in.Version, in.Rules, in.Options, in.Scopes = x.loaded, s.Rules, s.Options, s.Scopes
	in.Moved, in.Removed = s.Moved, s.Removed
	in.Resources = make([]resource.Desired, 0, len(x.recorded))
	in.Lookups = nil
	for i := range x.recorded {
		if d := x.desired(&x.recorded[i]); d.Lookup != nil {
			in.Lookups = append(in.Lookups, d)
		} else {
			in.Resources = append(in.Resources, d)
		}
	}
}

// part adds what a part configured when it was accepted last, and what depends on it. A recorded
// resource whose location is not resolved yet is matched by the end of its location.
func (x *restoring) part(p *resource.UnreadPart) {
	_, known := x.sources[p.Name]
	p.Read, p.Never, p.Unknown = x.lastRead(p.Name), !known, !known && !p.Only
	refs := slices.Clone(p.Refs)
	p.Refs, p.Dependents = slices.Clone(p.Refs), slices.Clone(p.Dependents)
	for i := range x.recorded {
		a := &x.recorded[i]
		if a.Part != p.Name && !slices.ContainsFunc(refs, func(r resource.Ref) bool { return isAt(a.Ref, r) }) {
			continue
		}
		d := x.desired(a)
		if a.Lookup != nil {
			x.lookup(d)
			continue
		}
		if d.Part = p.Name; a.Part != p.Name {
			p.Dependents = append(p.Dependents, a.Ref)
		}
		x.in.Resources, p.Refs = append(x.in.Resources, d), append(p.Refs, a.Ref)
		if s := a.Ref.Scope(); !slices.Contains(x.in.Scopes, s) {
			x.in.Scopes = append(x.in.Scopes, s)
		}
	}
}

// lookup adds a lookup that no part has which was read.
func (x *restoring) lookup(d resource.Desired) {
	if !slices.ContainsFunc(x.in.Lookups, func(o resource.Desired) bool { return isAt(d.Ref, o.Ref) }) {
		x.in.Lookups = append(x.in.Lookups, d)
	}
}

// updates adds how new configurations reach the resources of parts that could not be read.
func (x *restoring) updates(was rules.Rules) {
	for _, u := range was.Updates {
		same := func(o rules.Update) bool { return o.Kind == u.Kind && o.Name == u.Name }
		if !slices.ContainsFunc(x.in.Rules.Updates, same) {
			x.in.Rules.Updates = append(slices.Clone(x.in.Rules.Updates), u)
		}
	}
}

// moved adds the renames and removals that parts declared which could not be read.
func (x *restoring) moved(was *event.AcceptedSettings) {
	unread := func(part string) bool {
		return slices.ContainsFunc(x.in.Parts, func(p resource.UnreadPart) bool { return p.Name == part })
	}
	for _, m := range was.Moved {
		if unread(m.Part) {
			x.in.Moved = append(slices.Clone(x.in.Moved), m)
		}
	}
	for _, r := range was.Removed {
		if unread(r.Part) {
			x.in.Removed = append(slices.Clone(x.in.Removed), r)
		}
	}
}

// lastRead returns when a part was read last: by the last plan that read it. Without an earlier
// plan it is the time of this one.
func (x *restoring) lastRead(part string) time.Time {
	for _, u := range x.unread {
		if u.Part == part || u.Part == "" {
			return u.Read
		}
	}
	if x.planned.IsZero() {
		return x.now
	}
	return x.planned
}

// desired returns a recorded resource, with the secrets that are known.
func (x *restoring) desired(a *event.AcceptedResource) resource.Desired {
	d, n := a.Desired(), 0
	d.Attrs = secrets.Attrs(d.Attrs, func(digest resource.Digest) (string, bool) {
		// The recorded sources are in the order of the secrets.
		from := ""
		if n < len(a.Secrets) {
			from = a.Secrets[n]
		}
		n++
		if x.reveal == nil {
			return "", false
		}
		return x.reveal(digest, from)
	})
	return d
}

// isAt reports whether a recorded ref is another one whose location may not be resolved yet.
func isAt(recorded, r resource.Ref) bool {
	at := recorded.Location
	recorded.Location = r.Location
	return recorded == r && (at == r.Location || strings.HasSuffix(at, "/"+r.Location))
}

// Unique removes, once locations are resolved, the recorded resources that a part configures which
// was read: a block that was moved there from a part that could not be read.
func Unique(intents []resource.Intent) {
	for i := range intents {
		in := &intents[i]
		if len(in.Parts) == 0 {
			continue
		}
		recorded := map[string]bool{}
		for _, p := range in.Parts {
			recorded[p.Name] = true
		}
		read := map[resource.Ref]bool{}
		for k := range in.Resources {
			if !recorded[in.Resources[k].Part] {
				read[in.Resources[k].Ref] = true
			}
		}
		seen := map[resource.Ref]bool{}
		in.Resources = slices.DeleteFunc(slices.Clone(in.Resources), func(d resource.Desired) bool {
			again := recorded[d.Part] && (read[d.Ref] || seen[d.Ref])
			seen[d.Ref] = true
			return again
		})
		for k := range in.Parts {
			p := &in.Parts[k]
			p.Refs = slices.DeleteFunc(p.Refs, func(r resource.Ref) bool { return read[r] })
			slices.SortFunc(p.Refs, resource.Ref.Compare)
			p.Refs = slices.Compact(p.Refs)
		}
	}
}
