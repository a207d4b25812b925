package history

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// BaselineState returns what a reader of the log without a store needs of a baseline: the
// resources, by the refs under which they are recorded, and the approvals of plans. A fact that
// cannot be read is an error: a state without it would pass for complete. Facts are in the order of
// their keys, so each use follows its approval.
func BaselineState(
	e event.Baseline,
) (resources map[resource.Ref]*resource.Observed, approvals []ledger.Approval, err error) {
	resources = map[resource.Ref]*resource.Observed{}
	for _, f := range e.Facts {
		isResource := strings.HasPrefix(f.Key, rows.KeyResource)
		switch {
		case isResource:
			var ref resource.Ref
			var o resource.Observed
			if ref, err = rows.RefOf(rows.KeyResource, f.Key); err == nil {
				o, err = resource.ParseObserved(f.Value)
			}
			resources[ref] = &o
		case strings.HasPrefix(f.Key, rows.KeyApproval):
			var a rows.Act[event.Approved]
			err = json.Unmarshal(f.Value, &a)
			approvals = append(approvals, ledger.ApprovalOf(a))
		case strings.HasPrefix(f.Key, rows.KeyUsed):
			var u rows.Used
			err = json.Unmarshal(f.Value, &u)
			for i := range approvals { // whose keys are before
				if a := &approvals[i]; rows.UsedOf(a.Digest, a.Who) == f.Key && a.Record.Seq == u.Seq &&
					a.Record.Instance == u.Instance {
					a.Used = u.Plan
				}
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("ledger: the fact %s of a baseline: %w", f.Key, err)
		}
	}
	return resources, approvals, nil
}
