package render

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
)

// CloudEvent is a record of the audit log as a CloudEvent 1.0 in its JSON format. Sequence is the
// extension of that name, in digits that sort as text.
type CloudEvent struct {
	SpecVersion     string      `json:"specversion"`
	ID              string      `json:"id"`
	Source          string      `json:"source"`
	Type            string      `json:"type"`
	Subject         string      `json:"subject,omitempty"`
	Time            time.Time   `json:"time"`
	DataContentType string      `json:"datacontenttype"`
	Sequence        string      `json:"sequence"`
	Run             string      `json:"ovirun,omitempty"`
	User            string      `json:"oviuser,omitempty"`
	Data            event.Event `json:"data"`
}

// NewCloudEvent makes one of a record.
func NewCloudEvent(r event.Record) CloudEvent {
	e := CloudEvent{
		SpecVersion: "1.0", ID: r.ID, Source: "urn:ovi:instance:" + r.Instance,
		Type: "com.github.ovi-project.ovi." + r.Event.Type(),
		Time: r.At, DataContentType: "application/json", Sequence: fmt.Sprintf("%020d", r.Seq), Run: r.Run, User: r.User,
		Data: r.Event,
	}
	if ref := r.Event.About(); !ref.IsZero() {
		e.Subject = ref.String()
	}
	return e
}

func (CloudEvent) record() {}
