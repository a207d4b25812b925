package main

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

const (
	provider  = "aws"
	account   = "000000000000"
	resources = 10_000
	stack     = "shop"
	sizeWas   = "t3.micro"
)

// regions hold a tenth of the resources each.
func regions() []string {
	return []string{
		"us-east-1", "us-east-2", "us-west-1", "us-west-2", "eu-west-1", "eu-west-2", "eu-central-1", "eu-north-1",
		"ap-south-1", "sa-east-1",
	}
}

// started is the start of the year.
func started() time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }

const year = 365 * 24 * time.Hour

// refOf is the nth resource ever created.
func refOf(n int) resource.Ref {
	all := regions()
	return resource.Ref{
		Stack: stack, Provider: provider, Location: account + "/" + all[n%len(all)], Kind: "ec2",
		Name: fmt.Sprintf("web-%05d", n),
	}
}

func desired(n int) resource.Attrs {
	return resource.NewAttrs(
		resource.Attr{Name: "imdsv2", Value: resource.String("required")},
		resource.Attr{Name: "size", Value: resource.String(sizeWas)})
}

// there is the live state of a resource, about as large as that of an instance in the log.
func there(n int, size string) resource.Observed {
	ref := refOf(n)
	return resource.Observed{
		Ref: ref, ID: fmt.Sprintf("i-%017x", uint64(n)*0x9e3779b97f4a7c15&0xfffffffffffffff), Ownership: resource.Proven,
		Health: resource.Healthy,
		Attrs: resource.NewAttrs(
			resource.Attr{Name: "image", Value: resource.String("ami-0a1b2c3d4e5f60718")},
			resource.Attr{Name: "imdsv2", Value: resource.String("required")},
			resource.Attr{Name: "private_address", Value: resource.String(fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255))},
			resource.Attr{Name: "size", Value: resource.String(size)},
			resource.Attr{Name: "subnet", Value: resource.String("subnet-09378d61014a03482")}),
		Tags: resource.Tags{
			{Key: "cost-center", Value: "4711"},
			{Key: "team", Value: "platform"},
			{Key: "unit", Value: ref.Name},
		},
	}
}

// look is what a run observed in one region, mostly without changes.
func look(region string, at time.Time, count int, changed []resource.Observed, gone []resource.Ref) event.Observed {
	return event.Observed{
		Scope: resource.Scope{Provider: provider, Location: account + "/" + region}, At: at, Complete: true,
		Counts: map[string]event.KindCount{"ec2": {All: count, Managed: count}},
		Stacks: []string{stack}, Part: 1, Of: 1, Changed: changed, Gone: gone,
	}
}
