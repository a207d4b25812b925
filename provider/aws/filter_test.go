package aws_test

import (
	"slices"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestAFilterShowsAllThatMayBeOvis: what lost its tags by its ID, what got copies of them, and of what was
// adopted the root volume; not what others have.
func TestAFilterShowsAllThatMayBeOvis(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	own := w.make(micro(t)("web"))
	stripped := w.make(micro(t)("old"))
	if _, err := w.ec2().DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{stripped.ID}}); err != nil {
		t.Fatal(err)
	}
	adopted, foreign := w.run(1)[0], w.run(5)
	copied := w.run(1, ec2types.Tag{Key: sdk.String("ovi:ref"), Value: sdk.String("aws/us-east-1/ec2/web")})[0]
	f := &provider.Filter{IDs: map[string][]string{"ec2": {own.ID, stripped.ID, adopted, "i-0123456789abcdef0"}}}
	before := w.cloud.Counts()
	s, err := provideOn(w.cloud, 2).Observe(t.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{"ec2", "ebs"}, Filter: f})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range s.Resources {
		got = append(got, o.ID)
		if root, _ := o.Attrs.Get("root_volume"); o.Ref.Kind != "ec2" || root == nil && o.ID != copied {
			t.Errorf("%s %s has the root volume %v", o.Ref.Kind, o.ID, root)
		}
	}
	for _, id := range []string{own.ID, stripped.ID, adopted, copied} {
		if !slices.Contains(got, id) {
			t.Errorf("%s is hidden: %v", id, got)
		}
	}
	if len(got) != 4 || !slices.Equal(s.Filtered, []string{"ebs", "ec2"}) || s.Covers("ec2") != nil || s.Covers("ebs") != nil {
		t.Errorf("%v, without %v; filtered: %v", got, foreign, s.Filtered)
	}
	after := w.cloud.Counts()
	if n := total(after) - total(before); n > 5 {
		t.Errorf("%d calls", n)
	}
}

// TestAnObservationInFullHasNoFilter, so that what others create and delete is on record.
func TestAnObservationInFullHasNoFilter(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.run(3)
	s, err := w.observe()
	if err != nil || s.Filtered != nil || s.Complete != nil {
		t.Fatalf("filtered %v, complete %v, %v", s.Filtered, s.Complete, err)
	}
	n := 0
	for _, o := range s.Resources {
		if o.Ref.Kind == "ec2" && o.Marks == (resource.Marks{}) {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d of 3 instances of others are listed", n)
	}
}
