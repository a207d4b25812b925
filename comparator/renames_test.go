package comparator_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// namedKinds has buckets, which are the attribute bucket, logs, which are their name on the system, and pipes, which
// have no identity.
func namedKinds(provider, name string) (resource.Kind, bool) {
	k := resource.Kind{Provider: provider, Name: name, NoTags: true, Exact: true}
	switch name {
	case "bucket":
		k.Attrs = []resource.Attribute{{Name: "bucket", Effect: resource.Replace}}
		k.Holds = func(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
			text, _ := a.Text("bucket")
			return []resource.Hold{{What: "bucket", Of: "everywhere", Name: text, Identity: true}}
		}
	case "log":
		k.Holds = func(r resource.Ref, _ resource.Attrs, _ resource.State) []resource.Hold {
			return []resource.Hold{{What: "log", Name: r.Name, Identity: true}}
		}
	case "pipe":
	default:
		return resource.Kind{}, false
	}
	return k, true
}

func refNamed(kind, name string) resource.Ref {
	return resource.Ref{Stack: "s", Provider: "x", Location: "h", Kind: kind, Name: name}
}

func block(kind, name, bucket, was string) resource.Desired {
	d := resource.Desired{Ref: refNamed(kind, name)}
	if bucket != "" {
		d.Attrs = resource.Attrs{}.With("bucket", resource.String(bucket))
	}
	if was != "" {
		d.Was = refNamed(kind, was)
	}
	return d
}

// live is a proven resource that was created under a name and is recorded under another one.
func recordedAs(kind, created, name, bucket string) resource.Observed {
	o := resource.Observed{Ref: refNamed(kind, created).Bare(), ID: kind + "-" + created, Health: resource.Healthy}
	o.Marks.Ref = refNamed(kind, name)
	if bucket != "" {
		o.Attrs = resource.Attrs{}.With("bucket", resource.String(bucket))
	}
	o.Bind(resource.Proven, "s", name)
	return o
}

// TestRenamesAreFoundAndNotGuessed has the configurations and records of names that change.
func TestRenamesAreFoundAndNotGuessed(t *testing.T) {
	t.Parallel()
	blocks := func(all ...resource.Desired) []resource.Desired { return all }
	lives := func(all ...resource.Observed) []resource.Observed { return all }
	for name, c := range map[string]struct {
		want    []resource.Desired
		live    []resource.Observed
		away    map[string]string // what the record moved away, by the old name
		done    string            // the rename that the record has: "a b"
		removed string            // the name that the source declares removed, and kept
		known   string            // a name that the record had
		moved   string            // renames that the source declares apart: "a b, b c"
		partial bool
		found   string // the differences: "drifted b was a"
		cause   string // of a conflict
	}{
		"the same bucket": {
			want: blocks(block("bucket", "b", "x", "")), live: lives(recordedAs("bucket", "a", "a", "x")), found: "drifted b was a",
		},
		"another bucket": {
			want: blocks(block("bucket", "b", "y", "")), live: lives(recordedAs("bucket", "a", "a", "x")), found: "unwanted a, missing b",
		},
		"another bucket, declared": {
			want: blocks(block("bucket", "b", "y", "a")), live: lives(recordedAs("bucket", "a", "a", "x")), found: "drifted b was a",
		},
		"a kind without identity, declared": {
			want: blocks(block("pipe", "b", "", "a")), live: lives(recordedAs("pipe", "a", "a", "")), found: "drifted b was a",
		},
		"a chain of declared names": {
			want: blocks(block("pipe", "b", "", "a"), block("pipe", "c", "", "b")),
			live: lives(recordedAs("pipe", "a", "a", ""), recordedAs("pipe", "b", "b", "")), found: "drifted b was a, drifted c was b",
		},
		"a chain of identities": {
			want:  blocks(block("bucket", "b", "x", ""), block("bucket", "c", "y", "")),
			live:  lives(recordedAs("bucket", "a", "a", "x"), recordedAs("bucket", "b", "b", "y")),
			found: "drifted b was a, drifted c was b",
		},
		"a name that is used again": {
			want: blocks(block("bucket", "a", "y", ""), block("bucket", "b", "x", "")),
			live: lives(recordedAs("bucket", "a", "a", "x")), found: "missing a, drifted b was a",
		},
		"a resource that kept its name through two renames": {
			want: blocks(block("log", "a", "", ""), block("log", "c", "", "b")),
			live: lives(recordedAs("log", "a", "b", "")), found: "missing a, drifted c was b",
		},
		"a name that a resource kept on the system": {
			want: blocks(block("log", "a", "", ""), block("log", "b", "", "")),
			live: lives(recordedAs("log", "a", "b", "")), found: "missing a",
		},
		"a declared name that another resource has": {
			want: blocks(block("pipe", "b", "", "a")), live: lives(recordedAs("pipe", "a", "a", ""), recordedAs("pipe", "b", "b", "")),
			found: "conflict a", cause: "another resource has the new name",
		},
		"two heirs": {
			want:  blocks(block("pipe", "b", "", "a"), block("pipe", "c", "", "a")),
			live:  lives(recordedAs("pipe", "a", "a", "")),
			found: "conflict a, conflict b, conflict c", cause: "pipe/b and pipe/c name the same former name pipe/a",
		},
		"a former name that is still configured": {
			want: blocks(block("pipe", "a", "", ""), block("pipe", "b", "", "a")),
			live: lives(recordedAs("pipe", "a", "a", "")), found: "conflict b", cause: "is still configured",
		},
		"a former name that a part which cannot be read may configure": {
			want: blocks(block("pipe", "b", "", "a")), live: lives(recordedAs("pipe", "a", "a", "")), partial: true,
			found: "conflict b", cause: "the configuration is not known in full",
		},
		"an unknown former name, and another resource is left": {
			want: blocks(block("pipe", "b", "", "z")), live: lives(recordedAs("pipe", "a", "a", "")),
			found: "conflict a, conflict b", cause: "no resource has the former name pipe/z, and pipe/a is no longer configured",
		},
		"an unknown former name, and nothing is left": {
			want: blocks(block("pipe", "b", "", "z")), found: "missing b",
		},
		"a rename that is done": {
			want: blocks(block("pipe", "b", "", "a")), live: lives(recordedAs("pipe", "a", "b", "")), found: "",
		},
		"a resource that was deleted after its rename": {
			want: blocks(block("pipe", "b", "", "a")), live: lives(recordedAs("pipe", "c", "c", "")), done: "a b",
			found: "missing b, unwanted c",
		},
		"a resource that stays": {
			removed: "a", live: lives(recordedAs("pipe", "a", "a", ""), recordedAs("pipe", "b", "b", "")),
			found: "unwanted a forgotten, unwanted b",
		},
		"a resource that stays, and its identity is configured under another name": {
			want: blocks(block("bucket", "b", "x", "")), removed: "a", live: lives(recordedAs("bucket", "a", "a", "x")),
			found: "unwanted a forgotten, missing b taken",
		},
		"a name to keep that is misspelled": {
			removed: "x", live: lives(recordedAs("pipe", "a", "a", "")),
			found: "conflict a", cause: "no resource has the name pipe/x of an entry of `removed`, and pipe/a is no longer configured",
		},
		"a name to keep that was forgotten before": {
			removed: "x", known: "x", live: lives(recordedAs("pipe", "a", "a", "")), found: "unwanted a",
		},
		"a name to keep that a part configures which was not read": {
			want: blocks(block("bucket", "a", "y", "")), removed: "a", live: lives(recordedAs("bucket", "a", "a", "x")),
			found: "conflict a", cause: "bucket/a is in `removed`, and is still configured",
		},
		"a declared move": {
			want: blocks(block("pipe", "b", "", "")), moved: "a b", live: lives(recordedAs("pipe", "a", "a", "")),
			found: "drifted b was a",
		},
		"moves in a chain, and the oldest name exists": {
			want: blocks(block("pipe", "c", "", "")), moved: "a b, b c", live: lives(recordedAs("pipe", "a", "a", "")),
			found: "drifted c was a",
		},
		"moves in a chain, and the newest name exists": {
			want: blocks(block("pipe", "c", "", "b")), moved: "a b", live: lives(recordedAs("pipe", "b", "b", "")),
			found: "drifted c was b",
		},
		"moves in a chain that lead back": {
			want: blocks(block("pipe", "b", "", "")), moved: "a b, b a", live: lives(recordedAs("pipe", "a", "a", "")),
			found: "drifted b was a",
		},
		"moves in a chain whose middle is configured": {
			want: blocks(block("pipe", "b", "", ""), block("pipe", "c", "", "")), moved: "a b, b c",
			live:  lives(recordedAs("pipe", "a", "a", ""), recordedAs("pipe", "b", "b", "")),
			found: "drifted b was a, drifted c was b",
		},
		"a move that is done, and the name is used again": {
			want: blocks(block("pipe", "a", "", ""), block("pipe", "b", "", "")), moved: "a b", done: "a b",
			live: lives(recordedAs("pipe", "a", "a", ""), recordedAs("pipe", "b", "b", "")), found: "",
		},
		"two former names that resources have": {
			want: blocks(block("pipe", "c", "", "")), moved: "a c, b c",
			live:  lives(recordedAs("pipe", "a", "a", ""), recordedAs("pipe", "b", "b", "")),
			found: "conflict a, conflict b, conflict c", cause: "pipe/a and pipe/b are former names of pipe/c, and all of them exist",
		},
		"two former names, one of which a resource has": {
			want: blocks(block("pipe", "c", "", "")), moved: "a c, b c", live: lives(recordedAs("pipe", "b", "b", "")),
			found: "drifted c was b",
		},
		"a move to a name that is misspelled": {
			want: blocks(block("pipe", "b", "", "")), moved: "a bb", live: lives(recordedAs("pipe", "a", "a", "")),
			found: "conflict a, conflict b", cause: "the new name of pipe/a is pipe/bb, which is not configured",
		},
		"a move of which neither name is known": {
			want: blocks(block("pipe", "b", "", "")), moved: "x bb", live: lives(recordedAs("pipe", "a", "a", "")),
			found: "conflict a, conflict b", cause: "no resource has the former name pipe/x, and pipe/a is no longer configured",
		},
		"a move that is done, and the new name is no longer configured": {
			moved: "a b", done: "a b", live: lives(recordedAs("pipe", "b", "b", "")), found: "unwanted b",
		},
		"a rename of a set that is done, and all members are new": {
			want: blocks(block("pipe", "job-k9-data", "", "worker-k9-data")), done: "worker-k1-data job-k1-data",
			live:  lives(recordedAs("pipe", "worker-k1-data", "job-k1-data", "")),
			found: "unwanted job-k1-data, missing job-k9-data",
		},
		"a rename of another set that is done": {
			want: blocks(block("pipe", "job-k9-data", "", "wrker-k9-data")), done: "worker-k1-data job-k1-data",
			live:  lives(recordedAs("pipe", "worker-k1-data", "job-k1-data", "")),
			found: "conflict job-k1-data, conflict job-k9-data", cause: "no resource has the former name pipe/wrker-k9-data",
		},
		"a moved resource and the unedited file": {
			want: blocks(block("pipe", "a", "", "")), live: lives(recordedAs("pipe", "a", "b", "")), away: map[string]string{"a": "b"},
			found: "conflict a, conflict b", cause: "pipe/a was moved to pipe/b, which is not configured",
		},
		"a moved bucket and the unedited file": {
			want: blocks(block("bucket", "a", "x", "")), live: lives(recordedAs("bucket", "a", "b", "x")),
			away: map[string]string{"a": "b"}, found: "conflict a, conflict b", cause: "was moved to bucket/b",
		},
		"a moved resource and both names": {
			want: blocks(block("pipe", "a", "", ""), block("pipe", "b", "", "")), live: lives(recordedAs("pipe", "a", "b", "")),
			away: map[string]string{"a": "b"}, found: "missing a",
		},
		"a moved resource that is renamed again": {
			want: blocks(block("pipe", "a", "", ""), block("pipe", "c", "", "b")), live: lives(recordedAs("pipe", "a", "b", "")),
			away: map[string]string{"a": "b"}, found: "missing a, drifted c was b",
		},
		"a moved resource that the file declares back": {
			want: blocks(block("pipe", "a", "", "b")), live: lives(recordedAs("pipe", "a", "b", "")),
			away: map[string]string{"a": "b"}, found: "drifted a was b",
		},
		"a moved resource, and its stack has neither name": {
			live: lives(recordedAs("pipe", "a", "b", "")), away: map[string]string{"a": "b"}, found: "unwanted b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scope := resource.Scope{Provider: "x", Location: "h"}
			var moved []resource.Move
			for _, x := range strings.Split(c.moved, ", ") {
				if from, to, is := strings.Cut(x, " "); is {
					moved = append(moved, resource.Move{From: refNamed("pipe", from), To: refNamed("pipe", to)})
				}
			}
			var removed []resource.Move
			if c.removed != "" {
				kind := "pipe"
				if len(c.live) == 1 {
					kind = c.live[0].Ref.Kind
				}
				removed = []resource.Move{{From: refNamed(kind, c.removed)}}
			}
			in := comparator.Input{
				Known:   func(r resource.Ref) bool { return c.known != "" && r.Name == c.known },
				Intents: []resource.Intent{{Stack: "s", Resources: c.want, Partial: c.partial, Moved: moved, Removed: removed}}, Kinds: namedKinds,
				Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{scope: {Scope: scope, Resources: c.live}}},
				MovedAway: func(r resource.Ref) (resource.Ref, bool) {
					to, moved := c.away[r.Name]
					return refNamed(r.Kind, to), moved
				},
				Renamed: func(from, to resource.Ref) bool { return c.done == from.Name+" "+to.Name },
			}
			r, err := comparator.Compare(in)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			cause := ""
			for _, d := range r.Differences {
				text := string(d.Type) + " " + d.Ref.Name
				if !d.Renamed.IsZero() {
					text += " was " + d.Renamed.Name
				}
				if d.Forget {
					text += " forgotten"
				}
				if c.removed != "" && len(d.Takes) > 0 && !d.Takes[0].Leaves {
					text += " taken"
				}
				var refused *comparator.RenameError
				if found = append(found, text); errors.As(d.Cause, &refused) {
					cause = refused.Error()
					if refused.Suggestion() == "" {
						t.Error("no suggestion")
					}
				}
			}
			if got := strings.Join(found, ", "); got != c.found {
				t.Errorf("got  %s\nwant %s", got, c.found)
			}
			if !strings.Contains(cause, c.cause) || c.cause == "" && cause != "" {
				t.Errorf("cause %q, want %q", cause, c.cause)
			}
		})
	}
}

// TestARenameMayChangeTheLocation of a kind that spans locations, where its resource holds the same in both.
func TestARenameMayChangeTheLocation(t *testing.T) {
	t.Parallel()
	kinds := func(provider, name string) (resource.Kind, bool) {
		return resource.Kind{
			Provider: provider, Name: name, NoTags: true, Exact: true, Spans: name == "role",
			Holds: func(r resource.Ref, _ resource.Attrs, _ resource.State) []resource.Hold {
				account, _, _ := strings.Cut(r.Location, "/")
				return []resource.Hold{{What: name, Of: "account " + account, Name: r.Name, Identity: true}}
			},
		}, true
	}
	at := func(kind, location, name string) resource.Ref {
		return resource.Ref{Stack: "s", Provider: "x", Location: location, Kind: kind, Name: name}
	}
	for name, c := range map[string]struct {
		kind, location, called, was string
		found                       string
	}{
		"by identity":             {"role", "1/west", "a", "", "drifted 1/west a was 1/east a"},
		"declared":                {"role", "1/west", "b", "a", "drifted 1/west b was 1/east a"},
		"of another account":      {"role", "2/west", "a", "", "missing 2/west a, unwanted 1/east a"},
		"declared, other account": {"role", "2/west", "b", "a", "conflict 1/east a, conflict 2/west b"},
		"of a kind with a place":  {"bucket", "1/west", "a", "", "missing 1/west a, unwanted 1/east a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := resource.Desired{Ref: at(c.kind, c.location, c.called)}
			if c.was != "" {
				want.Was = at(c.kind, "1/east", c.was)
			}
			o := resource.Observed{Ref: at(c.kind, "1/east", "a").Bare(), ID: "a", Health: resource.Healthy}
			o.Marks.Ref = at(c.kind, "1/east", "a")
			o.Bind(resource.Proven, "s", "a")
			live := map[resource.Scope]resource.Snapshot{}
			for _, s := range []string{"1/east", "1/west", "2/west"} {
				scope := resource.Scope{Provider: "x", Location: s}
				live[scope] = resource.Snapshot{Scope: scope}
			}
			from := o.Ref.Scope()
			live[from] = resource.Snapshot{Scope: from, Resources: []resource.Observed{o}}
			r, err := comparator.Compare(comparator.Input{
				Intents: []resource.Intent{{Stack: "s", Resources: []resource.Desired{want}}}, Kinds: kinds,
				Live: resource.LiveState{Scopes: live},
			})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, d := range r.Differences {
				text := string(d.Type) + " " + d.Ref.Location + " " + d.Ref.Name
				if !d.Renamed.IsZero() {
					text += " was " + d.Renamed.Location + " " + d.Renamed.Name
				}
				found = append(found, text)
			}
			slices.Sort(found)
			if got := strings.Join(found, ", "); got != c.found {
				t.Errorf("got  %s\nwant %s", got, c.found)
			}
		})
	}
}
