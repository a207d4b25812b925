package explain

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
)

// wentBack is the last good configuration that a resource returned to, because the one that is
// configured failed too often; "" if it did not.
func wentBack(c history.ResourceHistory, d event.Decision) string {
	stopped := d.Recall(nil)
	if c.Tries == nil || !stopped.Stopped(decider.AttemptLimit{}) {
		return ""
	}
	for _, r := range slices.Backward(c.Records) {
		if e, ok := r.Event.(event.Exhausted); ok && e.Desired == c.Tries.Desired {
			return resource.ShortDigest(e.Back)
		}
	}
	return ""
}

// retried is about a resource of which an operator has allowed new attempts since the last plan
// blocked it; false if none has. The retry removed the counts of attempts, so the next plan decides
// again.
func (t Explainer) retried(c history.ResourceHistory, d event.Decision, name string) (Explanation, bool) {
	for _, r := range slices.Backward(c.Records) {
		e, ok := r.Event.(event.Retried)
		if !ok || r.At.Before(c.Last.At) {
			continue
		}
		return Explanation{
			State: Pending,
			Headline: fmt.Sprintf("The %s of %s was blocked; %s allowed new attempts %s%s.", verb(d.Proposed), name,
				e.Who, t.since(r.At), phrase.Because(e.Reason)),
			Suggestion: "run `ovi apply`",
		}, true
	}
	return Explanation{}, false
}
