package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/config"
)

// compare are the options to compare intents with.
func compare() []cmp.Option {
	sameZone := cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })
	return []cmp.Option{cmp.AllowUnexported(resource.Secret{}), cmpopts.EquateEmpty(), sameZone}
}

// fine is how many of the blocks are fine; the others are not.
const fine = 13

// blocks are written with an indentation of two.
var blocks = []string{
	"- type: vpc\n  name: main\n  cidr: 10.0.0.0/16\n",
	"- type: subnet\n  name: app\n  vpc: main\n  cidr: 10.0.1.0/24\n",
	"- name: web\n  type: ec2\n  count: 3\n  size: t3.micro\n  subnet: app\n  security_groups: [web, sg-0123]\n",
	"- type: security_group\n  name: web\n  vpc: main\n  ingress:\n    - port: 80\n      cidr: 0.0.0.0/0\n" +
		"    - {port: 443, cidr: 0.0.0.0/0}\n",
	"- type: ebs\n  name: data\n  size: 20\n  attach_to: web-0\n  weight: 1.5\n  tags: {a: b, c: \"d\\te\"}\n",
	"- type: rds\n  size: db.t3.micro\n  password: ${env:DB_PASSWORD}\n  engine_version: 16.10\n  blessed: true\n",
	"- type: ec2\n  size: ${env:SIZE}\n  user_data: |\n    #!/bin/sh\n    echo one\n\n    - type: none\n  # a comment\n" +
		"  ignore: [tags.a]\n",
	"- type: s3\n  name: bucket-a\n  depends_on:\n  - rds\n  - ec2/web\n  tags:\n    note: \"two\n      lines\"\n",
	"- type: ec2\n  name: anded\n  size: t3.micro\n  user_data: a && b\n  key_name: x&y\n",
	"-   type: s3\n    name: bucket-b\n    region: eu-west-1\n    versioning: true\n",
	"- type: ec2\n  name: abroad\n  size: t3.micro\n  key_name: ünï\n",
	"- {type: vpc, name: short, cidr: 10.1.0.0/16}\n",
	"- type: ec2\n  name: folded\n  size: t3.micro\n  user_data: >-\n    some\n    words\n  labels: {a: 1, b: x}\n",
	"- type: ec2\n  name: two\n  sizes: t3.micro\n",
	"- type: ec3\n  name: three\n",
	"- type: ec2\n  name: web-1\n  size: t3.micro\n  subnet: nowhere\n",
	"- type: rds\n  name: Bad_Name\n  size: db\n  password: not-a-real-password\n",
	"- type: ec2\n  size: t3.micro\n  size: t3.small\n  tags:\n",
	"- type: ec2\n  name: \"open\n  size: t3.micro\n",
	"- type: ec2\n   name: bad\n",
	"- just text\n",
	"- type: ec2\n  name: flow\n  size: t3.micro\n  security_groups: [web,\n- type: x\n",
}

func indented(block string, by int) string {
	pad := strings.Repeat(" ", by)
	lines := strings.SplitAfter(block, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			lines[i] = pad + l
		}
	}
	return strings.Join(lines, "")
}

// drawConfig draws a config, its blocks in any order and each as often as it comes.
func drawConfig(t *rapid.T, good bool) string {
	pool := blocks
	if good || rapid.IntRange(0, 2).Draw(t, "good") > 0 {
		pool = blocks[:fine]
	}
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "---\n", "# a comment\n\n"}).Draw(t, "start"))
	b.WriteString("version: v1\nprovider: aws\npublic: [env:SIZE]\n")
	tail := rapid.SampledFrom([]string{
		"", "region: us-east-1\n", "defaults:\n  tags: {owner: me}\n", "# end\n",
		"regoin: x\n", "rules: {max_destroy: 3}\n# c\n",
	}).Draw(t, "tail")
	if !strings.HasPrefix(tail, "region") {
		b.WriteString("region: us-east-1\n")
	}
	b.WriteString(rapid.SampledFrom([]string{
		"", "ignore:\n  - tags.x\n", "defaults: &d\n  tags: {a: b}\n",
		"rules:\n  rules: [{name: a, when: a && b, effect: deny}]\n", "stack: \"a\"\n",
	}).Draw(t, "head"))
	b.WriteString("resources:" + rapid.SampledFrom([]string{"\n", " # here\n", "\n\n  # first\n"}).Draw(t, "resources"))
	by := rapid.SampledFrom([]int{0, 2, 2, 4}).Draw(t, "indent")
	for _, i := range rapid.Permutation(indexes(len(pool))).Draw(t, "order")[:rapid.IntRange(1, len(pool)).Draw(t, "n")] {
		b.WriteString(indented(pool[i], by) + rapid.SampledFrom([]string{"", "", "\n", "# between\n"}).Draw(t, "between"))
	}
	b.WriteString(tail)
	return b.String()
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestCutAndWholeAgree: reading a document in pieces gives what reading it whole gives, the
// same problems in the same places too.
func TestCutAndWholeAgree(t *testing.T) {
	cuts, good := 0, 0
	drawn.Check(t, func(t *rapid.T) {
		text := drawConfig(t, false)
		if rapid.IntRange(0, 4).Draw(t, "windows") == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		s := config.New([]string{"ovi.yaml"}, options(fstest.MapFS{"ovi.yaml": {Data: []byte(text)}}))
		cut, cutErr := loadFrom(config.Pieces(s, rapid.SampledFrom([]int{1, 50, 1 << 14}).Draw(t, "piece")))
		whole, wholeErr := loadFrom(config.Whole(s))
		if diff := cmp.Diff(whole, cut, compare()...); diff != "" {
			t.Fatalf("whole (-) and cut (+) differ in\n%s\n%s", text, diff)
		}
		if diff := cmp.Diff(fmt.Sprint(wholeErr), fmt.Sprint(cutErr)); diff != "" {
			t.Fatalf("the problems of whole (-) and cut (+) differ in\n%s\n%s", text, diff)
		}
		if config.Cuts(text) {
			cuts++
		}
		if cutErr == nil {
			good++
		}
	})
	if cuts == 0 || good == 0 {
		t.Errorf("%d texts were cut and %d were fine: this test shows nothing", cuts, good)
	}
}

// TestLaw6_NamesAreStable: no identity comes from a position. The same blocks in another
// order, with another indentation, beside new ones, are the same configuration.
func TestLaw6_NamesAreStable(t *testing.T) {
	head := "version: v1\nprovider: aws\npublic: [env:SIZE]\nregion: us-east-1\nresources:\n"
	ignoreLocation := cmpopts.IgnoreFields(resource.Desired{}, "At")
	drawn.Check(t, func(t *rapid.T) {
		all := blocks[:fine]
		text := func(order []int, by int) string {
			var b strings.Builder
			for _, i := range order {
				b.WriteString(indented(all[i], by))
			}
			return head + b.String()
		}
		order := rapid.Permutation(indexes(len(all))).Draw(t, "order")
		before := mustLoad(t, text(indexes(len(all)), 2))
		after := mustLoad(t, text(order, rapid.IntRange(0, 3).Draw(t, "indent")))
		if diff := cmp.Diff(before.Resources, after.Resources, append(compare(), ignoreLocation)...); diff != "" {
			t.Fatalf("moving blocks changed the intent:\n%s", diff)
		}
		at := rapid.IntRange(0, len(all)).Draw(t, "at")
		all = append(append(append([]string{}, all[:at]...), "- type: s3\n  name: inserted\n"), all[at:]...)
		with := mustLoad(t, text(indexes(len(all)), 2))
		rest := []resource.Desired{}
		for _, o := range with.Resources {
			if o.Ref.Name != "inserted" {
				rest = append(rest, o)
			}
		}
		if diff := cmp.Diff(before.Resources, rest, append(compare(), ignoreLocation)...); diff != "" {
			t.Fatalf("inserting a block changed other resources:\n%s", diff)
		}
	})
}

// TestLaw9_SecretsStayOut: nothing that a load gives shows a secret.
func TestLaw9_SecretsStayOut(t *testing.T) {
	text := "version: v1\nprovider: aws\npublic: [env:SIZE]\nregion: us-east-1\nresources:\n" +
		"  - type: rds\n    name: one\n    size: db.t3.micro\n    password: ${env:DB_PASSWORD}\n" +
		"  - type: rds\n    name: two\n    size: db.t3.micro\n    password: ${file:secret.txt}\n" +
		"  - type: rds\n    name: three\n    size: db.t3.micro\n    password: x-${env:DB_PASSWORD}-y\n"
	files := map[string]string{"ovi.yaml": text, "secret.txt": fakeSecret + "\r\n"}
	in, err := loadFiles(t, files, "ovi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const ec2 = "type: ec2, name: web, size: t3.micro, "
	asJSON, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	for what, shown := range map[string]string{
		"JSON": string(asJSON), "%v": fmt.Sprintf("%v", in), "%+v": fmt.Sprintf("%+v", in), "%#v": fmt.Sprintf("%#v", in),
	} {
		if strings.Contains(shown, fakeSecret) {
			t.Errorf("%s shows the secret: %s", what, shown)
		}
	}
	one, _ := in.Resources[0].Attrs.Get("password")
	two, _ := in.Resources[2].Attrs.Get("password")
	if s, ok := one.(resource.Secret); !ok || s.Reveal() != fakeSecret {
		t.Errorf("the provider would not get the secret: %T", one)
	}
	again, ok := two.(resource.Secret)
	if !ok || again.Reveal() != fakeSecret {
		t.Error("the same secret from a file and from the environment is not the same value")
	}
	if resource.Equal(one, two) {
		t.Error("the same secret in two resources has the same digest: what is known of one tells of the other")
	}
	// The same in every place where it does not belong: the messages must not show it.
	for _, keys := range []string{
		"type: ${env:DB_PASSWORD}", "type: vpc, name: \"${env:DB_PASSWORD}/\"",
		"type: vpc, cidr: a, tags: [\"${env:DB_PASSWORD}\"]",
		ec2 + "count: \"${env:DB_PASSWORD}\"", ec2 + "region: \" ${env:DB_PASSWORD}\"",
		ec2 + "blessed: \"${env:DB_PASSWORD}\"",
		ec2 + "depends_on: [\"${env:DB_PASSWORD}\"]", ec2 + "depends_on: [\"vpc/${env:DB_PASSWORD}\"]",
		ec2 + "depends_on: [\"a/b/c/${env:DB_PASSWORD}\"]", ec2 + "ignore: [\"${env:DB_PASSWORD}\"]",
		ec2 + "subnet: \"${env:DB_PASSWORD}\"", ec2 + "security_groups: [\"x${env:DB_PASSWORD}\"]",
		ec2 + "security_groups: \"${env:DB_PASSWORD}\"",
		ec2 + "state: \"${env:DB_PASSWORD}\"", ec2 + "public_ip: \"${env:DB_PASSWORD}\"",
		ec2 + "root_volume: {type: \"a${env:DB_PASSWORD}\"}", ec2 + "root_volume: \"${env:DB_PASSWORD}\"",
		ec2 + "user_data: \"${file:secret-${env:DB_PASSWORD}}\"", ec2 + "labels: {a: [\"${env:DB_PASSWORD}\"]}",
		"type: ec2, name: web, size: \"${env:DB_PASSWORD}\"",
	} {
		for _, p := range problems(t, "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n  - {"+keys+"}\n") {
			if shown := fmt.Sprintf("%v %+v %#v", p, p, p); strings.Contains(shown, fakeSecret) {
				t.Errorf("%s: a problem shows the secret: %s", keys, shown)
			}
		}
	}
}
