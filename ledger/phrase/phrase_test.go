package phrase_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/provider"
)

func TestAgesHaveOneUnit(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0s": 0, "59s": 59 * time.Second, "1m": 119 * time.Second,
		"47h": 48*time.Hour - 1, "2d": 71 * time.Hour,
	} {
		if got := phrase.Age(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}

// A clock that was set back makes what was just recorded be in the future.
func TestNoAgeIsNegative(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{-1, -time.Second, -time.Hour, -100 * 24 * time.Hour} {
		if got := phrase.Age(d); got != "0s" {
			t.Errorf("%s: got %q, want 0s", d, got)
		}
	}
}

func TestLongIDsAreShown12DigitsLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 4)
	for id, want := range map[string]string{
		long: "0123456789ab", long[1:]: long[1:], "g" + long[1:]: "g" + long[1:], "i-0ab5f45a103c9c9c0": "i-0ab5f45a103c9c9c0", "db-data": "db-data", "": "",
	} {
		if got := phrase.ID(id); got != want {
			t.Errorf("%s is shown as %s, want %s", id, got, want)
		}
	}
}

func TestTimesAreInUTC(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 14, 30, 9, 0, time.FixedZone("CET", 3600))
	if s, m := phrase.Second(at), phrase.Minute(at); s != "2026-11-21 13:30:09 UTC" || m != "2026-11-21 13:30 UTC" {
		t.Errorf("got %s and %s", s, m)
	}
}

func TestOperator(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]event.Event{
		"blessed by ada: pays the rent":                 event.Blessed{On: true, Who: "ada", Reason: "pays the rent"},
		"replacement of i-1 started (swap)":             event.ReplaceStarted{Old: "i-1", Strategy: "swap"},
		"replacement goes back: i-2 is failing":         event.ReplaceReverted{Why: "i-2 is failing"},
		"replacement reverted: i-1 is kept":             event.ReplaceFinished{ID: "i-1", Reverted: true},
		"replacement finished: i-2":                     event.ReplaceFinished{ID: "i-2"},
		"replacement ended: both resources are deleted": event.ReplaceFinished{},
		"replacement ended: neither resource exists":    event.ReplaceFinished{Reverted: true},
		"blessing removed by ada":                       event.Blessed{Who: "ada"},
		"claim 7 of ben revoked by ada: crash":          event.Revoked{Token: 7, ClaimedBy: "ben", Who: "ada", Reason: "crash"},
		"new attempts allowed by ada: quota":            event.Retried{Who: "ada", Reason: "quota"},
		"1 attempt of configuration 4d5e6f failed (cause: configuration): it is not tried again": event.Exhausted{Desired: "4d5e6f7a", Attempts: 1, Cause: provider.Configuration},
		"berlin frozen by ada in order 7 of the central orchestrator: inventory":                 event.Ordered{Stack: "berlin", Order: event.Freeze, On: true, Central: 7, Who: "ada", Reason: "inventory"},
		"berlin/n1 locked by ada": event.Ordered{Stack: "berlin", Location: "berlin/n1", Order: event.Lock, On: true, Who: "ada"},
		"berlin/web: configuration 4d5e6f promoted up to wave 2 by ada in order 8 of the central orchestrator": event.Ordered{Stack: "berlin", Name: "web", Order: event.Promote, On: true, Version: "4d5e6f7a", Wave: 2, Central: 8, Who: "ada"},
		"3 attempts of configuration 4d5e6f failed: it is not tried again":                                     event.Exhausted{Desired: "4d5e6f7a", Attempts: 3},
		"store compacted to revision 7": event.Compacted{Before: 7},
	} {
		if got := phrase.Operator(e); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
