package phrase

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Operator returns one sentence about an operator's action, the result of a replacement or a rollout, or a
// change of the audit log itself: who, what and from where. For plans and actions it returns only the name.
// The text has no final period, because callers continue it.
func Operator(e event.Event) string {
	switch e := e.(type) {
	case event.Blessed:
		if e.On {
			return "blessed" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
		}
		return "blessing removed" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
	case event.Retried:
		return "new attempts allowed" + by(e.Who, e.Reason)
	case event.ErrorShown:
		return "whole error of " + Minute(e.Of) + " shown" + by(e.Who, "")
	case event.PlanSaved:
		return "plan " + e.Plan + " saved to a file"
	case event.OutputsChanged:
		return published(e)
	case event.PolicyRequired:
		if e.On {
			return fmt.Sprintf("policy %s (%s) required of every run%s", e.Name, resource.ShortDigest(e.Digest),
				by(e.Who, "")+Signed(e.SignedBy, e.Reason))
		}
		return "policy " + e.Name + " no longer required" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
	case event.RosterChanged:
		does := "removed from"
		if e.On {
			does = "put on"
		}
		if e.Recovers != "" {
			does = "put by a recovery on"
		}
		return fmt.Sprintf("key %s of %s %s the roster%s%s", e.Key.Fingerprint(), e.Name, does, by(e.Who, ""),
			Signed(e.SignedBy, e.Reason)) // ssh-keygen shows a key by its fingerprint as well
	case event.RecoveryAsked:
		does := "canceled"
		if e.On {
			does = "asked for"
		}
		return fmt.Sprintf("recovery of the roster with key %s of %s %s%s%s", e.Key.Fingerprint(), e.Name, does,
			by(e.Who, ""), Signed(e.SignedBy, e.Reason))
	case event.RecoverySeen:
		if e.On {
			return "recovery of the roster found that instance " + e.Instance + " recorded"
		}
		return "recovery of the roster that instance " + e.Instance + " recorded no longer stands"
	case event.Acknowledged:
		return fmt.Sprintf("drift (%s) acknowledged by %s until %s%s", e.What, e.Who, Minute(e.Until), Because(e.Reason))
	case event.Revoked:
		return fmt.Sprintf("claim %d of %s revoked%s", e.Token, e.ClaimedBy, by(e.Who, e.Reason))
	case event.Adopted, event.Disowned, event.Dismissed, event.Moved, event.Lost:
		return owned(e)
	case event.ReplaceStarted, event.ReplaceReverted, event.ReplaceFinished, event.LastGood, event.Exhausted, event.Wave,
		event.LookedUp, event.Ordered, event.Alarmed:
		return rolled(e)
	case event.KeyPinned, event.Trusted, event.TrustRequired:
		return trusted(e)
	case event.Certified, event.ActsCertified, event.Cosigned, event.Refused, event.Compacted, event.Baseline,
		event.PhaseFailed:
		return kept(e)
	}
	return strings.ReplaceAll(e.Type(), "_", " ")
}

// published is about the outputs of a stack. It names the outputs without their values.
func published(e event.OutputsChanged) string {
	var set []string
	for _, x := range e.Set {
		set = append(set, x.Name)
	}
	text := "outputs of stack " + e.Stack + " changed"
	if len(set) > 0 {
		text += ": " + strings.Join(set, ", ")
	}
	for _, x := range e.Missing {
		text += "; " + x.Name + " has no value: " + x.Why
	}
	if len(e.Removed) > 0 {
		text += "; removed: " + strings.Join(e.Removed, ", ")
	}
	return text
}

// Signed says which key signed an act, and why it was done.
func Signed(s *event.SignedBy, reason string) string {
	text := ""
	if s != nil {
		text = ", signed by " + s.Key.Fingerprint()
	}
	return text + Because(reason)
}

// owned is about what ovi manages.
func owned(e event.Event) string {
	switch e := e.(type) {
	case event.Adopted:
		return fmt.Sprintf("%s adopted into stack %s%s%s", e.ID, e.Ref.Stack, by(e.Who, ""), Signed(e.SignedBy, e.Reason))
	case event.Disowned:
		return e.ID + " forgotten" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
	case event.Dismissed:
		return e.ID + " ignored from now on" + by(e.Who, e.Reason)
	case event.Moved:
		text := fmt.Sprintf("%s moved from %s to %s", e.ID, inStack(e.From), inStack(e.Ref))
		if e.Other != nil {
			text += fmt.Sprintf(", and %s from %s to %s", e.Other.ID, inStack(e.Other.From), inStack(e.Other.Ref))
		}
		return text + by(e.Who, e.Reason)
	case event.Lost:
		// the system gave the ID to another resource, so the former one is gone
		if e.Now != "" {
			return e.ID + " deleted outside ovi: another resource has that id now"
		}
		return e.ID + " deleted outside ovi"
	}
	return ""
}

// ordered is about an order. An order of a central orchestrator is named with its number there.
func ordered(e event.Ordered) string {
	who := by(e.Who, "")
	if e.Central > 0 {
		who += fmt.Sprintf(" in order %d of the central orchestrator", e.Central)
	}
	text := e.Target()
	switch {
	case e.Order == event.Promote:
		text += fmt.Sprintf(": configuration %s promoted up to wave %d", resource.ShortDigest(e.Version), e.Wave)
	case e.Order == event.Freeze && e.On:
		text += " frozen"
	case e.Order == event.Freeze:
		text += " no longer frozen"
	case e.On:
		text += " locked"
	default:
		text += " unlocked"
	}
	return text + who + Because(e.Reason)
}

// rolled is about replacements and rollouts. It is empty for other events, which Operator does not pass to
// it.
func rolled(e event.Event) string {
	switch e := e.(type) {
	case event.ReplaceStarted:
		return fmt.Sprintf("replacement of %s started (%s)", e.Old, e.Strategy)
	case event.ReplaceReverted:
		return "replacement goes back: " + e.Why
	case event.ReplaceFinished:
		return Replaced(e)
	case event.LookedUp:
		if e.Was != "" {
			return "looked up: " + e.ID + " (before: " + e.Was + ")"
		}
		return "looked up: " + e.ID
	case event.LastGood:
		return "healthy with configuration " + resource.ShortDigest(e.Desired)
	case event.Exhausted:
		text := fmt.Sprintf("%s of configuration %s failed: it is not tried again", many(e.Attempts, "attempt"),
			resource.ShortDigest(e.Desired))
		if e.Cause != "" {
			text = fmt.Sprintf("%s of configuration %s failed (cause: %s): it is not tried again", many(e.Attempts, "attempt"),
				resource.ShortDigest(e.Desired), e.Cause)
		}
		if e.Back != "" {
			text += "; back to " + resource.ShortDigest(e.Back)
		}
		return text
	case event.Wave:
		text := fmt.Sprintf("configuration %s of %s:%s/%s", resource.ShortDigest(e.Version), e.Stack, e.Kind, e.Name)
		if e.Halted {
			return fmt.Sprintf("%s halted in wave %d of %d%s", text, e.Reach, e.Of, Because(e.Why))
		}
		if e.Awaits != "" {
			return fmt.Sprintf("%s is deferred until %s, after wave %d of %d", text, e.Awaits, e.Reach, e.Of)
		}
		return fmt.Sprintf("%s started wave %d of %d", text, e.Reach, e.Of)
	case event.Ordered:
		return ordered(e)
	case event.Alarmed:
		return "alarm: " + e.Text
	}
	return ""
}

// trusted is about the keys of other instances.
func trusted(e event.Event) string {
	switch e := e.(type) {
	case event.KeyPinned:
		return fmt.Sprintf("key %s of instance %s pinned at its first use", e.Key, e.Instance)
	case event.Trusted:
		if e.On {
			return "key " + e.Key + " trusted" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
		}
		return "trust in key " + e.Key + " removed" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
	case event.TrustRequired:
		if e.On {
			return "trust of each later key required" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
		}
		return "pins of later keys at their first use allowed" + by(e.Who, "") + Signed(e.SignedBy, e.Reason)
	}
	return ""
}

// kept is about the audit log and the store.
func kept(e event.Event) string {
	switch e := e.(type) {
	case event.Certified:
		return fmt.Sprintf("%s certified: digest %s", many(e.Count, "binding"), resource.ShortDigest(e.Bindings))
	case event.Cosigned:
		return fmt.Sprintf("log of instance %s seen up to record %d", e.Instance, e.Seq)
	case event.ActsCertified:
		return many(len(e.Acts), "act") + " of operators certified"
	case event.Refused:
		return "result not counted: " + e.Reason
	case event.Compacted:
		return fmt.Sprintf("store compacted to revision %d%s", e.Before, by(e.Who, ""))
	case event.Baseline:
		return fmt.Sprintf("%s recorded again%s; records before %d can be removed", many(len(e.Facts), "fact"), by(e.Who, ""),
			e.Before)
	case event.PhaseFailed:
		text := string(e.Phase) + " failed"
		if e.Stack != "" {
			text += " for stack " + e.Stack
		}
		if e.Scope != (resource.Scope{}) {
			text += " in " + e.Scope.String()
		}
		return text + ": " + e.Error
	}
	return ""
}

// inStack names a resource with its stack. A resource without a stack is named without one.
func inStack(r resource.Ref) string {
	if r.Stack == "" {
		return r.Short()
	}
	return r.Stack + ":" + r.Short()
}

// many returns a count with its noun, whose plural must end with an s.
func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// by is who did something, and the reason; empty if neither is known.
func by(who, reason string) string {
	if who != "" {
		who = " by " + who
	}
	return who + Because(reason)
}
