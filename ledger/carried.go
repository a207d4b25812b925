package ledger

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Known is what of the carried facts a reader of the log can use who has no store: the things
// as they stood, by the names they are on record under, and the approvals of plans.
func (e Carried) Known() (things map[resource.Ref]*resource.Observed, consents []Consent, err error) {
	things = map[resource.Ref]*resource.Observed{}
	for _, f := range e.Facts {
		name, isThing := strings.CutPrefix(f.Key, keyThing)
		switch {
		case isThing:
			var ref resource.Ref
			var o resource.Observed
			if ref, err = resource.ParseRef(name); err == nil {
				o, err = resource.ParseObserved(f.Value)
			}
			things[ref] = &o
		case strings.HasPrefix(f.Key, keyConsent):
			var a approval
			err = json.Unmarshal(f.Value, &a)
			consents = append(consents, Consent{a.Event, a.At})
		}
		if err != nil {
			return nil, nil, fmt.Errorf("ledger: the carried fact %s: %w", f.Key, err)
		}
	}
	return things, consents, nil
}
