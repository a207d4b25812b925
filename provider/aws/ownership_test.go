package aws_test

import (
	"fmt"
	"maps"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// bound is what the comparator concludes from an observation and a record.
func (w *liveState) bound(record ...resource.Binding) []resource.Observed {
	w.t.Helper()
	s := w.observed()
	comparator.Bind(s, comparator.Evidence{Bindings: record, Owner: "ovi", Kinds: func(_, kind string) (resource.Kind, bool) {
		return kindOf(w.t, kind), true
	}})
	return s.Resources
}

// ownership is whose the resource of a kind with an id is.
func (w *liveState) ownership(kind, id string, record ...resource.Binding) resource.Ownership {
	w.t.Helper()
	for _, o := range w.bound(record...) {
		if o.Ref.Kind == kind && o.ID == id {
			return o.Ownership
		}
	}
	w.t.Fatalf("%s %s is not observed", kind, id)
	return ""
}

// binding is what the record holds of a resource that ovi created.
func binding(d resource.Desired, o resource.Observed, key string) resource.Binding {
	return resource.Binding{Ref: d.Ref, ID: o.ID, UID: o.UID, Key: key, Seq: 1}
}

// broken is a change made outside ovi.
func (w *liveState) broken(b sandbox.Breakage) string {
	w.t.Helper()
	said, err := w.cloud.Break(b)
	if err != nil {
		w.t.Fatal(err)
	}
	return said
}

// forged are all tags of ovi, as anyone who may tag can write them.
func forged(kind, name string) map[string]string {
	return map[string]string{
		"ovi:managed": "true", "ovi:owner": "ovi", "ovi:stack": "shop", "ovi:ref": "aws/us-east-1/" + kind + "/" + name, "ovi:key": "forged",
	}
}

func (w *liveState) tagByHand(kind, id string, tags map[string]string) {
	w.t.Helper()
	for k, v := range tags {
		w.broken(sandbox.Breakage{Do: "tag", Kind: kind, Resource: id, Key: k, Value: v})
	}
}

// newest is the last created resource of a kind.
func (w *liveState) newest(kind string) sandbox.Resource {
	w.t.Helper()
	all, err := w.cloud.Resources()
	if err != nil {
		w.t.Fatal(err)
	}
	var out sandbox.Resource
	for _, x := range all {
		if x.Kind == kind && !x.Default {
			out = x
		}
	}
	return out
}

// byHandOf creates a resource of a kind outside ovi.
func (w *liveState) byHandOf(kind string) sandbox.Resource {
	w.t.Helper()
	if kind == "subnet" {
		w.broken(sandbox.Breakage{Do: "create", Kind: "vpc"})
		w.subnetByHand(w.newest("vpc").ID)
	} else {
		w.broken(sandbox.Breakage{Do: "create", Kind: kind, Value: "by-hand"})
	}
	return w.newest(kind)
}

func TestForgedTagsProveNothing(t *testing.T) {
	for _, kind := range aws7() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			x := w.byHandOf(kind)
			w.tagByHand(kind, x.ID, forged(kind, "web"))
			if got := w.ownership(kind, x.ID); got != resource.Unproven {
				t.Errorf("with an empty record it is %s", got)
			}
			other := resource.Binding{Ref: ref(kind, "web"), ID: "another", Key: "k", Seq: 1}
			if got := w.ownership(kind, x.ID, other); got != resource.Copied {
				t.Errorf("with another resource on record under that name it is %s", got)
			}
			for _, o := range w.bound() {
				if o.Attested {
					t.Errorf("%s is attested", o.ID)
				}
			}
		})
	}
}

func TestCopiedTagsProveNothing(t *testing.T) {
	for kind, c := range creations() {
		if kind == "subnet" {
			continue // two subnets of one block cannot exist
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			r := w.request(c.desired(t, w))
			o, err := w.p.Create(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			proof := binding(r.Desired, o, r.Key)
			w.broken(sandbox.Breakage{Do: "copy", Kind: kind, Resource: o.ID, Value: "acme-copy"})
			found := map[resource.Ownership]string{}
			for _, x := range w.bound(proof) {
				if x.Ref.Kind == kind && x.Message != "default" {
					found[x.Ownership] = x.ID
				}
			}
			if len(found) != 2 || found[resource.Proven] != o.ID || found[resource.Copied] == "" {
				t.Errorf("want %s proven and its copy copied, got %v", o.ID, found)
			}
		})
	}
}

func TestRemovedTagsLoseNothingAndAreRestored(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			r := w.request(c.desired(t, w))
			o, err := w.p.Create(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			proof := binding(r.Desired, o, r.Key)
			for k := range forged(kind, "x") {
				w.broken(sandbox.Breakage{Do: "untag", Kind: kind, Resource: o.ID, Key: k})
			}
			want := resource.Proven
			if kind == "s3" {
				want = resource.Disputed // only its key tells a bucket from a later one of its name
			}
			if got := w.ownership(kind, o.ID, proof); got != want {
				t.Errorf("without tags it is %s, want %s", got, want)
			}
			r.Have, r.MarkKey = o, r.Key
			marked, err := w.p.Mark(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.ownership(kind, o.ID, proof); got != resource.Proven || marked.Marks.Key != r.Key {
				t.Errorf("with its tags back it is %s, key %q", got, marked.Marks.Key)
			}
		})
	}
}

func TestAnotherOwnersTagIsReplacedByMarkAlone(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			r := w.request(c.desired(t, w))
			o, err := w.p.Create(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			w.tagByHand(kind, o.ID, map[string]string{"ovi:owner": "somebody", "audited": "yes"}) // style:ok
			before := w.newest(kind).Tags
			r.Have, r.MarkKey = o, r.Key
			if _, err := w.p.Mark(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			after := w.newest(kind).Tags
			if before["ovi:owner"] = "ovi"; !maps.Equal(before, after) {
				t.Errorf("want only the owner restored: %v, got %v", before, after)
			}
		})
	}
}

func TestABlessingIsAMark(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			d := c.desired(t, w)
			r := w.request(d)
			o, err := w.p.Create(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			r.MarkKey = r.Key
			for _, on := range []bool{true, true, false, false} {
				r.Have, r.Desired.Blessed = o, on
				if o, err = w.p.Mark(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				if seen := w.settled(d, nil); o.Marks.Blessed != on || seen.Marks.Blessed != on {
					t.Errorf("want blessed %v, got %v and %v", on, o.Marks.Blessed, seen.Marks.Blessed)
				}
			}
		})
	}
}

func TestABucketCreatedAgainUnderItsNameIsAnother(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	r := w.request(desired(t, "s3", "acme-assets", values{}))
	o, err := w.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	proof := binding(r.Desired, o, r.Key)
	w.broken(sandbox.Breakage{Do: "delete", Kind: "s3", Resource: "acme-assets"})
	w.makeBucketByHand("acme-assets")
	tags := forged("s3", "acme-assets")
	w.tagByHand("s3", "acme-assets", tags)
	if got := w.ownership("s3", "acme-assets", proof); got != resource.Disputed {
		t.Errorf("it is %s", got)
	}
	err = w.p.Delete(t.Context(), provider.Request{Key: "k", Owner: "ovi", Have: o})
	if !isCause(err, provider.InUse) {
		t.Errorf("deleting it by the old observation: %v", err)
	}
	must[*s3.HeadBucketOutput](t)(w.s3().HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: sdk.String("acme-assets")}))
}

func TestADatabaseRestoredUnderItsNameIsAnother(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	r := w.request(desired(t, "rds", "db", values{"size": text("db.t3.micro")}))
	o, err := w.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	proof := binding(r.Desired, o, r.Key)
	w.broken(sandbox.Breakage{Do: "copy", Kind: "rds", Resource: "db", Value: "db-2"})
	w.idleDB("db")
	w.broken(sandbox.Breakage{Do: "delete", Kind: "rds", Resource: "db"})
	w.broken(sandbox.Breakage{Do: "tag", Kind: "rds", Resource: "db-2", Key: "ovi:final-snapshot", Value: "false"})
	if got := w.ownership("rds", "db-2", proof); got != resource.Copied {
		t.Errorf("the restored one is %s", got)
	}
	w.waitGone("db")
	w.broken(sandbox.Breakage{Do: "copy", Kind: "rds", Resource: "db-2", Value: "db"})
	if got := w.ownership("rds", "db", proof); got == resource.Proven {
		t.Error("a database restored under the old name is taken for the old one")
	}
	err = w.p.Delete(t.Context(), provider.Request{Key: "k", Owner: "ovi", Have: o})
	if !isCause(err, provider.InUse) {
		t.Errorf("deleting it by the old observation: %v", err)
	}
	now, _ := w.find(ref("rds", "db"))
	w.idleDB("db")
	if err := w.p.Delete(t.Context(), provider.Request{Key: "k", Owner: "ovi", Have: now}); err != nil {
		t.Fatal(err)
	}
	out := must[*rds.DescribeDBSnapshotsOutput](t)(w.rds().DescribeDBSnapshots(t.Context(), &rds.DescribeDBSnapshotsInput{SnapshotType: sdk.String("manual")}))
	if len(out.DBSnapshots) != 1 {
		t.Errorf("%d final snapshots: the tag ovi:final-snapshot decides nothing", len(out.DBSnapshots))
	}
}

func (w *liveState) waitGone(id string) {
	w.t.Helper()
	for range 2000 {
		if w.newestNamed("rds", id) == "" {
			return
		}
		sleepBriefly()
	}
	w.t.Fatalf("%s is never gone", id)
}

func (w *liveState) newestNamed(kind, id string) string {
	w.t.Helper()
	all, err := w.cloud.Resources()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, x := range all {
		if x.Kind == kind && x.ID == id {
			return fmt.Sprint(x.ID, x.State)
		}
	}
	return ""
}

func TestAnInstanceIsAttestedByItsToken(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	r := w.request(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	o, err := w.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.ownership("ec2", o.ID); !o.Attested || got != resource.Attested {
		t.Errorf("with a lost record it is %s", got)
	}
	w.broken(sandbox.Breakage{Do: "copy", Kind: "ec2", Resource: o.ID})
	if got := w.ownership("ec2", w.newest("ec2").ID); got != resource.Unproven {
		t.Errorf("its copy is %s", got)
	}
}

func TestTagsThatNameNothingHereAreNoMarks(t *testing.T) {
	for name, r := range map[string]string{
		"no ref": "", "not a ref": "web", "another region": "aws/eu-west-1/ec2/web", "another kind": "aws/us-east-1/rds/web", "another provider": "podman/us-east-1/ec2/web",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			id := w.run(1, tag("ovi:managed", "true"), tag("ovi:ref", r), tag("ovi:stack", "shop"))[0]
			o, ok := w.find(ref("ec2", id))
			if !ok || !o.Marks.IsZero() || o.Message == "" {
				t.Errorf("%v %+v", ok, o)
			}
			if got := w.ownership("ec2", id); got != resource.Unmanaged {
				t.Errorf("it is %s", got)
			}
		})
	}
}
