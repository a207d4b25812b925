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
	// Offline means that the last observation found no report for too long. Away is the offline time so
	// far, which does not count against deadlines.
	Offline bool          `json:"offline,omitempty"`
	Away    time.Duration `json:"away,omitempty"`
	// Kinds are the kinds that the last observation read in full; nil means all.
	Kinds []string `json:"kinds,omitempty"`
	// Unreachable are the kinds that could not be read when an observation last tried, with the error of each.
	Unreachable map[string]string `json:"unreachable,omitempty"`
	// Whole is the last observation that read all kinds in full; Later, of kinds that were read in full
	// after it, the last of each.
	Whole time.Time            `json:"whole,omitzero"`
	Later map[string]time.Time `json:"later,omitempty"`
	// Filtered are the Kinds that the last observation read through a filter. Full is the time at which
	// kinds that were read through a filter since were last read without one.
	Filtered []string             `json:"filtered,omitempty"`
	Full     map[string]time.Time `json:"full,omitempty"`
	// AllSince is the time of the first recorded observation of all kinds without a filter. KindSince has
	// the time of the first such observation of each kind that was read before it.
	AllSince  time.Time            `json:"all_since,omitzero"`
	KindSince map[string]time.Time `json:"kind_since,omitempty"`
}

// Since returns the time of the first recorded observation that listed all resources of a kind, or the zero
// time if there was none.
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

// Listed returns the time at which the unmanaged resources of a kind were read last, or the zero time.
func (s Scan) Listed(kind string) time.Time {
	if at, ok := s.Full[kind]; ok {
		return at
	}
	return s.Read(kind)
}

// Read returns the time at which all managed resources of a kind were read last, or the zero time.
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

// NoteKinds takes over the kinds that a complete observation read, or could not read. It does not change
// the others.
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

// Covers reports whether the last observation read all these kinds in full, if only through a filter; nil
// means all kinds, without a filter.
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
	// Accepted means that the provider continues on its own with the resource ID until Deadline.
	Accepted bool      `json:"accepted,omitempty"`
	ID       string    `json:"id,omitempty"`
	UID      string    `json:"uid,omitempty"`
	Deadline time.Time `json:"deadline,omitzero"`
	// Away is the Away of the scope when the request was accepted.
	Away time.Duration `json:"away,omitempty"`
}

// Late is the value of late/<ref>: creates that an observation found not done, the newest at the end. Their requests
// may still arrive, until the ref is bound to a resource.
type Late struct {
	Of []OpenAction `json:"of"`
}

// lateKept is the number of creates of a resource that are kept.
const lateKept = 8

// Add appends a create. A create with the same key, which is an earlier attempt of it, is dropped.
func (l *Late) Add(o OpenAction) {
	l.Of = append(slices.DeleteFunc(l.Of, func(x OpenAction) bool { return x.Key == o.Key }), o)
	l.Of = l.Of[max(0, len(l.Of)-lateKept):]
}

// With returns the create that has a key; false if there is none.
func (l Late) With(key string) (OpenAction, bool) {
	i := slices.IndexFunc(l.Of, func(x OpenAction) bool { return x.Key == key })
	if i < 0 {
		return OpenAction{}, false
	}
	return l.Of[i], true
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
