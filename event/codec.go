package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// format is the version of the records written here. A record of a newer version, or with a
// field or event not known here, is refused: to skip it would be to project half of it.
const format = 1

// ErrNewer says: the record was written by a newer version of ovi.
var ErrNewer = errors.New("ledger: written by a newer version of ovi")

// envelope is a record as it stands in the log.
type envelope struct {
	V        int             `json:"v"`
	ID       string          `json:"id"`
	At       time.Time       `json:"at"`
	Instance string          `json:"instance"`
	Run      string          `json:"run"`
	User     string          `json:"user,omitempty"`
	Event    string          `json:"event"`
	Under    *Guard          `json:"under,omitempty"`
	Data     json.RawMessage `json:"data"`
}

// guard is the claim that a batch counts only under.
type Guard struct {
	Key     string           `json:"key"`
	Created storage.Revision `json:"created"`
}

// EncodeRecord returns the record as it stands in the log. Its sequence number is not in it.
func EncodeRecord(r Record) ([]byte, error) { return Encode(r, nil) }

func Encode(r Record, under *Guard) ([]byte, error) {
	data, err := encodeEvent(r.Event)
	if err != nil {
		return nil, fmt.Errorf("ledger: encode %s: %w", r.Event.Type(), err)
	}
	return Marshal(envelope{format, r.ID, r.At, r.Instance, r.Run, r.User, r.Event.Type(), under, data})
}

// DecodeRecord is the inverse of EncodeRecord. ErrNewer names what is not known here.
func DecodeRecord(b []byte) (Record, error) {
	r, _, err := Decode(b)
	return r, err
}

func Decode(b []byte) (Record, *Guard, error) {
	var e envelope
	if err := strict(b, &e); err != nil {
		return Record{}, nil, fmt.Errorf("ledger: a record: %w", err)
	}
	if e.V != format {
		return Record{}, nil, fmt.Errorf("%w: record %s has version %d", ErrNewer, e.ID, e.V)
	}
	event, err := decodeEvent(e.Event, e.Data)
	if err != nil {
		return Record{}, nil, fmt.Errorf("ledger: record %s: %w", e.ID, err)
	}
	return Record{ID: e.ID, At: e.At, Instance: e.Instance, Run: e.Run, User: e.User, Event: event}, e.Under, nil
}

// decodeEvent finds the type by its name.
func decodeEvent(name string, data []byte) (Event, error) {
	switch name {
	case TypeLoaded:
		return read[Loaded](data)
	case TypeObserved:
		return read[Observed](data)
	case TypePlanned:
		return read[Planned](data)
	case TypeBlocked:
		return read[Blocked](data)
	case TypeApproved:
		return read[Approved](data)
	case TypeStarted:
		return read[Started](data)
	case TypeFinished:
		return read[Finished](data)
	case TypeRecovered:
		return read[Recovered](data)
	case TypeNotStarted:
		return read[NotStarted](data)
	case TypeBlessed:
		return read[Blessed](data)
	case TypeAdopted:
		return read[Adopted](data)
	case TypeDisowned:
		return read[Disowned](data)
	case TypeDismissed:
		return read[Dismissed](data)
	case TypeMoved:
		return read[Moved](data)
	case TypeLost:
		return read[Lost](data)
	case TypeRevoked:
		return read[Revoked](data)
	case TypeRefused:
		return read[Refused](data)
	case TypeCompacted:
		return read[Compacted](data)
	case TypeBaseline:
		return read[Baseline](data)
	case TypeAcknowledged:
		return read[Acknowledged](data)
	}
	return nil, fmt.Errorf("%w: an event %q", ErrNewer, name)
}

func read[E Event](data []byte) (Event, error) {
	var e E
	if err := strict(data, &e); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Type(), err)
	}
	return e, nil
}

// strict decodes exactly one value without fields that are not known.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("bytes after the value")
	}
	return nil
}

// marshal encodes without the escaping of HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// encodeEvent encodes looks by hand: they are the many and the big ones.
func encodeEvent(e Event) ([]byte, error) {
	if o, ok := e.(Observed); ok {
		return appendObserved(nil, o)
	}
	return Marshal(e)
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
