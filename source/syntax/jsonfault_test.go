package syntax_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/source/syntax"
)

// TestJSONFaults names the usual faults of a JSON text, each with its place.
func TestJSONFaults(t *testing.T) {
	got := map[string]string{}
	want := map[string]string{
		`{"a": 1,}`:              "1:8 a comma before }: remove the comma",
		"[1,\n 2,\n]":            "2:3 a comma before ]: remove the comma",
		`{"a": 1,, "b": 2}`:      "1:9 a comma too many: remove the comma",
		"{\"a\": 1\n \"b\": 2}":  "1:8 missing comma: add a comma after the value",
		`{"a": [1 2]}`:           "1:9 missing comma: add a comma after the value",
		`{"a": "b, "c": 1}`:      "1:11 missing closing quote before this quote: close the text before it",
		`{"a: "b"}`:              "1:6 missing closing quote before this quote: close the text before it",
		`{"a"}`:                  `1:5 missing colon: use "KEY": VALUE, and check the quotes of the key`,
		`{"a": }`:                "1:6 missing value: add the value after the colon",
		`{"a": , "b": 1}`:        "1:6 missing value: add the value after the colon",
		"{\"a\": \"b\n}":         "1:7 missing closing quote: close the quote",
		`{"a": "b`:               "1:7 missing closing quote: close the quote",
		`{a: 1}`:                 `1:2 a key without quotes: quote the key: "KEY"`,
		`{"a": t3.micro}`:        `1:7 a text without quotes: quote the text: "TEXT"`,
		`{"a": True}`:            "1:7 true and false have lower-case letters in JSON: use true",
		`{"a": None}`:            "1:7 JSON has no None: use null, or remove the key",
		`{'a': 1}`:               "1:2 a text in single quotes: use double quotes",
		"{\n// x\n\"a\": 1}":     "2:1 a comment, which JSON does not have: remove the comment, or write the file in YAML",
		`["a": 1]`:               `1:5 a key in a list: use {"KEY": VALUE}`,
		`{"a": "b": 1}`:          "1:10 a colon too many: check the quotes of this line, and remove the colon",
		"{\"a\": [1\n}":          "2:1 } instead of ]: add a ] before it: the [ of line 1 is not closed",
		"{\"a\": {\"b\": 1}\n":   "2:1 unexpected end of file: add a }: the { of line 1 is not closed",
		`{"a": 1, {"b": 2}}`:     `1:10 a bracket instead of a key: use "KEY": VALUE in a block, and close the block above with }`,
		`{"a": 1} {`:             "",
		"":                       "1:1 unexpected end of file: ",
		`{"é": "ü", "b" "c"}`:    `1:15 missing colon: use "KEY": VALUE, and check the quotes of the key`,
		`{"a": {}, "b": [], } `:  "1:18 a comma before }: remove the comma",
		`[{"a": [true, -1e3,]}]`: "1:19 a comma before ]: remove the comma",
	}
	for text, w := range want {
		_, err := syntax.ParseJSON([]byte(text))
		var e *syntax.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if w != "" {
			got[text] = fmt.Sprintf("%d:%d %s: %s", e.Line, e.Col, e.Msg, e.Suggestion)
		} else {
			got[text] = ""
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestJSONFaultsEnd reads texts that one change made invalid: each is reported, and at a place in the text.
func TestJSONFaultsEnd(t *testing.T) {
	const whole = `{"version": "v1", "resources": [{"type": "ec2", "count": 2, "tags": {"a": null}}, [true, -1.5e3]]}`
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(whole)-1).Draw(t, "at")
		with := rapid.SampledFrom([]string{"", ",", ":", "\"", "{", "}", "[", "]", "'", "/", "\n", "x", "\\"}).Draw(t, "with")
		text := whole[:at] + with + whole[at+1:]
		_, err := syntax.ParseJSON([]byte(text))
		if json.Valid([]byte(text)) {
			if err != nil {
				t.Fatalf("valid, and %v", err)
			}
			return
		}
		var e *syntax.Error
		if err == nil {
			return // the reader is less strict than encoding/json
		}
		if !errors.As(err, &e) || e.Line < 1 || e.Line > 2 || e.Col < 1 || int(e.Col) > len(text)+1 || e.Msg == "" {
			t.Fatalf("%s: %v at %+v", text, err, e)
		}
	})
}
