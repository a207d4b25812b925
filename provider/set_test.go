package provider_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/source"
)

var _ source.Schemas = provider.Set{}

func TestSetFindsTheKindsOfAllProviders(t *testing.T) {
	t.Parallel()
	s := provider.Set{"two": fake.New("two"), "one": fake.New("one")}
	if d := cmp.Diff([]string{"one", "two"}, s.Providers()); d != "" {
		t.Error(d)
	}
	var names []string
	for _, k := range s.Kinds("two") {
		names = append(names, k.Provider+"/"+k.Name)
	}
	if d := cmp.Diff([]string{"two/database", "two/disk", "two/network", "two/server"}, names); d != "" {
		t.Error(d)
	}
	if k, ok := s.Kind("one", "disk"); !ok || k.Provider != "one" || k.Name != "disk" {
		t.Errorf("got %s/%s, %v", k.Provider, k.Name, ok)
	}
	if _, ok := s.Kind("one", "boat"); ok {
		t.Error("an unknown kind is found")
	}
	if _, ok := s.Kind("three", "disk"); ok || s.Kinds("three") != nil {
		t.Error("an unknown provider is found")
	}
}

func TestCausesSurviveWrapping(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("apply: %w", &provider.Error{Cause: provider.Throttled, Op: "ec2.RunInstances", Err: errors.New("slow down"), Hint: "wait"})
	if provider.CauseOf(err) != provider.Throttled || !provider.Passes(err) || err.Error() != "apply: ec2.RunInstances: slow down; Suggestion: wait" {
		t.Errorf("%v, cause %v", err, provider.CauseOf(err))
	}
	if provider.CauseOf(errors.New("x")) != provider.Unclassified || provider.Passes(errors.New("x")) || provider.Passes(nil) {
		t.Error("an error without a cause has one")
	}
}
