package code_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/importer/terraform/code"
	"github.com/ovi-project/ovi/source/sourcetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type kinds []resource.Kind

func (s kinds) Kind(_, kind string) (resource.Kind, bool) {
	for _, k := range s {
		if k.Name == kind {
			return k, true
		}
	}
	return resource.Kind{}, false
}
func (s kinds) Kinds(string) []resource.Kind { return s }
func (s kinds) Providers() []string          { return []string{"aws"} }

// input is a module with the kinds of AWS.
func input(files fs.FS, dir string) code.Input {
	entry := aws.Entry(nil, nil)
	schemas := kinds(entry.Kinds())
	return code.Input{
		Files: files, Dir: dir, Provider: "aws", Word: "region", Location: "us-east-1", Stack: "shop",
		Types: entry.Terraform,
		Kind:  func(name string) (resource.Kind, bool) { return schemas.Kind("aws", name) },
		Load: func(files map[string]string, env string, set []string) source.Problems {
			_, problems := load(schemas, files, env, set)
			return problems
		},
	}
}

// load reads a configuration, as a plan does.
func load(schemas kinds, files map[string]string, env string, set []string) ([]resource.Intent, source.Problems) {
	at := fstest.MapFS{}
	for name, text := range files {
		at[name] = &fstest.MapFile{Data: []byte(text)}
	}
	drafts, err := config.New([]string{code.Main}, config.Options{
		Options: source.Options{
			Schemas: schemas, Secrets: sourcetest.Secrets{},
			Location: func(string) source.LocationRule {
				l := aws.Entry(nil, nil).Locations
				return source.LocationRule{
					Word: l.Word, Example: l.Example, Pattern: l.Pattern, Required: l.Required, Group: source.GroupRule(l.Group),
				}
			},
		},
		Files: at, Environment: env, AskedFor: env != "", Set: set,
		Env: func(string) (string, bool) { return "example-value", true },
	}).Load(context.Background())
	var problems source.Problems
	if errors.As(err, &problems) {
		return nil, problems
	}
	if err != nil {
		return nil, source.Problems{{Summary: err.Error()}}
	}
	return source.Resolve(drafts)
}

// shown is a result as a golden file has it.
func shown(r *code.Result) string {
	var b strings.Builder
	for _, name := range r.Paths() {
		fmt.Fprintf(&b, "-- %s --\n%s", name, r.Files[name])
	}
	fmt.Fprintf(&b, "-- notes: %d converted, %d not; values are missing: %v --\n", r.Converted, len(r.Notes), r.Missing)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s:%d:%d: %s; %s\n", n.At.File, n.At.Line, n.At.Column, n.What, n.Suggestion)
	}
	return b.String()
}

// TestConvert: each module in testdata becomes the golden configuration, which loads in every environment, and has no
// secret of the module.
func TestConvert(t *testing.T) {
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if !d.IsDir() || d.Name() == "fuzz" {
			continue
		}
		t.Run(d.Name(), func(t *testing.T) {
			in := input(os.DirFS("testdata"), d.Name())
			got, err := code.Convert(in)
			if err != nil {
				t.Fatal(err)
			}
			golden := path.Join("testdata", d.Name()+".golden")
			text := shown(got)
			if strings.Contains(text, "hunter") {
				t.Error("the result has a secret")
			}
			if *update {
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Error(diff)
			}
			for _, e := range append(got.Environments, "")[:max(1, len(got.Environments))] {
				if problems := in.Load(got.Files, e, nil); len(problems) > 0 && len(got.Missing) == 0 {
					t.Errorf("environment %q: %v", e, problems)
				}
			}
			again, err := code.Convert(input(os.DirFS("testdata"), d.Name()))
			if err != nil || shown(again) != text {
				t.Error("a second conversion differs", err)
			}
		})
	}
}

// TestWhatIsNoModule: a folder that cannot be converted is an error with its place.
func TestWhatIsNoModule(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for name, c := range map[string]struct{ text, want string }{
		"syntax":      {"resource \"aws_vpc\" {\n  cidr_block = \n}", "m/main.tf:2: Invalid expression"},
		"deep":        {"locals { x = " + deep + " }", "nested too deeply"},
		"not":         {"locals { x = " + strings.Repeat("!", 5000) + "true }", "nested too deeply"},
		"conditional": {"locals { x = " + strings.Repeat("true ? 1 : ", 5000) + "2 }", "nested too deeply"},
		"template":    {"locals { x = \"" + strings.Repeat("%{ if true }", 5000) + "\" }", "nested too deeply"},
		"large":       {"# " + strings.Repeat("x", 1<<20), "larger than 1 MiB"},
		"cycle":       {`module "a" { source = "./" }`, "in a cycle"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := code.Convert(input(fstest.MapFS{"m/main.tf": {Data: []byte(c.text)}}, "m"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := code.Convert(input(fstest.MapFS{"m/x.txt": {}}, "m")); err == nil ||
		!strings.Contains(err.Error(), "no *.tf files") {
		t.Error(err)
	}
}

// TestNoPathLeadsOut: a module outside of the folder is listed, and no name of a module becomes a path.
func TestNoPathLeadsOut(t *testing.T) {
	got, err := code.Convert(input(fstest.MapFS{
		"m/main.tf": {Data: []byte("module \"a\" { source = \"../../../etc\" }\n" +
			"module \"b\" { source = \"./x/..y z\" }\n")},
		"m/x/..y z/main.tf":  {Data: []byte("resource \"aws_vpc\" \"v\" { cidr_block = \"10.0.0.0/16\" }\n")},
		"m/x/..y z/other.md": {},
	}, "m"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range got.Paths() {
		if name != code.Main && name != "components/component/component.yaml" {
			t.Error(name)
		}
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0].What, "module.a is not a folder of this repository") {
		t.Error(got.Notes)
	}
}

// TestNameOf: the address of a state is the name in the configuration.
func TestNameOf(t *testing.T) {
	got, err := code.Convert(input(os.DirFS("testdata"), "shop"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path                         [][2]string
		typ, name, index, id, result string
	}{
		{nil, "aws_subnet", "data", "a", "subnet-1", "subnet/data-a"},
		{nil, "aws_instance", "web", "0", "i-1", "ec2/web-0"},
		{nil, "aws_s3_bucket", "audit", "0", "shop-audit-prod", "s3/audit"},
		{[][2]string{{"orders", ""}}, "aws_security_group", "this", "", "sg-1", "security_group/orders-this"},
		{[][2]string{{"orders", ""}}, "aws_db_instance", "this", "", "orders", ""},
		{[][2]string{{"unknown", ""}}, "aws_vpc", "this", "", "vpc-1", ""},
		{nil, "aws_lambda_function", "thumbs", "", "thumbs", ""},
	} {
		if name := got.NameOf(c.path, c.typ, c.name, c.index, c.id); name != c.result {
			t.Errorf("%v: got %q", c, name)
		}
	}
}

// TestTheTableNamesAttributes: each attribute in the table of types exists in its kind.
func TestTheTableNamesAttributes(t *testing.T) {
	entry := aws.Entry(nil, nil)
	for typ, known := range entry.Terraform {
		if known.Document != nil {
			continue
		}
		kind, ok := kinds(entry.Kinds()).Kind("aws", known.Kind+known.PartOf)
		if !ok {
			t.Errorf("%s: no kind %s", typ, known.Kind+known.PartOf)
			continue
		}
		for from, to := range known.Attrs {
			fields := kind.Attrs
			list := known.Into
			if i := strings.LastIndexByte(from, '.'); i >= 0 && strings.HasSuffix(known.Attrs[from[:i]], "[]") {
				list = strings.TrimSuffix(known.Attrs[from[:i]], "[]")
			}
			if list == "?" {
				list = "ingress"
			}
			if list != "" && !strings.Contains(list, "{") {
				fields = attribute(fields, list).Elem.Fields
			}
			path := to[:strings.IndexAny(to+"!", "!*+=[{")]
			if strings.HasPrefix(from, ".") && strings.Contains(to, "{id}") {
				continue // a text around the ID, such as an ARN
			}
			if to != "" && attribute(fields, path).Name == "" {
				t.Errorf("%s.%s: %s has no attribute %q", typ, from, kind.Name, path)
			}
		}
		if m, _, is := strings.Cut(known.Into, "{"); is && attribute(kind.Attrs, m).Type != resource.TMap {
			t.Errorf("%s: %s has no map %q", typ, kind.Name, m)
		}
		for name := range known.Sets {
			if attribute(kind.Attrs, name).Name == "" {
				t.Errorf("%s: %s has no attribute %q", typ, kind.Name, name)
			}
		}
	}
}

func attribute(all []resource.Attribute, path string) resource.Attribute {
	first, rest, more := strings.Cut(path, ".")
	for _, a := range all {
		switch {
		case a.Name == first && more:
			return attribute(a.Fields, rest)
		case a.Name == first:
			return a
		}
	}
	return resource.Attribute{}
}

// FuzzConvert: whatever a module has, the result is an error or a configuration that loads.
func FuzzConvert(f *testing.F) {
	for _, name := range []string{"shop/main.tf", "shop/vars.tf", "shop/modules/database/main.tf"} {
		text, err := os.ReadFile(path.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "cidr = \"10.0.0.0/16\"")
	}
	f.Add("locals {\n a = [local.b, local.b]\n b = local.a\n c = aws_vpc.x.id\n}\n"+
		"resource aws_vpc x { cidr_block = local.a }", "")
	f.Fuzz(func(t *testing.T, text, values string) {
		in := input(fstest.MapFS{"main.tf": {Data: []byte(text)}, "dev.tfvars": {Data: []byte(values)}}, ".")
		got, err := code.Convert(in)
		if err != nil {
			return
		}
		if problems := in.Load(got.Files, "dev", nil); len(problems) > 0 && len(got.Missing) == 0 {
			t.Errorf("the result does not load: %v\n%s", problems, got.Files[code.Main])
		}
	})
}

// TestALabelBecomesANameThatItsKindAllows: labels have underscores, and names of buckets and balancers do not. The
// label of a module begins the names of what is in it.
func TestALabelBecomesANameThatItsKindAllows(t *testing.T) {
	files := fstest.MapFS{
		"main.tf": {Data: []byte(`
resource "aws_s3_bucket" "my_Logs" { bucket = "acme-logs-1" }
resource "aws_s3_bucket" "my_data" { bucket = "acme-data-1" }
resource "aws_s3_bucket" "my-data" { bucket = "acme-data-2" }
resource "aws_s3_bucket" "per_team" {
  for_each = toset(["a", "b"])
  bucket   = "acme-${each.key}"
}
resource "aws_s3_bucket_versioning" "my_Logs" {
  bucket = aws_s3_bucket.my_Logs.id
  versioning_configuration { status = "Enabled" }
}
resource "aws_vpc" "main_net" { cidr_block = "10.0.0.0/16" }
module "web_site" { source = "./site" }
module "net_one" { source = "./net" }
moved {
  from = aws_s3_bucket.old_logs
  to   = aws_s3_bucket.my_Logs
}
output "arn" { value = aws_s3_bucket.my_Logs.arn }
output "site" { value = module.web_site.arn }
`)},
		"site/main.tf": {Data: []byte(`
resource "aws_s3_bucket" "static_files" { bucket = "acme-static" }
output "arn" { value = aws_s3_bucket.static_files.arn }
`)},
		"net/main.tf": {Data: []byte(`resource "aws_vpc" "this_one" { cidr_block = "10.1.0.0/16" }`)},
	}
	got, err := code.Convert(input(files, "."))
	if err != nil {
		t.Fatal(err)
	}
	text := shown(got)
	for _, want := range []string{
		"name: my-logs", "name: per-team", "name: my-data", "name: main_net", "name: web-site", "name: net_one",
		"name: static-files", "name: this_one", "from: s3/old-logs", "to: s3/my-logs", "${use/web-site.arn}", "versioning: true",
		`invalid name "my_data" for kind s3`, // two labels become one name
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if name := got.NameOf([][2]string{{"web_site", ""}}, "aws_s3_bucket", "static_files", "", "acme-static"); name != "s3/web-site-static-files" {
		t.Errorf("the name of the bucket in the module is %q", name)
	}
	if len(got.Notes) != 1 || t.Failed() {
		t.Log(text)
		t.Errorf("%d parts are not converted", len(got.Notes))
	}
}

// TestAnAttributeIsNotTakenForTheID: what ovi does not have of a resource is listed. It is the ID only where the ID, or
// a text around it, is what Terraform means.
func TestAnAttributeIsNotTakenForTheID(t *testing.T) {
	files := fstest.MapFS{"main.tf": {Data: []byte(`
resource "aws_vpc" "main" { cidr_block = "10.0.0.0/16" }
resource "aws_security_group" "web" {
  vpc_id      = aws_vpc.main.id
  description = "web"
}
resource "aws_s3_bucket" "logs" { bucket = "acme-logs-1" }
resource "aws_route53_zone" "main" { name = "example.com" }
resource "aws_lb_target_group" "web" {
  port     = 80
  protocol = "HTTP"
  vpc_id   = aws_vpc.main.id
}
resource "aws_s3_bucket_policy" "logs" {
  bucket = aws_s3_bucket.logs.id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Deny", Principal = "*", Action = "s3:*", Resource = "${aws_s3_bucket.logs.arn}/*" }]
  })
}
output "vpc_arn" { value = aws_vpc.main.arn }
output "vpc_id" { value = aws_vpc.main.id }
output "group_name" { value = aws_security_group.web.name }
output "zone" { value = aws_route53_zone.main.zone_id }
output "bucket_arn" { value = aws_s3_bucket.logs.arn }
output "targets" { value = aws_lb_target_group.web.arn }
`)}}
	got, err := code.Convert(input(files, "."))
	if err != nil {
		t.Fatal(err)
	}
	text := shown(got)
	for _, want := range []string{
		"vpc_id: ${vpc/main}", "zone: ${dns_zone/main}", "bucket_arn: arn:aws:s3:::${s3/logs}",
		"targets: ${target_group/web}", "arn:aws:s3:::acme-logs-1/*",
		"vpc has no attribute for arn", "security_group has no attribute for name",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(got.Notes) != 2 || t.Failed() {
		t.Log(text)
		t.Errorf("%d parts are not converted", len(got.Notes))
	}
}

// TestAPolicyDocumentIsWrittenWhereItIsUsed: most policies of Terraform are data sources. What one has that is not
// known is listed, and no part of it is written.
func TestAPolicyDocumentIsWrittenWhereItIsUsed(t *testing.T) {
	files := fstest.MapFS{"main.tf": {Data: []byte(`
data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
    principals {
      type        = "AWS"
      identifiers = ["arn:aws:iam::111122223333:root"]
    }
  }
}
data "aws_iam_policy_document" "public" {
  statement {
    sid       = "Read"
    effect    = "Deny"
    actions   = ["s3:GetObject"]
    resources = [aws_s3_bucket.data.arn, "${aws_s3_bucket.data.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:PrincipalOrgID"
      values   = ["o-123"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:SourceVpc"
      values   = [aws_vpc.main.id]
    }
  }
  statement {
    not_actions = ["s3:*"]
    resources   = ["*"]
  }
}
data "aws_iam_policy_document" "anyone" {
  statement {
    actions = ["s3:*"]
    principals {
      type        = "AWS"
      identifiers = ["111122223333"]
    }
    principals {
      type        = "*"
      identifiers = ["*"]
    }
  }
}
resource "aws_s3_bucket" "anyone" { bucket = "acme-anyone" }
resource "aws_s3_bucket_policy" "anyone" {
  bucket = aws_s3_bucket.anyone.id
  policy = data.aws_iam_policy_document.anyone.json
}
data "aws_iam_policy_document" "merged" { source_policy_documents = [data.aws_iam_policy_document.public.json] }
resource "aws_vpc" "main" { cidr_block = "10.0.0.0/16" }
resource "aws_iam_role" "web" {
  name               = "web"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}
resource "aws_s3_bucket" "more" { bucket = "acme-more" }
resource "aws_s3_bucket_policy" "more" {
  bucket = aws_s3_bucket.more.id
  policy = data.aws_iam_policy_document.merged.json
}
resource "aws_s3_bucket" "data" { bucket = "acme-data" }
resource "aws_s3_bucket_policy" "data" {
  bucket = aws_s3_bucket.data.id
  policy = data.aws_iam_policy_document.public.json
}
`)}}
	got, err := code.Convert(input(files, "."))
	if err != nil {
		t.Fatal(err)
	}
	text := shown(got)
	for _, want := range []string{
		`'Principal': {'Service': ['ec2.amazonaws.com'], 'AWS': ['arn:aws:iam::111122223333:root']}`,
		`'Action': ['sts:AssumeRole']`, `'Effect': 'Allow'`, `"Version":"2012-10-17"`, `"Effect":"Deny"`,
		`"Resource":["arn:aws:s3:::acme-data","arn:aws:s3:::acme-data/*"]`, `"Principal":"*"`, `"Sid":"Read"`,
		`"Condition":{"StringEquals":{"aws:PrincipalOrgID":["o-123"],"aws:SourceVpc":["${vpc/main}"]}}`,
		`{"Effect":"Allow","NotAction":["s3:*"],"Resource":["*"]}`, "source_policy_documents has no counterpart", "two blocks principals set Principal",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	for range 10 {
		again, err := code.Convert(input(files, "."))
		if err != nil || shown(again) != text {
			t.Fatalf("another conversion differs: %v", err)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
