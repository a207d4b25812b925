package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheCallsAreThoseOfTheTable fails after a change of the table or of the generated file alone.
func TestTheCallsAreThoseOfTheTable(t *testing.T) {
	table, err := os.ReadFile("../operations.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(table)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../api/calls.go")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("api/calls.go is not what operations.go lists; run `go generate ./provider/aws` (-want +got):\n%s", diff)
	}
}

func TestAServiceWithoutACallIsAnError(t *testing.T) {
	if text, err := generate([]byte("package aws\n\nvar x = []operation{{call: `ec2.RunInstances`}}\n")); err == nil {
		t.Errorf("generated %d bytes from a table that lacks services", len(text))
	}
}
