package command

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// as is a provider that shows the options that it was opened with.
type as struct {
	provider.Provider
	login, zone string
}

// entriesOfTest are a provider with credentials, and one without.
func entriesOfTest(opened *int) []provider.Entry {
	open := func(_ context.Context, c provider.Config) (provider.Provider, error) {
		*opened++
		return &as{login: c.Options("login"), zone: c.Options("zone")}, nil
	}
	return []provider.Entry{
		{
			Name: "cloud", Locations: provider.Locations{Group: provider.Group{Pattern: "[0-9]{2}"}}, Open: open,
			Options: []provider.Option{{Key: "login", Grouped: true}, {Key: "zone"}},
		},
		{Name: "dial", Options: []provider.Option{{Key: "host", Default: "local"}}, Open: open},
	}
}

func callOfTest(t *testing.T, opened *int, args ...string) *Call {
	t.Helper()
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	for _, name := range []string{"cloud-login", "cloud-zone", "dial-host"} {
		set.String(name, "", "")
	}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	p := &Process{
		Process: cli.Process{Env: func(string) (string, bool) { return "", false }},
		Table:   func(*Process, hclog.Logger) []provider.Entry { return entriesOfTest(opened) },
	}
	return &Call{
		Process: p, Context: t.Context(), Cmd: urfave.NewContext(nil, set, nil), Log: hclog.NewNullLogger(),
		readings: &readings{},
	}
}

// stackOfTest has a resource in a location, and an option.
func stackOfTest(name, of, location, key, value string) resource.Intent {
	in := resource.Intent{Stack: name, Resources: []resource.Desired{{
		Ref: resource.Ref{Stack: name, Provider: of, Location: location, Kind: "x", Name: "a"},
	}}}
	if value != "" {
		in.Options.Providers = map[string]map[string]string{of: {key: value}}
	}
	return in
}

// TestEachStackActsWithItsOwnCredentials: stacks with other options have a provider of their own, with their values and
// no others; equal ones share it.
func TestEachStackActsWithItsOwnCredentials(t *testing.T) {
	t.Parallel()
	stacks := []resource.Intent{
		stackOfTest("dev", "cloud", "22/east", "login", "22=ann"), stackOfTest("prod", "cloud", "33/east", "login", "33=eve"),
		stackOfTest("stage", "cloud", "22/east", "login", "22=ann"), stackOfTest("none", "cloud", "east", "", ""),
		stackOfTest("far", "cloud", "east", "zone", "z"),
	}
	for _, test := range []struct {
		args   []string
		want   string
		opened int
	}{
		{nil, "22=ann;33=eve;22=ann;;", 5},
		{[]string{"--cloud-login", "joe", "--cloud-zone", "y"}, "joe,22=ann;joe,33=eve;joe,22=ann;joe;joe", 4},
	} {
		opened := 0
		c := callOfTest(t, &opened, test.args...)
		if err := Agree(c, stacks, true); err != nil {
			t.Fatal(err)
		}
		sets, _, err := ProvidersApart(c, t.TempDir(), stacks)
		if err != nil {
			t.Fatal(err)
		}
		var logins []string
		for _, s := range sets {
			logins = append(logins, s["cloud"].(*as).login)
		}
		if got := strings.Join(logins, ";"); got != test.want || opened != test.opened {
			t.Errorf("%v: %s, %d opened", test.args, got, opened)
		}
		if sets[0]["cloud"] != sets[2]["cloud"] || sets[0]["cloud"] == sets[1]["cloud"] || sets[0]["dial"] != sets[4]["dial"] {
			t.Error("a provider is shared by others than equal stacks")
		}
	}
}

// TestOneProviderHasOneValue: where a provider serves all stacks, none of them silently has the option of another.
func TestOneProviderHasOneValue(t *testing.T) {
	t.Parallel()
	host := func(name, value string) resource.Intent { return stackOfTest(name, "dial", "local", "host", value) }
	login := func(name, at, value string) resource.Intent { return stackOfTest(name, "cloud", at, "login", value) }
	for name, test := range map[string]struct {
		apart  bool
		args   []string
		stacks []resource.Intent
		want   string // "" means that they agree
	}{
		"different":            {true, nil, []resource.Intent{host("a", "x"), host("b", "y")}, "stack b has options.dial.host y, and stack a has x"},
		"the default":          {true, nil, []resource.Intent{host("a", "x"), host("b", "")}, "stack b has options.dial.host local, and stack a has x"},
		"first without":        {true, nil, []resource.Intent{host("a", ""), host("b", "y")}, "stack a has options.dial.host local, and stack b has y"},
		"equal":                {true, nil, []resource.Intent{host("a", "x"), host("b", "x")}, ""},
		"the command line":     {true, []string{"--dial-host", "z"}, []resource.Intent{host("a", "x"), host("b", "y")}, ""},
		"another provider":     {true, nil, []resource.Intent{host("a", "x"), login("b", "east", "eve")}, ""},
		"apart":                {true, nil, []resource.Intent{login("a", "east", "ann"), login("b", "east", "eve")}, ""},
		"one plan":             {false, nil, []resource.Intent{login("a", "east", "ann"), login("b", "east", "eve")}, "stack b has options.cloud.login eve, and stack a has ann"},
		"one plan, none":       {false, nil, []resource.Intent{login("a", "east", "ann"), login("b", "east", "")}, "stack b has no options.cloud.login, and stack a has ann"},
		"one plan, one group":  {false, nil, []resource.Intent{login("a", "22/e", "22=ann"), login("b", "22/e", "22=eve")}, "stack b has options.cloud.login eve, and stack a has ann"},
		"one plan, two groups": {false, nil, []resource.Intent{login("a", "22/e", "22=ann"), login("b", "33/e", "33=eve")}, ""},
		"one plan, of all":     {false, nil, []resource.Intent{login("a", "east", "ann"), login("b", "33/e", "")}, "stack b has no options.cloud.login, and stack a has ann"},
	} {
		opened := 0
		err := Agree(callOfTest(t, &opened, test.args...), test.stacks, test.apart)
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
