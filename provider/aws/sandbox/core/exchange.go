package core

import (
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Exchange is a call while it is answered.
type Exchange struct {
	*wire.Call
	Tx       *Tx
	Now      time.Time
	Settle   time.Duration // how long each passing state lasts
	KeepDead time.Duration // how long what was ended stays listed
	Account  string        // the number of the account that answers
}

// Handler answers one action. It gives the body of the answer, in the form
// of the service's protocol, or an error and no change.
type Handler func(*Exchange) (any, error)

// Body decodes the body of a JSON request.
func (x *Exchange) Body(into any) error {
	if err := json.Unmarshal(x.JSON, into); err != nil {
		return wire.Failf("SerializationException", "The request is not JSON: %v", err)
	}
	return nil
}

// JSONPage cuts a page of a list.
func JSONPage[T Entity](all []T, token string, size, most int, refused error) ([]T, *string, error) {
	if size <= 0 || size > most {
		size = most
	}
	rows, next, ok := Cut(all, token, size)
	switch {
	case !ok:
		return nil, nil, refused
	case next == "":
		return rows, nil, nil
	}
	return rows, &next, nil
}
