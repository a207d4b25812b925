package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// format is the version of the records. A record of another version, or with an unknown field or
// event, is refused: skipping it would project a part of it.
const format = 2

// ErrNewer is returned for a record that another version of ovi wrote.
var ErrNewer = errors.New("ledger: written by another version of ovi")

// envelope is a record as encoded in the log.
type envelope struct {
	V        int             `json:"v"`
	ID       string          `json:"id"`
	At       time.Time       `json:"at"`
	Instance string          `json:"instance"`
	Run      string          `json:"run"`
	User     string          `json:"user,omitempty"`
	UID      string          `json:"uid,omitempty"`
	Host     string          `json:"host,omitempty"`
	Event    string          `json:"event"`
	Under    *Guard          `json:"under,omitempty"`
	Data     json.RawMessage `json:"data"`
}

// Guard is the claim without which a batch does not count.
type Guard struct {
	Key     string           `json:"key"`
	Created storage.Revision `json:"created"`
}

// EncodeRecord encodes a record for the log, which keeps its sequence number itself.
func EncodeRecord(r Record) ([]byte, error) { return Encode(r, nil) }

// Encode is EncodeRecord with the claim under which the record counts; nil means no claim.
func Encode(r Record, under *Guard) ([]byte, error) {
	var data []byte
	var err error
	// Observations are encoded by hand: they are the most frequent and the largest events.
	if o, ok := r.Event.(Observed); ok {
		data, err = appendObserved(nil, o)
	} else {
		data, err = Marshal(r.Event)
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: encode %s: %w", r.Event.Type(), err)
	}
	return Marshal(envelope{format, r.ID, r.At, r.Instance, r.Run, r.User, r.UID, r.Host, r.Event.Type(), under, data})
}

// DecodeRecord is the inverse of EncodeRecord. ErrNewer says what is unknown.
func DecodeRecord(b []byte) (Record, error) {
	r, _, err := Decode(b)
	return r, err
}

// Decode is the inverse of Encode.
func Decode(b []byte) (Record, *Guard, error) {
	var e envelope
	if err := strict(b, &e); err != nil {
		return Record{}, nil, fmt.Errorf("ledger: decode a record: %w", err)
	}
	if e.V != format {
		return Record{}, nil, fmt.Errorf("%w: record %s has version %d", ErrNewer, e.ID, e.V)
	}
	event, err := decodeEvent(e.Event, e.Data)
	if err != nil {
		return Record{}, nil, fmt.Errorf("ledger: record %s: %w", e.ID, err)
	}
	return Record{
		ID: e.ID, At: e.At, Instance: e.Instance, Run: e.Run, User: e.User, UID: e.UID, Host: e.Host,
		Event: event,
	}, e.Under, nil
}

// TypeOf is the type of an encoded record, without decoding it; empty if it has none.
func TypeOf(record []byte) string {
	_, rest, _ := bytes.Cut(record, []byte(`,"event":"`))
	name, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(name)
}

// Marshal encodes a value as JSON without escaping HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

func appendObserved(dst []byte, o Observed) ([]byte, error) {
	changed, gone := o.Changed, o.Gone
	o.Changed, o.Gone = nil, nil
	head, err := Marshal(o)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		dst = slices.Grow(dst, len(head)+len(changed)*len(changed[0].AppendJSON(nil))*9/8)
	}
	dst = append(dst, head[:len(head)-1]...)
	for i := range changed {
		dst = append(dst, sep(i, `,"changed":[`)...)
		dst = changed[i].AppendJSON(dst)
	}
	dst = closed(dst, len(changed))
	for i, r := range gone {
		name, err := Marshal(r)
		if err != nil {
			return nil, err
		}
		dst = append(append(dst, sep(i, `,"gone":[`)...), name...)
	}
	return append(closed(dst, len(gone)), '}'), nil
}

func sep(i int, first string) string {
	if i == 0 {
		return first
	}
	return ","
}

func closed(dst []byte, n int) []byte {
	if n == 0 {
		return dst
	}
	return append(dst, ']')
}
