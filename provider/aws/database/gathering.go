package database

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// pollDatabase reads one of many databases that are waited for.
// Actions that wait at the same time share one call. A database that is not in the answer is an
// error that is absent. The caller decides whether the database is gone or not visible yet.
func pollDatabase(ctx context.Context, g *api.Region, id string) (types.DBInstance, error) {
	return api.Poll(ctx, g, "rds.DescribeDBInstances", id, api.InChunks(int(api.RDSPage),
		func(ctx context.Context, ids []string) ([]types.DBInstance, error) {
			return databasesIn(ctx, g, types.Filter{Name: aws.String("db-instance-id"), Values: ids})
		}, func(d types.DBInstance) *string { return d.DBInstanceIdentifier }))
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
