package aws_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
)

// step is one line of the scenario. Other actions than create, update, delete and repeat are
// done outside ovi; drift names what must then differ.
type step struct {
	Step, Do, Resource string
	Attrs              resource.Attrs
	Tags               resource.Tags
	Expect             string
	Drift              []string
}

// exception is a step in which an emulator is known not to behave as AWS does.
type exception struct {
	Step string
	Skip bool
	Why  string
}

// actor plays the scenario on one cloud.
type actor struct {
	t        *testing.T
	p        *aws.Provider
	hand     sdk.Config
	location string
	made     map[string]provider.Request // what was configured last, and the key of its creation
}

func readJSON[T any](t *testing.T, name string) (out T) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestScenarioOnTheSandbox(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	a := &actor{t: t, p: w.p, hand: hand(w.cloud), location: location, made: map[string]provider.Request{}}
	a.play(nil)
}

func (a *actor) play(exceptions []exception) {
	steps := readJSON[[]step](a.t, "testdata/scenario.json")
	for _, e := range exceptions {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.Step == e.Step }) {
			a.t.Errorf("an exception for the unknown step %q", e.Step)
		}
	}
	for n, s := range steps {
		if n%20 == 0 {
			a.observe() // all kinds at once
		}
		if i := slices.IndexFunc(exceptions, func(e exception) bool { return e.Step == s.Step }); i >= 0 && exceptions[i].Skip {
			a.t.Logf("excluded: %s: %s", s.Step, exceptions[i].Why)
			continue
		}
		if !a.t.Run(strings.ReplaceAll(s.Step, " ", "_"), func(t *testing.T) { a.with(t).take(s) }) {
			a.t.Fatal("the steps after this one depend on it")
		}
	}
}

func (a *actor) with(t *testing.T) *actor { b := *a; b.t = t; return &b }

func (a *actor) ref(res string) resource.Ref {
	kind, name, _ := strings.Cut(res, "/")
	return resource.Ref{Stack: "scenario", Provider: "aws", Location: a.location, Kind: kind, Name: name}
}

// observe reads the resources of some kinds, or all.
func (a *actor) observe(kinds ...string) map[resource.Ref]resource.Observed {
	a.t.Helper()
	s, err := a.p.Observe(a.t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: a.location}, Kinds: kinds})
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[resource.Ref]resource.Observed{}
	for _, o := range s.Resources {
		switch {
		case !o.Marks.IsZero():
			out[o.Marks.Ref] = o
		case o.Ref.Kind == "dns_record": // which has no marks, and is called in the scenario as the system calls it
			out[o.Ref.In("scenario")] = o
		default:
			out[o.Ref] = o
		}
	}
	if len(out) != len(s.Resources) {
		a.t.Error("two resources have one ref")
	}
	return out
}

// one reads one resource; it is zero if there is none.
func (a *actor) one(r resource.Ref) (resource.Observed, bool) {
	a.t.Helper()
	o, exists := a.observe(r.Kind)[r]
	return o, exists
}

func (a *actor) take(s step) {
	a.t.Helper()
	last, ref := a.made[s.Resource], a.ref(s.Resource)
	switch s.Do {
	case "create":
		r := provider.Request{Key: a.key(s), Owner: "ovi", Desired: a.desired(s)}
		_, err := a.p.Create(a.t.Context(), r)
		if a.expect(s, err) {
			a.made[s.Resource] = r
			a.settled(r.Desired, s.Resource)
		}
	case "repeat":
		had, _ := a.one(ref)
		o, err := a.p.Create(a.t.Context(), last)
		if a.expect(s, err) && o.ID != had.ID {
			a.t.Errorf("created %s beside %s", o.ID, had.ID)
		}
	case "update":
		a.update(s, last)
	case "delete":
		o, exists := a.one(ref)
		if !exists {
			o.Ref, o.ID = ref, "i-0123456789abcdef0"
		}
		err := a.p.Delete(a.t.Context(), provider.Request{Key: a.key(s), Have: o})
		if _, there := a.one(ref); a.expect(s, err) && there {
			a.t.Error("it still exists")
		}
	default:
		a.byHand(s)
	}
}

func (a *actor) key(s step) string {
	return "k-" + strings.ReplaceAll(s.Step, " ", "-")
}

func (a *actor) update(s step, last provider.Request) {
	a.t.Helper()
	o, _ := a.one(a.ref(s.Resource))
	r := last
	if s.Attrs != nil {
		r.Desired = a.desired(s)
	}
	r.Have, r.Changes = o, changes(a.t, r.Desired, o, nil)
	if len(r.Changes) == 0 {
		a.t.Fatal("there is nothing to change")
	}
	_, err := a.p.Update(a.t.Context(), r)
	if a.expect(s, err) {
		a.made[s.Resource] = provider.Request{Key: last.Key, Owner: last.Owner, Desired: r.Desired}
		a.settled(r.Desired, s.Resource)
	}
}

// expect reports whether the step succeeded, and fails if it did not go as expected.
func (a *actor) expect(s step, err error) bool {
	a.t.Helper()
	switch {
	case s.Expect == "" && err != nil:
		a.t.Fatal(err)
	case s.Expect == "replace" && !isReplace(err), s.Expect != "" && s.Expect != "replace" && !isCause(err, provider.Cause(s.Expect)):
		a.t.Fatalf("%v is not %s", err, s.Expect)
	}
	return err == nil
}

// Live state is as configured, and a second plan would be empty.
func (a *actor) settled(d resource.Desired, res string) {
	a.t.Helper()
	o, ok := a.one(d.Ref)
	if !ok || d.Ref.Kind != "dns_record" && (o.Marks.IsZero() || o.Marks.Ref.Stack != "scenario" || o.Marks.Key != a.made[res].Key) {
		a.t.Fatalf("%v %+v", ok, o)
	}
	if c := changes(a.t, d, o, nil); len(c) > 0 {
		a.t.Errorf("not as configured: %+v", c)
	}
}

// desired resolves "@kind/name" to ids, as the engine does.
func (a *actor) desired(s step) resource.Desired {
	a.t.Helper()
	var resolve func(v resource.Value) resource.Value
	resolve = func(v resource.Value) resource.Value {
		switch v := v.(type) {
		case resource.String:
			if res, ok := strings.CutPrefix(string(v), "@"); ok {
				o, _ := a.one(a.ref(res))
				return resource.String(o.ID)
			}
		case resource.List:
			out := resource.List{}
			for _, item := range v {
				out = append(out, resolve(item))
			}
			return out
		case resource.Attrs:
			out := resource.Attrs{}
			for _, x := range v {
				out = append(out, resource.Attr{Name: x.Name, Value: resolve(x.Value)})
			}
			return out
		}
		return v
	}
	attrs, _ := resolve(s.Attrs).(resource.Attrs)
	r := a.ref(s.Resource)
	checked, problems := resource.Check(kindOf(a.t, r.Kind), attrs)
	if len(problems) > 0 {
		a.t.Fatalf("%+v", problems)
	}
	return resource.Desired{Ref: r, Attrs: checked, Tags: s.Tags, State: kindOf(a.t, r.Kind).State}
}

// byHand changes something outside ovi, and checks what then differs.
func (a *actor) byHand(s step) {
	a.t.Helper()
	r := a.ref(s.Resource)
	o, _ := a.one(r)
	changeOutsideOvi(a.t, a.hand, s.Do, o)
	if len(s.Drift) == 0 {
		return
	}
	var got []string
	if o, ok := a.one(r); !ok {
		got = []string{"gone"}
	} else {
		for _, c := range changes(a.t, a.made[s.Resource].Desired, o, nil) {
			got = append(got, c.Path)
		}
	}
	if diff := cmp.Diff(s.Drift, got); diff != "" {
		a.t.Errorf("the drift (-want +got):\n%s", diff)
	}
}
