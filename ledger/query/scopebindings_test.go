package query

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// TestBindingsDecodeAsJSON: whatever is in a binding, the decoder reads what package json reads.
func TestBindingsDecodeAsJSON(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "i-0abc", "a b", "ü", `"`, `\`, "x,y}", "{\"a\":1}", "\n", "0123456789abcdef"})
		flag := rapid.Bool()
		b := rows.Binding{Binding: resource.Binding{
			Ref: resource.Ref{Stack: text.Draw(t, "stack"), Provider: "aws", Location: "1/us-east-1", Kind: "ec2", Name: "web"},
			ID:  text.Draw(t, "id"), UID: text.Draw(t, "uid"), Key: text.Draw(t, "key"),
			Role: resource.Role(text.Draw(t, "role")), Generation: rapid.Uint64().Draw(t, "generation"),
			Former: flag.Draw(t, "former"), Ended: flag.Draw(t, "ended"), Dismissed: flag.Draw(t, "dismissed"), Adopted: flag.Draw(t, "adopted"),
			Seq: rapid.Uint64().Draw(t, "seq"), Instance: text.Draw(t, "instance"),
		}}
		if flag.Draw(t, "timed") {
			b.At = time.Unix(0, rapid.Int64Range(0, 1<<60).Draw(t, "at")).UTC()
		}
		if flag.Draw(t, "signed") {
			b.Signature = &event.Signature{Generation: 1, Key: text.Draw(t, "public"), Sum: text.Draw(t, "sum")}
		}
		row, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		var d bindingDecoder
		got, err := d.decode(rows.BindingOf(b.Ref, b.ID), row)
		if diff := cmp.Diff(b.Binding, got); diff != "" || err != nil {
			t.Fatalf("%s (-want +got): %v\n%s", row, err, diff)
		}
	})
}

// FuzzBindingRow: of any bytes the decoder makes what package json makes, or nothing.
func FuzzBindingRow(f *testing.F) {
	f.Add([]byte(`{"uid":"u-1","generation":1,"seq":7,"at":"2026-11-21T13:22:39Z"}`))
	f.Add([]byte(`{"key":"k","generation":2,"former":true,"seq":1,"signature":{"generation":2,"key":"k","sum":"s"}}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		var want rows.Binding
		wantErr := json.Unmarshal(row, &want)
		var d bindingDecoder
		got, ok := d.plain(row)
		if ok && (wantErr != nil || cmp.Diff(want.Binding, got) != "") {
			t.Fatalf("%q: %+v, package json: %+v, %v", row, got, want.Binding, wantErr)
		}
	})
}

func BenchmarkDecodeBinding(b *testing.B) {
	row, err := json.Marshal(rows.Binding{Binding: resource.Binding{
		Ref: resource.Ref{Stack: "web", Provider: "aws", Location: "123456789012/us-east-1", Kind: "ec2", Name: "web-0"},
		ID:  "i-0ee036f2aa4411c1f", Key: "01JD0000000000000000000000", Generation: 1, Seq: 812, At: time.Unix(1_795_000_000, 1).UTC(),
	}})
	if err != nil {
		b.Fatal(err)
	}
	var d bindingDecoder
	for b.Loop() {
		if _, ok := d.plain(row); !ok {
			b.Fatal("left to package json")
		}
	}
}
