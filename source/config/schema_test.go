package config_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/config/editor"
)

// compiled is the config's schema in the hands of an implementation that is not ours.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return compiledOf(t, config.Schema(checkedBy(testKinds())))
}

func compiledOf(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("ovi.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("ovi.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON gives a YAML document in the form that the validator takes.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSchemaAcceptsWhatTheConfigAccepts(t *testing.T) {
	s := compiled(t)
	texts := map[string]string{
		"blocks": "version: v1\nprovider: aws\npublic: [env:SIZE]\nregion: us-east-1\nresources:\n" +
			indented(strings.Join(blocks[:fine], ""), 2),
		"keys": everyKey, "nothing": "version: v1\nprovider: box\nresources: []\n",
	}
	for _, name := range []string{"sample", "web"} {
		b, err := os.ReadFile("../../examples/" + name + "/ovi.yaml")
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
	}
	for name, text := range texts {
		if err := s.Validate(asJSON(t, []byte(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		mustLoad(t, text)
	}
}

// beyond are the bad inputs that a JSON Schema can't find: what is not JSON to begin with,
// names, places, rules across attributes, and what comes from outside.
var beyond = regexp.MustCompile(`^(across-|ambiguous|bad-ignore|bad-indent|bad-merge|bad-name|bad-variable|variable-|bad-region|bad-stack|bad-start|bad-tags|block-|component-url|cycle|colon-|control|count-|deep-|empty|env-|file-not|identifier-|json-|key-|carriage-|missing-|name-twice|nameless|no-files|no-provider|no-region|no-resources|not-utf8|only-|open-|ambiguous-|secret-in-other|quoted-key|reference-|secret-too|second-|tab|two-|unknown-alias|unknown-dependency|unknown-reference|utf|yaml-tag)`)

func TestSchemaRefusesWhatItCan(t *testing.T) {
	s := compiled(t)
	refused := 0
	for _, name := range badInputs(t) {
		if beyond.MatchString(filepath.Base(name)) {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, b)); err == nil {
			t.Errorf("the schema accepts %s", name)
		} else {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("only %d files were refused", refused)
	}
}

func TestSchemaIsTheSameEachTime(t *testing.T) {
	first := config.Schema(checkedBy(testKinds()))
	for range 20 {
		if !bytes.Equal(first, config.Schema(checkedBy(testKinds()))) {
			t.Fatal("two schemas of the same kinds differ")
		}
	}
	golden(t, "testdata/schema.json", string(first))
}

// TestTheSchemaOfOneFile knows the variables of the file and of its components, with their types.
func TestTheSchemaOfOneFile(t *testing.T) {
	const file = `
version: v1
vars:
  net: {type: string, match: "10[.].+"}
  hosts: 2
  zones: {type: list(string), default: [a]}
environments:
  dev: {vars: {net: 10.1.0.0/16, hosts: 3, zones: "${file:zones}"}}
resources:
  - {use: ./web, name: site, vars: {size: small, nodes: 2, vpc: main, password: "${vars.net}", on: true}}
  - {use: ./gone, name: gone, vars: {whatever: 1}}
  - {use: ./web, name: "${locals.twice}", vars: {size: large, vpc: main}}
`
	const component = `
version: v1
vars:
  size: {type: string, one_of: [small, large]}
  nodes: {type: int, default: 1, min: 1, max: 5}
  vpc: {type: ref(vpc)}
  password: {type: "secret?"}
  on: false
  tags: {type: map(string), default: {}}
resources: []
`
	root := config.FileSchema(checkedBy(testKinds()))
	unread, err := editor.Complete(root, file, func(folder string) (string, error) {
		if folder == "./web" {
			return component, nil
		}
		return "", os.ErrNotExist
	})
	if err != nil || len(unread) != 1 || unread[0] != "./gone" {
		t.Fatalf("unread: %v, %v", unread, err)
	}
	s := compiledOf(t, root.Bytes())
	if err := s.Validate(asJSON(t, []byte(file))); err != nil {
		t.Errorf("the file itself: %v", err)
	}
	for _, x := range [][2]string{
		{"net: 10.1.0.0/16, hosts", "nets: 10.1.0.0/16, hosts"},
		{"hosts: 3", "hosts: many"},
		{"net: 10.1.0.0/16, hosts", "net: 11.1.0.0/16, hosts"},
		{`"${file:zones}"`, "a"},
		{"size: small", "size: huge"},
		{"nodes: 2", "nodes: 6"},
		{"nodes: 2", "nodes: two"},
		{"on: true", "on: 1"},
		{"vpc: main, password", "password"},
		{"on: true", "off: true"},
	} {
		if text := strings.Replace(file, x[0], x[1], 1); s.Validate(asJSON(t, []byte(text))) == nil {
			t.Errorf("%s instead of %s is accepted", x[1], x[0])
		}
	}
}
