package config_test

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// schemas are kinds for the tests, of the shape that a real provider's have.
type schemas []resource.Kind

func (s schemas) Kind(provider, kind string) (resource.Kind, bool) {
	for _, k := range s {
		if k.Provider == provider && k.Name == kind {
			return k, true
		}
	}
	return resource.Kind{}, false
}

func (s schemas) Kinds(provider string) []resource.Kind {
	var out []resource.Kind
	for _, k := range s {
		if k.Provider == provider {
			out = append(out, k)
		}
	}
	return out
}

func (s schemas) Providers() []string {
	var out []string
	for _, k := range s {
		out = append(out, k.Provider)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func bound(n int64) *int64 { return &n }

func text(name string) resource.Attribute {
	return resource.Attribute{Name: name, Type: resource.TString, Doc: "A text."}
}

func ref(name, kind, prefix string) resource.Attribute {
	return resource.Attribute{Name: name, Type: resource.TString, RefKind: kind, IDPrefix: prefix, Example: "main"}
}

func groups() resource.Attribute {
	return resource.Attribute{
		Name: "security_groups", Type: resource.TSet, Example: "[web]",
		Elem: &resource.Attribute{Type: resource.TString, RefKind: "security_group", IDPrefix: "sg-"},
	}
}

// testKinds are sorted by provider and name, as source.Schemas promises.
func testKinds() schemas {
	return schemas{
		{Provider: "aws", Name: "ebs", Doc: "A disk.", Canonical: needsZone, Attrs: []resource.Attribute{
			{Name: "size", Type: resource.TInt, Required: true, Min: bound(1), Max: bound(16384), Example: "20", Doc: "In GiB."},
			text("zone"), ref("attach_to", "ec2", "i-"),
			{Name: "encrypted", Type: resource.TBool},
			{Name: "weight", Type: resource.TFloat},
		}},
		{
			Provider: "aws", Name: "ec2", Doc: "A virtual machine.", State: resource.StateRunning,
			NamePattern: `[A-Za-z0-9][A-Za-z0-9_.-]{0,126}`, Attrs: []resource.Attribute{
				{
					Name: "size", Type: resource.TString, Required: true, Pattern: `[a-z0-9]+\.[a-z0-9]+`, Example: "t3.micro",
					Doc: "The instance type.",
				},
				text("image"), ref("subnet", "subnet", "subnet-"), groups(), text("key_name"), text("user_data"),
				{Name: "public_ip", Type: resource.TBool},
				{Name: "root_volume", Type: resource.TObject, Example: "{size: 30}", Fields: []resource.Attribute{
					{Name: "size", Type: resource.TInt, Min: bound(1)},
					{Name: "type", Type: resource.TString, Enum: []string{"gp2", "gp3"}},
					{Name: "encrypted", Type: resource.TBool},
				}},
				{Name: "labels", Type: resource.TMap},
				{Name: "address", Type: resource.TString, Computed: true},
			},
		},
		{
			Provider: "aws", Name: "rds", Doc: "A managed database.", NamePattern: `[a-z](-?[a-z0-9]){0,62}`,
			NameDoc: "lowercase letters, digits and single hyphens", Attrs: []resource.Attribute{
				{Name: "size", Type: resource.TString, Required: true, Example: "db.t3.micro"},
				text("engine"), text("engine_version"),
				{Name: "storage", Type: resource.TInt, Example: "20"},
				{Name: "password", Type: resource.TString, Secret: true, WriteOnly: true, Min: bound(8), Max: bound(128)},
				groups(),
				{Name: "endpoint", Type: resource.TString, Computed: true},
			},
		},
		{
			Provider: "aws", Name: "s3", Doc: "A bucket.", NamePattern: `[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]`,
			Attrs: []resource.Attribute{{Name: "versioning", Type: resource.TBool}},
		},
		{Provider: "aws", Name: "security_group", Doc: "A firewall.", Attrs: []resource.Attribute{
			ref("vpc", "vpc", "vpc-"), text("description"),
			{
				Name: "ingress", Type: resource.TSet, Example: "[{port: 443, cidr: 0.0.0.0/0}]",
				Elem: &resource.Attribute{Type: resource.TObject, Fields: []resource.Attribute{
					{Name: "port", Type: resource.TInt, Required: true, Min: bound(0), Max: bound(65535), Example: "443"},
					text("cidr"), text("protocol"), ref("security_group", "security_group", "sg-"),
				}},
			},
		}},
		{
			Provider: "aws", Name: "subnet", Doc: "A part of a network.",
			Attrs: []resource.Attribute{ref("vpc", "vpc", "vpc-"), text("cidr"), text("zone")},
		},
		{
			Provider: "aws", Name: "vpc", Doc: "A network.",
			Attrs: []resource.Attribute{{Name: "cidr", Type: resource.TString, Required: true, Example: "10.0.0.0/16"}},
		},
		{
			Provider: "box", Name: "file", Doc: "A file in a box.", NoTags: true,
			Attrs: []resource.Attribute{text("content"), text("mode")},
		},
	}
}

func needsZone(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, zone := a.Get("zone")
	if _, attached := a.Get("attach_to"); !zone && !attached {
		return a, []resource.Problem{{
			Path: "zone", Summary: "a volume needs a zone or attach_to",
			Suggestion: "zone: us-east-1a",
		}}
	}
	return a, nil
}
