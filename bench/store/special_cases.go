package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

func quietScans(ctx context.Context, dir string) (float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return 0, err
	}
	if err := fill(ctx, s, things(5000, rand.New(rand.NewPCG(1, 2)))); err != nil {
		return 0, err
	}
	before := disk(dir)
	for i := range 20 {
		value := fmt.Sprintf(`{"scope":"aws/us-east-1","at":"2026-01-02T03:04:%02dZ","complete":true,"changed":0,"gone":0}`, i)
		if err := put(ctx, s, "scan/aws/us-east-1", []byte(value)); err != nil {
			return 0, err
		}
	}
	return (disk(dir) - before) * 1000, nil
}

// million makes a store with a million versions: 10,000 commits of 100 keys each.
func million(ctx context.Context, dir string) (*bolt.Store, error) {
	s, err := fresh(dir)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(3, 4))
	value := make([]byte, 60)
	for range 10_000 {
		var tx storage.Tx
		start := rng.IntN(9900)
		for k := range 100 {
			tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("obs/%08d", start+k), Value: value})
		}
		if _, err := s.Commit(ctx, tx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func openAfterMillion(ctx context.Context, dir string) (float64, error) {
	if _, err := million(ctx, dir); err != nil {
		return 0, err
	}
	return clock(func() error { _, err := fresh(dir); return err })
}

func commitAfterMillion(ctx context.Context, dir string) (float64, error) {
	s, err := million(ctx, dir)
	if err != nil {
		return 0, err
	}
	return clock(func() error { return put(ctx, s, "obs/00000001", []byte("x")) })
}

func tinyCommit(ctx context.Context, dir string) (float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return 0, err
	}
	all := things(10_000, rand.New(rand.NewPCG(1, 2)))
	if err := fill(ctx, s, all); err != nil {
		return 0, err
	}
	var times []float64
	for i := range 300 {
		ms, err := clock(func() error { return put(ctx, s, all[i*31].key, all[i].value) })
		if err != nil {
			return 0, err
		}
		times = append(times, ms)
	}
	return median(times), nil
}

const claimRounds = 1000

func claims(ctx context.Context, dir string) (float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return 0, err
	}
	c := coordinator.New(s, coordinator.Identity{Instance: "bench"})
	defer c.Close(ctx)
	begun := time.Now()
	for i := range claimRounds {
		err := c.Hold(ctx, fmt.Sprintf("aws/us-east-1/ec2/web-%d", i), func(context.Context, coordinator.Claim) error { return nil })
		if err != nil {
			return 0, err
		}
	}
	return claimRounds / time.Since(begun).Seconds(), nil
}

func bareClaims(ctx context.Context, dir string) (float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return 0, err
	}
	lease, err := s.Grant(ctx, time.Minute)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	for i := range claimRounds {
		key := fmt.Sprintf("claim/aws/us-east-1/ec2/web-%d", i)
		token, err := s.Commit(ctx, storage.Tx{Guards: []storage.Guard{{Key: key}}, Ops: []storage.Op{{Key: key, Lease: lease}}})
		if err != nil {
			return 0, err
		}
		if _, err := s.Commit(ctx, storage.Tx{Guards: []storage.Guard{{Key: key, Created: token}}, Ops: []storage.Op{{Key: key, Delete: true}}}); err != nil {
			return 0, err
		}
	}
	return claimRounds / time.Since(begun).Seconds(), nil
}
