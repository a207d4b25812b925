package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/storage"
)

// Families is what was counted of the events.
func (c Counts) Families() []Family {
	outcomes := Family{"ovi_actions_total", "Actions that ended, by action and outcome; a replace is two.", Counter, nil}
	took := Family{"ovi_action_duration_seconds_total", "Time spent in actions, by action.", Counter, nil}
	for _, k := range slices.SortedFunc(maps.Keys(c.Ended), func(a, b Key) int {
		return compareKeys([2]string{string(a.Action), string(a.Outcome)}, [2]string{string(b.Action), string(b.Outcome)})
	}) {
		outcomes.Samples = append(outcomes.Samples, Sample{"", Labels{"action", string(k.Action), "outcome", string(k.Outcome)}, float64(c.Ended[k])})
	}
	for _, a := range slices.Sorted(maps.Keys(c.Seconds)) {
		took.Samples = append(took.Samples, Sample{"", Labels{"action", string(a)}, c.Seconds[a]})
	}
	return []Family{
		outcomes, took,
		{"ovi_events_total", "Records this process has made, by type.", Counter, counted(c.Events, "event")},
		{"ovi_provider_calls_total", "Calls that change something, retries counted.", Counter, one(float64(c.Calls))},
		{"ovi_looks_total", "Looks at scopes, by whether they saw everything.", Counter, []Sample{
			{"", Labels{"complete", "true"}, float64(c.Observations)}, {"", Labels{"complete", "false"}, float64(c.Unreachable)},
		}},
		{"ovi_actions_running", "Actions of this process that began and have not ended.", Gauge, one(float64(c.Running))},
	}
}

// Scopes is how the looks at all scopes on record stand.
func Scopes(scans []ledger.Scan, now time.Time) []Family {
	seen := Family{"ovi_scope_last_seen_timestamp_seconds", "When the scope was last seen completely.", Gauge, nil}
	age := Family{"ovi_scope_age_seconds", "How long ago the scope was last seen completely.", Gauge, nil}
	whole := Family{"ovi_scope_complete", "1 if the last look at the scope saw everything.", Gauge, nil}
	resources := Family{"ovi_scope_things", "Things in the scope at the last complete look.", Gauge, nil}
	for _, s := range scans {
		of := Labels{"scope", s.Scope.String()}
		whole.Samples = append(whole.Samples, Sample{"", of, truth(s.Complete)})
		if s.Confirmed.IsZero() {
			continue
		}
		seen.Samples = append(seen.Samples, Sample{"", of, Seconds(s.Confirmed)})
		age.Samples = append(age.Samples, Sample{"", of, max(0, now.Sub(s.Confirmed).Seconds())})
		resources.Samples = append(resources.Samples, Sample{"", of, float64(s.Count)})
	}
	return []Family{seen, age, whole, resources}
}

// Store is how the store stands.
func Store(s storage.Stats) []Family {
	return []Family{
		{"ovi_store_revision", "The newest revision of the store.", Gauge, one(float64(s.Revision))},
		{"ovi_store_compacted_revision", "Reads below it are refused.", Gauge, one(float64(s.Compacted))},
		{"ovi_store_keys", "Live keys in the store.", Gauge, one(float64(s.Keys))},
		{"ovi_store_size_bytes", "Size of the store; in etcd of the whole database.", Gauge, one(float64(s.Bytes))},
	}
}

// Single is a gauge with one value and no labels.
func Single(name, help string, v float64) Family { return Family{name, help, Gauge, one(v)} }

func one(v float64) []Sample { return []Sample{{"", nil, v}} }
