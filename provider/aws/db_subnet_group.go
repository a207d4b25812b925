package aws

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

const kindDBSubnets = "db_subnet_group"

func kindOfDBSubnets() kind {
	return kind{
		schema: resource.Kind{
			Provider: Name, Name: kindDBSubnets,
			Doc:         "The subnets that databases may run in.\n\nIts name is its name in AWS. The subnets must be of one VPC and in two availability zones at least.",
			NamePattern: `[a-z0-9][a-z0-9._ -]{0,254}`, NameDoc: "lower-case letters, digits, '.', '_', '-' and spaces, at most 255 characters; not default",
			CrossCheck: crossChecks(tagTraits{rds: true}, namedDefault, twoZones),
			Attrs: []resource.Attribute{
				{
					Name: "subnets", Type: resource.TSet, Required: true, Min: bound(2),
					Elem:    &resource.Attribute{Type: resource.TString, RefKind: kindSubnet, IDPrefix: "subnet-"},
					Example: "[data-a, data-b]", Doc: "The subnets. One that a database uses cannot be removed.",
				},
				{
					Name: "description", Type: resource.TString, CreateDefault: resource.String("Managed by ovi"), Min: bound(1), Max: bound(255),
					Example: "of the shop", Doc: "What it is for.",
				},
			},
		},
		list: listDBSubnets, read: readDBSubnets, tag: tagDBSubnets, check: checkDBSubnets,
		create: createDBSubnets, update: updateDBSubnets, remove: deleteDBSubnets,
	}
}

func namedDefault(c *checking) {
	for _, d := range c.configured {
		if d.Ref.Name == "default" {
			c.alone(d, "name", "use another name", "AWS reserves the name default")
		}
	}
}

// twoZones checks the zones of subnets whose zones are configured (DBSubnetGroupDoesNotCoverEnoughAZs).
func twoZones(c *checking) {
	for _, d := range c.configured {
		zones := map[string]bool{}
		known := true
		for _, v := range d.Attrs.List("subnets") {
			s := c.named(v)
			if s == nil {
				known = false
				continue
			}
			zone, set := text(s.Attrs, "zone")
			known = known && set
			zones[zone] = true
		}
		if known && len(zones) == 1 {
			c.wrong(d, "subnets", "add a subnet in another zone", "all subnets are in one availability zone: AWS requires two")
		}
	}
}

func dbSubnets(ctx context.Context, g *region, name string) ([]types.DBSubnetGroup, error) {
	return pages(ctx, "rds.DescribeDBSubnetGroups", func(ctx context.Context, token *string) ([]types.DBSubnetGroup, *string, error) {
		in := &rds.DescribeDBSubnetGroupsInput{MaxRecords: aws.Int32(rdsPage), Marker: token}
		if name != "" {
			in = &rds.DescribeDBSubnetGroupsInput{DBSubnetGroupName: aws.String(name)}
		}
		out, err := g.rds.DescribeDBSubnetGroups(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.DBSubnetGroups, out.Marker, nil
	})
}

// observedDBSubnets reads the tags too, which a list of groups does not have.
func observedDBSubnets(ctx context.Context, g *region, s types.DBSubnetGroup) (resource.Observed, error) {
	o := resource.Observed{ID: aws.ToString(s.DBSubnetGroupName), UID: aws.ToString(s.DBSubnetGroupArn), Health: resource.Healthy}
	tags, err := g.rds.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: s.DBSubnetGroupArn})
	if err != nil {
		return o, classify("", err)
	}
	a := attrs{}
	subnets := resource.List{}
	for _, part := range s.Subnets {
		subnets = append(subnets, resource.String(aws.ToString(part.SubnetIdentifier)))
	}
	a["subnets"] = resource.SortSet(subnets)
	a.text("description", s.DBSubnetGroupDescription)
	o.Attrs = a.done()
	g.identify(&o, kindDBSubnets, o.ID, rdsTagMap(tags.TagList))
	if o.ID == "default" && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o, nil
}

func listDBSubnets(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := dbSubnets(ctx, s.region, "")
	if err != nil {
		return nil, err
	}
	out := make([]resource.Observed, 0, len(all))
	for _, group := range all {
		o, err := observedDBSubnets(ctx, s.region, group)
		if absent(err) {
			continue // it was deleted between the two calls
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func readDBSubnets(ctx context.Context, g *region, id string) (resource.Observed, error) {
	all, err := dbSubnets(ctx, g, id)
	s, err := only(all, err, "rds.DescribeDBSubnetGroups", id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedDBSubnets(ctx, g, s)
}

// tagDBSubnets finds the ARN, by which RDS tags.
func tagDBSubnets(ctx context.Context, g *region, id string, set map[string]string, drop []string) error {
	all, err := dbSubnets(ctx, g, id)
	s, err := only(all, err, "rds.DescribeDBSubnetGroups", id)
	if err != nil {
		return err
	}
	return tagByARN(ctx, g, s.DBSubnetGroupArn, set, drop)
}

func checkDBSubnets(ctx context.Context, g *region, r provider.Request) error {
	if r.Have.ID != "" {
		return nil
	}
	o, err := readDBSubnets(ctx, g, r.Desired.Ref.Name)
	switch {
	case absent(err):
		return nil
	case err != nil:
		return err
	}
	return taken(o, r)
}

// createDBSubnets relies on the name, as createDB does.
func createDBSubnets(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	name := r.Desired.Ref.Name
	var created *rds.CreateDBSubnetGroupOutput
	err := g.patiently(ctx, g.wait.Appear, func() (err error) {
		created, err = g.rds.CreateDBSubnetGroup(ctx, &rds.CreateDBSubnetGroupInput{
			DBSubnetGroupName: aws.String(name), DBSubnetGroupDescription: desired(r.Desired.Attrs, "description"),
			SubnetIds: r.Desired.Attrs.Texts("subnets"), Tags: rdsTags(g.birthTags(r, false)),
		})
		return classify("", err)
	}, "InvalidSubnet")
	if err == nil {
		return observedDBSubnets(ctx, g, *created.DBSubnetGroup)
	}
	if !hasCode(err, "DBSubnetGroupAlreadyExists") {
		return resource.Observed{}, err
	}
	o, read := readDBSubnets(ctx, g, name)
	switch {
	case read != nil:
		return resource.Observed{}, errors.Join(err, read)
	case o.Marks.Key == r.Key:
		return o, nil
	}
	return resource.Observed{}, taken(o, r)
}

func updateDBSubnets(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	if changed(r, "subnets", "description") {
		_, err := g.rds.ModifyDBSubnetGroup(ctx, &rds.ModifyDBSubnetGroupInput{
			DBSubnetGroupName: aws.String(r.Have.ID), DBSubnetGroupDescription: desired(r.Desired.Attrs, "description"),
			SubnetIds: r.Desired.Attrs.Texts("subnets"),
		})
		if err != nil {
			return resource.Observed{}, classify("", err)
		}
	}
	return readDBSubnets(ctx, g, r.Have.ID)
}

func deleteDBSubnets(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		_, err := g.rds.DeleteDBSubnetGroup(ctx, &rds.DeleteDBSubnetGroupInput{DBSubnetGroupName: aws.String(id)})
		return err
	}, func() ([]string, error) {
		all, err := databases(ctx, g)
		var names []string
		for _, d := range all {
			if s := d.DBSubnetGroup; s != nil && strings.EqualFold(aws.ToString(s.DBSubnetGroupName), id) {
				names = append(names, nameID(observedDB(g, d)))
			}
		}
		slices.Sort(names)
		return names, err
	}, "InvalidDBSubnetGroupStateFault")
}
