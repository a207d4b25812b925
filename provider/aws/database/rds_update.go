package database

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// updateDB makes all changes in one call, at once. That call also makes whatever else is pending
// until the maintenance window; Observe has reported that in the message. A stopped database is
// started for the change and stopped again after it. An interruption in between leaves it running;
// the state is compared by the next plan, which stops it.
func updateDB(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	d, err := database(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	in, err := changesOf(r, d)
	if err != nil {
		return resource.Observed{}, err
	}
	if in == nil && !stateChanges(r) { // only tags, or what is kept by ovi: a failed database takes these too
		return observedDB(g, d), nil
	}
	if !full(d) || !grows(in, d) { // more storage is what a full database needs
		if d, err = awaitDB(ctx, g, id, "to be available or stopped", anyDB); err != nil {
			return resource.Observed{}, err
		}
	}
	stopped := isStopped(d)
	wantStopped := api.WantsStopped(r, stopped)
	if stopped && (!wantStopped || in != nil) { // RDS changes only running databases
		if d, err = powerDB(ctx, g, d, false); err != nil {
			return resource.Observed{}, err
		}
		stopped = false
	}
	if in != nil {
		if d, err = modifyDB(ctx, g, in); err != nil {
			return resource.Observed{}, err
		}
	}
	if wantStopped && !stopped {
		if _, err = powerDB(ctx, g, d, true); err != nil {
			return resource.Observed{}, err
		}
	}
	if d, err = database(ctx, g, id); err != nil {
		return resource.Observed{}, err
	}
	return observedDB(g, d), nil
}

// stateChanges reports whether a request starts or stops its database.
func stateChanges(r provider.Request) bool {
	return slices.ContainsFunc(r.Changes, func(c resource.Change) bool { return c.On == resource.OnState })
}

func isStopped(d types.DBInstance) bool { return aws.ToString(d.DBInstanceStatus) == "stopped" }

// powerDB stops or starts a database and waits for it. Amazon RDS API Reference, StopDBInstance:
// the instance "restarts automatically after 7 days". Then the next observation finds it running,
// and the plan stops it again.
func powerDB(ctx context.Context, g *api.Region, d types.DBInstance, off bool) (types.DBInstance, error) {
	id := aws.ToString(d.DBInstanceIdentifier)
	what, order := "to run", func() error {
		_, err := g.RDS.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: aws.String(id)})
		return err
	}
	if off {
		what, order = "to stop", func() error {
			_, err := g.RDS.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: aws.String(id)})
			return err
		}
	}
	if err := onceReady(ctx, g, order); err != nil {
		return d, err
	}
	return awaitDB(ctx, g, id, what, func(d types.DBInstance) bool { return isStopped(d) == off })
}

// tagDB changes the tags of a database. RDS merges, so that other tags stay.
func tagDB(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	d, err := database(ctx, g, id)
	if err != nil {
		return err
	}
	return tagByARN(ctx, g, d.DBInstanceArn, set, drop)
}
