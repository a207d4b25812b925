package rows

import (
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Scan is the last observation of a scope.
type Scan struct {
	Scope     resource.Scope `json:"-"`
	At        time.Time      `json:"observed_at"` // of the last observation, complete or not
	Complete  bool           `json:"complete"`
	Error     string         `json:"error,omitempty"`    // why it is not complete
	Confirmed time.Time      `json:"confirmed,omitzero"` // the last complete observation
	// Counts are the resources of each kind when it was last read in full.
	Counts map[string]event.KindCount `json:"counts,omitempty"`
	// Offline: the last observation found that it has not reported for too long. Away is how long it
	// was offline so far, which does not count against deadlines.
	Offline bool          `json:"offline,omitempty"`
	Away    time.Duration `json:"away,omitempty"`
	// Kinds are those that the last observation read in full; nil: all.
	Kinds []string `json:"kinds,omitempty"`
	// Unreachable are the kinds that could not be read when an observation last tried, with the error of each.
	Unreachable map[string]string `json:"unreachable,omitempty"`
	// Whole is the last observation that read all kinds in full; Later, of kinds that were read in full
	// after it, the last of each.
	Whole time.Time            `json:"whole,omitzero"`
	Later map[string]time.Time `json:"later,omitempty"`
	// Filtered are those of Kinds that the last observation read through a filter; Full is when kinds
	// that were read so since were read without one.
	Filtered []string             `json:"filtered,omitempty"`
	Full     map[string]time.Time `json:"full,omitempty"`
	// AllSince is when the first observation without a filter of all kinds was recorded; KindSince, of
	// kinds that were read without one before it, the first of each.
	AllSince  time.Time            `json:"all_since,omitzero"`
	KindSince map[string]time.Time `json:"kind_since,omitempty"`
}

// Since is when the first observation that listed all resources of a kind was recorded; zero: none has.
func (s Scan) Since(kind string) time.Time {
	if at, ok := s.KindSince[kind]; ok {
		return at
	}
	return s.AllSince
}

// Begin notes which kinds the observation that is recorded now listed for the first time.
func (s *Scan) Begin(kinds, filtered []string, now time.Time) {
	if !s.AllSince.IsZero() {
		return
	}
	if kinds == nil {
		s.AllSince = now
		return
	}
	for _, k := range kinds {
		if _, known := s.KindSince[k]; known || slices.Contains(filtered, k) {
			continue
		}
		if s.KindSince == nil {
			s.KindSince = map[string]time.Time{}
		}
		s.KindSince[k] = now
	}
}

// Listed is when the unmanaged resources of a kind were read last; zero: never.
func (s Scan) Listed(kind string) time.Time {
	if at, ok := s.Full[kind]; ok {
		return at
	}
	return s.Read(kind)
}

// Read is when the managed resources of a kind were read last, all of them; zero: never.
func (s Scan) Read(kind string) time.Time {
	if at, ok := s.Later[kind]; ok {
		return at
	}
	return s.Whole
}

// NoteRead notes which kinds an observation read in full, some of them through a filter. If kinds is nil, it read all
// but the unreachable ones.
func (s *Scan) NoteRead(kinds, filtered []string, unreachable map[string]string, at time.Time) {
	if kinds == nil {
		var unread map[string]time.Time
		for k := range unreachable {
			if unread == nil {
				unread = map[string]time.Time{}
			}
			unread[k] = s.Read(k)
		}
		s.Whole, s.Later, s.Full = at, unread, nil
		return
	}
	for _, k := range kinds {
		if !slices.Contains(filtered, k) {
			delete(s.Full, k)
			continue
		}
		if s.Full == nil {
			s.Full = map[string]time.Time{}
		}
		s.Full[k] = s.Listed(k)
	}
	if s.Later == nil {
		s.Later = map[string]time.Time{}
	}
	for _, k := range kinds {
		s.Later[k] = at
	}
}

// Count returns the number of resources, of each kind when it was last read in full.
func (s Scan) Count() int { return event.Resources(s.Counts) }

// Oldest returns the time since which every managed resource has been read: the oldest read of a kind that has some.
// In a scope without managed resources it is the last observation.
func (s Scan) Oldest() time.Time {
	oldest := time.Time{}
	for kind, c := range s.Counts {
		if at := s.Read(kind); c.Managed > 0 && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	if oldest.IsZero() {
		return s.Confirmed
	}
	return oldest
}

// Readable reports whether all that was last tried in the scope could be read.
func (s Scan) Readable() bool { return s.Complete && len(s.Unreachable) == 0 }

// NoteKinds takes over what a complete observation says of the kinds that it read, or could not read. It says nothing
// of the others.
func (s *Scan) NoteKinds(e event.Observed) {
	read := func(kind string) bool {
		return e.Unreachable[kind] == "" && (e.Kinds == nil || slices.Contains(e.Kinds, kind))
	}
	counts, errs := map[string]event.KindCount{}, map[string]string{}
	for kind, c := range s.Counts {
		if !read(kind) {
			counts[kind] = c
		}
	}
	for kind, c := range e.Counts {
		if read(kind) {
			counts[kind] = c
		}
	}
	for kind, text := range s.Unreachable {
		if !read(kind) {
			errs[kind] = text
		}
	}
	maps.Copy(errs, e.Unreachable)
	s.Counts, s.Unreachable = counts, errs
}

// Covers reports whether the last observation read all these kinds in full, if only through a filter;
// nil: all kinds, without one.
func (s Scan) Covers(kinds []string) bool {
	if !s.Complete || s.Kinds == nil {
		return s.Complete
	}
	return kinds != nil && !slices.ContainsFunc(kinds, func(k string) bool { return !slices.Contains(s.Kinds, k) })
}

// OpenAction is an action whose result is not recorded.
type OpenAction struct {
	event.Started `json:"started"`
	At            time.Time `json:"at"`
	Instance      string    `json:"instance"`
	Run           string    `json:"run"`
	User          string    `json:"user,omitempty"`
	Uncertain     bool      `json:"uncertain,omitempty"` // it finished, and only an observation can find the result
	Failed        bool      `json:"failed,omitempty"`    // the create failed for good, but may have left something
	Counted       bool      `json:"counted,omitempty"`   // as an attempt
	Error         string    `json:"error,omitempty"`     // of the uncertain result
	Checked       time.Time `json:"checked,omitzero"`    // when an observation could not find the result
	// Accepted says that the provider goes on by itself with the resource ID until Deadline.
	Accepted bool      `json:"accepted,omitempty"`
	ID       string    `json:"id,omitempty"`
	UID      string    `json:"uid,omitempty"`
	Deadline time.Time `json:"deadline,omitzero"`
	// Away is that of the scope when it was accepted.
	Away time.Duration `json:"away,omitempty"`
}

// Replacement is a replacement that has not finished.
type Replacement struct {
	event.ReplaceStarted `json:"started"`
	At                   time.Time `json:"at"`
	Instance             string    `json:"instance"`
	Run                  string    `json:"run"`
	Reverting            bool      `json:"reverting,omitempty"`
	Why                  string    `json:"why,omitempty"` // it is reverting
	// Applying is the configuration that the new resource was created with, once it exists.
	Applying *event.Applied `json:"applying,omitempty"`
}
