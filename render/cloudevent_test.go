package render_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// TestCloudEventsFitTheirSchema: what is exported is a CloudEvent 1.0 for whoever reads one.
// The schema is that of the specification, with its rules for names beside.
func TestCloudEventsFitTheirSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("testdata/cloudevents-1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	ref := resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "web"}
	var last string
	for i, e := range []event.Event{
		event.Loaded{Stack: "web", Source: "ovi.yaml", Resources: 3},
		event.Observed{Scope: ref.Scope(), Part: 1, Of: 1},
		event.Started{Ref: ref, Key: "k", Action: "create"},
		event.Blessed{Ref: ref, On: true, Who: "ann"},
	} {
		r := event.Record{Seq: 10, ID: "01J0", At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Instance: "01J0A", Run: "01J0B", Event: e}
		var b bytes.Buffer
		if err := render.NewJSON(&b).Encode(render.NewCloudEvent(r)); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("event %d: %v\n%s", i, err, b.String())
		}
		m := doc.(map[string]any)
		subject, has := m["subject"]
		if about := e.About(); about.IsZero() == has || has && subject != about.String() {
			t.Errorf("%s: subject %v", e.Type(), subject)
		}
		if m["type"] == last || !strings.HasSuffix(m["type"].(string), "."+e.Type()) {
			t.Errorf("type %v of %s", m["type"], e.Type())
		}
		last = m["type"].(string)
	}
	broken, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"specversion":"1.0","id":"","source":"x","type":"y","ovi_run":"z"}`))
	if schema.Validate(broken) == nil {
		t.Error("the schema refuses nothing")
	}
}
