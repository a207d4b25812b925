package render_test

import (
	"slices"
	"testing"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// The head of a plan names all accounts that it is for, and no location that is none.
func TestAllAccountsOfAPlanAreNamed(t *testing.T) {
	t.Parallel()
	at := func(provider, location string) resource.Scope {
		return resource.Scope{Provider: provider, Location: location}
	}
	for _, c := range []struct {
		scopes []resource.Scope
		want   []string
	}{
		{[]resource.Scope{at("aws", "123456789012/us-east-1"), at("aws", "123456789012/eu-west-1")}, []string{"AWS account 123456789012"}},
		{[]resource.Scope{at("aws", "210987654321/us-east-1"), at("aws", "123456789012/us-east-1"), at("aws", "123456789012/eu-west-1")}, []string{"AWS accounts 123456789012, 210987654321"}},
		{[]resource.Scope{at("aws", "us-east-1"), at("aws", "123456789012/us-east-1")}, nil},
		{[]resource.Scope{at("fake", "site")}, nil},
	} {
		if got := render.NewNames(c.scopes...).Accounts(func(resource.Scope) string { return "" }); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.scopes, got, c.want)
		}
	}
}
