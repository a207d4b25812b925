package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/source/importer/terraform"
)

// renumbered takes what the last output lists (`ovi status`) for what a state has, by kinds and names: it writes the state
// with the IDs that exist now, and ovi forgets all of it: renumbered STATE FILE.
func renumbered(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: renumbered STATE FILE")
	}
	ids := map[string]string{} // by KIND/NAME
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if f := strings.Fields(line); len(f) > 1 && strings.Contains(f[0], "/") {
			ids[f[0]] = f[1]
		}
	}
	text := []byte(ts.ReadFile(args[0]))
	state, err := terraform.Read(text, aws.Entry(nil, nil).Terraform)
	ts.Check(err)
	for _, r := range state {
		if r.Known.Kind == "" || r.Known.ID != "" { // a part of another, or called by its name
			continue
		}
		id := ids[r.Known.Kind+"/"+r.Name]
		if id == "" { // it is called by its name in AWS, which is its ID in the state
			id = ids[r.Known.Kind+"/"+r.ID]
		}
		if id == "" {
			id = listed(ids, r)
		}
		if id == "" {
			ts.Fatalf("%s is not listed", r.Address)
		}
		text = bytes.ReplaceAll(text, []byte(`"`+r.ID+`"`), []byte(`"`+id+`"`))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o600))
	for name := range ids {
		ts.Check(ts.Exec("ovi", "forget", name))
	}
}

// listed is the one resource of a kind whose name in the configuration comes from AWS.
func listed(ids map[string]string, r terraform.Resource) (id string) {
	for name, x := range ids {
		if strings.HasPrefix(name, r.Known.Kind+"/") {
			if id != "" {
				return ""
			}
			id = x
		}
	}
	return id
}

// TestTerraformOnMoto records the state of testdata/terraform again, by Terraform and its provider, and imports it. It
// runs in `make terraform-state`, which builds the provider.
func TestTerraformOnMoto(t *testing.T) {
	mirror := os.Getenv("OVI_TERRAFORM_MIRROR")
	if mirror == "" {
		t.Skip("no provider of Terraform; `make terraform-state` builds it")
	}
	p := motoParams(t)
	p.Files = []string{"testdata/terraform/live.txtar"}
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("OVI_TERRAFORM_MIRROR", mirror)
		return setup(e)
	}
	testscript.Run(t, p)
}
