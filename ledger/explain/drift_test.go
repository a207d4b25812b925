package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// seenAs is a history in which a size was seen as this and that, a minute apart; "" is gone.
func seenAs(sizes ...string) (out []history.Moment) {
	for i, size := range sizes {
		m := history.Moment{Revision: storage.Revision(i + 1), At: start.Add(time.Duration(i+1) * time.Minute), Gone: size == ""}
		if o := res(size); size != "" {
			m.Seen = &o
		}
		out = append(out, m)
	}
	return out
}

func sized(size string) *event.Applied { return &event.Applied{Attrs: res(size).Attrs} }

func differs(observed, desired string) decider.Decision {
	return decider.Decision{Ref: web, Difference: comparator.Drifted, Changes: []resource.Change{
		{Path: "size", From: resource.String(observed), To: resource.String(desired)},
	}}
}

// ownedFrom is a plan that changes the mark of the owner; "" is none.
func ownedFrom(from, to string) decider.Decision {
	c := resource.Change{On: resource.OnMark, Path: "owner", To: resource.String(to)}
	if from != "" {
		c.From = resource.String(from)
	}
	return decider.Decision{Ref: web, Difference: comparator.Drifted, Changes: []resource.Change{c}}
}

// marked is a history in which a resource had the marks of these owners, a minute apart.
func marked(owners ...string) (out []history.Moment) {
	for i, owner := range owners {
		o := res("small")
		o.Marks.Owner = owner
		out = append(out, history.Moment{Revision: storage.Revision(i + 1), At: start.Add(time.Duration(i+1) * time.Minute), Seen: &o})
	}
	return out
}

// TestWhatAnInterruptedActionLeftIsNotMadeOutside: the first observation after an action that was interrupted or failed
// shows its own work. What another observation shows later, or what was observed before, is made outside.
func TestWhatAnInterruptedActionLeftIsNotMadeOutside(t *testing.T) {
	record := func(e event.Event) []event.Record { return []event.Record{{Event: e}} }
	moment := func(n int, e event.Event) history.Moment {
		return history.Moment{Revision: storage.Revision(n), At: start, Records: record(e)}
	}
	seen := func(n int, size string, all ...event.Event) history.Moment {
		o := res(size)
		m := history.Moment{Revision: storage.Revision(n), At: start, Seen: &o}
		for _, e := range all {
			m.Records = append(m.Records, record(e)...)
		}
		return m
	}
	started, recovered := event.Started{Action: decider.Update}, event.Recovered{Finding: event.FoundNotDone}
	ended := func(o event.Outcome) event.Finished { return event.Finished{Action: decider.Update, Outcome: o} }
	for name, x := range map[string]struct {
		life []history.Moment
		want explain.Cause
	}{
		"interrupted": {
			[]history.Moment{seen(1, "small"), moment(2, started), moment(3, ended(event.Uncertain)), seen(4, "tiny", recovered)},
			explain.ByAction,
		},
		"killed":   {[]history.Moment{seen(1, "small"), moment(2, started), seen(3, "tiny", recovered)}, explain.ByAction},
		"failed":   {[]history.Moment{seen(1, "small"), moment(2, started), moment(3, ended(event.Failed)), seen(4, "tiny")}, explain.ByAction},
		"done":     {[]history.Moment{seen(1, "small"), moment(2, started), moment(3, ended(event.Done)), seen(4, "tiny")}, explain.Outside},
		"not made": {[]history.Moment{seen(1, "small"), seen(2, "tiny"), moment(3, started), moment(4, ended(event.Failed))}, explain.Outside},
		"later": {
			[]history.Moment{seen(1, "big"), moment(2, started), moment(3, ended(event.Uncertain)), seen(4, "small", recovered), seen(5, "tiny")},
			explain.Outside,
		},
	} {
		if all := explain.Explain(differs("tiny", "small"), sized("small"), x.life); len(all) != 1 || all[0].Cause != x.want {
			t.Errorf("%s: %+v, want %s", name, all, x.want)
		}
	}
}

func TestDriftIsPartedFromConfiguration(t *testing.T) {
	plans := seenAs("small", "small")
	plans[1].Records = []event.Record{{Event: event.Planned{Decisions: []event.Decision{{Changes: differs("small", "large").Changes}}}}}
	for name, x := range map[string]struct {
		d        decider.Decision
		applied  *event.Applied
		life     []history.Moment
		cause    explain.Cause
		revision int64
		times    int
		note     string
	}{
		"world":            {differs("large", "small"), sized("small"), seenAs("small", "large", "large"), explain.Outside, 2, 1, "outside ovi, 58m ago"},
		"config":           {differs("small", "large"), sized("small"), plans, explain.ByConfig, 2, 0, "in the configuration, 58m ago"},
		"both":             {differs("large", "huge"), sized("small"), seenAs("small", "large"), explain.ByBoth, 2, 1, "outside ovi and in the configuration"},
		"nothing applied":  {differs("large", "small"), nil, seenAs("large"), explain.ByUnknown, 1, 1, "no recorded configuration"},
		"flapping":         {differs("large", "small"), sized("small"), seenAs("small", "large", "small", "huge", "small", "large"), explain.Outside, 6, 3, "for the 3rd time"},
		"gone":             {decider.Decision{Ref: web, Difference: comparator.Missing}, sized("small"), seenAs("small", ""), explain.Outside, 2, 1, "outside ovi, 58m ago"},
		"newly configured": {decider.Decision{Ref: web, Difference: comparator.Drifted, Changes: []resource.Change{{Path: "tags.team", To: resource.String("x")}}}, sized("small"), nil, explain.ByConfig, 0, 0, "in the configuration"},
		"marks removed":    {ownedFrom("", "ann"), sized("small"), marked("ann", ""), explain.Outside, 2, 1, "outside ovi, 58m ago"},
		"another owner":    {ownedFrom("bob", "ann"), nil, marked("ann", "bob"), explain.Outside, 2, 1, "outside ovi, 58m ago"},
		"owner configured": {ownedFrom("ann", "bob"), sized("small"), marked("ann"), explain.ByConfig, 0, 0, "in the configuration"},
		"not yet recorded": {differs("large", "small"), sized("small"), seenAs("small"), explain.Outside, 0, 0, "outside ovi"},
	} {
		t.Run(name, func(t *testing.T) {
			got := explain.Explain(x.d, x.applied, x.life)
			if len(got) != 1 || got[0].Cause != x.cause || got[0].Revision != x.revision || got[0].Times != x.times {
				t.Fatalf("got %+v, want %s since %d, %d times", got, x.cause, x.revision, x.times)
			}
			if note := got[0].Note(start.Add(time.Hour)); !strings.HasPrefix(note, x.note) && !strings.HasSuffix(note, x.note) {
				t.Errorf("note %q, want %q", note, x.note)
			}
		})
	}
}

func TestAnotherDriftHasAnotherName(t *testing.T) {
	names := map[string]string{}
	other := differs("large", "small")
	other.Ref.Name = "other"
	for name, d := range map[string]decider.Decision{
		"one": differs("large", "small"), "other value": differs("huge", "small"), "other configuration": differs("large", "tiny"),
		"other thing": other, "gone": {Ref: web, Difference: comparator.Missing},
	} {
		digest := explain.DriftDigest(d)
		if was, twice := names[digest]; twice {
			t.Errorf("%s and %s have one name", was, name)
		}
		names[digest] = name
	}
	again := differs("large", "small")
	again.Message, again.Blockers = "told otherwise", []decider.Blocker{{Policy: "x"}}
	if names[explain.DriftDigest(again)] != "one" {
		t.Error("the same drift has two names")
	}
}

// TestOnlyTheConfigurableIsChangedOutside: health and computed attributes change by themselves.
func TestOnlyTheConfigurableIsChangedOutside(t *testing.T) {
	kind := resource.Kind{Attrs: []resource.Attribute{{Name: "size"}, {Name: "volumes", Computed: true}}}
	for path, want := range map[string]bool{"size": true, "tags.team": true, "id": true, "health": false, "volumes": false, "volumes.0": false} {
		if got := explain.MadeOutside([]resource.Change{{Path: path}}, kind); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// TestAMarkThatChangedIsADifference, as history and why show it.
func TestAMarkThatChangedIsADifference(t *testing.T) {
	life := marked("ann", "bob")
	got := explain.Differ(*life[0].Seen, *life[1].Seen)
	if len(got) != 1 || got[0].Name() != "ovi:owner" || got[0].To != resource.Value(resource.String("bob")) {
		t.Errorf("got %+v", got)
	}
	if !explain.MadeOutside(got, resource.Kind{}) {
		t.Error("it was not made outside ovi")
	}
}

// TestWhatCouldNotBeReadDidNotChange: of a resource that could not be read nothing is different but that.
func TestWhatCouldNotBeReadDidNotChange(t *testing.T) {
	read, unread := res("small"), res("")
	unread.SetUnreadable("denied")
	unread.Attrs = nil
	got := explain.Differ(read, unread)
	if len(got) != 1 || got[0].Path != "content" || explain.MadeOutside(got, resource.Kind{}) {
		t.Errorf("got %+v", got)
	}
	life := append(seenAs("small"), history.Moment{Revision: 2, At: start, Seen: &unread})
	if x := explain.Explain(differs("large", "small"), sized("small"), append(life, seenAs("", "", "large")[2])); x[0].Times != 1 || x[0].Revision != 3 {
		t.Errorf("the drift is %+v", x)
	}
}

// TestNoDurationOrAgeIsNegative: a clock may have been set back since, or while an action ran.
func TestNoDurationOrAgeIsNegative(t *testing.T) {
	late := explain.Drift{Cause: explain.Outside, Since: start.Add(time.Hour)}
	if got := late.Note(start); got != "outside ovi, 0s ago" {
		t.Errorf("the note is %q", got)
	}
	end := ended("p1", decider.Create, event.Done, "")
	end.Seconds = -90
	c := new(told).add("run1", read(), plan("p1", event.ForApply, missing), yes("p1"), started("p1", decider.Create, decider.ReasonMissing, missing.Message), end)
	o := res("small")
	explainer := explain.Explainer{Now: start.Add(-time.Hour), Value: func(resource.Value) string { return "x" }, Ref: resource.Ref.String}
	got := text(explainer.Explain(c.last(&o, nil)))
	if strings.Contains(got, "-90") || strings.Contains(got, " ago") || !strings.Contains(got, "done after 0.0s") {
		t.Errorf("the explanation is\n%s", got)
	}
}
