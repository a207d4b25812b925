package ledger

import (
	"context"

	"github.com/ovi-project/ovi/storage"
)

// RecordAnswers records what observing said of open actions, and returns what was recorded:
// an action that was ended by somebody meanwhile needs no answer any more.
func (l *Ledger) RecordAnswers(ctx context.Context, answers []Abandoned) (kept []Abandoned, err error) {
	_, err = l.submit(ctx, &request{build: func(ctx context.Context) ([]Event, error) {
		kept = nil
		var events []Event
		for _, a := range answers {
			var open OpenIntent
			found, err := l.load(ctx, keyOpen+a.Ref.String(), storage.Now, &open)
			if err != nil {
				return nil, err
			}
			if found && open.Key == a.Key {
				kept, events = append(kept, a), append(events, a)
			}
		}
		return events, nil
	}})
	return kept, err
}
