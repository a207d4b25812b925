package editor_test

import (
	"bytes"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ovi-project/ovi/source/config/editor"
	"github.com/ovi-project/ovi/source/jsonschema"
)

// FuzzTheSchemaOfOneFile: whatever is written, the result is a schema that a validator accepts, or an error.
func FuzzTheSchemaOfOneFile(f *testing.F) {
	f.Add("vars: {a: {type: list(map(int)), min: 1, one_of: [1, x]}}\nresources: [{use: x}]\nenvironments: {dev: }")
	f.Add("vars: &a {b: *a}")
	f.Add("vars: {a: {match: '(', default: [[1]], doc: {}}, b: [&c [*c]]}\nresources: [{use: x}]")
	f.Add("- vars\n--- \nvars: [1]\nresources: {use: x}")
	f.Fuzz(func(t *testing.T, text string) {
		root := &jsonschema.Schema{
			Definitions: map[string]*jsonschema.Schema{"use": {}},
			Properties:  map[string]*jsonschema.Schema{"environments": {Others: &jsonschema.Others{Of: &jsonschema.Schema{}}}},
		}
		if _, err := editor.Complete(root, text, func(string) (string, error) { return text, nil }); err != nil {
			return
		}
		doc, err := validator.UnmarshalJSON(bytes.NewReader(root.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		c := validator.NewCompiler()
		if err := c.AddResource("file.json", doc); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile("file.json"); err != nil {
			t.Errorf("%v\n%s", err, root.Bytes())
		}
	})
}
