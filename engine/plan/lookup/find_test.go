package lookup_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/engine/plan/lookup"
	"github.com/ovi-project/ovi/resource"
)

var at = resource.Scope{Provider: "aws", Location: "1/eu"}

// net is a resource of another stack, or of none.
func net(id, stack string, tags ...string) resource.Observed {
	o := resource.Observed{Ref: resource.Ref{Provider: at.Provider, Location: at.Location, Kind: "net", Name: id}, ID: id}
	if stack != "" {
		o.Ref.Stack, o.Ref.Name, o.Ownership, o.Natural = stack, "of-"+stack, resource.Proven, id
	}
	for _, t := range tags {
		key, value, _ := strings.Cut(t, "=")
		o.Tags = append(o.Tags, resource.Tag{Key: key, Value: value})
	}
	return o
}

func block(l resource.Lookup) *resource.Desired {
	return &resource.Desired{
		Ref:    resource.Ref{Stack: "shop", Provider: at.Provider, Location: at.Location, Kind: "net", Name: "main"},
		Lookup: &l,
	}
}

func byTags(tags ...string) *resource.Desired {
	return block(resource.Lookup{Tags: net("", "", tags...).Tags})
}

func finder(all ...resource.Observed) *lookup.Finder {
	return &lookup.Finder{
		Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{at: {Scope: at, Resources: all}}},
		Kind: func(resource.Ref) resource.Kind { return resource.Kind{NameAttr: "label", NameTag: "Name"} },
	}
}

func TestALookupFindsExactlyOne(t *testing.T) {
	t.Parallel()
	unreadable := net("n-9", "")
	unreadable.SetUnreadable("denied")
	labeled := net("n-5", "")
	labeled.Attrs = resource.Attrs{{Name: "label", Value: resource.String("blue")}}
	old := net("n-6", "other", "a=1")
	old.Role = resource.RoleOld
	part := net("n-7", "", "a=1")
	part.Message = resource.PartOfAnother
	named := net("n-4", "other") // its Name tag is of ovi, and no tag of the user
	named.Marks.Ref.Name = "ops"
	for name, c := range map[string]struct {
		d    *resource.Desired
		all  []resource.Observed
		want string // an ID, or a part of the reason
	}{
		"one of several":              {byTags("a=1"), []resource.Observed{net("n-1", ""), net("n-2", "", "a=1", "b=2"), net("n-3", "", "a=2")}, "n-2"},
		"a name that ovi wrote":       {byTags("Name=ops"), []resource.Observed{net("n-1", "", "a=1"), named}, "n-4"},
		"another name than ovi wrote": {byTags("Name=of-other"), []resource.Observed{named}, "has the tag Name=of-other"},
		"all tags":                    {byTags("a=1", "b=2"), []resource.Observed{net("n-1", "", "a=1"), net("n-2", "", "a=1", "b=2")}, "n-2"},
		"of another stack":            {byTags("a=1"), []resource.Observed{net("n-1", "other", "a=1")}, "n-1"},
		"not its own":                 {byTags("a=1"), []resource.Observed{net("n-1", "shop", "a=1"), net("n-2", "", "a=1")}, "n-2"},
		"no old one and no part":      {byTags("a=1"), []resource.Observed{net("n-1", "", "a=1"), old, part}, "n-1"},
		"two":                         {byTags("a=1"), []resource.Observed{net("n-2", "", "a=1"), net("n-1", "other", "a=1")}, "2 of net in aws/1/eu have the tag a=1: n-1 (net/of-other of stack other), n-2"},
		"none":                        {byTags("a=1", "b=2"), []resource.Observed{net("n-1", "")}, "no net in aws/1/eu has the tags a=1, b=2"},
		"by ID as a name":             {block(resource.Lookup{Name: "n-1"}), []resource.Observed{net("n-1", ""), net("n-2", "")}, "n-1"},
		"natural name of another":     {block(resource.Lookup{Name: "n-1"}), []resource.Observed{net("n-1", "other")}, "n-1"},
		"the name that its kind has":  {block(resource.Lookup{Name: "blue"}), []resource.Observed{labeled, net("n-2", "")}, "n-5"},
		"not the name of its stack":   {block(resource.Lookup{Name: "of-other"}), []resource.Observed{net("n-1", "other")}, "has the name of-other"},
		"name and tags":               {block(resource.Lookup{Name: "n-1", Tags: net("", "", "a=1").Tags}), []resource.Observed{net("n-1", "")}, "has the name n-1, the tag a=1"},
		"one that cannot be read":     {byTags("a=1"), []resource.Observed{net("n-1", "", "a=1"), unreadable}, "n-9 could not be read: denied"},
		"a name that cannot be read":  {block(resource.Lookup{Name: "blue"}), []resource.Observed{labeled, unreadable}, "n-9 could not be read: denied"},
		"itself, and cannot be read":  {block(resource.Lookup{ID: "n-9"}), []resource.Observed{unreadable}, "n-9 could not be read: denied"},
		"by ID beside unreadable":     {block(resource.Lookup{ID: "n-1"}), []resource.Observed{net("n-1", ""), unreadable}, "n-1"},
		"an ID that no resource has":  {block(resource.Lookup{ID: "n-1"}), nil, "no net in aws/1/eu has the ID n-1"},
	} {
		o, missing := finder(c.all...).Find(c.d)
		switch {
		case missing == nil && o.ID != c.want:
			t.Errorf("%s: found %s, want %s", name, o.ID, c.want)
		case missing != nil && !strings.Contains(missing.Why, c.want):
			t.Errorf("%s: %s, want %s", name, missing.Why, c.want)
		}
	}
}

// TestNothingFollowsFromAListThatIsNotFull: another resource may have the tags too.
func TestNothingFollowsFromAListThatIsNotFull(t *testing.T) {
	t.Parallel()
	f := finder(net("n-1", "", "a=1"))
	s := f.Live.Scopes[at]
	s.Complete, s.Filtered = []string{"net"}, []string{"net"}
	f.Live.Scopes[at] = s
	if _, missing := f.Find(byTags("a=1")); missing == nil || !missing.Unread {
		t.Errorf("%+v", missing)
	}
	if o, missing := f.Find(block(resource.Lookup{ID: "n-1"})); missing != nil || o.ID != "n-1" {
		t.Errorf("an ID is unique: %+v", missing)
	}
	s.Filtered, s.Unreachable = nil, map[string]error{"net": errors.New("denied")}
	f.Live.Scopes[at] = s
	if _, missing := f.Find(byTags("a=1")); missing == nil || !missing.Unread {
		t.Errorf("%+v", missing)
	}
}

// TestARecordAnswersWithThePin: a plan that reads no system uses the resource that the last apply used.
func TestARecordAnswersWithThePin(t *testing.T) {
	t.Parallel()
	d := byTags("a=1")
	f := finder(net("n-1", "", "a=1"), net("n-3", ""))
	s := f.Live.Scopes[at]
	s.Complete, s.Filtered = []string{"net"}, []string{"net"}
	f.Live.Scopes[at] = s
	f.Known = map[resource.Ref]string{d.Ref: "n-1"}
	if _, missing := f.Find(d); missing == nil {
		t.Error("a system that was read is not the record")
	}
	f.Recorded = []resource.Scope{at}
	if o, missing := f.Find(d); missing != nil || o.ID != "n-1" || len(o.Tags) == 0 {
		t.Errorf("%+v %+v", o, missing)
	}
	f.Known[d.Ref] = "n-2" // the record of the scope does not have it
	if o, missing := f.Find(d); missing != nil || o.ID != "n-2" {
		t.Errorf("%+v %+v", o, missing)
	}
	f.Known[d.Ref] = "n-3" // it is recorded without the tag
	if _, missing := f.Find(d); missing == nil || !missing.Unread {
		t.Errorf("%+v", missing)
	}
}

// TestASavedPlanUsesWhatWasApproved: a second match does not matter, another one is stale.
func TestASavedPlanUsesWhatWasApproved(t *testing.T) {
	t.Parallel()
	d := byTags("a=1")
	f := finder(net("n-1", "", "a=1"), net("n-2", "", "a=1"))
	f.Known, f.Approved = map[resource.Ref]string{d.Ref: "n-1"}, map[resource.Ref]string{d.Ref: "n-2"}
	if o, missing := f.Find(d); missing != nil || o.ID != "n-2" {
		t.Errorf("%+v %+v", o, missing)
	}
	f.Approved[d.Ref] = "n-3"
	if _, missing := f.Find(d); missing == nil || !missing.Stale || !strings.Contains(missing.Why, "it was n-3 in the saved plan, and is n-1, n-2 now") {
		t.Errorf("%+v", missing)
	}
	f.Approved = nil
	if _, missing := f.Find(d); missing == nil || !missing.Several || !strings.Contains(missing.Why, "the last apply used n-1") {
		t.Errorf("%+v", missing)
	}
	f.Live.Scopes[at] = resource.Snapshot{Scope: at}
	f.Approved = map[resource.Ref]string{d.Ref: "n-3"}
	if _, missing := f.Find(d); missing == nil || !missing.Stale || missing.Unread {
		t.Errorf("%+v", missing)
	}
}
