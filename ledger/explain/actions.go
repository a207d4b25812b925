package explain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
)

// succeeded reports whether the action is known to have taken effect: its result shows it, an observation found it
// done, or it took effect after an observation had found it not done.
func succeeded(x *action) bool {
	return x.ended != nil && x.ended.Outcome == event.Done || x.found != nil && x.found.Finding == event.FoundDone ||
		x.arrived
}

// goesBack says that the action was a step of a replacement that goes back.
func goesBack(x *action) bool {
	return x.started.Step == string(replace.DeleteNew) || x.started.Step == string(replace.Restore)
}

// deletes reports whether the action removes the resource from its name. A step counts only if the whole action is
// a delete and the step deletes the old resource: a step of a replacement leaves another resource under the name.
func deletes(x *action) bool {
	if x.started.Step != "" {
		return x.started.Action == decider.Delete && x.started.Step == string(replace.DeleteOld)
	}
	return x.started.Action == decider.Delete || x.started.Phase == event.PhaseDelete
}

// isOpen reports an action that is in flight, was accepted, or whose result is unknown. It may have caused what changes
// meanwhile.
func isOpen(x *action) bool {
	return x.found == nil &&
		(x.ended == nil || x.ended.Outcome == event.Accepted || x.ended.Outcome == event.Uncertain)
}

// late says that the claim of an action expired, and that it was done all the same.
func late(x *action) bool {
	return x.ended != nil && x.ended.Outcome == event.Late &&
		(x.arrived || x.found != nil && x.found.Finding == event.FoundDone)
}

// mayArrive reports an action that was found not done and whose request may take effect later: its process has not
// recorded that it failed.
func mayArrive(x *action) bool {
	return x.found != nil && x.found.Finding == event.FoundNotDone &&
		(x.ended == nil || x.ended.Outcome == event.Uncertain || x.ended.Outcome == event.Late)
}

// doneLate reports an action whose provider reported success after the claim had expired.
func doneLate(x *action) bool {
	return x.ended != nil && x.ended.Outcome == event.Late && x.ended.Error == ""
}

// claim returns who acted, on which host and under which claim, so that an operator can find the process and its
// log.
func claim(x *action) string {
	text := orUnknown(x.record.User)
	if x.started.Host != "" {
		text += fmt.Sprintf("@%s, PID %d", x.started.Host, x.started.PID)
	}
	return text + fmt.Sprintf(", token %d, run %s, instance %s", x.started.Token, x.record.Run, x.record.Instance)
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown user"
	}
	return s
}

// called returns the call to the provider with its time and its idempotency key, under which the system may know
// it.
func called(x *action) string {
	text := verb(x.started.Action)
	if step := cmp.Or(x.started.Step, x.started.Phase); step != "" {
		text = strings.ReplaceAll(step, "_", " ")
	}
	if x.started.Have != "" {
		text += " " + x.started.Have
	}
	return text + ", key " + x.started.Key + ", " + phrase.Second(x.record.At)
}

// result returns the recorded end of an action, and then the finding of a recovery. A duration that is negative
// because a clock was set back is shown as zero.
func result(x *action) string {
	text := "not recorded"
	if e := x.ended; e != nil {
		text = strings.ReplaceAll(string(e.Outcome), "_", " ") + fmt.Sprintf(" after %.1fs", max(e.Seconds, 0))
		if e.Tries > 1 {
			text += fmt.Sprintf(" and %d calls", e.Tries)
		}
		if e.Outcome == event.Done && e.ID != "" && e.Action != decider.Delete {
			text += ": " + phrase.ID(e.ID)
		}
		text += phrase.Because(e.Error)
	}
	if x.found != nil {
		text += "; " + answered(*x.found)
	}
	return text
}

// answered returns the finding of a recovery with its evidence.
func answered(e event.Recovered) string {
	words := map[event.Finding]string{
		event.FoundDone: "done", event.FoundNotDone: "not done", event.FoundFailed: "failed",
		event.FoundUnknown: "unknown; an operator must check",
	}
	return "recovered: " + words[e.Finding] + " (" + e.Evidence + ")"
}

// title says in a few words what was done. A step or phase is called finished, because the action that it belongs
// to goes on after it.
func title(x *action) string {
	who := " by " + orUnknown(x.record.User)
	step := cmp.Or(x.started.Step, x.started.Phase)
	what := verb(x.started.Action) + phase(step)
	switch {
	case x.ended == nil && x.found == nil:
		return what + " started" + who + ", no result recorded"
	case succeeded(x) && step != "":
		return what + " finished" + who
	case succeeded(x) && !late(x):
		return done(x.started.Action) + who
	case x.ended == nil:
		return what + " started" + who + " and interrupted"
	case x.ended.Outcome == event.Late:
		return what + who + " finished after its claim expired"
	case x.ended.Outcome == event.Uncertain:
		return what + who + ": result unknown"
	case x.ended.Outcome == event.NotCalled:
		return what + who + " turned back before the call"
	}
	return what + who + " failed"
}
