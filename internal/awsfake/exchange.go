package awsfake

import (
	"encoding/json"
	"time"
)

// exchange is a call while it is answered.
type exchange struct {
	*call
	tx       *tx
	now      time.Time
	settle   time.Duration // how long each passing state lasts
	keepDead time.Duration // how long what was ended stays listed
	account  string        // the number of the account that answers
}

// handler answers one action. It gives the body of the answer, in the form
// of the service's protocol, or an error and no change.
type handler func(*exchange) (any, error)

func (x *exchange) body(into any) error {
	if err := json.Unmarshal(x.json, into); err != nil {
		return failf("SerializationException", "The request is not JSON: %v", err)
	}
	return nil
}

// jsonPage cuts a page of a list.
func jsonPage[T entity](all []T, token string, size, most int, refused error) ([]T, *string, error) {
	if size <= 0 || size > most {
		size = most
	}
	rows, next, ok := cut(all, token, size)
	switch {
	case !ok:
		return nil, nil, refused
	case next == "":
		return rows, nil, nil
	}
	return rows, &next, nil
}
