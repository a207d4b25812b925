package decider

import (
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/resource/secrets"
	"github.com/ovi-project/ovi/resource/unread"
)

// LastAccepted reviews the decisions on resources whose source cannot be read now. It allows only healing: actions that
// restore the applied configuration, and those that a recorded delete made necessary. Nothing else is created for the
// first time, changed or destroyed, because the configuration may have changed since it was accepted. After rules:
// {unread_max_age} nothing is created again either.
type LastAccepted struct {
	Intents []resource.Intent
	// WasApplied reports whether a configuration, by its digest, was applied to a resource last, or is its last good
	// configuration.
	WasApplied func(ref resource.Ref, digest string) bool
	// Owed reports whether a recorded delete made a configuration necessary: something is down until it is applied.
	// Nil means that none is owed.
	Owed func(ref resource.Ref, digest string) bool
	// Restores reports whether a change of an adopted resource restores what was observed, although no configuration was
	// applied to it. Nil means that none does.
	Restores func(*Decision) bool
}

// Name implements Policy.
func (LastAccepted) Name() string { return "unread_source" }

// Review implements Policy.
func (x LastAccepted) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		in, part, found := x.unread(d)
		if !found || !d.Proposed.Executes() {
			continue
		}
		if why := x.refuses(d, in.Rules, f.Now.Sub(part.Read)); why != "" {
			out[i] = Blocker{Reason: why, Suggestion: "correct " + unread.Title(part, in) + ": see `ovi status`"}
		}
	}
	return out, nil
}

// unread finds the part that a resource is in and that could not be read.
func (x LastAccepted) unread(d *Decision) (*resource.Intent, resource.UnreadPart, bool) {
	for i := range x.Intents {
		in := &x.Intents[i]
		if part, found := unread.Of(in, d.Ref, d.Desired == nil); found {
			return in, part, true
		}
	}
	return nil, resource.UnreadPart{}, false
}

// refuses returns the reason why an action does not heal, in a few words, or an empty text. age is the time since the
// part was read last.
func (x LastAccepted) refuses(d *Decision, r rules.Rules, age time.Duration) string {
	owed := d.Desired != nil && x.Owed != nil && x.Owed(d.Ref, d.Desired.Digest())
	switch {
	case d.Desired == nil:
		return "its source cannot be read, and may still configure it"
	case !owed && !x.WasApplied(d.Ref, d.Desired.Digest()) && (x.Restores == nil || !x.Restores(d)):
		return "its source cannot be read, and its last accepted configuration was never applied"
	case !owed && d.Proposed.Destroys() && destroysMore(d):
		return "its source cannot be read, and nothing is destroyed meanwhile"
	case secrets.Missing(d.Desired.Attrs) && d.Proposed != Restart:
		return "its source cannot be read, and one of its secrets is in the source alone"
	case d.Difference == comparator.Missing && !r.Recreates(age):
		return fmt.Sprintf("its source has not been read for %s, which is longer than unread_max_age", days(age))
	}
	return ""
}

// destroysMore reports whether a destroying action still has something to destroy. A replacement that made room
// already only creates.
func destroysMore(d *Decision) bool {
	return d.Reason != ReasonResumes || len(d.Steps) == 0 || slices.ContainsFunc(d.Steps, replace.Step.Destroys)
}

// days writes a long time in whole days or hours.
func days(d time.Duration) string {
	if n := int(d / (24 * time.Hour)); n > 1 {
		return fmt.Sprintf("%d days", n)
	}
	return fmt.Sprintf("%d hours", int(d/time.Hour))
}
