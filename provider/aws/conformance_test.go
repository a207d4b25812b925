package aws_test

import (
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// samples are one of each kind, each using those before it.
func samples() []providertest.Sample {
	of := func(kind, name string) resource.Value { return resource.Reference{Ref: ref(kind, name)} }
	sample := func(kind, name string, want, then values) providertest.Sample {
		out := providertest.Sample{Desired: resource.Desired{Ref: ref(kind, name), Attrs: resource.AttrsOf(want)}}
		if then != nil {
			out.Then = resource.AttrsOf(then)
		}
		return out
	}
	return []providertest.Sample{
		sample("vpc", "main", values{"cidr": text("10.0.0.0/16"), "ipv6": resource.Bool(true), "dns_hostnames": resource.Bool(true)}, nil),
		sample("vpc", "other", values{"cidr": text("10.1.0.0/16")}, values{"ipv6": resource.Bool(true)}),
		sample("subnet", "app", values{"vpc": of("vpc", "main"), "cidr": text("10.0.1.0/24"), "ipv6_block": resource.Int(1)},
			values{"public_ip": resource.Bool(true), "ipv6_block": resource.Int(2), "assign_ipv6": resource.Bool(true)}),
		sample("security_group", "web", values{"vpc": of("vpc", "main"), "ingress": resource.List{rule("port", 443, "cidr", "0.0.0.0/0")}},
			values{"ingress": resource.List{rule("port", 80, "cidr", "::/0")}}),
		sample("ec2", "web-0", values{"size": text("t3.micro"), "subnet": of("subnet", "app"), "security_groups": resource.List{of("security_group", "web")}},
			values{"size": text("t3.small"), "imdsv2": text("optional")}),
		sample("ebs", "data", values{"size": resource.Int(10), "attach_to": of("ec2", "web-0")}, values{"size": resource.Int(20)}),
		sample("network_interface", "vpn", values{"subnet": of("subnet", "app"), "attach_to": of("ec2", "web-0"), "private_ip": text("10.0.1.200")},
			values{"security_groups": resource.List{of("security_group", "web")}, "source_dest_check": resource.Bool(false), "device_index": resource.Int(2)}),
		sample("rds", "db", values{"size": text("db.t3.micro"), "password": secretOf("fake-password-of-a-sample")},
			values{"size": text("db.t3.small"), "backup_days": resource.Int(3)}),
		sample("internet_gateway", "main", values{"vpc": of("vpc", "main")}, nil),
		sample("route_table", "public", values{
			"vpc": of("vpc", "main"), "subnets": resource.List{of("subnet", "app")},
			"routes": resource.List{route("cidr", "0.0.0.0/0", "internet_gateway", of("internet_gateway", "main"))},
		}, values{"routes": resource.List{}}),
		sample("eip", "nat", values{}, nil),
		sample("nat_gateway", "a", values{"subnet": of("subnet", "app"), "eip": of("eip", "nat")}, nil),
		sample("subnet", "other", values{"vpc": of("vpc", "main"), "cidr": text("10.0.2.0/24"), "zone": text("us-east-1b")}, nil),
		sample("subnet", "third", values{"vpc": of("vpc", "main"), "cidr": text("10.0.3.0/24"), "zone": text("us-east-1c")}, nil),
		sample("db_subnet_group", "data", values{"subnets": resource.List{of("subnet", "other"), of("subnet", "third")}}, values{"description": text("of the shop")}),
		sample("key_pair", "ops", values{"public_key": text(keyOne)}, nil),
		sample("iam_role", "web", values{"services": resource.List{text("ec2.amazonaws.com")}, "policies": policies("logs", readLogs)},
			values{"policies": policies("logs", writeLogs), "instance_profile": resource.Bool(true)}),
		sample("launch_template", "web", values{"size": text("t3.micro"), "security_groups": resource.List{of("security_group", "web")}, "iam_profile": of("iam_role", "web")},
			values{"size": text("t3.small"), "instance_tags": policies("team", "web")}),
		sample("target_group", "web", values{"vpc": of("vpc", "main"), "port": resource.Int(8080)}, values{"health_check": object("path", "/health")}),
		sample("load_balancer", "web", values{"subnets": resource.List{of("subnet", "other"), of("subnet", "third")}, "scheme": text("internal")},
			values{"security_groups": resource.List{of("security_group", "web")}}),
		sample("listener", "http", values{"load_balancer": of("load_balancer", "web"), "port": resource.Int(80), "target_group": of("target_group", "web")},
			values{"port": resource.Int(8080)}),
		sample("autoscaling_group", "web", values{
			"min": resource.Int(1), "max": resource.Int(3), "subnets": resource.List{of("subnet", "other")}, "launch_template": of("launch_template", "web"),
		}, values{"desired": resource.Int(2), "target_groups": resource.List{of("target_group", "web")}}),
		sample("dns_zone", "main", values{"domain": text("example.com")}, values{"comment": text("of the shop")}),
		sample("dns_record", "www", values{"zone": of("dns_zone", "main"), "domain": text("www.example.com"), "record_type": text("A"), "values": list("192.0.2.1")},
			values{"values": list("192.0.2.1", "192.0.2.2"), "ttl": resource.Int(60)}),
		sample("security_group", "apart", values{"vpc": of("vpc", "main"), "separate_rules": resource.Bool(true)}, nil),
		sample("security_group_rule", "https", values{"security_group": of("security_group", "apart"), "port": resource.Int(443), "peer_group": of("security_group", "web")},
			values{"description": text("from the web"), "port": resource.Int(8443)}),
		sample("vpc_endpoint", "s3", values{"vpc": of("vpc", "main"), "service": text("com.amazonaws.us-east-1.s3"), "route_tables": resource.List{of("route_table", "public")}},
			values{"policy": text(endpointPolicy)}),
		sample("vpc_endpoint", "logs", values{
			"vpc": of("vpc", "main"), "service": text("com.amazonaws.us-east-1.logs"), "endpoint_type": text("interface"),
			"subnets": resource.List{of("subnet", "other")}, "private_dns": resource.Bool(false),
		}, values{"security_groups": resource.List{of("security_group", "web")}, "subnets": resource.List{of("subnet", "other"), of("subnet", "third")}}),
		sample("vpc_endpoint", "kms", values{
			"vpc": of("vpc", "main"), "service": text("com.amazonaws.us-east-1.kms"), "endpoint_type": text("interface"),
			"subnets": resource.List{of("subnet", "other")},
		}, values{"private_dns": resource.Bool(false)}),
		sample("db_parameter_group", "data", values{"family": text("postgres17"), "parameters": object("work_mem", "4096")},
			values{"parameters": object("max_connections", "200", "log_min_duration_statement", "500")}),
		sample("kms_key", "main", values{"alias": text("main")}, values{"rotation_days": resource.Int(180), "alias": text("shop/main"), "description": text("of the shop")}),
		sample("log_group", "web", values{"log_name": text("/web/access"), "retention_days": resource.Int(30)}, values{"retention_days": resource.Int(0)}),
		sample("secret", "token", values{"generate": resource.AttrsOf(values{"length": resource.Int(40)})}, values{"description": text("of the shop")}),
		sample("certificate", "web", values{"domain": text("www.example.com"), "alternatives": list("*.www.example.com")}, nil),
		sample("s3", "acme-assets", values{}, values{"versioning": resource.Bool(true)}),
	}
}

// rivals are what excludes a sample by a part of its attributes, or by another kind, and what is close to that and does
// not.
func rivals(all []providertest.Sample) []providertest.Sample {
	of := func(kind, name string) resource.Value { return resource.Reference{Ref: ref(kind, name)} }
	one := func(kind string, want values) resource.Desired {
		return resource.Desired{Ref: ref(kind, "rival"), Attrs: resource.AttrsOf(want)}
	}
	by := map[string][]resource.Desired{
		"subnet/app": {
			one("subnet", values{"vpc": of("vpc", "main"), "cidr": text("10.0.1.128/25")}),
			one("subnet", values{"vpc": of("vpc", "main"), "cidr": text("10.0.9.0/24"), "ipv6_block": resource.Int(1)}),
			one("subnet", values{"vpc": of("vpc", "main"), "cidr": text("10.0.9.0/24"), "ipv6_block": resource.Int(9)}),
		},
		"ebs/data": {
			one("ebs", values{"size": resource.Int(10), "attach_to": of("ec2", "web-0"), "device": text("/dev/sdf")}),
			one("ebs", values{"size": resource.Int(10), "attach_to": of("ec2", "web-0"), "device": text("/dev/sdg")}),
		},
		"network_interface/vpn": {
			one("ec2", values{"size": text("t3.micro"), "subnet": of("subnet", "app"), "private_ip": text("10.0.1.200")}),
			one("network_interface", values{"subnet": of("subnet", "app"), "attach_to": of("ec2", "web-0"), "device_index": resource.Int(1)}),
			one("network_interface", values{"subnet": of("subnet", "app"), "private_ip": text("10.0.1.201")}),
		},
		"listener/http": {
			one("listener", values{"load_balancer": of("load_balancer", "web"), "port": resource.Int(81), "target_group": of("target_group", "web")}),
		},
		"dns_record/www": {
			one("dns_record", values{"zone": of("dns_zone", "main"), "domain": text("www.example.com"), "record_type": text("CNAME"), "values": list("other.example.com")}),
			one("dns_record", values{"zone": of("dns_zone", "main"), "domain": text("www.example.com"), "record_type": text("AAAA"), "values": list("2001:db8::1")}),
		},
		"dns_zone/main": {
			one("dns_zone", values{"domain": text("example.com"), "vpc": of("vpc", "main")}),
		},
		"internet_gateway/main": {
			one("internet_gateway", values{"vpc": of("vpc", "other")}),
		},
		"eip/nat": {
			one("nat_gateway", values{"subnet": of("subnet", "app"), "eip": of("eip", "nat")}),
		},
		"vpc_endpoint/logs": {
			one("vpc_endpoint", values{
				"vpc": of("vpc", "main"), "service": text("com.amazonaws.us-east-1.logs"), "endpoint_type": text("interface"),
				"subnets": resource.List{of("subnet", "third")}, "private_dns": resource.Bool(false),
			}),
		},
		"vpc_endpoint/kms": {
			one("vpc_endpoint", values{
				"vpc": of("vpc", "main"), "service": text("com.amazonaws.us-east-1.kms"), "endpoint_type": text("interface"),
				"subnets": resource.List{of("subnet", "third")}, "private_dns": resource.Bool(false),
			}),
		},
		"security_group_rule/https": {
			one("security_group_rule", values{
				"security_group": of("security_group", "apart"), "port": resource.Int(443), "peer_group": of("security_group", "web"),
				"description": text("the same to AWS"),
			}),
		},
		"s3/acme-assets": {
			one("s3", values{"bucket": text("acme-assets")}), one("s3", values{"bucket": text("acme-others")}),
		},
		"log_group/web": {one("log_group", values{"log_name": text("/web/access")}), one("log_group", values{"log_name": text("web")})},
		"secret/token":  {one("secret", values{"secret_name": text("token")}), one("secret", values{"secret_name": text("prod/token")})},
		"kms_key/main":  {one("kms_key", values{"alias": text("main")}), one("kms_key", values{})},
	}
	role := resource.AttrsOf(values{"services": resource.List{text("ec2.amazonaws.com")}})
	by["iam_role/web"] = []resource.Desired{{Ref: ref("iam_role", "WEB"), Attrs: role}}
	for i := range all {
		r := all[i].Desired.Ref
		all[i].Rivals = by[r.Kind+"/"+r.Name]
	}
	return all
}

func TestProviderKeepsItsPromises(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		w := newLiveState(t)
		return providertest.Harness{
			Provider: w.p,
			Scope:    resource.Scope{Provider: "aws", Location: location},
			Samples:  rivals(samples()),
			Ready: func(t *testing.T) { // a certificate is issued by records that are made from it
				if err := w.cloud.IssueCertificates(); err != nil {
					t.Error(err)
				}
			},
			Unmanaged: func(t *testing.T) string {
				id := w.run(1, tag("Name", "bob's"), tag("team", "x"))[0]
				time.Sleep(30 * time.Millisecond) // until it runs: transitional states last 20 ms
				return id
			},
			FailKind: func(t *testing.T, kind string) func() {
				if kind != "ec2" {
					return nil
				}
				w.run(1500)
				w.fault(sandbox.Fault{Kind: sandbox.BadPage, Service: "ec2", Action: "DescribeInstances", Page: 2})
				return w.cloud.ClearFaults
			},
		}
	})
}

const endpointPolicy = `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "*"}]}`

// route is a route from names and values in turn.
func route(nameValue ...any) resource.Attrs {
	var out []resource.Attr
	for i := 0; i+1 < len(nameValue); i += 2 {
		var v resource.Value
		switch x := nameValue[i+1].(type) {
		case string:
			v = resource.String(x)
		case int:
			v = resource.Int(x)
		case bool:
			v = resource.Bool(x)
		default:
			v = x.(resource.Value)
		}
		out = append(out, resource.Attr{Name: nameValue[i].(string), Value: v})
	}
	return resource.NewAttrs(out...)
}
