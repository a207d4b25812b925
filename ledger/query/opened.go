package query

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Opened lists open actions repeatedly, as an apply does before each of its calls. It decodes each version of a row
// once: with a thousand open actions, a call does not decode a thousand rows. The zero value is ready to use, from
// several goroutines.
type Opened struct {
	mu   sync.Mutex
	rows map[string]openedRow
}

type openedRow struct {
	modified storage.Revision
	action   *rows.OpenAction
}

// Before lists the open actions that were recorded before a revision of the store. The caller must
// not change them. An apply passes the revision that opened its own action, so that only the later
// one of two applies sees the other, and turns back.
func (o *Opened) Before(ctx context.Context, r *Reader, before storage.Revision) ([]*rows.OpenAction, error) {
	var out []*rows.OpenAction
	found := 0
	err := r.Entries(ctx, rows.KeyOpen, storage.Now, func(e storage.Entry) error {
		found++
		if e.Created >= before {
			return nil
		}
		action, err := o.decode(e)
		out = append(out, action)
		return err
	})
	o.forget(found)
	return out, err
}

// decode returns the action of a row; it decodes only a row that has changed since.
func (o *Opened) decode(e storage.Entry) (*rows.OpenAction, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if row, known := o.rows[e.Key]; known && row.modified == e.Modified {
		return row.action, nil
	}
	row := openedRow{e.Modified, &rows.OpenAction{}}
	if err := json.Unmarshal(e.Value, row.action); err != nil {
		return row.action, err
	}
	if o.rows == nil {
		o.rows = map[string]openedRow{}
	}
	o.rows[e.Key] = row
	return row.action, nil
}

// forget drops the rows when most of them are of actions that have ended.
func (o *Opened) forget(open int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.rows) > 2*open+100 {
		o.rows = nil
	}
}
