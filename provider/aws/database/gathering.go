package database

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// Gatherers make the read of a region that many wait for: twenty databases that are being created cost one call
// each time.
func Gatherers(g *api.Region) {
	g.ChangingDatabases = &api.Gather[types.DBInstance]{
		Step: g.Wait.First, Most: g.Wait.Gather,
		Read: func(ctx context.Context, ids []string) (map[string]types.DBInstance, error) {
			out := make(map[string]types.DBInstance, len(ids))
			for some := range slices.Chunk(ids, int(api.RDSPage)) {
				all, err := databasesIn(ctx, g, types.Filter{Name: aws.String("db-instance-id"), Values: some})
				if err != nil {
					return nil, err
				}
				for _, d := range all {
					out[aws.ToString(d.DBInstanceIdentifier)] = d
				}
			}
			return out, nil
		},
	}
}

// pollDatabase reads one of many databases that are waited for.
func pollDatabase(ctx context.Context, g *api.Region, id string) (types.DBInstance, error) {
	d, ok, err := g.ChangingDatabases.ReadOne(ctx, id)
	if err != nil {
		return d, err
	}
	var found []types.DBInstance
	if ok {
		found = []types.DBInstance{d}
	}
	return api.Only(found, nil, "rds.DescribeDBInstances", id)
}

// databasesIn reads all pages of the databases that pass the filters.
func databasesIn(ctx context.Context, g *api.Region, filters ...types.Filter) ([]types.DBInstance, error) {
	return api.Pages(ctx, "rds.DescribeDBInstances",
		func(ctx context.Context, token *string) ([]types.DBInstance, *string, error) {
			out, err := g.RDS.DescribeDBInstances(ctx,
				&rds.DescribeDBInstancesInput{MaxRecords: aws.Int32(api.RDSPage), Marker: token, Filters: filters})
			if err != nil {
				return nil, nil, err
			}
			return out.DBInstances, out.Marker, nil
		})
}
