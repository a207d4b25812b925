package resource_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

func TestValuesComeBackFromJSON(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		v := drawValue(t, 3)
		b := resource.AppendJSON(nil, v)
		if !json.Valid(b) {
			t.Fatalf("not JSON: %s", b)
		}
		back, err := resource.ParseJSON(b)
		if err != nil || !resource.Equal(v, back) {
			t.Fatalf("%#v came back as %#v, %v, from %s", v, back, err, b)
		}
		if again := resource.AppendJSON(nil, back); !bytes.Equal(b, again) {
			t.Fatalf("other bytes for the same value:\n%s\n%s", b, again)
		}
	})
}

func TestResourcesComeBackFromTheRecord(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		o := drawObserved(t)
		b := o.AppendJSON(nil)
		if !json.Valid(b) {
			t.Fatalf("not JSON: %s", b)
		}
		back, err := resource.ParseObserved(b)
		if err != nil || !back.Equal(o) {
			t.Fatalf("%+v came back as %+v, %v", o, back, err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, b, "", "\t"); err != nil {
			t.Fatal(err)
		}
		if spaced, err := resource.ParseObserved(indented.Bytes()); err != nil || !spaced.Equal(o) {
			t.Fatalf("with white space it came back as %+v, %v", spaced, err)
		}
	})
}

// TestTheRecordHasEveryField: what a provider or a binding says of a resource is not lost between two runs, whatever field
// it is in. Only Adopted is not recorded with it: its binding has that.
func TestTheRecordHasEveryField(t *testing.T) {
	t.Parallel()
	full := resource.Observed{
		Ref: resource.Ref{Stack: "s", Provider: "p", Location: "l", Kind: "k", Name: "n"}, ID: "i", UID: "u", Attested: true, Natural: "was",
		Marks:     resource.Marks{Ref: resource.Ref{Stack: "s", Provider: "p", Location: "l", Kind: "k", Name: "m"}, Owner: "o", Key: "key", Stack: "z", Text: "t", Blessed: true, Unmanaged: true},
		Ownership: resource.Proven, Role: resource.RoleOld, OwnedBy: "group", Condition: resource.Unreadable, Health: resource.Healthy, Message: "m",
		Last:  &resource.Request{Key: "r", Desired: "d", State: resource.RequestDone, Cause: "c", Text: "t", At: time.Unix(1e9, 5).UTC()},
		Since: time.Unix(1e9, 7).UTC(), Attrs: resource.Attrs{{Name: "a", Value: resource.Int(1)}}, Tags: resource.Tags{{Key: "k", Value: "v"}},
	}
	for _, of := range []any{full, full.Marks, *full.Last} {
		v := reflect.ValueOf(of)
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Adopted" {
				t.Errorf("%T.%s is not tried", of, name)
			}
		}
	}
	back, err := resource.ParseObserved(full.AppendJSON(nil))
	if diff := cmp.Diff(full, back, cmp.Comparer(func(a, b resource.Value) bool { return resource.Equal(a, b) })); err != nil || diff != "" {
		t.Errorf("%v; it came back with (-written +read):\n%s", err, diff)
	}
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		other := full
		reflect.ValueOf(&other).Elem().Field(i).SetZero()
		if name := v.Type().Field(i).Name; name != "Adopted" && other.Equal(full) {
			t.Errorf("Equal does not see %s", name)
		}
	}
}

// Equal resources have equal bytes, and equal bytes are equal resources: the store relies on
// both.
func TestBytesAreEqualIfAndOnlyIfResourcesAre(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		a, b := drawObserved(t), drawObserved(t)
		if rapid.Bool().Draw(t, "nearly the same") {
			b = a
			b.Attrs = a.Attrs.With("size", resource.Int(rapid.Int64Range(0, 1).Draw(t, "size")))
		}
		if bytes.Equal(a.AppendJSON(nil), b.AppendJSON(nil)) != a.Equal(b) {
			t.Fatalf("%s\n%s\nequal: %v", a.AppendJSON(nil), b.AppendJSON(nil), a.Equal(b))
		}
	})
}

func TestZeroFieldsAreNotWritten(t *testing.T) {
	t.Parallel()
	o := resource.Observed{Ref: ref("fake/here/disk/d").Ref}
	if got, want := string(o.AppendJSON(nil)), `{"ref":"fake/here/disk/d"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBrokenRecordsAreRefused(t *testing.T) {
	t.Parallel()
	for in, why := range map[string]string{
		``:                                   "not an object",
		`[]`:                                 "not an object",
		`{}`:                                 `"ref" is missing`,
		`{"id":"x"}`:                         `"ref" is missing`,
		`{"ref":"a/b/c"}`:                    "invalid ref",
		`{"ref":"a/b/c/d","color":"red"}`:    `unknown field "color"`,
		`{"ref":"a/b/c/d","id":"1","id":1}`:  "duplicate",
		`{"ref":"a/b/c/d","id":1}`:           "wrong type",
		`{"ref":"a/b/c/d","attested":"yes"}`: "wrong type",
		`{"ref":"a/b/c/d","tags":{"a":1}}`:   "in quotes",
		`{"ref":"a/b/c/d","tags":[]}`:        "wrong type",
		`{"ref":"a/b/c/d","since":"now"}`:    "cannot parse",
		`{"ref":"a/b/c/d"} x`:                "the end of the object",
		`{"ref":"a/b/c/d"`:                   "ends at byte",
	} {
		if o, err := resource.ParseObserved([]byte(in)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %+v, %v; want an error that says %q", in, o, err, why)
		}
	}
}

func TestBrokenValuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", " ", "{", "[", "[1", "[1,", "[1 2]", "[,]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`,
		`{"a":1,"a":2}`, "tru", "nul", "truex", "01", "-", "1.", "1e", ".5", "+1", "1e999", "9223372036854775808",
		`"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"a\nb\"", "1 2", `{"$ref":"nowhere"}`, "NaN",
		strings.Repeat("[", 300) + strings.Repeat("]", 300),
	} {
		if v, err := resource.ParseJSON([]byte(in)); err == nil {
			t.Errorf("%.40q is read as %#v", in, v)
		}
	}
}

func TestNumbersKeepTheirType(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]resource.Value{
		"9007199254740993": resource.Int(9007199254740993), "-0": resource.Int(0), "1.0": resource.Float(1),
		"1e2": resource.Float(100), "-0.5E-1": resource.Float(-0.05), "9223372036854775807": resource.Int(9223372036854775807),
	} {
		if got, err := resource.ParseJSON([]byte(in)); err != nil || !resource.Equal(got, want) {
			t.Errorf("%s is read as %#v, %v; want %#v", in, got, err, want)
		}
	}
}

func TestSecretsNeverReachJSON(t *testing.T) {
	t.Parallel()
	s := resource.NewSecret("example-hush", "keyed")
	o := resource.Observed{Ref: ref("fake/here/disk/d").Ref, Attrs: attrs("password", s)}
	inner, err := json.Marshal(map[string]any{"secret": s, "resource": o, "attrs": o.Attrs})
	if err != nil || bytes.Contains(inner, []byte("hush")) || bytes.Count(inner, []byte(`{"$digest":"keyed"}`)) != 3 {
		t.Errorf("%s, %v", inner, err)
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`null`, `{"a":[1,2.5,"x\u00e9\ud83d\ude00",true,null,{"$ref":"a/b/c/d"},{"$digest":"d"},{"$$ref":"x"}]}`,
		`"\ud800"`, `-0.0`, `1E+2`, "\"\xff\"", `[[[]]]`, ` { } `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := resource.ParseJSON(in)
		if err != nil {
			return
		}
		if !json.Valid(in) {
			t.Fatalf("%q is not JSON, but is read as %#v", in, v)
		}
		b := resource.AppendJSON(nil, v)
		back, err := resource.ParseJSON(b)
		if err != nil || !resource.Equal(v, back) {
			t.Fatalf("%q: %s came back as %#v, %v", in, b, back, err)
		}
	})
}

func FuzzParseObserved(f *testing.F) {
	o := resource.Observed{
		Ref: ref("aws/1/us-east-1/ec2/web-0").Ref, ID: "i-1", Ownership: resource.Proven, Health: resource.Healthy,
		Attrs: attrs("size", "t3.micro", "root", attrs("size", 8)), Tags: resource.Tags{{Key: "$ref", Value: "x"}},
	}
	f.Add(o.AppendJSON(nil))
	f.Add([]byte(`{"ref":"///"}`))
	f.Add([]byte(`{"ref":"a/b/c/d","since":"2026-01-02T03:04:05.6Z","tags":{"b":"1","a":"2"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		o, err := resource.ParseObserved(in)
		if err != nil {
			return
		}
		b := o.AppendJSON(nil)
		back, err := resource.ParseObserved(b)
		if err != nil || !back.Equal(o) {
			t.Fatalf("%q: %s came back as %+v, %v", in, b, back, err)
		}
	})
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"aws/us-east-1/ec2/web-0", "a/b/c/d/e", "///", "a//b/c", "", "a/b/c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r, err := resource.ParseRef(in)
		if err == nil && r.String() != in {
			t.Fatalf("%q is read as %#v", in, r)
		}
		if err == nil {
			if b, err := resource.ParseRef(r.String()); err != nil || b != r {
				t.Fatalf("%q came back as %#v, %v", in, b, err)
			}
		}
	})
}

func BenchmarkObservedRecord(b *testing.B) {
	o := resource.Observed{
		Ref: ref("aws/123456789012/us-east-1/ec2/web-0000001").Ref, ID: "i-0123456789abcdef0", Ownership: resource.Proven, Health: resource.Healthy,
		Attrs: attrs("size", "t3.micro", "image", "ami-0123456789abcdef0", "subnet", "subnet-0123456789abcdef0", "key_name", "main",
			"public_ip", false, "monitoring", true, "groups", list{"sg-0123456789abcdef0"}, "root_volume", attrs("size", 8, "type", "gp3")),
		Tags: resource.Tags{{Key: "environment", Value: "prod"}, {Key: "project", Value: "web-app"}, {Key: "team", Value: "platform"}},
	}
	enc := o.AppendJSON(nil)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, 1024)
		for b.Loop() {
			buf = o.AppendJSON(buf[:0])
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(enc)))
		for b.Loop() {
			if _, err := resource.ParseObserved(enc); err != nil {
				b.Fatal(err)
			}
		}
	})
}
