package aws_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

const location = sandbox.Account + "/us-east-1"

// liveState is a provider on a sandbox of its own, and what a source does for it.
type liveState struct {
	t     *testing.T
	cloud *sandbox.Cloud
	p     *aws.Provider
	keys  atomic.Int64
}

// patience of tests: transitional states of the sandbox last 20 ms.
var patience = api.Delays{
	First: 2 * time.Millisecond, Most: 20 * time.Millisecond, Gather: 10 * time.Millisecond, Appear: 5 * time.Second, Free: 5 * time.Second,
	Held:    time.Second,
	Compute: time.Minute, Database: time.Minute,
}

func newLiveState(t *testing.T, opts ...sandbox.Option) *liveState {
	t.Helper()
	cloud, err := sandbox.Open("", append([]sandbox.Option{sandbox.WithSettle(20 * time.Millisecond)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range cloud.Requests() {
			replay := slices.Contains(r.Ignored, "TagSpecification.1.ResourceType") // by its token, without reading the rest
			if len(r.Ignored) > 0 && !replay {
				t.Errorf("the sandbox ignored %v in %s.%s", r.Ignored, r.Service, r.Action)
			}
		}
		noteOperations(t, cloud.Requests())
		cloud.Close()
	})
	return &liveState{t: t, cloud: cloud, p: provideOn(cloud, 4)}
}

func provideOn(cloud *sandbox.Cloud, attempts int) *aws.Provider {
	return aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: cloud}, Delays: patience, Attempts: attempts})
}

func (w *liveState) key() string { return fmt.Sprintf("key-%04d", w.keys.Add(1)) }

func ref(kind, name string) resource.Ref {
	return resource.Ref{Stack: "shop", Provider: "aws", Location: location, Kind: kind, Name: name}
}

func kindOf(t *testing.T, name string) resource.Kind {
	t.Helper()
	for _, k := range aws.Kinds() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kind %s", name)
	return resource.Kind{}
}

// desired is checked and brought to its canonical form, as a source does.
func desired(t *testing.T, kind, name string, a map[string]resource.Value, tags ...string) resource.Desired {
	t.Helper()
	state := kindOf(t, kind).State
	if s, ok := a["state"].(resource.String); ok {
		state = resource.State(s)
		delete(a, "state")
	}
	attrs, problems := resource.Check(kindOf(t, kind), resource.AttrsOf(a))
	if len(problems) > 0 {
		t.Fatalf("%s %s: %+v", kind, name, problems)
	}
	m := map[string]string{}
	for i := 0; i+1 < len(tags); i += 2 {
		m[tags[i]] = tags[i+1]
	}
	return resource.Desired{Ref: ref(kind, name), Attrs: attrs, Tags: resource.TagsOf(m), State: state}
}

func (w *liveState) request(d resource.Desired) provider.Request {
	return provider.Request{Key: w.key(), Token: 1, Owner: "ovi", Desired: d}
}

func (w *liveState) make(d resource.Desired) resource.Observed {
	w.t.Helper()
	o, err := w.p.Create(w.t.Context(), w.request(d))
	if err != nil {
		w.t.Fatalf("create %s: %v", d.Ref, err)
	}
	return o
}

// changes compares a configuration with live state, as the comparator does.
func changes(t *testing.T, d resource.Desired, o resource.Observed, applied resource.Attrs) []resource.Change {
	t.Helper()
	out := resource.Diff(d.Attrs, o.Attrs, kindOf(t, d.Ref.Kind), resource.DiffOptions{Applied: applied})
	if c, differs := resource.DiffState(d.State, &o, false); differs {
		out = append(out, c)
	}
	return append(out, resource.DiffTags(d.Tags, o.Tags, nil, nil)...)
}

// update reconciles live state with a configuration, and fails if there is nothing to do.
func (w *liveState) update(d resource.Desired, have resource.Observed, applied resource.Attrs) (resource.Observed, error) {
	w.t.Helper()
	r := w.request(d)
	r.Have, r.Changes = have, changes(w.t, d, have, applied)
	if len(r.Changes) == 0 {
		w.t.Fatalf("%s: there is nothing to change", d.Ref)
	}
	return w.p.Update(w.t.Context(), r)
}

func (w *liveState) mustUpdate(d resource.Desired, have resource.Observed, applied resource.Attrs) resource.Observed {
	w.t.Helper()
	o, err := w.update(d, have, applied)
	if err != nil {
		w.t.Fatalf("update %s: %v", d.Ref, err)
	}
	return o
}

func (w *liveState) remove(o resource.Observed) error {
	return w.p.Delete(w.t.Context(), provider.Request{Key: w.key(), Owner: "ovi", Have: o})
}

func (w *liveState) observed() resource.Snapshot {
	w.t.Helper()
	s, err := w.p.Observe(context.WithoutCancel(w.t.Context()), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *liveState) find(r resource.Ref) (resource.Observed, bool) {
	w.t.Helper()
	s := w.observed()
	i := slices.IndexFunc(s.Resources, func(o resource.Observed) bool { return names(o, r) })
	if i < 0 {
		return resource.Observed{}, false
	}
	return s.Resources[i], true
}

// names reports that a resource carries the marks of a ref, or none and has it as natural name.
func names(o resource.Observed, r resource.Ref) bool {
	return o.Marks.Ref == r || o.Marks.IsZero() && o.Ref == r.Bare()
}

// It fails unless the resource exists, with our marks, as configured.
func (w *liveState) settled(d resource.Desired, applied resource.Attrs) resource.Observed {
	w.t.Helper()
	o, ok := w.find(d.Ref)
	if !ok {
		w.t.Fatalf("%s does not exist", d.Ref)
	}
	if o.Marks.IsZero() || o.Marks.Ref.Stack != "shop" || o.Marks.Owner != "ovi" {
		w.t.Errorf("%s does not have our tags: %+v", d.Ref, o)
	}
	if c := changes(w.t, d, o, applied); len(c) > 0 {
		w.t.Errorf("%s is not as configured: %+v", d.Ref, c)
	}
	return o
}

func (w *liveState) count(call string) int { return w.cloud.Counts()[call] }

func text(s string) resource.Value { return resource.String(s) }

// script is user data as a source gives it: a secret, which the record knows by its digest.
func script(s string) resource.Value { return resource.NewSecret(s, resource.Digest("digest of "+s)) }

type values = map[string]resource.Value

func sleepBriefly() { time.Sleep(5 * time.Millisecond) }

func (w *liveState) subnetByHand(vpc string) {
	w.t.Helper()
	must[*ec2.CreateSubnetOutput](w.t)(w.ec2().CreateSubnet(w.t.Context(), &ec2.CreateSubnetInput{VpcId: &vpc, CidrBlock: sdk.String("10.99.1.0/24")}))
}
