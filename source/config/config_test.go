package config_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// fakeSecret is in the environment of the tests.
const fakeSecret = "not-a-real-password-7c1f"

func environment(name string) (string, bool) {
	v, ok := map[string]string{
		"DB_PASSWORD": fakeSecret, "SIZE": "t3.small", "NUMBER": "42", "YES": "true", "EMPTY": "", "SHORT": "fake",
		"STAGE": "prod", "TEAM": "platform",
	}[name]
	return v, ok
}

func options(files fs.FS) config.Options {
	return config.Options{Options: checkedBy(testKinds()), Env: environment, Files: files, Stack: "test"}
}

// checkedBy are the options of checking by schemas.
func checkedBy(s schemas) source.Options {
	return source.Options{
		Schemas: s,
		Location: func(provider string) source.LocationRule {
			if provider == "aws" {
				return source.LocationRule{
					Word: "region", Example: "us-east-1", Required: true,
					Group: source.GroupRule{Word: "account", Pattern: "[0-9]{12}", Example: "222222222222/us-east-1"},
				}
			}
			return source.LocationRule{}
		},
		Foreign: func(_, name string) (kind, partOf string) {
			return map[string]string{"aws_instance": "ec2", "aws_s3_bucket": "s3"}[name],
				map[string]string{"aws_security_group_rule": "security_group"}[name]
		},
		ProviderOptions: func(provider string) []source.OptionRule {
			if provider == "aws" {
				return []source.OptionRule{
					{Key: "profile", Doc: "The profile."},
					{Key: "role", Grouped: true, GroupOf: roleAccount, Doc: "The role."},
					{Key: "external", Grouped: true, Doc: "The external ID."},
					{Key: "token", Secret: true},
					{Key: "hook", Operator: true, Flag: "aws-hook", Variable: "OVI_AWS_HOOK"},
				}
			}
			return nil
		},
		Secrets: sourcetest.Secrets{},
	}
}

// tb is what testing.T and rapid.T share.
type tb interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// load reads one text as ovi.yaml.
func load(t tb, text string) (resource.Intent, error) {
	t.Helper()
	return loadFiles(t, map[string]string{"ovi.yaml": text}, "ovi.yaml")
}

func loadFiles(t tb, files map[string]string, paths ...string) (resource.Intent, error) {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return loadFrom(config.New(paths, options(fsys)))
}

// loadFrom loads the one stack of a source.
func loadFrom(s source.Source) (resource.Intent, error) {
	intents, err := source.Load(context.Background(), s)
	if err != nil {
		return resource.Intent{}, err
	}
	return intents[0], nil
}

func mustLoad(t tb, text string) resource.Intent {
	t.Helper()
	in, err := load(t, text)
	if err != nil {
		t.Fatalf("loading\n%s\n%v", text, err)
	}
	return in
}

// problems are those of a text that must have some.
func problems(t tb, text string) source.Problems {
	t.Helper()
	in, err := load(t, text)
	var p source.Problems
	if !errors.As(err, &p) || len(p) == 0 {
		t.Fatalf("no problems in\n%s\nbut %v, %v", text, in, err)
	}
	if in.Resources != nil {
		t.Errorf("an intent beside problems: %v", in)
	}
	return p
}

func refs(in resource.Intent) []string {
	out := []string{}
	for _, o := range in.Resources {
		out = append(out, o.Ref.Bare().String())
	}
	return out
}

func TestSampleOfTheEngineDesign(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := mustLoad(t, string(text))
	want := []string{
		"aws/us-east-1/ec2/ec2-0", "aws/us-east-1/ec2/ec2-1", "aws/us-east-1/ec2/ec2-2",
		"aws/us-east-1/rds/rds-0",
	}
	if diff := cmp.Diff(want, refs(in)); diff != "" {
		t.Error(diff)
	}
	tags := resource.TagsOf(map[string]string{"environment": "prod", "team": "platform", "project": "web-app"})
	for _, o := range in.Resources {
		if diff := cmp.Diff(tags, o.Tags); diff != "" {
			t.Errorf("%s: %s", o.Ref, diff)
		}
	}
	if v, _ := in.Resources[0].Attrs.Get("size"); v != resource.String("t3.micro") {
		t.Errorf("size of ec2-0 is %v", v)
	}
	if v, _ := in.Resources[3].Attrs.Get("size"); v != resource.String("db.t3.micro") {
		t.Errorf("size of rds-0 is %v", v)
	}
	if at := in.Resources[3].At; at != (position.Position{File: "ovi.yaml", Line: 12, Column: 5}) {
		t.Errorf("rds is at %v", at)
	}
	if diff := cmp.Diff([]resource.Scope{{Provider: "aws", Location: "us-east-1"}}, in.Scopes); diff != "" {
		t.Error(diff)
	}
}
