package aws_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// prover reconciles one resource by what a record proves, while others change the account.
type prover struct {
	t       *rapid.T
	outer   *testing.T
	cloud   *sandbox.Cloud
	p       *aws.Provider
	desired resource.Desired
	record  []resource.Binding
	foreign map[string]bool // ids of copies: whether the one that has it now is a copy
	n       int
}

// TestOnlyWhatTheRecordProvesIsActedOn draws lives in which tags are forged, copied and removed,
// resources deleted and the record lost: nothing is proven that this record did not create, and
// nothing is created while a resource that may be ours exists.
func TestOnlyWhatTheRecordProvesIsActedOn(t *testing.T) {
	for kind, wanted := range chaotic(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			drawn.Check(t, func(rt *rapid.T) {
				cloud, err := sandbox.Open("", sandbox.WithSettle(0))
				if err != nil {
					rt.Fatal(err)
				}
				defer cloud.Close()
				quick := api.Delays{First: time.Millisecond, Most: 2 * time.Millisecond, Appear: 5 * time.Second, Free: 5 * time.Second, Compute: time.Minute, Database: time.Minute}
				p := aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: cloud}, Delays: quick})
				x := &prover{t: rt, outer: t, cloud: cloud, p: p, desired: wanted("a"), foreign: map[string]bool{}}
				for range rapid.IntRange(1, 6).Draw(rt, "steps") {
					x.disturb()
					x.reconcile()
				}
			})
		})
	}
}

func (x *prover) bound() []resource.Observed {
	s, err := x.p.Observe(x.outer.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: location}})
	if err != nil {
		x.t.Fatal(err)
	}
	ended := comparator.Bind(s, comparator.Evidence{Bindings: x.record, Owner: "ovi", Kinds: func(_, kind string) (resource.Kind, bool) {
		return kindOf(x.outer, kind), true
	}})
	for _, e := range ended {
		for i := range x.record {
			if x.record[i].ID == e.ID && x.record[i].Key == e.Key {
				x.record[i].Ended = true
			}
		}
	}
	x.filtered(s)
	var out []resource.Observed
	for _, o := range s.Resources {
		if o.Ref.Kind == x.desired.Ref.Kind && o.Message != "default" {
			out = append(out, o)
		}
	}
	return out
}

// filtered compares a snapshot with one through the filter of a plan: it has all that may matter.
func (x *prover) filtered(whole resource.Snapshot) {
	f := &provider.Filter{IDs: map[string][]string{}}
	for _, b := range x.record {
		f.IDs[b.Ref.Kind] = append(f.IDs[b.Ref.Kind], b.ID)
	}
	s, err := x.p.Observe(x.outer.Context(), provider.ObserveRequest{Scope: whole.Scope, Kinds: []string{"ebs", "ec2"}, Filter: f})
	if err != nil {
		x.t.Fatal(err)
	}
	comparator.Bind(s, comparator.Evidence{Bindings: x.record, Owner: "ovi", Kinds: func(_, kind string) (resource.Kind, bool) {
		return kindOf(x.outer, kind), true
	}})
	matters := func(all []resource.Observed) []resource.Observed {
		return slices.DeleteFunc(slices.Clone(all), func(o resource.Observed) bool {
			return o.Ownership == resource.Unmanaged && o.Marks.IsZero() || !slices.Contains(s.Filtered, o.Ref.Kind)
		})
	}
	if d := cmp.Diff(matters(whole.Resources), matters(s.Resources), cmpopts.EquateEmpty()); d != "" {
		x.t.Fatalf("a filter changes what is observed (-without +with):\n%s", d)
	}
}

// disturb is what others do.
func (x *prover) disturb() {
	kind, all := x.desired.Ref.Kind, x.bound()
	act := rapid.SampledFrom([]string{"nothing", "copy", "forge", "strip", "owner", "delete", "restore", "lose the record"}).Draw(x.t, "act")
	if act == "lose the record" {
		x.record = nil
	}
	if len(all) == 0 || act == "nothing" || act == "lose the record" {
		return
	}
	o := rapid.SampledFrom(all).Draw(x.t, "of")
	x.n++
	do := func(b sandbox.Breakage) {
		b.Kind, b.Resource = kind, o.ID
		said, err := x.cloud.Break(b) // a refusal changes nothing
		if err == nil && b.Do == "copy" {
			x.foreign[said[strings.LastIndexByte(said, ' ')+1:]] = true
		}
	}
	switch act {
	case "copy":
		do(sandbox.Breakage{Do: "copy", Value: rapid.SampledFrom([]string{fmt.Sprintf("copy-%d", x.n), x.desired.Ref.Name}).Draw(x.t, "name")})
	case "strip":
		do(sandbox.Breakage{Do: "untag", Key: rapid.SampledFrom([]string{"ovi:managed", "ovi:ref", "ovi:key", "ovi:stack"}).Draw(x.t, "tag")})
	case "owner":
		do(sandbox.Breakage{Do: "tag", Key: "ovi:owner", Value: "other"})
	case "delete":
		do(sandbox.Breakage{Do: "delete"})
	case "restore": // under the same name, where the kind has one
		x.restore(o, do)
	case "forge":
		for k, v := range forged(kind, x.desired.Ref.Name) {
			do(sandbox.Breakage{Do: "tag", Key: k, Value: v})
		}
	}
}

// restore deletes a resource and creates another of its name: a database from a snapshot, with all
// its tags; a bucket with all of its tags but the key.
func (x *prover) restore(o resource.Observed, do func(sandbox.Breakage)) {
	name := fmt.Sprintf("copy-%d", x.n)
	if o.Ref.Kind == "rds" {
		do(sandbox.Breakage{Do: "copy", Value: name})
	}
	do(sandbox.Breakage{Do: "delete"})
	switch o.Ref.Kind {
	case "rds":
		if _, err := x.cloud.Break(sandbox.Breakage{Do: "copy", Kind: "rds", Resource: name, Value: o.ID}); err == nil {
			x.foreign[o.ID] = true
		}
	case "s3":
		if _, err := x.cloud.Break(sandbox.Breakage{Do: "create", Kind: "s3", Value: o.ID}); err == nil {
			x.foreign[o.ID] = true
			for k, v := range forged("s3", x.desired.Ref.Name) {
				do(sandbox.Breakage{Do: "tag", Key: k, Value: v})
			}
		}
	}
}

// reconcile does what the engine does: it creates what is missing if nothing is in the way,
// restores the marks of what is proven, and sometimes deletes that.
func (x *prover) reconcile() {
	var ours *resource.Observed
	blocked := false
	for _, o := range x.bound() {
		switch {
		case o.Ownership == resource.Proven:
			if x.foreign[o.ID] || x.keyOf(o.ID) == "" {
				x.t.Fatalf("%s is proven, and this record did not create it", o.ID)
			}
			if ours != nil {
				x.t.Fatalf("%s and %s are both proven", ours.ID, o.ID)
			}
			ours = &o
		case o.Ref == x.desired.Ref:
			blocked = true
		}
	}
	r := provider.Request{Key: fmt.Sprintf("k-%d", x.n), Owner: "ovi", Desired: x.desired}
	switch {
	case ours == nil && !blocked:
		x.create(r)
	case ours == nil:
	case rapid.Bool().Draw(x.t, "delete"):
		r.Have = *ours
		if err := x.p.Delete(x.outer.Context(), r); err != nil {
			x.t.Fatal(err)
		}
		for i := range x.record {
			x.record[i].Ended = x.record[i].Ended || x.record[i].ID == ours.ID
		}
	default:
		r.Have, r.MarkKey = *ours, x.keyOf(ours.ID)
		o, err := x.p.Mark(x.outer.Context(), r)
		if err != nil || o.Marks.Owner != "ovi" || o.Marks.Ref != x.desired.Ref || o.Marks.Key != r.MarkKey {
			x.t.Fatalf("the marks are not restored: %+v, %v", o.Marks, err)
		}
	}
}

func (x *prover) keyOf(id string) string {
	for _, b := range x.record {
		if b.ID == id && b.Live() {
			return b.Key
		}
	}
	return ""
}

func (x *prover) create(r provider.Request) {
	x.n++
	r.Key = fmt.Sprintf("k-%d", x.n)
	o, err := x.p.Create(x.outer.Context(), r)
	if isCause(err, provider.InUse) {
		return // its name is taken by a resource that is not ours
	}
	if err != nil {
		x.t.Fatal(err)
	}
	x.foreign[o.ID] = false
	x.record = append(x.record, resource.Binding{Ref: x.desired.Ref, ID: o.ID, UID: o.UID, Key: r.Key, Seq: uint64(x.n)})
}
