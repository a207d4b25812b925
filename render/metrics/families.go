package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/storage"
)

// Families are the counts of events.
func (c Counts) Families() []Family {
	outcomes := Family{"ovi_actions_total", "Actions that finished, by action and outcome; each step of a replacement " +
		"counts.", Counter, nil}
	took := Family{"ovi_action_duration_seconds_total", "Time spent in actions, by action.", Counter, nil}
	for _, k := range slices.SortedFunc(maps.Keys(c.Ended), func(a, b Key) int {
		return compareKeys([2]string{string(a.Action), string(a.Outcome)}, [2]string{string(b.Action), string(b.Outcome)})
	}) {
		outcomes.Samples = append(outcomes.Samples,
			Sample{"", Labels{"action", string(k.Action), "outcome", string(k.Outcome)}, float64(c.Ended[k])})
	}
	for _, a := range slices.Sorted(maps.Keys(c.Seconds)) {
		took.Samples = append(took.Samples, Sample{"", Labels{"action", string(a)}, c.Seconds[a]})
	}
	oldest := 0.0
	if !c.Oldest.IsZero() {
		oldest = Seconds(c.Oldest)
	}
	return []Family{
		outcomes, took,
		{"ovi_events_total", "Records written by this process, by type.", Counter, counted(c.Events, "event")},
		{
			"ovi_provider_calls_total", "Provider calls that change something, retries included.", Counter,
			one(float64(c.Calls)),
		},
		{"ovi_observations_total", "Observations of scopes, by whether they were complete.", Counter, []Sample{
			{"", Labels{"complete", "true"}, float64(c.Observations)}, {"", Labels{"complete", "false"}, float64(c.Unreachable)},
		}},
		{
			"ovi_actions_in_flight", "Actions of this process that have started and not finished.", Gauge,
			one(float64(c.Running)),
		},
		{
			"ovi_actions_in_flight_oldest_timestamp_seconds", "Start of the oldest action in flight; 0 if there is none.",
			Gauge, one(oldest),
		},
		{
			"ovi_cycles_yielded_total", "Applies that left the rest of their plan to a newer configuration.", Counter,
			one(float64(c.Events[event.TypeYielded])),
		},
	}
}

// Scopes is the last observation of each recorded scope, and of each kind in it. An observation may read some kinds
// only, so a scope is as old as the kind with managed resources that was read first.
func Scopes(scans []ledger.Scan, now time.Time) []Family {
	seen := Family{
		"ovi_scope_observed_timestamp_seconds", "Time since which all kinds with managed resources in the scope have " +
			"been read in full.", Gauge, nil,
	}
	age := Family{"ovi_scope_age_seconds", "Age of that time.", Gauge, nil}
	whole := Family{"ovi_scope_complete", "1 if no kind of the scope was unreachable when it was last read.", Gauge, nil}
	resources := Family{
		"ovi_scope_resources", "Resources in the scope, by kind, when the kind was last read in full.", Gauge,
		nil,
	}
	kindSeen := Family{
		"ovi_scope_kind_observed_timestamp_seconds", "Time at which the kind was last read in full.", Gauge,
		nil,
	}
	kindWhole := Family{"ovi_scope_kind_complete", "1 if the kind was not unreachable when it was last read.", Gauge, nil}
	kindResources := Family{"ovi_scope_kind_resources", "Resources of the kind when it was last read in full.", Gauge, nil}
	for _, s := range scans {
		of := Labels{"scope", s.Scope.String()}
		whole.Samples = append(whole.Samples, Sample{"", of, truth(s.Readable())})
		if s.Confirmed.IsZero() {
			continue
		}
		seen.Samples = append(seen.Samples, Sample{"", of, Seconds(s.Oldest())})
		age.Samples = append(age.Samples, Sample{"", of, max(0, now.Sub(s.Oldest()).Seconds())})
		resources.Samples = append(resources.Samples, Sample{"", of, float64(s.Count())})
		for _, kind := range slices.Sorted(maps.Keys(s.Counts)) {
			of := Labels{"scope", s.Scope.String(), "kind", kind}
			kindSeen.Samples = append(kindSeen.Samples, Sample{"", of, Seconds(s.Read(kind))})
			kindWhole.Samples = append(kindWhole.Samples, Sample{"", of, truth(s.Complete && s.Unreachable[kind] == "")})
			kindResources.Samples = append(kindResources.Samples, Sample{"", of, float64(s.Counts[kind].All)})
		}
	}
	return []Family{seen, age, whole, resources, kindSeen, kindWhole, kindResources}
}

// Store is the size of the store.
func Store(s storage.Stats) []Family {
	return []Family{
		{"ovi_store_revision", "Newest revision of the store.", Gauge, one(float64(s.Revision))},
		{
			"ovi_store_compacted_revision", "Revision up to which the store is compacted; reads below it are refused.", Gauge,
			one(float64(s.Compacted)),
		},
		{"ovi_store_keys", "Live keys in the store.", Gauge, one(float64(s.Keys))},
		{"ovi_store_size_bytes", "Size of the store; of etcd, the whole database.", Gauge, one(float64(s.Bytes))},
	}
}

// Single is a gauge with one value and no labels.
func Single(name, help string, v float64) Family { return Family{name, help, Gauge, one(v)} }

func one(v float64) []Sample { return []Sample{{"", nil, v}} }
