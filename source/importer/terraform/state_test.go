package terraform_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/source/importer/terraform"
)

var types = map[string]provider.Foreign{
	"aws_instance":    {Kind: "ec2"},
	"aws_db_instance": {Kind: "rds", ID: "identifier"},
	"aws_rule":        {PartOf: "group"},
	"aws_record":      {Kind: "record", ID: "zone_id/fqdn/type"},
}

const whole = `{"version": 4, "outputs": {"x": {"value": "secret"}}, "resources": [
  {"mode": "data", "type": "aws_instance", "name": "d", "instances": [{"attributes": {"id": "i-0"}}]},
  {"mode": "managed", "type": "aws_instance", "name": "web", "instances": [
    {"index_key": 0, "attributes": {"id": "i-1"}}, {"index_key": 1, "attributes": {"id": "i-2"}},
    {"deposed": "ab", "attributes": {"id": "i-9"}}]},
  {"module": "module.app[\"eu.west\"].module.db[2]", "mode": "managed", "type": "aws_db_instance", "name": "this", "instances": [
    {"index_key": "a", "attributes": {"id": "db-ABC", "identifier": "orders", "password": "secret"}}]},
  {"mode": "managed", "type": "aws_rule", "name": "r", "instances": [{"attributes": null}]},
  {"mode": "managed", "type": "aws_record", "name": "www", "instances": [{"attributes": {"id": "Z1_www_A", "zone_id": "Z1", "fqdn": "www.example.com", "type": "A"}}]},
  {"mode": "managed", "type": "aws_sqs_queue", "name": "q", "instances": [{"attributes": {"id": "x"}}]}]}`

func TestRead(t *testing.T) {
	got, err := terraform.Read([]byte(whole), types)
	if err != nil {
		t.Fatal(err)
	}
	want := []terraform.Resource{
		{Address: "aws_instance.web[0]", Type: "aws_instance", Name: "web-0", ID: "i-1", Known: types["aws_instance"], Own: "web", Index: "0"},
		{Address: "aws_instance.web[1]", Type: "aws_instance", Name: "web-1", ID: "i-2", Known: types["aws_instance"], Own: "web", Index: "1"},
		{
			Address: `module.app["eu.west"].module.db[2].aws_db_instance.this["a"]`, Type: "aws_db_instance",
			Name: "app-eu.west-db-2-a", ID: "orders", Known: types["aws_db_instance"],
			Modules: [][2]string{{"app", "eu.west"}, {"db", "2"}}, Own: "this", Index: "a",
		},
		{Address: "aws_rule.r", Type: "aws_rule", Name: "r", Known: types["aws_rule"], Own: "r"},
		{Address: "aws_record.www", Type: "aws_record", Name: "www", ID: "Z1/www.example.com/A", Known: types["aws_record"], Own: "www"},
		{Address: "aws_sqs_queue.q", Type: "aws_sqs_queue", Name: "q", Own: "q"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoState(t *testing.T) {
	for text, want := range map[string]string{
		"":   "not a Terraform state",
		"[]": "not a Terraform state",
		"{}": "it has no version",
		`{"format_version":"1.0","terraform_version":"1.9.0","values":{}}`: "the output of `terraform show -json`",
		`{"version":3}`: "version 3 is not supported",
		`{"version":4,"resources":[{"mode":"managed","type":"aws_instance","name":"w","instances":[{"attributes":{"id":7,"password":"hunter2"}}]}]}`: "aws_instance.w: its attribute id is not set",
		`{"version":4,"resources":[{"mode":"managed","type":"aws_instance","name":"w","instances":[{}]}]}`:                                           "aws_instance.w: its attributes cannot be read",
	} {
		_, err := terraform.Read([]byte(text), types)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzRead: a damaged state is an error, and what is read has an address and a name.
func FuzzRead(f *testing.F) {
	f.Add(whole)
	f.Add(`{"version":4,"resources":[{"mode":"managed","module":"module.a[\"x","type":"t","name":"n","instances":[{"index_key":[1]}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := terraform.Read([]byte(text), types)
		for _, r := range got {
			if err != nil || r.Address == "" {
				t.Errorf("%v: %+v", err, r)
			}
		}
	})
}
