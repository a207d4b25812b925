package query

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// WhyUnwanted returns why a resource is no longer configured, as the last recorded decision about it says at a
// revision. It is empty if that decision gives no reason, or is about something else.
func WhyUnwanted(ctx context.Context, r *Reader, ref resource.Ref, at storage.Revision) (string, error) {
	var v rows.Decided
	if found, err := r.Load(ctx, rows.Of(rows.KeyDecided, ref), at, &v); err != nil || !found {
		return "", err
	}
	var d struct {
		Reason  decider.Reason `json:"reason"`
		Message string         `json:"message"`
	}
	if err := json.Unmarshal(v.Decision, &d); err != nil {
		return "", fmt.Errorf("ledger: read the last decision about %s: %w", ref, err)
	}
	if d.Reason != decider.ReasonUnwanted {
		return "", nil
	}
	_, why, _ := strings.Cut(d.Message, ": ")
	return why, nil
}
