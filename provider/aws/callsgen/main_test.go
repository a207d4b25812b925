package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheCallsAreThoseOfTheKinds fails after a change of the calls of a kind or of the generated file alone.
func TestTheCallsAreThoseOfTheKinds(t *testing.T) {
	calls, err := readAll("..")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(calls)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../api/calls.go")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("api/calls.go is not what the kinds list; run `go generate ./provider/aws` (-want +got):\n%s", diff)
	}
}

// TestNoCallIsLeftOut: what the generator cannot read, and a service that it does not know, are errors.
func TestNoCallIsLeftOut(t *testing.T) {
	calls := map[string]listed{}
	err := read(calls, "a.go", []byte("package a\n\nvar x = api.Calls{Service: `ec2`, Observes: names}\n"))
	if err == nil || !strings.Contains(err.Error(), "a.go:3:35: Observes: write the text as a literal") {
		t.Errorf("a text that is no literal: %v", err)
	}
	if err := read(calls, "a.go", []byte("package a\n\nvar x = api.Calls{`ec2`}\n")); err == nil {
		t.Error("a field without a name is accepted")
	}
	if text, err := generate(map[string]listed{"ec2": {"RunInstances": true}}); err == nil {
		t.Errorf("generated %d bytes from kinds that lack services", len(text))
	}
	all, err := readAll("..")
	if err != nil {
		t.Fatal(err)
	}
	all["sns"] = listed{"CreateTopic": false}
	if _, err := generate(all); err == nil || !strings.Contains(err.Error(), `service "sns" has calls`) {
		t.Errorf("a service without its part of the SDK: %v", err)
	}
}
