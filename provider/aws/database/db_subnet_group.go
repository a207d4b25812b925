package database

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// subnetsName is the form of names in AWS.
// Amazon RDS API Reference, CreateDBSubnetGroup: "This value is stored as a lowercase string." A
// name with upper-case letters would never equal the observed one. "First character must be a
// letter".
const subnetsName = `[a-z][a-z0-9._ -]{0,254}`

func kindOfDBSubnets() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: api.KindDBSubnets,
			Doc: "The subnets that databases may run in.\n\nIts name is its name in AWS, unless identifier sets another. " +
				"The subnets must be of one " +
				"VPC and in two availability zones at least.",
			NamePattern: subnetsName,
			NameDoc: "a lower-case letter, then lower-case letters, digits, '.', '_', '-' and spaces, at most 255 " +
				"characters; not default",
			CrossCheck: api.CrossChecks(api.TagTraits{RDS: true}, namedDefault, api.TwoZones),
			Identifier: api.Identifier,
			Holds:      api.HoldsName("DB subnet group", api.Identifier), HoldsDoc: api.HeldInRegion,
			Attrs: []resource.Attribute{
				api.IdentifierAttr(subnetsName),
				{
					Name: "subnets", Type: resource.TSet, Required: true, Min: api.Bound(2),
					Elem: &resource.Attribute{
						Type: resource.TString, RefKind: api.KindSubnet, IDPrefix: "subnet-", Parent: api.KindVPC,
					},
					Example: "[data-a, data-b]", Doc: "The subnets. A subnet that a database uses cannot be " +
						"removed.",
				},
				{
					Name: "description", Type: resource.TString,
					HarmlessDefault: true, CreateDefault: resource.String("Managed by ovi"), Min: api.Bound(1),
					Max:     api.Bound(255),
					Example: "of the shop", Doc: "A description.",
				},
			},
		},
		List: listDBSubnets, Read: readDBSubnets, Tag: tagDBSubnets, Check: checkDBSubnets,
		Create: createDBSubnets, Update: updateDBSubnets, Remove: deleteDBSubnets,
		Calls: api.Calls{
			Service:  "rds",
			Observes: "DescribeDBSubnetGroups ListTagsForResource",
			Creates:  "AddTagsToResource CreateDBSubnetGroup",
			Changes:  "AddTagsToResource ModifyDBSubnetGroup RemoveTagsFromResource",
			Deletes:  "DeleteDBSubnetGroup",
		},
	}
}

// dbSubnets returns the group of a name or, if the name is empty, all groups, from all pages.
func dbSubnets(ctx context.Context, g *api.Region, name string) ([]types.DBSubnetGroup, error) {
	return api.Pages(ctx, "rds.DescribeDBSubnetGroups",
		func(ctx context.Context, token *string) ([]types.DBSubnetGroup, *string, error) {
			in := &rds.DescribeDBSubnetGroupsInput{MaxRecords: aws.Int32(api.RDSPage), Marker: token}
			if name != "" {
				in = &rds.DescribeDBSubnetGroupsInput{DBSubnetGroupName: aws.String(name)}
			}
			out, err := g.RDS.DescribeDBSubnetGroups(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return out.DBSubnetGroups, out.Marker, nil
		})
}

// observedDBSubnets reads the tags too, which a list of groups does not have.
func observedDBSubnets(ctx context.Context, g *api.Region, s types.DBSubnetGroup) (resource.Observed, error) {
	o := resource.Observed{
		ID: aws.ToString(s.DBSubnetGroupName), UID: aws.ToString(s.DBSubnetGroupArn),
		Health: resource.Healthy,
	}
	tags, err := g.RDS.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: s.DBSubnetGroupArn})
	if err != nil {
		return o, api.Classify("", err)
	}
	a := api.Attrs{}
	subnets := resource.List{}
	for _, part := range s.Subnets {
		subnets = append(subnets, resource.String(aws.ToString(part.SubnetIdentifier)))
	}
	a["subnets"] = resource.SortSet(subnets)
	a.Text("description", s.DBSubnetGroupDescription)
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, api.KindDBSubnets, o.ID, rdsTagMap(tags.TagList))
	if o.ID == "default" && o.Marks.IsZero() {
		o.Message = resource.ProviderDefault
	}
	return o, nil
}

// listDBSubnets returns all groups, with a call for the tags of each. If one existing group cannot
// be read, the list fails: in an incomplete list, groups would count as missing.
func listDBSubnets(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := dbSubnets(ctx, s.Region, "")
	if err != nil {
		return nil, err
	}
	out := make([]resource.Observed, 0, len(all))
	for _, group := range all {
		o, err := observedDBSubnets(ctx, s.Region, group)
		if api.Absent(err) {
			continue // it was deleted between the two calls
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// readDBSubnets returns one group with its tags. A group that does not exist is an error that is
// absent.
func readDBSubnets(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	all, err := dbSubnets(ctx, g, id)
	s, err := api.Only(all, err, "rds.DescribeDBSubnetGroups", id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedDBSubnets(ctx, g, s)
}

// tagDBSubnets finds the ARN, by which RDS tags.
func tagDBSubnets(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	all, err := dbSubnets(ctx, g, id)
	s, err := api.Only(all, err, "rds.DescribeDBSubnetGroups", id)
	if err != nil {
		return err
	}
	return tagByARN(ctx, g, s.DBSubnetGroupArn, set, drop)
}

// checkDBSubnets reports a name that is taken. RDS has no dry run.
func checkDBSubnets(ctx context.Context, g *api.Region, r provider.Request) error {
	if r.Have.ID != "" {
		return nil
	}
	o, err := readDBSubnets(ctx, g, api.Named(&r.Desired))
	switch {
	case api.Absent(err):
		return nil
	case err != nil:
		return err
	}
	return api.Taken(o, r)
}

// createDBSubnets relies on the name, as createDB does. A subnet that was created a moment ago may
// not be known to RDS, which reports it as InvalidSubnet.
func createDBSubnets(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name := api.Named(&r.Desired)
	var created *rds.CreateDBSubnetGroupOutput
	err := g.Patiently(ctx, g.Wait.Appear, func() (err error) {
		created, err = g.RDS.CreateDBSubnetGroup(ctx, &rds.CreateDBSubnetGroupInput{
			DBSubnetGroupName: aws.String(name), DBSubnetGroupDescription: api.DesiredText(r.Desired.Attrs, "description"),
			SubnetIds: r.Desired.Attrs.Texts("subnets"), Tags: rdsTags(g.BirthTags(r, false)),
		})
		return api.Classify("", err)
	}, "InvalidSubnet")
	if err == nil {
		return observedDBSubnets(ctx, g, *created.DBSubnetGroup)
	}
	if !api.HasCode(err, "DBSubnetGroupAlreadyExists") {
		return resource.Observed{}, err
	}
	o, read := readDBSubnets(ctx, g, name)
	switch {
	case read != nil:
		return resource.Observed{}, errors.Join(err, read)
	// An earlier attempt created the group, and its answer was lost.
	case o.Marks.Key == r.Key:
		return o, nil
	}
	return resource.Observed{}, api.Taken(o, r)
}

// updateDBSubnets sets the complete list of subnets, so a repeated update has the same result. RDS
// requires "at least one subnet in at least two AZs" (Amazon RDS API Reference,
// ModifyDBSubnetGroup).
func updateDBSubnets(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	if api.Changed(r, "subnets", "description") {
		_, err := g.RDS.ModifyDBSubnetGroup(ctx, &rds.ModifyDBSubnetGroupInput{
			DBSubnetGroupName: aws.String(r.Have.ID), DBSubnetGroupDescription: api.DesiredText(r.Desired.Attrs, "description"),
			SubnetIds: r.Desired.Attrs.Texts("subnets"),
		})
		if err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return readDBSubnets(ctx, g, r.Have.ID)
}

// Amazon RDS API Reference, DeleteDBSubnetGroup: the group "must not be associated with any DB
// instances". A database that is being deleted still counts, so that the refusal is waited for.
func deleteDBSubnets(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.RDS.DeleteDBSubnetGroup(ctx, &rds.DeleteDBSubnetGroupInput{DBSubnetGroupName: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) {
		all, err := databases(ctx, g)
		var held []api.Holder
		for _, d := range all {
			if s := d.DBSubnetGroup; s != nil && strings.EqualFold(aws.ToString(s.DBSubnetGroupName), id) {
				held = append(held, api.Holder{Name: api.NameID(observedDB(g, d)), Service: deleting(d)})
			}
		}
		return held, err
	}, "InvalidDBSubnetGroupStateFault")
}
