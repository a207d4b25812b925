package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
)

// everyKind is a stack with at least one resource of each kind of AWS, and with what depends on it.
const everyKind = `version: v1
stack: all
provider: aws
region: us-east-1
resources:
  - {type: vpc, name: main, cidr: 10.0.0.0/16, ipv6: true, dns_hostnames: true}
  - {type: internet_gateway, name: main, vpc: main}
  - {type: subnet, name: a, vpc: main, cidr: 10.0.1.0/24, zone: us-east-1a, ipv6_block: 1}
  - {type: subnet, name: b, vpc: main, cidr: 10.0.2.0/24, zone: us-east-1b}
  - {type: route_table, name: public, vpc: main, subnets: [a], routes: [{cidr: 0.0.0.0/0, internet_gateway: main}]}
  - {type: route_table, name: private, vpc: main, subnets: [b], routes: [{cidr: 0.0.0.0/0, nat_gateway: main}]}
  - {type: eip, name: nat}
  - {type: eip, name: web, attach_to: web}
  - {type: nat_gateway, name: main, subnet: a, eip: nat, depends_on: [internet_gateway/main]}
  - {type: vpc_endpoint, name: s3, vpc: main, service: com.amazonaws.us-east-1.s3, route_tables: [private]}
  - {type: vpc_endpoint, name: kms, vpc: main, service: com.amazonaws.us-east-1.kms, endpoint_type: interface,
     subnets: [b], security_groups: [web]}
  - {type: security_group, name: web, vpc: main, ingress: [{port: 443, cidr: 0.0.0.0/0}]}
  - {type: security_group, name: data, vpc: main, separate_rules: true}
  - {type: security_group_rule, name: sql, security_group: data, port: 5432, peer_group: web}
  - {type: key_pair, name: ops, public_key: "%s"}
  - {type: iam_role, name: web, services: [ec2.amazonaws.com], instance_profile: true}
  - {type: kms_key, name: main, alias: shop}
  - {type: ec2, name: web, size: t3.micro, subnet: a, security_groups: [web], key_name: ops, iam_profile: web,
     private_ip: 10.0.1.40}
  - {type: ebs, name: data, size: 10, zone: us-east-1a, attach_to: web, kms_key: main}
  - {type: network_interface, name: vpn, subnet: a, private_ip: 10.0.1.50, security_groups: [web], attach_to: web}
  - {type: db_subnet_group, name: data, subnets: [a, b]}
  - {type: db_parameter_group, name: data, family: postgres17, parameters: {work_mem: "8192"}}
  - {type: rds, name: orders, size: db.t3.micro, subnet_group: data, parameter_group: data, security_groups: [data],
     engine_version: "17", kms_key: "${kms_key/main.arn}"}
  - {type: launch_template, name: web, size: t3.micro, security_groups: [web], iam_profile: web, key_name: ops}
  - {type: target_group, name: web, vpc: main, port: 8080}
  - {type: load_balancer, name: web, subnets: [a, b], security_groups: [web], depends_on: [internet_gateway/main]}
  - {type: listener, name: http, load_balancer: web, port: 80, target_group: web}
  - {type: autoscaling_group, name: web, min: 0, max: 1, subnets: [a, b], launch_template: web, target_groups: [web]}
  - {type: dns_zone, name: main, domain: shop.example}
  - {type: dns_record, name: www, zone: main, domain: www.shop.example, record_type: A, values: [192.0.2.1]}
  - {type: certificate, name: web, domain: www.shop.example}
  - {type: log_group, name: web, log_name: /web/access, retention_days: 30}
  - {type: secret, name: token, generate: {length: 40}}
  - {type: s3, name: assets, bucket: acme-every-kind}
`

// inSandbox runs a command on a folder with a sandbox, and returns its exit code and its screen.
func inSandbox(t *testing.T, dir string, args ...string) (code int, screen string) {
	t.Helper()
	env := map[string]string{
		"OVI_DATA_DIR": filepath.Join(dir, "data"), "HOME": dir, "USER": "ada", "NO_COLOR": "1", "OVI_SANDBOX_SETTLE": "1ms",
	}
	var out bytes.Buffer
	answer := &cli.Answer{W: &out}
	p := &command.Process{Table: table, Process: cli.Process{
		Version: version, Hard: t.Context(), Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok },
		Stdin: strings.NewReader(""), Stdout: answer, Answer: answer, Stderr: &out, Now: time.Now,
	}}
	code = runLine(t.Context(), p, args)
	return code, out.String()
}

// replacements are the ones that the gate tries; OVI_REPLACES=all tries each resource with each strategy.
var replacements = map[string]resource.Strategy{
	"vpc/main": "", "subnet/a": "", "db_parameter_group/data": "", "launch_template/web": resource.DestroyFirst,
	"security_group/web": resource.DestroyFirst,
}

// TestNoReplacementStopsHalfway: each resource, whatever depends on it, is replaced in one apply, after which the plan is
// empty; or it is refused before anything begins, so that the plan without the request is empty, too. A certificate
// waits for records that the stack does not have.
func TestNoReplacementStopsHalfway(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(everyKind, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGy7HMCVOTb1x7FJPLpgFk2Py3iLGgu4lm/ehV0fHaiq")
	all := regexp.MustCompile(`\{type: (\w+), name: ([\w-]+)`).FindAllStringSubmatch(text, -1)
	for _, k := range aws.Kinds() {
		if !slices.ContainsFunc(all, func(b []string) bool { return b[1] == k.Name }) {
			t.Errorf("the stack has no %s", k.Name)
		}
	}
	refused := []string{"subnet/a", "subnet/b", "db_parameter_group/data", "internet_gateway/main", "secret/token"}
	dir := filepath.Join(t.TempDir(), "stack")
	file := filepath.Join(dir, "ovi.yaml")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeConfig(t, dir, text)
	if code, screen := inSandbox(t, dir, "apply", "--sandbox", "--auto-approve", file); code != 0 {
		t.Fatalf("exit code %d\n%s", code, screen)
	}
	copyTree(t, dir, dir+".before")
	var named []string // what follows a replacement and would lose data
	for _, b := range all {
		named = append(named, "--allow-replace", b[1]+"/"+b[2])
	}
	for _, strategy := range []resource.Strategy{"", resource.DestroyFirst} {
		for _, b := range all {
			ref := b[1] + "/" + b[2]
			tried, listed := replacements[ref]
			if b[1] == "certificate" || os.Getenv("OVI_REPLACES") != "all" && (!listed || tried != strategy) {
				continue
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			copyTree(t, dir+".before", dir)
			if strategy != "" {
				writeConfig(t, dir, strings.Replace(text, b[0], b[0]+", replace: "+string(strategy), 1))
			}
			code, screen := inSandbox(t, dir, slices.Concat([]string{"apply", "--sandbox", "--auto-approve", "--replace", ref}, named, []string{file})...)
			if (code != 0) != slices.Contains(refused, ref) {
				t.Errorf("apply --replace %s %s ends with %d\n%s", ref, strategy, code, screen)
			}
			if code, screen := inSandbox(t, dir, "plan", "--sandbox", "--detailed-exitcode", file); code != 0 {
				t.Errorf("the plan after --replace %s %s ends with %d\n%s", ref, strategy, code, screen)
			}
		}
	}
}

// TestAMovedRangeMovesItsAddresses: a subnet with another range is replaced with what has an address in it. The check of
// an address in the new subnet is none of the old one.
func TestAMovedRangeMovesItsAddresses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "ovi.yaml")
	text := fmt.Sprintf(everyKind, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGy7HMCVOTb1x7FJPLpgFk2Py3iLGgu4lm/ehV0fHaiq")
	moved := strings.NewReplacer("10.0.1.0/24", "10.0.3.0/24", "ipv6_block: 1", "ipv6_block: 3", "10.0.1.", "10.0.3.")
	for _, text := range []string{text, moved.Replace(text)} {
		writeConfig(t, dir, text)
		if code, screen := inSandbox(t, dir, "apply", "--sandbox", "--auto-approve", file); code != 0 {
			t.Fatalf("exit code %d\n%s", code, screen)
		}
	}
	if code, screen := inSandbox(t, dir, "plan", "--sandbox", "--detailed-exitcode", file); code != 0 {
		t.Errorf("exit code %d\n%s", code, screen)
	}
}

// copyTree copies a folder with its permissions.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		if d.IsDir() {
			return os.MkdirAll(target, info.Mode().Perm())
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}
