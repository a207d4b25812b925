package metrics_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render/metrics"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

var (
	nameForm   = regexp.MustCompile(`^ovi_[a-z][a-z0-9_]*[a-z0-9]$`)
	sampleForm = regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (\S+)$`)
	leForm     = regexp.MustCompile(`,?le="([^"]*)"`)
)

// strict reads the text format as the strictest reader would, and checks the conventions of
// names: https://prometheus.io/docs/practices/naming/.
func strict(t *testing.T, text string) map[string]float64 {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line has no end")
	}
	out, types, name := map[string]float64{}, map[string]string{}, ""
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			n, help, _ := strings.Cut(rest, " ")
			if _, again := types[n]; again || help == "" || !strings.HasSuffix(help, ".") {
				t.Errorf("line %d: %q: twice, or without a sentence", i+1, line)
			}
			name = n
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			n, typ, _ := strings.Cut(rest, " ")
			if n != name || !nameForm.MatchString(n) || (typ == "counter") != strings.HasSuffix(n, "_total") {
				t.Errorf("line %d: %q does not fit its help or the conventions", i+1, line)
			}
			types[n] = typ
			continue
		}
		m := sampleForm.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("line %d: %q is not a sample", i+1, line)
			continue
		}
		base := m[1]
		if types[name] == "histogram" {
			base = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(base, "_bucket"), "_sum"), "_count")
		}
		if base != name || types[name] == "" {
			t.Errorf("line %d: %q is in the family %s", i+1, line, name)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if _, twice := out[m[1]+m[2]]; err != nil || twice {
			t.Errorf("line %d: %q: %v, or twice", i+1, line, err)
		}
		out[m[1]+m[2]] = v
	}
	cumulative(t, text, out)
	return out
}

// cumulative holds each histogram to its buckets.
func cumulative(t *testing.T, text string, values map[string]float64) {
	t.Helper()
	before, bound := 0.0, math.Inf(-1)
	for line := range strings.Lines(text) {
		m := sampleForm.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || !strings.HasSuffix(m[1], "_bucket") {
			before, bound = 0, math.Inf(-1)
			continue
		}
		le, err := strconv.ParseFloat(leForm.FindStringSubmatch(m[2])[1], 64)
		v, _ := strconv.ParseFloat(m[3], 64)
		if err != nil || le <= bound || v < before {
			t.Errorf("%q: a bucket below the one before", line)
		}
		if before, bound = v, le; math.IsInf(le, 1) {
			count := strings.TrimSuffix(m[1], "_bucket") + "_count" + leForm.ReplaceAllString(m[2], "")
			if values[count] != v {
				t.Errorf("%s is %v, but the last bucket holds %v", count, values[count], v)
			}
		}
	}
}

func TestAScrapeParses(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var loops metrics.Loops
	for _, took := range []time.Duration{50 * time.Millisecond, time.Second, 90 * time.Second, time.Hour} {
		loops.Add(metrics.Cycle{
			Stack: "we\"b\\\n", Led: true, At: at, Took: took, Decisions: map[decider.Action]int{decider.Create: 2, decider.Notify: 1},
			Blocked: 1, Unchanged: 7, Alerts: map[string]int{"blocked": 1}, Unread: map[string]time.Duration{"b.yaml": time.Hour},
		})
	}
	loops.Add(metrics.Cycle{Stack: "db", At: at, Took: time.Second, Failed: true, Error: "no quorum"})
	counters := metrics.New()
	feed(counters, event.Observed{Complete: true, Counts: map[string]event.KindCount{"ec2": {All: 7}}, Part: 1, Of: 1}, event.Started{Action: decider.Create},
		event.Finished{Action: decider.Create, Outcome: event.Done, Seconds: 1.5}, event.Finished{Action: decider.Create, Outcome: event.Late})
	scope := resource.Scope{Provider: "aws", Location: "1/us-east-1"}
	families := append(loops.Families(), counters.Counts().Families()...)
	families = append(families, metrics.Scopes([]ledger.Scan{{Scope: scope, Complete: true, Confirmed: at, Counts: map[string]event.KindCount{"ec2": {All: 7}}}, {Scope: resource.Scope{Provider: "aws", Location: "2"}}}, at.Add(time.Minute))...)
	families = append(families, metrics.Store(storage.Stats{Revision: 12, Keys: 3, Bytes: 4096})...)
	families = append(families, metrics.Single("ovi_interval_seconds", "Time between two cycles.", 60))
	var b strings.Builder
	if err := metrics.Write(&b, families); err != nil {
		t.Fatal(err)
	}
	got := strict(t, b.String())
	for name, want := range map[string]float64{
		`ovi_cycle_duration_seconds_bucket{stack="we\"b\\\n",le="1"}`:    2,
		`ovi_cycle_duration_seconds_bucket{stack="we\"b\\\n",le="+Inf"}`: 4,
		`ovi_cycles_total{stack="db",role="helper",outcome="failed"}`:    1,
		`ovi_decisions_total{stack="we\"b\\\n",action="create"}`:         8,
		`ovi_decisions{stack="we\"b\\\n",action="create"}`:               2,
		`ovi_actions_total{action="create",outcome="refused"}`:           1,
		`ovi_scope_age_seconds{scope="aws/1/us-east-1"}`:                 60,
		`ovi_scope_complete{scope="aws/2"}`:                              0,
		`ovi_scope_resources{scope="aws/1/us-east-1"}`:                   7,
		`ovi_scope_kind_resources{scope="aws/1/us-east-1",kind="ec2"}`:   7,
		`ovi_scope_kind_complete{scope="aws/1/us-east-1",kind="ec2"}`:    1,
		`ovi_scope_observed_timestamp_seconds{scope="aws/1/us-east-1"}`:  1767323045,

		`ovi_store_size_bytes`: 4096,
		`ovi_interval_seconds`: 60,

		`ovi_source_unread_seconds{stack="we\"b\\\n",part="b.yaml"}`: 3600,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v (found: %v), want %v", name, v, ok, want)
		}
	}
	if failing := loops.Ready(); len(failing) != 1 || failing[0] != "db: no quorum" {
		t.Errorf("failing: %v", failing)
	}
}
