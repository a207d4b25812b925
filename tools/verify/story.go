package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// fields are those that this program reads of an event's data; docs/commands.md lists the events.
type fields struct {
	Ref, ID, Plan, Key, Action, Phase, Step, Outcome, Finding, Who, Digest string

	Gone      []string
	Changed   []json.RawMessage
	Decisions []json.RawMessage
	Policies  json.RawMessage
	From, To  json.RawMessage // in a refusal, the records that do not count
	Approval  struct {
		Digest string
		By     []struct {
			Who, Instance string
			Seq           uint64
		}
	}
}

// story is what the records of a proof say.
type story struct {
	proof
	end       string // what became of the resource
	lines     []string
	notes     []string
	void      [][2]uint64 // records that do not count
	started   map[string]bool
	approvals map[uint64]fields
}

// tell reads the records in order. A record that another contradicts is an error.
func tell(p proof) (story, error) {
	s := story{proof: p, end: "its result is not recorded", started: map[string]bool{}, approvals: map[uint64]fields{}}
	all := make([]fields, len(p.records))
	for i, r := range p.records {
		if err := json.Unmarshal(r.Data, &all[i]); err != nil {
			return s, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		if r.Event == "refused" {
			var x [2]uint64
			if err := errors.Join(json.Unmarshal(all[i].From, &x[0]), json.Unmarshal(all[i].To, &x[1])); err != nil {
				return s, fmt.Errorf("record %d: %w", r.Seq, err)
			}
			s.void = append(s.void, x)
		}
	}
	for i, r := range p.records {
		note := ""
		if slices.ContainsFunc(s.void, func(x [2]uint64) bool { return x[0] <= r.Seq && r.Seq <= x[1] }) {
			note = " (does not count: its claim was lost)"
		} else if err := s.follow(r, all[i]); err != nil {
			return s, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		s.lines = append(s.lines, fmt.Sprintf("%d  %s  %s%s by %s: %s", r.Seq, stamp(r.At), r.Event, note, cmp.Or(all[i].Who, r.By), s.about(r, all[i])))
	}
	return s, nil
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// about is the data of an event; of many resources only this one.
func (s *story) about(r record, f fields) string {
	for _, list := range [][]json.RawMessage{f.Changed, f.Decisions} {
		for _, x := range list {
			if bytes.Contains(x, []byte(`"ref":"`+s.Ref+`"`)) {
				return strings.TrimSuffix(string(x)+" policies "+string(f.Policies), " policies ")
			}
		}
	}
	if slices.Contains(f.Gone, s.Ref) {
		return "it is gone"
	}
	return string(r.Data)
}

// follow keeps what later records rest on, and what became of the resource.
func (s *story) follow(r record, f fields) error {
	if acts(r.Event) && !s.own(f) {
		if !bytes.Contains(r.Data, s.quoted()) {
			return fmt.Errorf("it is about %s, not about %s", f.Ref, s.Ref)
		}
		return nil // it mentions the resource: a reference
	}
	when := fmt.Sprintf("by %s at %s UTC (record %d)", cmp.Or(f.Who, r.By), stamp(r.At), r.Seq)
	switch r.Event {
	case "approved":
		s.approvals[r.Seq] = f
	case "started":
		s.started[f.Key] = true
		return s.allowed(r, f)
	case "finished", "recovered":
		switch {
		case !s.started[f.Key] && s.First == 1 && r.Event == "finished":
			return errors.New("an action finished that did not start")
		case cmp.Or(f.Outcome, f.Finding) != "done" || f.Step != "":
		case f.Action == "delete" || f.Phase == "delete":
			s.end = "it is gone: deleted " + when
		default:
			s.end = "it exists as " + f.ID + ": " + f.Action + " " + when
		}
	case "adopted", "replace_finished":
		s.end = "it exists as " + f.ID + ": " + r.Event + " " + when
	case "disowned":
		s.end = "ovi no longer manages it: forgotten " + when
	case "lost":
		s.end = "it is gone: deleted outside ovi, found " + when
	case "moved":
		if f.Ref != s.Ref {
			s.end = "it is called " + f.Ref + ": moved " + when
		}
	case "observed":
		if slices.Contains(f.Gone, s.Ref) && !strings.HasPrefix(s.end, "it is gone") {
			s.end = "it is gone: missing when it was observed " + when
		}
	}
	return nil
}

// acts reports whether an event is about one resource: what was done to it, or decided about its ownership.
func acts(event string) bool {
	switch event {
	case "started", "finished", "recovered", "not_started", "adopted", "disowned", "dismissed", "lost", "moved",
		"replace_started", "replace_reverted", "replace_finished", "last_good", "exhausted", "retried", "outage_ended":
		return true
	}
	return false
}

// own reports whether an event is about the resource of the proof; a move is about both names.
func (s *story) own(f fields) bool {
	return f.Ref == s.Ref || len(f.From) > 0 && bytes.Equal(f.From, s.quoted())
}

// quoted is the ref as an event has it.
func (p proof) quoted() []byte { return []byte(`"` + p.Ref + `"`) }

// allowed checks that the approvals which an action names are of its plan.
func (s *story) allowed(r record, f fields) error {
	for _, a := range f.Approval.By {
		given, ok := s.approvals[a.Seq]
		switch {
		case a.Instance != r.In || !ok && s.First > a.Seq:
			s.notes = append(s.notes, fmt.Sprintf("The approval by %s is not in this log.", a.Who))
		case given.Who != a.Who || given.Digest != f.Approval.Digest:
			return fmt.Errorf("it rests on an approval by %s (record %d) that is not of its plan", a.Who, a.Seq)
		}
	}
	return nil
}
