package link

import (
	"errors"
	"strings"
)

// Limits of an event. A message that is longer is cut; another field that is longer is refused.
const (
	MaxMessage = 4 << 10
	maxField   = 1 << 10
	MaxFrame   = 1 << 20 // bytes of the events in a frame
)

// errField reports an event that no node of ovi sends.
var errField = errors.New("an event has a field that is too long")

// errReport reports a report that no node of ovi sends.
var errReport = errors.New("a report has a field that is too long")

// Cut cuts the message of an event, and reports other fields that are too long.
func (e *Event) Cut() error {
	for _, s := range e.fields() {
		if len(s) > maxField {
			return errField
		}
	}
	e.Message = cutMessage(e.Message)
	return nil
}

func cutMessage(s string) string {
	if len(s) <= MaxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:MaxMessage-len("…")], "") + "…"
}

// Cut cuts the texts of a report that people read, and reports names that are too long: each report that differs is
// recorded, and shown.
func (r *Report) Cut() error {
	r.Error = cutMessage(r.Error)
	for i := range r.Items {
		x := &r.Items[i]
		x.Message = cutMessage(x.Message)
		for _, s := range []string{
			x.Name, x.Instance, x.Marks.Ref, x.Marks.Stack, x.Marks.Owner, x.Marks.Key, x.Spec.Version, x.Spec.Image, x.Image,
			string(x.Phase), string(x.Health),
		} {
			if len(s) > maxField {
				return errReport
			}
		}
	}
	for name, last := range r.Last {
		last.Text = cutMessage(last.Text)
		if len(name) > maxField || max(len(last.Key), len(last.Desired), len(last.State), len(last.Cause)) > maxField {
			return errReport
		}
		r.Last[name] = last
	}
	return nil
}

// fields are the texts of an event without its message.
func (e *Event) fields() []string {
	out := []string{
		e.Site, e.Node, e.Incarnation, e.Boot, e.Deployment, string(e.From), string(e.To), string(e.Request), e.Version,
		e.Image, string(e.Health), e.Class,
	}
	if e.Wave != nil {
		out = append(out, e.Wave.Version)
	}
	return out
}

// OfOrchestrator reports whether only an orchestrator sends such an event.
func (e *Event) OfOrchestrator() bool {
	switch e.Class {
	case ClassAlarm, ClassOrder, ClassRollout:
		return true
	}
	return e.Order != 0 || e.Wave != nil
}

// Weight is about how many bytes of memory an event takes.
func (e *Event) Weight() int {
	n := 512 + len(e.Message)
	for _, s := range e.fields() {
		n += len(s)
	}
	return n
}

// Size bounds the bytes of an event in a frame: JSON writes a byte as six at most.
func (e *Event) Size() int {
	n := 512 + 6*len(e.Message)
	for _, s := range e.fields() {
		n += 6 * len(s)
	}
	return n
}
