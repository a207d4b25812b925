package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
)

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// numbers names records, ranges as 40-41; "" for none. Only neighbors in the list become a range.
func numbers(seqs []uint64) string {
	var parts []string
	for i := 0; i < len(seqs); {
		j := i
		for j+1 < len(seqs) && seqs[j+1] == seqs[j]+1 {
			j++
		}
		text := number(seqs[i])
		if j > i {
			text += "-" + number(seqs[j])
		}
		parts = append(parts, text)
		i = j + 1
	}
	switch {
	case len(parts) == 0:
		return ""
	case len(seqs) == 1:
		return "record " + parts[0]
	}
	return "records " + strings.Join(parts, ", ")
}

// verb is an action in a sentence: a restart is an update.
func verb(a decider.Action) string {
	if a == decider.Restart {
		return string(decider.Update)
	}
	return string(a)
}

// done is an action in a sentence about the past.
func done(a decider.Action) string {
	switch a {
	case decider.Create:
		return "created"
	case decider.Update, decider.Restart:
		return "updated"
	case decider.Replace:
		return "replaced"
	case decider.Revert:
		return "reverted"
	case decider.Delete:
		return "deleted"
	case decider.Forget:
		return "forgotten"
	case decider.Notify:
	}
	return string(a)
}

// phase names a step of a replacement.
func phase(p string) string {
	if p == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(p, "_", " ") + ")"
}

// reason returns the reason of an action in words.
func reason(r decider.Reason, message string) string {
	if message != "" {
		return message
	}
	return strings.ReplaceAll(string(r), "_", " ")
}

// decided says what was decided, and what blocks it.
func (t Explainer) decided(d event.Decision) string {
	message := reason(d.Reason, d.Message)
	if d.Proposed == decider.Notify {
		return "no action: " + message
	}
	text := verb(d.Proposed) + ": " + message
	if d.Action != d.Proposed && len(d.Blockers) > 0 {
		text += "; " + blocked(d)
	}
	return text
}

// blocked says what blocks a decision, or what it waits for. The wait for a running action is
// recorded as a blocker, too, but no policy blocks the decision then.
func blocked(d event.Decision) string {
	if waits, _ := decider.WaitsForFlight(d.Ref, d.Blockers); waits {
		return "it waits: " + d.Blockers[0].Reason
	}
	why, _ := blockers(d.Blockers)
	return "blocked by " + why
}

// blockers are the policies that block a decision, and the first suggestion of theirs. The reason
// of a block by time windows names the window, so the name of the policy is omitted.
func blockers(all []decider.Blocker) (text, next string) {
	parts := make([]string, len(all))
	for i, b := range all {
		parts[i] = b.Policy + phrase.Because(b.Reason)
		if b.Awaits != "" {
			parts[i] = b.Policy + " until " + b.Awaits + phrase.Because(b.Reason)
		}
		if b.Until != nil && b.Policy == (decider.Windows{}).Name() {
			parts[i] = b.Reason
		}
		if next == "" {
			next = b.Suggestion
		}
	}
	return strings.Join(parts, "; "), next
}

// changes lists the differences, current -> configured. It is empty for a resource to be created.
// Otherwise each of its attributes would be a difference.
func (t Explainer) changes(d event.Decision) string {
	if d.Difference == comparator.Missing {
		return ""
	}
	parts := make([]string, 0, len(d.Changes))
	for _, c := range d.Changes {
		parts = append(parts, c.Name()+" "+t.Value(c.From)+" -> "+t.Value(c.To))
	}
	return strings.Join(parts, ", ")
}

func isUnwanted(d *event.Decision) bool { return d != nil && d.Difference == comparator.Unwanted }

// managed says that the resource exists and is managed.
func managed(c history.ResourceHistory) bool { return c.Exists != nil && c.Exists.Managed() }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// named is a message about a resource that exists, with its id. A message that does not begin with
// "it" is not changed.
func named(message string, c history.ResourceHistory) string {
	if rest, ok := strings.CutPrefix(message, "it "); ok && c.Exists != nil {
		return phrase.ID(c.Exists.ID) + " " + rest
	}
	return message
}
